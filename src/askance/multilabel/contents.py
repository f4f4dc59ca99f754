"""Model files of `MultiLabelLearner`: what they hold."""

import scipy.sparse as sp

from askance._util.saving import Arrays, Header, matrix_arrays, plain_values
from askance.auto.contents import COUNTS, SCALES
from askance.jit.kernels.labelling import PLACES, REMEMBERED
from askance.multilabel.core import MultiLabelCore
from askance.multilabel.labels import as_names
from askance.multilabel.settings import MultiLabelSettings

KIND = "multilabel_learner"


def parameters_of(settings: MultiLabelSettings) -> Header:
    """The parameters in a file: those with which the learner was started, because it keeps them."""
    classes = None if settings.classes is None else as_names(settings.classes)
    return {**plain_values(settings._asdict()), "classes": classes}


def contents(core: MultiLabelCore) -> tuple[Header, Arrays]:
    """What a file holds of a learner, apart from its parameters."""
    models = core.models
    rows, places = (int(models.counts[place]) for place in (REMEMBERED, PLACES))
    labelled, lanes = models.labelled, models.lanes
    entries = int(labelled.starts[rows])
    parts = labelled.values[:entries], labelled.indices[:entries], labelled.starts[: rows + 1]
    arrays: Arrays = {
        **matrix_arrays("labelled/sparse", sp.csr_array(parts, shape=(rows, labelled.sparse_width))),
        "labelled/dense": labelled.dense[:rows],
        "labelled/sides": lanes.sides[:rows],
        "labelled/whole": models.whole[:rows],
        "linear/terms": models.vocabulary[1:places],
        "linear/duals": lanes.duals[:rows],
        "linear/dense_weights": lanes.dense_weights,
        "linear/weights": lanes.weights[:places],
        "counts": models.counts,
        **{f"scales/{name}": getattr(models.scales, name) for name in (*SCALES, *COUNTS)},
        **{f"thresholds/{name}": array for name, array in core.thresholds._asdict().items()},
        **{f"questions/{name}": array for name, array in core.questions._asdict().items()},
    }
    vectors = {"unit_columns": core.unit_columns} if core.unit_columns else {}
    return {"names": core.names, **vectors}, arrays
