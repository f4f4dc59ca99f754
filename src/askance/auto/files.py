"""Model files of `AutoLearner`: reading."""

from askance._util.saving import Arrays, Header, rebuilt, take_features
from askance.auto.codec import fill
from askance.auto.contents import KIND
from askance.auto.learner import AutoLearner


def from_bytes(content: bytes) -> AutoLearner:
    """The learner in the content of a file; raises ModelFileError if it is damaged or holds something else."""
    return rebuilt(content, KIND, "an AutoLearner", _rebuilt)


def _rebuilt(header: Header, arrays: Arrays) -> AutoLearner:
    learner = AutoLearner(**header["parameters"])
    width = take_features(learner, header)
    fill(learner._started(), header, arrays, width)
    return learner
