"""An adapter with river's methods: `learn_one` and `predict_one` on dictionaries.

    from askance.learners.river import RiverClassifier
    model = RiverClassifier(askance.make("PAA-II"))

It works in river's pipelines and evaluation. Features are hashed, so new names may appear at any time.
"""

from collections.abc import Hashable
from typing import Any

try:
    from river import base
except ImportError as missing:
    raise ImportError("askance.learners.river needs river: pip install river") from missing

from askance.data.hashing import hash_records
from askance.learners.learner import Learner
from askance.rules.rows import Row


class RiverClassifier(base.Classifier):
    """A learner as a classifier of river. Call `learner.ask` to decide about asking."""

    def __init__(self, learner: Learner, bits: int = 20) -> None:
        self.learner = learner
        self.bits = bits

    def learn_one(self, x: dict[Hashable, Any], y: Any) -> None:
        """Learn the label of one row."""
        self.learner.tell(self.row(x), y)

    def predict_one(self, x: dict[Hashable, Any], **_: Any) -> Any:
        """The class of one row; None before the first label."""
        if not self.learner.__sklearn_is_fitted__():
            return None
        return self.learner.predict(hash_records([_named(x)], self.bits, dtype=self.learner.dtype))[0].item()

    def row(self, x: dict[Hashable, Any]) -> Row:
        """The row that `learner.ask` and `learner.tell` take for these features."""
        self.learner.resize(1 << self.bits)
        hashed = hash_records([_named(x)], self.bits, dtype=self.learner.dtype)
        return Row(hashed.indices, hashed.data)


def _named(x: dict[Hashable, Any]) -> dict[str, Any]:
    return {str(name): value for name, value in x.items()}
