"""Whether what came since the fit still looks like it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MUCH = 0.2  # new ratings, as a share of those fitted
WORSE = 1.05  # an error this many times that of the ratings held back when fitting
SURE = 3.0  # standard errors
ENOUGH = 100  # ratings to judge by


class RefitAdvised(UserWarning):
    """The ratings since the fit call for fitting anew."""


class Drift(NamedTuple):
    """How the ratings since the fit were told before they were learned, as far as user and item were known."""

    fitted: int  # ratings of the fit
    rmse_at_fit: float  # of expected ratings, of those held back
    later: int = 0  # ratings since
    judged: int = 0  # those of them whose user and item were known
    squares: float = 0.0  # of their errors
    fourths: float = 0.0

    def with_errors(self, later: int, errors: NDArray[np.float64]) -> "Drift":
        """The drift with so many more ratings, and the errors of those of them that could be judged."""
        squares = errors**2
        return self._replace(
            later=self.later + later,
            judged=self.judged + len(errors),
            squares=self.squares + float(squares.sum()),
            fourths=self.fourths + float((squares**2).sum()),
        )

    @property
    def rmse(self) -> float:
        """The error of the expected ratings since; NaN if none could be judged."""
        return (self.squares / self.judged) ** 0.5 if self.judged else float("nan")

    @property
    def advice(self) -> str | None:
        """Why to fit anew; None while there is no need."""
        if self.later > MUCH * self.fitted:
            return f"{self.later} ratings came since it was fitted to {self.fitted}"
        if self.judged < ENOUGH:
            return None
        mean = self.squares / self.judged
        error = (max(self.fourths / self.judged - mean**2, 0.0) / self.judged) ** 0.5
        if mean - SURE * error > (WORSE * self.rmse_at_fit) ** 2:
            return (
                f"{self.judged} new ratings were told with an RMSE of {self.rmse:.3f}, not {self.rmse_at_fit:.3f}"
            )
        return None
