"""The trace of a pass of a regressor: prediction and decision of every round, as arrays."""

import dataclasses
import itertools
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from askance._util.html import html_table
from askance._util.optional import require
from askance.metrics.estimates import LEVEL, Estimate
from askance.metrics.regression import REGRESSION_METRICS, Errors, asked_errors, regression_errors

if TYPE_CHECKING:
    import pandas

PER_ROUND = ("y", "predictions", "ask_probabilities", "asked", "updated")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class RegressionTrace:
    """The rounds of a pass, one per row. `StreamRegressor.run` returns it.

    Attributes
    ----------
    y : ndarray of float
        The targets.
    predictions : ndarray of float
        The predictions before the label; NaN before the first label.
    ask_probabilities : ndarray of float
        The probabilities of asking for the labels.
    asked : ndarray of bool
        Whether the label was asked for.
    updated : ndarray of bool
        Whether the learner changed.
    spent, refused : int
        The number of labels that these rounds took from the budget, and that the limit refused.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import StreamRegressor
    >>> X = np.random.default_rng(0).normal(size=(2000, 3))
    >>> trace = StreamRegressor().run(X, 1000 + 5 * X[:, 0])
    >>> bool(trace.errors().r2 > 0.95)
    True
    >>> found = trace.estimate("mse")
    >>> bool(found.low < trace.errors().mse < found.high)
    True
    """

    y: NDArray[np.float64]
    predictions: NDArray[np.float64]
    ask_probabilities: NDArray[np.float64]
    asked: NDArray[np.bool_]
    updated: NDArray[np.bool_]
    first_round: int
    mode: str
    algorithm: str
    spent: int
    refused: int

    def __len__(self) -> int:
        return len(self.y)

    def __repr__(self) -> str:
        asked = np.count_nonzero(self.asked)
        return f"<RegressionTrace: {self.algorithm}, {len(self)} rounds, {asked} labels asked>"

    def errors(self) -> Errors:
        """Return MSE, RMSE, MAE and R² of the predictions before each label, over all rows that have one."""
        return regression_errors(self.y, self.predictions)

    def estimate(self, metric: str = "mse", level: float = LEVEL) -> Estimate:
        """Estimate "mse", "rmse" or "mae" over all rows from the asked labels alone, with an interval.

        See `askance.metrics.asked_errors`.
        """
        return asked_errors(metric, self.y, self.predictions, self.asked, self.ask_probabilities, level)

    def curve(self, points: int = 200) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return up to `points` numbers of rows, evenly spaced, and the MSE over the rows so far."""
        squares = np.nan_to_num((self.y - self.predictions) ** 2)
        known = np.cumsum(np.isfinite(self.predictions))
        rows = np.unique(np.linspace(1, len(self), min(points, len(self))).astype(np.int64))
        with np.errstate(invalid="ignore"):
            return rows, (np.cumsum(squares) / known)[rows - 1]

    def summary(self) -> "RegressionSummary":
        """Summarize the pass in a small table."""
        return RegressionSummary(
            self.algorithm,
            len(self),
            int(np.count_nonzero(self.asked)),
            self.refused,
            self.errors(),
            {metric: self.estimate(metric) for metric in REGRESSION_METRICS},
        )

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name: round, prediction, y, ask_probability, asked, updated."""
        return {
            "round": np.arange(self.first_round, self.first_round + len(self)),
            "prediction": self.predictions,
            "y": self.y,
            "ask_probability": self.ask_probabilities,
            "asked": self.asked,
            "updated": self.updated,
        }

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the columns of `to_dict` as a pandas data frame."""
        return require("pandas", None, "this table").DataFrame(self.to_dict())

    @classmethod
    def join(cls, traces: Iterable[Self]) -> "RegressionTrace":
        """Join consecutive pieces into one trace."""
        pieces = list(traces)
        if not pieces:
            raise ValueError("there are no traces to join")
        for before, after in itertools.pairwise(pieces):
            expected = before.first_round + len(before)
            if after.first_round != expected:
                raise ValueError(
                    f"traces to join must be consecutive: expected round {expected}, got {after.first_round}"
                )
        whole: dict[str, Any] = {
            name: np.concatenate([getattr(piece, name) for piece in pieces]) for name in PER_ROUND
        }
        counts = {name: sum(getattr(piece, name) for piece in pieces) for name in ("spent", "refused")}
        return dataclasses.replace(pieces[0], **whole, **counts)


@dataclasses.dataclass(frozen=True, repr=False)
class RegressionSummary:
    """The result of a pass: errors over all rows, and estimated from the asked labels alone."""

    algorithm: str
    rows: int
    asked: int
    refused: int
    errors: Errors
    estimates: dict[str, Estimate]

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, as numbers, strings and dictionaries."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        estimates = {name: found.as_dict() for name, found in self.estimates.items()}
        return {**fields, "errors": self.errors._asdict(), "estimates": estimates}

    def table(self) -> list[tuple[str, str, str]]:
        """Return name, value and estimate of each number."""
        share = f"{self.asked / self.rows:.2%} of the rows" if self.rows else ""
        lines = [("rows", f"{self.rows:,}", ""), ("labels asked", f"{self.asked:,}", share)]
        if self.refused:
            lines.append(("refused", f"{self.refused:,}", "questions beyond the limit"))
        errors = [
            (metric.upper(), shown_number(getattr(self.errors, metric)), interval(self.estimates[metric]))
            for metric in ("rmse", "mae", "mse")
        ]
        return [*lines, *errors, ("R²", f"{self.errors.r2:.4f}", "")]

    @property
    def notes(self) -> list[str]:
        """What there is to know about the estimates of RMSE and MAE, in sentences."""
        about: dict[str, list[str]] = {}
        for name in ("rmse", "mae"):
            found = self.estimates[name]
            if found.enough and found.note:
                about.setdefault(found.note, []).append(name.upper())
        return [f"{' and '.join(names)}: {note}" for note, names in about.items()]

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks."""
        table = html_table(self.algorithm, self.table(), ("", "all labels", "estimated from asked labels"))
        return table + "".join(f"<p>{escape(note)}</p>" for note in self.notes)

    def __repr__(self) -> str:
        lines = self.table()
        width = max(len(value) for _, value, _ in lines)
        rows = (f"{name:<12}  {value:>{width}}  {more}".rstrip() for name, value, more in lines)
        return "\n".join([self.algorithm, *rows, *self.notes])


def interval(found: Estimate) -> str:
    """An estimate with its interval."""
    if found.value is None or found.low is None or found.high is None:
        return found.note
    return f"{shown_number(found.value)} ({shown_number(found.low)} to {shown_number(found.high)})"


def shown_number(value: float) -> str:
    """A number in four digits or, if it is large, as a whole one: the unit of a target may be any."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
