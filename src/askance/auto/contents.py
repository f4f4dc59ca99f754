"""Model files of `AutoLearner`: what they hold."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from askance._util.saving import Arrays, Header, class_list, matrix_arrays, plain_values
from askance.auto.core import AutoCore
from askance.auto.settings import AutoSettings
from askance.jit.kernels.labelling import PLACES, REMEMBERED
from askance.jit.kernels.trees import Trees, empty

KIND = "auto_learner"
SCALES = ("means", "squares", "from_unit", "centres", "factors", "furthest", "weights")
COUNTS = ("rows", "frequencies")
FOREST = ("features", "thresholds", "children", "classes")


def parameters_of(settings: AutoSettings) -> Header:
    """The parameters in a file: those with which the learner was started, because it keeps them."""
    classes = None if settings.classes is None else np.asarray(settings.classes).tolist()
    return {**plain_values(settings._asdict()), "classes": classes}


def contents(core: AutoCore) -> tuple[Header, Arrays]:
    """What a file holds of a learner, apart from its parameters."""
    header, arrays = _learned(core)
    arrays |= {f"scales/{name}": getattr(core.models.scales, name) for name in (*SCALES, *COUNTS)}
    if core.forgetting is None:
        return header, arrays
    about = []
    for place, recent in enumerate(core.forgetting.competing):
        learned, more = _learned(recent.core)
        about.append({**learned, "since": recent.since, "wins": recent.wins, "losses": recent.losses})
        arrays |= {f"recent/{place}/{name}": array for name, array in more.items()}
    own = core.forgetting
    forgetting = {
        "recent": about,
        "waiting": own.waiting,
        "changes": own.changes,
        "spends": own.spends,
        "suspicion": vars(own.suspicion),
        "suspects_until": own.suspects_until,
    }
    return {**header, "forgetting": forgetting}, arrays


def _learned(core: AutoCore) -> tuple[Header, Arrays]:
    """What models have learned, apart from the scales."""
    models = core.models
    rows, places = (int(models.counts[place]) for place in (REMEMBERED, PLACES))
    lanes = models.lanes
    arrays: Arrays = {
        **matrix_arrays("labelled/sparse", _sparse(models.labelled, rows)),
        "labelled/dense": models.labelled.dense[:rows],
        "labelled/codes": lanes.codes[:rows],
        "linear/terms": models.vocabulary[1:places],
        "linear/duals": lanes.duals[:rows],
        "linear/dense_weights": lanes.dense_weights,
        "linear/weights": lanes.weights[:places],
        **{f"mixture/{name}": array for name, array in models.mixture._asdict().items()},
        "past/recent": core.past.recent,
        "past/likeness": core.past.likeness,
        "past/behind": core.past.behind,
        "past/counts": core.past.counts,
        "counts": models.counts,
        **{f"forest/{name}": array for name, array in _forest(models.trees).items()},
    }
    vectors = {"unit_columns": core.unit_columns} if core.unit_columns else {}
    return {"observed": class_list(core.encoder.observed), **vectors}, arrays


def _forest(trees: Trees) -> Arrays:
    """The nodes in use, without what they were in earlier trees, so that equal forests have equal files."""
    nodes = int(trees.used.max(initial=1))
    fresh, places = empty(len(trees.used), nodes), np.arange(nodes)
    unused = places >= trees.used[:, np.newaxis]
    inner = trees.children[:, :nodes] != places
    found = {}
    for name in FOREST:
        outdated = unused | inner if name == "classes" else unused
        found[name] = np.where(outdated, getattr(fresh, name)[:, :nodes], getattr(trees, name)[:, :nodes])
    return found


def _sparse(labelled: Any, rows: int) -> Any:
    starts = labelled.starts[: rows + 1]
    entries = int(starts[-1])
    parts = labelled.values[:entries], labelled.indices[:entries], starts
    return sp.csr_array(parts, shape=(rows, labelled.sparse_width))
