"""The warning about columns of very different size."""

import warnings
from typing import Any

from askance.errors import ScaleWarning
from askance.learners.inputs import unlike_columns


def warn_of_scales(core: Any, X: Any, level: int = 3) -> None:
    """Warn if the first rows of a learner have columns of very different size and nothing scales them.

    `level` is the number of calls from here to the line of the user, as `warnings.warn` counts them.
    """
    found = None if core.settings.scaling is not None or core.has_rows else unlike_columns(X)
    if found is not None:
        warnings.warn(found, ScaleWarning, stacklevel=level)
