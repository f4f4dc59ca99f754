"""A fleet done slowly: an independent learner for each key, one after the other."""

from typing import Any

import numpy as np
import scipy.sparse as sp

import askance
from askance import Learner
from askance.fleet import Fleet


def world(
    rows: int, keys: int, classes: list[Any], width: int = 60, random_state: int = 0
) -> tuple[Any, Any, Any]:
    """Keys, rows and labels: each key sees some of the features only, and has a target of its own."""
    chance = np.random.default_rng(random_state)
    names = np.array([f"user-{number}" for number in range(keys)])
    who = chance.integers(0, keys, rows)
    X = sp.random_array((rows, width), density=0.15, rng=chance, format="csr")
    X.data = chance.normal(size=X.nnz)
    targets = chance.normal(size=(keys, width, len(classes)))
    best = np.argmax(np.stack([X[[t]] @ targets[key] for t, key in enumerate(who)])[:, 0], axis=1)
    return names[who], X, np.array(classes)[best]


def learner_of(fleet: Fleet, key: Any) -> Learner:
    """The learner that a key would have without a fleet."""
    settings = fleet.settings
    update, query, sgn0, many, _ = settings.rules
    return askance.Learner(
        *(update, query),
        random_state=fleet.random_state_of(key),
        dtype=settings.dtype,
        sgn0=sgn0,
        classes=settings.classes,
        multiclass=many,
    )


class Twin:
    """What a fleet of these settings has to say."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet, self.learners = fleet, {}

    def of(self, key: Any) -> Learner:
        return self.learners.setdefault(key, learner_of(self.fleet, key))

    def run(self, keys: Any, X: Any, y: Any) -> dict[str, Any]:
        """What each row gets, in the order of the rows."""
        found: dict[str, Any] = {}
        for key in dict.fromkeys(keys.tolist()):
            own = np.flatnonzero(keys == key)
            trace = self.of(key).run(X[own], y[own])
            for name in ("predictions", "scores", "ask_probabilities", "asked", "updated"):
                column = getattr(trace, name)
                found.setdefault(name, np.empty(len(keys), column.dtype))[own] = column
        return found

    def ask(self, keys: Any, X: Any) -> list[Any]:
        return [self.of(key).ask(X[[t]]) for t, key in enumerate(keys.tolist())]

    def tell(self, keys: Any, X: Any, y: Any) -> None:
        for t, key in enumerate(keys.tolist()):
            self.of(key).tell(X[[t]], y[t])

    def check_weights(self) -> None:
        """Every key's weights are those of its learner, to the last bit in exact mode."""
        for key, learner in self.learners.items():
            weights = self.fleet.coef_of(key).toarray()
            width = learner.coef_.shape[1]
            np.testing.assert_array_equal(weights[:, :width], learner.coef_)
            assert not weights[:, width:].any()
