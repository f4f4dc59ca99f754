"""Drift: whether ratings since the fit are still predicted as well as at the time of the fit."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MUCH = 0.2  # new ratings, as a share of those fitted
WORSE = 1.05  # times the error on the validation ratings of the fit
SURE = 3.0  # standard errors
ENOUGH = 100  # ratings for a verdict


class RefitAdvised(UserWarning):
    """The ratings since the last fit suggest that you fit the model again."""


class Drift(NamedTuple):
    """The prediction error on ratings that arrived after the fit, measured before they were learned.

    Attributes
    ----------
    fitted : int
        Number of ratings in the last fit.
    rmse_at_fit : float
        RMSE of expected ratings on the validation ratings of the fit.
    later : int
        Number of ratings since the fit.
    judged : int
        Number of those whose user and item were known.
    squares, fourths : float
        Sums of their errors to the powers of 2 and 4.
    """

    fitted: int
    rmse_at_fit: float
    later: int = 0
    judged: int = 0
    squares: float = 0.0
    fourths: float = 0.0

    def with_errors(self, later: int, errors: NDArray[np.float64]) -> "Drift":
        """The drift after `later` more ratings, with the errors of those whose user and item were known."""
        squares = errors**2
        return self._replace(
            later=self.later + later,
            judged=self.judged + len(errors),
            squares=self.squares + float(squares.sum()),
            fourths=self.fourths + float((squares**2).sum()),
        )

    @property
    def rmse(self) -> float:
        """RMSE of expected ratings since the fit; NaN if no rating had a known user and item."""
        return (self.squares / self.judged) ** 0.5 if self.judged else float("nan")

    @property
    def advice(self) -> str | None:
        """Why to fit again, in one sentence; None if there is no need."""
        if self.later > MUCH * self.fitted:
            return f"{self.later} ratings have arrived since the fit to {self.fitted}"
        if self.judged < ENOUGH:
            return None
        mean = self.squares / self.judged
        error = (max(self.fourths / self.judged - mean**2, 0.0) / self.judged) ** 0.5
        if mean - SURE * error > (WORSE * self.rmse_at_fit) ** 2:
            return (
                f"the RMSE on {self.judged} new ratings is {self.rmse:.3f}; "
                f"it was {self.rmse_at_fit:.3f} at the time of the fit"
            )
        return None
