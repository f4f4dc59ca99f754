"""Model files of learners."""

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from askance._util.atomic_write import write_whole
from askance._util.sealed_file import arrays_of, header_of, read, seal
from askance.engine.passes import learned
from askance.errors import ModelFileError
from askance.learners.classes import Coding, ManyClasses
from askance.learners.core import LearnerCore
from askance.learners.labels import as_labels, distinct
from askance.rules.registry import known_rules

if TYPE_CHECKING:
    from askance.learners.learner import Learner

AnyLoop = TypeVar("AnyLoop", bound=LearnerCore)


def save(learner: LearnerCore, path: str | os.PathLike[str]) -> None:
    """Write `learner` to `path`: all of it or nothing, also if the machine stops half-way."""
    write_whole(path, to_bytes(learner))


def load(path: str | os.PathLike[str], rules: tuple[type, ...] = ()) -> Any:
    """The learner, or the factorisation of ratings, in a file.

    `rules` are rules of your own that a learner uses; those of askance are known. A file that is damaged, or no
    model at all, raises ValueError.
    """
    content = read(path)
    try:
        if header_of(content).get("kind") == "ratings":
            from askance.ratings.files import from_bytes as ratings_from_bytes

            return ratings_from_bytes(content)
        return from_bytes(content, rules)
    except ModelFileError as fault:
        raise ModelFileError(f"{path} {fault}") from None


def to_bytes(learner: LearnerCore) -> bytes:
    """The content of a model file."""
    learner._begin_once()
    return seal(learned(learner._machine.core), _header(learner))


def from_bytes(content: bytes, rules: tuple[type, ...] = ()) -> "Learner":
    """The learner in the content of a model file."""
    from askance.learners.from_rules import with_rules

    return loop_from_bytes(content, with_rules, rules)


def loop_from_bytes(content: bytes, make: Callable[..., AnyLoop], rules: tuple[type, ...] = ()) -> AnyLoop:
    """What `make` makes of the rules in the content of a model file, with all that they have learned."""
    known = known_rules(rules)
    header = header_of(content)
    try:
        learner = _rebuilt(header, content, known, make)
    except ModelFileError:
        raise
    except Exception as error:
        # The checksum fits, so somebody made it so: whatever a header can be made to do, it must not get further.
        raise ModelFileError(f"holds what no learner can hold ({' '.join(str(error).split())[:100]})") from None
    return learner


def _header(learner: LearnerCore) -> dict[str, Any]:
    machine = learner._machine
    return {
        "update": described(machine.core.update),
        "query": described(machine.core.query),
        "random_state": int(learner.random_state),
        "dtype": machine.dtype.name,
        "sgn0": int(machine.core.at_zero),
        "width": machine.width,
        "elastic": learner._elastic,
        "many": bool(learner.many),
        "classes": None if learner.classes is None else listed(np.asarray(learner.classes)),
        "observed": listed(learner._coding.observed),
    }


def _rebuilt(
    header: dict[str, Any], content: bytes, known: dict[str, type], make: Callable[..., AnyLoop]
) -> AnyLoop:
    width = header["width"]
    learner = make(
        update=made_of(header["update"], known),
        query=made_of(header["query"], known),
        random_state=header["random_state"],
        dtype=header["dtype"],
        sgn0=header["sgn0"],
        classes=None if header["classes"] is None else unlisted(header["classes"]).tolist(),
        many=header["many"],
    )
    learner._begin_once()
    if width is not None and not 0 <= width <= learner._machine.most_features(len(content)):
        raise ModelFileError(f"holds what no learner can hold: {width} features in a file of {len(content)} bytes")
    learner._coding = _coding(header["observed"], learner._coding)
    if width is not None:
        if learner.many and width * learner._coding.lanes > len(content):
            raise ModelFileError(
                "holds what no learner can hold: more classes and features than the file has bytes"
            )
        learner._machine.make_room(width, learner._coding.lanes)
        learner._has_width(width, elastic=header["elastic"])
    if json.dumps(_header(learner), sort_keys=True) != json.dumps(header, sort_keys=True):
        raise ModelFileError("has a header that this askance would not write: use a backup or train anew")
    found = arrays_of(content)
    learner._machine.expect(found)
    _fill(learned(learner._machine.core), found)
    return learner


def _coding(listing: dict[str, Any], given: Coding) -> Coding:
    """The coding of the classes observed, which begin with those `given`; two classes are sorted."""
    observed = unlisted(listing)
    labels = as_labels(observed, len(observed))
    coding = type(given)(labels, given.dtype)
    if isinstance(given, ManyClasses):
        sound = len(np.unique(labels)) == len(labels)
    else:
        sound = np.array_equal(distinct(labels, given.observed), labels)
    if labels.dtype.kind not in "biufU" or not sound:
        raise ModelFileError(f"has the classes {observed.tolist()}, which no learner can have observed")
    if not np.isin(given.observed, labels).all():
        raise ModelFileError(f"has the classes {observed.tolist()}, which are not those given")
    return coding


def _fill(arrays: dict[str, NDArray[Any]], found: dict[str, NDArray[Any]]) -> None:
    """Put what was found into the learner's arrays, if it is of the same form and could have been learned."""
    if arrays.keys() != found.keys():
        raise ModelFileError(f"has the arrays {', '.join(sorted(found))} instead of {', '.join(sorted(arrays))}")
    for name, array in arrays.items():
        if (found[name].dtype, found[name].shape) != (array.dtype, array.shape):
            raise ModelFileError(
                f"has an array {name} of {found[name].dtype}{found[name].shape}, which does not fit"
            )
        counts = array.dtype.kind == "i"
        if (found[name] < 0).any() if counts else not np.isfinite(found[name]).all():
            raise ModelFileError(f"has an array {name} with {'negative counts' if counts else 'NaN or infinity'}")
        array[:] = found[name]


def described(rule: Any) -> dict[str, Any]:
    """A rule as its name and its parameters."""
    parameters = {
        name: described(value) if hasattr(value, "_fields") else value for name, value in rule._asdict().items()
    }
    code = next((name for name, value in parameters.items() if callable(value)), None)
    if code is not None:
        raise ValueError(f"a model file holds no code, so a learner whose {code} is a function cannot be saved")
    return {"rule": type(rule).__name__, "parameters": parameters}


def made_of(description: dict[str, Any], rules: dict[str, type]) -> Any:
    """The rule that was described."""
    name = description["rule"]
    if name not in rules:
        raise ModelFileError(f"uses the rule {name}, which is not one of askance's: pass rules=({name},) to load")
    parameters = {
        key: made_of(value, rules) if isinstance(value, dict) else value
        for key, value in description["parameters"].items()
    }
    return rules[name](**parameters)


def listed(classes: NDArray[Any]) -> dict[str, Any]:
    """Classes as words and numbers."""
    return {"dtype": classes.dtype.str, "values": classes.tolist()}


def unlisted(classes: dict[str, Any]) -> NDArray[Any]:
    """The classes that were listed."""
    return np.array(classes["values"], classes["dtype"])
