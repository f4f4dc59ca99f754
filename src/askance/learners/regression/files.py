"""Model files of `StreamRegressor`: reading."""

from askance._util.saving import Arrays, Header, rebuilt, take_features
from askance.errors import ModelFileError
from askance.learners.regression.codec import KIND, fill, parameters_of
from askance.learners.regression.regressor import StreamRegressor


def from_bytes(content: bytes) -> StreamRegressor:
    """The regressor in the content of a file; raises ModelFileError if it is damaged or holds something else."""

    def build(header: Header, arrays: Arrays) -> StreamRegressor:
        model = StreamRegressor(**parameters_of(header))
        width = take_features(model, header)
        if width > len(content):
            raise ModelFileError(f"has {width} features, but only {len(content)} bytes")
        fill(model._started(), arrays, width)
        return model

    return rebuilt(content, KIND, "a StreamRegressor", build)
