"""The settings of a fleet: the algorithm of every key, its classes, and the width of rows."""

import dataclasses
import functools
import json
from typing import Any

import numpy as np

from askance.algorithms import parts_of
from askance.algorithms.entry import Parts
from askance.errors import ParameterError
from askance.fleet.shard import field_of
from askance.learners import labels
from askance.learners.codec import classes_from_dict, classes_to_dict, rule_from_dict, rule_to_dict
from askance.rules.kernel import RULES as KERNEL_RULES
from askance.rules.query.rule import sees_rows
from askance.rules.registry import check_rules, known_rules, with_floats

MOST_BITS = 31


@dataclasses.dataclass(frozen=True)
class FleetSettings:
    """The settings of a fleet, validated: ParameterError or ValueError if they cannot be used."""

    algorithm: str
    parameters: dict[str, Any]
    classes: list[Any]
    query: Any = None  # replaces the algorithm's own
    bits: int = 18
    random_state: int = 0
    dtype: str = "float32"

    def __post_init__(self) -> None:
        if self.dtype not in ("float32", "float64"):
            raise ParameterError("Fleet", "dtype", self.dtype, "'float32' (fast) or 'float64' (exact)")
        if not _is_integer(self.bits) or not 1 <= self.bits <= MOST_BITS:
            raise ParameterError("Fleet", "bits", self.bits, f"an integer from 1 to {MOST_BITS}")
        if not _is_integer(self.random_state) or not 0 <= self.random_state < 2**64:
            raise ParameterError("Fleet", "random_state", self.random_state, "an integer from 0 to 2**64 - 1")
        labels.as_classes(self.classes, many=self.rules.multiclass)
        check_rules(self.rules.update, self.rules.query, many=self.rules.multiclass)
        if sees_rows(self.rules.query):
            raise ValueError(
                "a fleet keeps no recent rows for its models: use a query rule without LocalDensity and "
                "CognitiveWindow"
            )

    @functools.cached_property
    def rules(self) -> Parts:
        """The rules of each key's learner."""
        parts = parts_of(self.algorithm, self.parameters)
        update, query = with_floats(parts.update), with_floats(parts.query if self.query is None else self.query)
        try:
            if isinstance(update, KERNEL_RULES):
                raise ValueError("it stores rows")
            field_of(update.start(1, np.dtype(self.dtype)))
        except ValueError as reason:
            raise ValueError(
                f"{self.algorithm} cannot be used in a fleet, because {reason}: choose one of linear cost, "
                "such as PAA-II, AROW-diag or D-ADA"
            ) from None
        return parts._replace(update=update, query=query)

    @property
    def width(self) -> int:
        """The largest number of columns of a row."""
        return 1 << self.bits

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as a JSON-compatible dict."""
        given = dataclasses.asdict(self) | {"query": None if self.query is None else rule_to_dict(self.query)}
        return given | {"classes": classes_to_dict(labels.as_classes(self.classes, many=self.rules.multiclass))}

    def as_json(self) -> str:
        """Return the settings as JSON text, the same text for equal settings."""
        return json.dumps(self.as_dict(), sort_keys=True)

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> "FleetSettings":
        """Create settings from what `as_dict` returned."""
        query = None if given["query"] is None else rule_from_dict(given["query"], known_rules())
        return cls(**given | {"query": query, "classes": classes_from_dict(given["classes"]).tolist()})


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
