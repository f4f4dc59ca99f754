"""The trace of a pass: the decision of every round, as arrays."""

import dataclasses
import itertools
import json
import os
import pathlib
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance._util.html import html_line, html_table
from askance._util.optional import require
from askance.errors import ParameterError
from askance.metrics import METRICS, AskedTally, Curve, CurveRecorder, Estimate, Forecast, Tally
from askance.metrics.augmented import PREVALENCE, as_columns, augmented_estimate
from askance.metrics.certificate import Certificate, Certifier, certify, log_odds_of_lead
from askance.metrics.drift import Drift, drifts
from askance.metrics.forecast import weights_of_asked
from askance.metrics.positive import OF_POSITIVE, default_positive, place_of_class
from askance.plotting.curves import draw, draw_panel, save_picture
from askance.rules.registry import BINARY, MULTICLASS

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from matplotlib.axes import Axes

OF_TWO = ("precision", "recall", "f", "auroc", "auprc")
PER_ROUND = ("true_codes", "predicted_codes", "scores", "ask_probabilities", "asked", "updated")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """The decisions of a pass, one per row. `Learner.run` returns it.

    Attributes
    ----------
    predictions : ndarray
        The predicted classes.
    y : ndarray
        The true classes.
    scores : ndarray of float
        The scores. Of two classes, they are positive for the last one.
    ask_probabilities : ndarray of float
        The probabilities of asking for the labels.
    asked : ndarray of bool
        Whether the label was asked for.
    updated : ndarray of bool
        Whether the learner changed.
    classes : ndarray
        The classes. Of two, the last one is the larger, unless the learner was given another positive class.
    true_codes, predicted_codes : ndarray of int
        `y` and `predictions` as numbers. For two classes +1 or -1, and 0 for an unknown label; for more,
        positions in `classes`, and -1 for an unknown label.
    spent, refused : int
        The number of labels that these rounds took from the budget, and that the budget refused.
    widest : float
        The share of rows to be certified first, for which the questions were chosen; see `Certifier`. It is 1 for
        learners without `certify`.

    Examples
    --------
    >>> import numpy as np, askance
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> trace = askance.make("PAA-II").run(X, X[:, 0] > 0)
    >>> bool(trace.asked.mean() < 0.5)
    True
    >>> bool((trace.predictions == trace.y)[-100:].mean() > 0.9)
    True
    """

    true_codes: NDArray[np.integer[Any]]
    predicted_codes: NDArray[np.integer[Any]]
    scores: NDArray[np.floating[Any]]
    ask_probabilities: NDArray[np.floating[Any]]  # of asking
    asked: NDArray[np.bool_]
    updated: NDArray[np.bool_]
    classes: NDArray[Any]
    first_round: int
    mode: str  # "float64 exact" or "float32 relaxed"
    algorithm: str
    spent: int  # labels that these rounds took from the budget
    refused: int  # labels that the query rule wanted in these rounds and the budget refused
    kind: str = BINARY
    widest: float = 1.0

    def __post_init__(self) -> None:
        lengths = [len(getattr(self, name)) for name in PER_ROUND]
        if len(set(lengths)) > 1:
            raise ValueError(f"the arrays {', '.join(PER_ROUND)} must have the same length, not {lengths}")
        if self.kind == BINARY and len(self.classes) != 2:
            raise ValueError(f"a binary trace has two classes, not {len(self.classes)}: set kind={MULTICLASS!r}")

    def __len__(self) -> int:
        return len(self.predicted_codes)

    def __repr__(self) -> str:
        asked = np.count_nonzero(self.asked)
        start = f" from round {self.first_round}" if self.first_round else ""
        return f"<Trace: {self.algorithm}, {self.mode}, {len(self)} rounds{start}, {asked} labels asked>"

    def _repr_html_(self) -> str:
        """The summary and the accuracy so far, for notebooks."""
        if not len(self):
            return f"<pre>{escape(repr(self))}</pre>"
        values = self.curve().values
        known = values[np.isfinite(values)]
        line = html_line(known.tolist(), float(known.min()), float(known.max())) if len(known) else ""
        return f"{self.summary()._repr_html_()}{line and f'<p>accuracy so far</p>{line}'}"

    @property
    def predictions(self) -> NDArray[Any]:
        """The predicted classes."""
        return self._class_values(self.predicted_codes)

    @property
    def y(self) -> NDArray[Any]:
        """The true classes; if some are unknown, an array of objects with None for these."""
        values, unknown = (
            self._class_values(self.true_codes),
            self.true_codes == (0 if self.kind == BINARY else -1),
        )
        if unknown.any():
            values = values.astype(object)
            values[unknown] = None
        return values

    def _class_values(self, codes: NDArray[np.integer[Any]]) -> NDArray[Any]:
        return np.asarray(self.classes)[(codes > 0).astype(np.intp) if self.kind == BINARY else codes]

    def signs(self) -> tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]:
        """True and predicted labels for the metrics: +1, -1 and 0. For many classes, +1 is the correct class."""
        if self.kind == BINARY:
            return self.true_codes, self.predicted_codes
        known = (self.true_codes >= 0).astype(np.int8)
        return known, np.where(self.predicted_codes == self.true_codes, 1, -1).astype(np.int8)

    @property
    def margins(self) -> NDArray[np.floating[Any]] | None:
        """The signed scores for metrics of scores; None for more than two classes."""
        return self.scores if self.kind == BINARY else None

    @property
    def confidences(self) -> NDArray[np.floating[Any]]:
        """How confident the predictions are: of `AutoLearner`, as log-odds of being right."""
        if self.kind == BINARY:
            return np.abs(self.scores)
        # The lead of a probability over the others, or a margin of any size.
        return log_odds_of_lead(self.scores) if self.scores.max(initial=0) <= 1 else self.scores

    def positive_class(self, positive: Any = None) -> Any:
        """The class that F, precision and recall are about; None for more than two classes.

        It is the one given, or the rarer one if it has less than a third of the rows, otherwise the larger one.
        """
        if self.kind == MULTICLASS:
            if positive is not None:
                raise ValueError(f"positive={positive!r} has no effect for more than two classes: leave it out")
            return None
        classes = np.asarray(self.classes).tolist()
        if positive is not None:
            return classes[place_of_class(positive, classes)]
        return classes[default_positive([int((self.true_codes == sign).sum()) for sign in (-1, 1)])]

    def _is_flipped(self, positive: Any) -> bool:
        """Whether the positive class is the first one, which has negative codes."""
        return self.kind == BINARY and self.positive_class(positive) == self.classes[0]

    def tally(self, positive: Any = None) -> Tally:
        """The counts from which metrics are computed; for `positive`, see `positive_class`."""
        tally = Tally(many=self.kind == MULTICLASS)
        tally.add(*self.signs(), self.asked, self.updated, self.margins)
        return tally.flipped() if self._is_flipped(positive) else tally

    def asked_tally(self, positive: Any = None) -> AskedTally:
        """The counts from which metrics are estimated, from the asked labels alone."""
        tally = AskedTally(many=self.kind == MULTICLASS)
        tally.add(*self.signs(), self.asked, self.ask_probabilities, self.margins)
        return tally.flipped() if self._is_flipped(positive) else tally

    def estimate(
        self,
        metric: str,
        level: float = 0.95,
        *,
        anytime: bool = False,
        positive: Any = None,
        last: int | None = None,
        helpers: ArrayLike | None = None,
        **weights: float,
    ) -> Estimate:
        """Estimate a metric over all rows, or the `last` ones, from the asked labels alone, with an interval.

        Intervals hold at one fixed time. With `anytime` they hold at all times at once, so that you may look
        whenever you like; see `AskedTally.estimate`. That is for all rows only. For `positive`, see
        `positive_class`. The metric "prevalence" is the share of rows of the positive class; of more than two
        classes, name one.

        With `helpers`, numbers that are known for every row (one column or several, as of `guess_columns`),
        intervals become narrower; see `augmented_estimate`. The scores are always among the helpers.
        """
        if last is not None and last < 1:
            raise ParameterError("estimate", "last", last, "None or a whole number of at least 1")
        if helpers is not None or metric == PREVALENCE:
            if anytime:
                raise ValueError("there are no intervals for all times with helpers or of the prevalence")
            return self._estimate_with(helpers, metric, level, positive, last, **weights)
        if last is None:
            return self.asked_tally(positive).estimate(metric, level, anytime=anytime, worst_case=False, **weights)
        if anytime:
            raise ValueError("an interval for all times is about all rows: leave out last or anytime")
        positive = self.positive_class(positive)  # of all rows: it is the same in every window
        tally = self._last(last).asked_tally(positive)
        return tally.estimate(metric, level, anytime=False, worst_case=False, **weights)

    def _estimate_with(
        self,
        helpers: ArrayLike | None,
        metric: str,
        level: float,
        positive: Any,
        last: int | None,
        **weights: float,
    ) -> Estimate:
        """Estimate a metric from labels and, unless they are None, helpers and scores."""
        truth, predicted = self.signs()
        scores = self.scores / (1 + np.abs(self.scores))
        many = self.kind == MULTICLASS
        if metric == PREVALENCE and many:
            place = place_of_class(positive, np.asarray(self.classes).tolist())
            truth = np.where(self.true_codes < 0, 0, np.where(self.true_codes == place, 1, -1))
            scores, many = np.where(self.predicted_codes == place, 1 + scores, 0.0), False
        elif self._is_flipped(positive):
            truth, predicted = -truth, -predicted
        columns = np.empty((len(self), 0))
        if helpers is not None:
            columns = np.column_stack([scores, as_columns(helpers, len(self))])
        rows = slice(0 if last is None else max(0, len(self) - last), None)
        return augmented_estimate(
            metric,
            truth[rows],
            predicted[rows],
            self.asked[rows],
            self.ask_probabilities[rows],
            columns[rows],
            level,
            many=many,
            **weights,
        )

    def _last(self, rows: int) -> "Trace":
        """The last rows, for metrics; what they spent is not known."""
        start = max(0, len(self) - rows)
        columns = {name: getattr(self, name)[start:] for name in PER_ROUND}
        return dataclasses.replace(self, **columns, first_round=self.first_round + start)

    def certify(self, error: float = 0.02, level: float = 0.95, *, predicted: Any = None) -> Certificate:
        """Certify, from the asked labels alone, that few of the confident predictions are wrong.

        Goes through the rows as `Certifier` does. Rows without a chance of being asked about are not among those
        that are certified, so it takes a learner that may ask about most rows. With `AutoLearner(certify=error)`,
        it takes the fewest labels.

        With `predicted`, it is about predictions of this class alone: of confident predictions of spam, for
        example, few are wrong. Certificates of several classes hold at their level each.
        """
        rows = np.arange(len(self))
        if predicted is not None:
            if predicted not in (known := np.asarray(self.classes).tolist()):
                raise ParameterError("certify", "predicted", predicted, f"one of {', '.join(map(repr, known))}")
            rows = np.flatnonzero(self.predictions == predicted)
        wrong = (self.predicted_codes != self.true_codes)[rows].tolist()
        asked, probabilities = self.asked[rows].tolist(), self.ask_probabilities[rows].tolist()
        certifier = Certifier(error, level, widest=self.widest)
        found = certify(certifier, self.confidences[rows].tolist(), probabilities, asked, wrong)
        automatic = np.zeros(len(self), bool)
        automatic[rows] = found.automatic
        since, until = (int(np.append(rows, len(self))[place]) for place in (found.since, found.until))
        return dataclasses.replace(found, since=since, until=until, automatic=automatic)

    def drift(self, every: float = 100_000) -> list[Drift]:
        """Find changes of the stream: mistakes among the asked labels or low confidences became more frequent.

        Goes through the rows as `DriftDetector` and `ScoreDriftDetector` do.

        Parameters
        ----------
        every : float, default=100_000
            The number of rows per false alarm, on average at least.

        Returns
        -------
        list of Drift
            The alarms, in the order of rows.
        """
        truth, predicted = self.signs()
        asked = self.asked & (truth != 0) & (self.ask_probabilities > 0)
        wrong, probabilities = (truth != predicted).tolist(), self.ask_probabilities.tolist()
        return drifts(self.confidences.tolist(), probabilities, asked.tolist(), wrong, every)

    def forecast(self) -> Forecast:
        """Forecast what more labels would bring, from the asked labels alone.

        The rows must go on like those so far, and only asked labels were learned. There is no guarantee: in
        simulations, about four of five intervals contained the accuracy that was measured later.

        Raises
        ------
        ValueError
            If the trace does not start at the first round: earlier labels would be missing.
        """
        if self.first_round:
            raise ValueError(f"the trace starts at round {self.first_round}: join it with what came before")
        truth, predicted = self.signs()
        before: NDArray[np.int64] = np.cumsum(self.asked) - self.asked
        asked = self.asked & (truth != 0)
        weights = weights_of_asked(before, asked, self.ask_probabilities)
        return Forecast(before[asked], (truth != predicted)[asked], weights, known=int(self.asked.sum()))

    def summary(self, positive: Any = None) -> "Summary":
        """Summarize the pass in a small table; for `positive`, see `positive_class`."""
        tally = self.tally(positive)
        return Summary(
            algorithm=self.algorithm,
            mode=self.mode,
            rows=int(tally.counts.rows),
            known=int(tally.counts.known),
            asked=int(tally.counts.asked),
            refused=self.refused,
            updates=int(tally.counts.updates),
            mistakes=int(tally.counts.mistakes),
            accuracy=tally.value("accuracy"),
            **{name: None if self.kind == MULTICLASS else tally.value(name) for name in OF_TWO},
            estimates=self.asked_tally(positive).estimates(),
            positive=self.positive_class(positive),
        )

    def curve(
        self, metric: str = "accuracy", points: int = 200, *, positive: Any = None, **weights: float
    ) -> Curve:
        """Return the metric over the rows so far, at up to `points` evenly spaced rows and at the last.

        For `positive`, see `positive_class`.
        """
        recorder = CurveRecorder(points, many=self.kind == MULTICLASS)
        recorder.add(*self.signs(), self.asked, scores=self.margins)
        return (recorder.flipped() if self._is_flipped(positive) else recorder).curve(metric, **weights)

    def plot(
        self,
        metric: str = "accuracy",
        against: str = "rows",
        path: str | os.PathLike[str] | None = None,
        ax: "Axes | None" = None,
        positive: Any = None,
    ) -> "Axes":
        """Plot the metric against "rows" or "labels" (asked), and save the picture if `path` is given.

        A notebook shows the picture if the call is the last line of a cell.
        Pass the same `ax` to draw the traces of several methods into one plot. For `positive`, see
        `positive_class`.
        """
        curves = {self.algorithm: self.curve(metric, positive=positive)}
        if ax is None:
            return draw(curves, metric, path, panels=(against,)).axes[0]
        draw_panel(ax, curves, metric, against)
        if path is not None:
            save_picture(ax.figure, path)
        return ax

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name: round, prediction, y, score, ask_probability, asked, updated."""
        return {
            "round": np.arange(self.first_round, self.first_round + len(self)),
            "prediction": self.predictions,
            "y": self.y,
            "score": self.scores,
            "ask_probability": self.ask_probabilities,
            "asked": self.asked,
            "updated": self.updated,
        }

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the columns of `to_dict` as a pandas data frame."""
        return require("pandas", None, "this table").DataFrame(self.to_dict())

    def to_arrow(self) -> "pyarrow.Table":
        """Return the columns of `to_dict` as an Arrow table. Unknown labels are null; metadata hold the rest."""
        arrow = _pyarrow()
        # Explicit, because a column of nulls has no type of its own.
        types = dict.fromkeys(("prediction", "y"), arrow.array(np.asarray(self.classes)).type)
        columns = {name: arrow.array(column, types.get(name)) for name, column in self.to_dict().items()}
        about = {
            "algorithm": self.algorithm,
            "mode": self.mode,
            "kind": self.kind,
            "widest": self.widest,
            "classes": np.asarray(self.classes).tolist(),
            "spent": self.spent,
            "refused": self.refused,
        }
        return arrow.table(columns, metadata={"askance": json.dumps(about)})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table of `to_arrow` to a Parquet file."""
        if pathlib.Path(path).suffix.lower() != ".parquet":
            raise ValueError(
                f"a trace is saved as Parquet: the name must end in .parquet, not {os.fspath(path)!r}"
            )
        table = self.to_arrow()
        from pyarrow import parquet

        parquet.write_table(table, path)

    @classmethod
    def join(cls, traces: Iterable[Self]) -> "Trace":
        """Join consecutive pieces into one trace."""
        pieces = list(traces)
        if not pieces:
            raise ValueError("there are no traces to join")
        for before, after in itertools.pairwise(pieces):
            _check_consecutive(before, after)
        whole: dict[str, Any] = {
            name: np.concatenate([getattr(piece, name) for piece in pieces]) for name in PER_ROUND
        }
        whole["spent"] = sum(piece.spent for piece in pieces)
        whole["refused"] = sum(piece.refused for piece in pieces)
        # A piece with one class had to guess the other.
        whole["classes"] = pieces[-1].classes
        return dataclasses.replace(pieces[0], **whole)


@dataclasses.dataclass(frozen=True, repr=False)
class Summary:
    """The result of a pass. Metrics are over the `known` rows, whose label is known."""

    algorithm: str
    mode: str
    rows: int
    known: int
    asked: int
    refused: int
    updates: int
    mistakes: int
    accuracy: float
    precision: float | None  # these five for two classes only
    recall: float | None
    f: float | None
    auroc: float | None
    auprc: float | None
    estimates: dict[str, Estimate]  # of all metrics, from the asked labels alone
    positive: Any = None  # the class that these metrics are about

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, as numbers, strings and dictionaries."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {**fields, "estimates": {name: found.as_dict() for name, found in self.estimates.items()}}

    @property
    def notes(self) -> list[str]:
        """What there is to know about the estimates, in sentences."""
        known = [found.note for found in self.estimates.values() if found.enough and found.note]
        return list(dict.fromkeys(known)) if self.asked < self.rows else []

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks."""
        title = f"{self.algorithm} ({self.mode})"
        share = f"{self.asked / self.rows:.2%} of the rows" if self.rows else ""
        rows: list[tuple[str, str, str]] = [
            ("rows", f"{self.rows:,}", ""),
            ("labels asked", f"{self.asked:,}", share),
        ]
        for name in ("accuracy", *OF_TWO):
            value = getattr(self, name)
            if value is not None:
                about = f" of {self.positive!r}" if name in OF_POSITIVE else ""
                estimated = self.estimates[name].interval if self.asked < self.rows else ""
                rows.append((f"{METRICS[name].title}{about}", f"{value:.4f}", estimated))
        table = html_table(title, rows, ("", "all labels", "estimated from asked labels"))
        return table + "".join(f"<p>{escape(note)}</p>" for note in self.notes)

    def __repr__(self) -> str:
        counts = {"rows": self.rows, "labels asked": self.asked, "refused": self.refused}
        counts |= {"updates": self.updates, "mistakes": self.mistakes}
        shares = {name: getattr(self, name) for name in ("accuracy", *OF_TWO) if getattr(self, name) is not None}
        cells = {name: f"{count:,}" for name, count in counts.items()}
        cells |= {METRICS[name].title: f"{share:.4f}" for name, share in shares.items()}
        width = max(map(len, cells.values()))
        lines = {name: f"{name:<12}  {cell:>{width}}" for name, cell in cells.items()}
        if self.known < self.rows:
            lines["mistakes"] += f"  among {self.known:,} rows with a known label"
        if self.asked < self.rows:
            lines["mistakes"] += f"\n{'':{width + 14}}  from asked labels"
            for name in shares:
                lines[METRICS[name].title] += f"  {self.estimates[name].interval}"
        if self.rows:
            lines["labels asked"] += f"  {self.asked / self.rows:.2%} of the rows"
        about = "" if self.positive is None else f", positive class {self.positive!r}"
        return "\n".join([f"{self.algorithm} ({self.mode}){about}", *lines.values(), *self.notes])


def _check_consecutive(before: Trace, after: Trace) -> None:
    expected = before.first_round + len(before)
    if after.first_round != expected:
        raise ValueError(f"traces to join must be consecutive: expected round {expected}, got {after.first_round}")
    for name in ("algorithm", "mode", "kind"):
        left, right = getattr(before, name), getattr(after, name)
        if left != right:
            raise ValueError(f"traces to join must have the same {name}, not {left} and {right}")


def _pyarrow() -> Any:
    return require("pyarrow", "parquet", "Parquet")
