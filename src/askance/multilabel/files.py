"""Model files of `MultiLabelLearner`: reading."""

from askance._util.saving import Arrays, Header, rebuilt, take_features
from askance.multilabel.codec import fill
from askance.multilabel.contents import KIND
from askance.multilabel.learner import MultiLabelLearner


def from_bytes(content: bytes) -> MultiLabelLearner:
    """The learner in the content of a file; raises ModelFileError if it is damaged or holds something else."""
    return rebuilt(content, KIND, "a MultiLabelLearner", _rebuilt)


def _rebuilt(header: Header, arrays: Arrays) -> MultiLabelLearner:
    learner = MultiLabelLearner(**header["parameters"])
    width = take_features(learner, header)
    fill(learner._started(), header, arrays, width)
    return learner
