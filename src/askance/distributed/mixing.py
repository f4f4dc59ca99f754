"""Parameter mixing: one model over a stream that is too fast for one processor.

Each partition of a batch is learned separately, starting from the current model. The resulting models are then
averaged, each weighted by its number of updates (McDonald, Hall and Mann 2010). With one partition, this is the
sequential learner. Models are passed on as the content of model files.
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
from askance.rules.state.diagonal import DropDiagonal, HerdedDiagonal, InverseDiagonal
from askance.rules.state.weights import Weights
from askance.rules.update import IELLIP

GAUSSIANS = (DropDiagonal, InverseDiagonal, HerdedDiagonal)


class LearnedPartition(NamedTuple):
    """The model after a partition, and what happened in it."""

    model: bytes
    rows: int
    asked: int
    updates: int
    mistakes: int


def check_mixable(learner: Learner) -> None:
    """Raise ValueError if models of this learner cannot be mixed."""
    core = learner._started().machine.core
    if learner.multiclass or learner.classes is None:
        raise ValueError("mixing needs two classes that are known before the first row: pass classes")
    if learner.scaling is not None:
        raise ValueError(
            "each partition would scale rows in its own way: scale them before mixing, without scaling"
        )
    if learner.probability:
        raise ValueError("each partition would have scores of its own model: mix without probability")
    if not isinstance(core.state, (Weights, *GAUSSIANS)):
        raise ValueError(
            f"the state of {type(core.update).__name__} cannot be averaged: mixing supports weights and diagonal "
            "variances only; choose an algorithm such as PA-II or AROW-diag"
        )
    if isinstance(core.update, IELLIP):
        raise ValueError(
            "the variances of IELLIP soon stop changing, so they cannot say how much a partition has learned: "
            "choose an algorithm such as PA-II or AROW-diag"
        )
    if not isinstance(core.memory, NoMemory):
        raise ValueError(
            f"{type(core.query).__name__} has a memory, which partitions cannot share: "
            "choose a query rule such as Margin, Random or Always"
        )


def learned_from(model: bytes, place: int, partition: Stream) -> LearnedPartition:
    """Learn a partition, starting from `model`. Partition 0 uses the model's random state, others their own."""
    learner = from_bytes(model)
    if place:
        own = np.random.SeedSequence([learner.random_state, place]).generate_state(1, np.uint64)[0]
        learner._started().set_random_state(int(own))
    counts = np.zeros(4, np.int64)
    for trace in learner.iter_run(partition):
        wrong = trace.predicted_codes != trace.true_codes
        counts += [len(wrong), trace.asked.sum(), trace.updated.sum(), wrong.sum()]
    return LearnedPartition(to_bytes(learner), *counts.tolist())


def mixed(model: bytes, learned: Sequence[LearnedPartition]) -> bytes:
    """Mix the models of partitions that all started from `model`."""
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
        mine[:] = theirs[0]  # bit-identical
    elif isinstance(base._started().machine.core.state, GAUSSIANS):
        mine[:] = mixed_gaussians(mine, theirs)
    elif updates.any():
        mine[:] = mixed_weights(theirs, updates)
    return to_bytes(base)


def mixed_weights(after: Sequence[NDArray[Any]], updates: NDArray[Any]) -> NDArray[Any]:
    """Return Σ u w / Σ u, where u is the number of updates of each model."""
    return np.einsum("k,kj->j", updates / updates.sum(), np.stack(after))


def mixed_gaussians(before: NDArray[Any], after: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Mix weights with variances σ: gains in precision 1/σ add up, and each weight is averaged by these gains.

    A partition that never saw a feature has no influence on it. A feature that no partition saw stays as it was.
    """
    pairs = np.stack(after).astype(np.float64)
    weights, known = before[:, 0].astype(np.float64), 1.0 / before[:, 1].astype(np.float64)
    gains = np.maximum(1.0 / pairs[:, :, 1] - known, 0.0)
    gained = gains.sum(axis=0)
    seen = gained > 0
    weights[seen] = np.einsum("kj,kj->j", gains[:, seen], pairs[:, seen, 0]) / gained[seen]
    return np.stack([weights, 1.0 / (known + gained)], axis=1)


def _add_up(past: Past, others: Sequence[Past]) -> None:
    """Add to `past` what happened in each of the others since they started from it."""
    for name in ("rounds", "asked", "mistakes", "labels"):
        mine = getattr(past, name)
        mine += np.sum([getattr(other, name) - mine for other in others], axis=0)
    past.max_squared_norm[:] = max(other.max_squared_norm[0] for other in others)
