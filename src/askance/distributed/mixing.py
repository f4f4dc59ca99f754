"""Parameter mixing: one model over a stream that is too fast for one processor.

From the model of now, each partition of a batch is learned by itself; then one model is made of what they have
learned, each counting as much as it was updated (McDonald, Hall and Mann 2010). With one partition, it is the
sequential learner. Models are handed on as the content of model files.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.stream import Stream
from askance.engine.passes import Past
from askance.learners.files import from_bytes, to_bytes
from askance.learners.learner import Learner
from askance.rules.query.rule import NoMemory
from askance.rules.state.diagonal import DropDiagonal, InverseDiagonal
from askance.rules.state.weights import Weights

GAUSSIANS = (DropDiagonal, InverseDiagonal)


class Learned(NamedTuple):
    """A partition as it was learned: the model after it, and what happened on the way."""

    model: bytes
    rows: int
    asked: int
    updates: int
    mistakes: int


def check_mixable(learner: Learner) -> None:
    """ValueError in one sentence if such learners cannot be mixed."""
    core = learner._started().machine.core
    if learner.many or learner.classes is None:
        raise ValueError("mixing is for two classes, which must be known before the first row: give classes")
    if not isinstance(core.state, (Weights, *GAUSSIANS)):
        raise ValueError(
            f"{type(core.update).__name__} keeps other things than weights and their variances, of which there is "
            "no average: take a rule such as PA-II or AROW-diag"
        )
    if not isinstance(core.memory, NoMemory):
        raise ValueError(
            f"{type(core.query).__name__} remembers what it has asked, and partitions do not hear of each other: "
            "take a query rule such as Margin, Random or Always"
        )


def learned_from(model: bytes, place: int, partition: Stream) -> Learned:
    """Let the model go through a partition, with coins of its own; those of the first are the model's."""
    learner = from_bytes(model)
    if place:
        learner.random_state = int(
            np.random.SeedSequence([learner.random_state, place]).generate_state(1, np.uint64)[0]
        )
    counts = np.zeros(4, np.int64)
    for trace in learner.iter_run(partition):
        wrong = trace.predicted_codes != trace.true_codes
        counts += [len(wrong), trace.asked.sum(), trace.updated.sum(), wrong.sum()]
    return Learned(to_bytes(learner), *counts.tolist())


def mixed(model: bytes, learned: Sequence[Learned]) -> bytes:
    """One model of what several have learned since they were `model`."""
    base, others = from_bytes(model), [from_bytes(one.model) for one in learned]
    check_mixable(base)
    width = max(one._started().width or 0 for one in (base, *others))
    for learner in (base, *others):
        learner.resize(width)
    cores = [one._started().machine.core for one in others]
    _add_up(base._started().machine.core.past, [core.past for core in cores])
    (mine,), theirs = base._started().machine.core.state, [core.state[0] for core in cores]
    updates = np.array([one.updates for one in learned])
    if len(theirs) == 1:
        mine[:] = theirs[0]  # to the last bit
    elif isinstance(base._started().machine.core.state, GAUSSIANS):
        mine[:] = mixed_gaussians(mine, theirs)
    elif updates.any():
        mine[:] = mixed_weights(theirs, updates)
    return to_bytes(base)


def mixed_weights(after: Sequence[NDArray[Any]], updates: NDArray[Any]) -> NDArray[Any]:
    """Σ u w / Σ u, where u is how often each was updated."""
    return np.einsum("k,kj->j", updates / updates.sum(), np.stack(after))


def mixed_gaussians(before: NDArray[Any], after: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Of weights with variances σ: gains in precision 1/σ add up, and a weight counts by the gain that it brought.

    That is what updates are worth to a single feature: a partition that never saw it has no say there, and where
    none has seen it, it stays.
    """
    pairs = np.stack(after).astype(np.float64)
    weights, known = before[:, 0].astype(np.float64), 1.0 / before[:, 1].astype(np.float64)
    gains = np.maximum(1.0 / pairs[:, :, 1] - known, 0.0)
    gained = gains.sum(axis=0)
    seen = gained > 0
    weights[seen] = np.einsum("kj,kj->j", gains[:, seen], pairs[:, seen, 0]) / gained[seen]
    return np.stack([weights, 1.0 / (known + gained)], axis=1)


def _add_up(past: Past, others: Sequence[Past]) -> None:
    """Count all that happened to the others since they were one."""
    for name in ("rounds", "asked", "mistakes", "told"):
        mine = getattr(past, name)
        mine += np.sum([getattr(other, name) - mine for other in others], axis=0)
    past.longest[:] = max(other.longest[0] for other in others)
