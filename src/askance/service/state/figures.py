"""Estimates of metrics, from the labels that were asked for on arrival, or from those of audits."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.metrics import AskedTally
from askance.metrics.estimates import LEVEL, Estimate
from askance.metrics.label_samples import SAMPLE_METRICS
from askance.metrics.samples import SampleCounts, sample_estimate
from askance.service.settings import Costs, TaskSettings
from askance.service.state.audits import FEWEST, Audits, Sample
from askance.service.state.label_samples import label_sample

TWO_CLASSES = ("accuracy", "f", "precision", "recall", "balanced_accuracy", "cost")
MANY_CLASSES = ("accuracy",)
FLUSH_AT = 1000
LATEST = 100  # audits that tell how the model is doing at a point of the history


class Outcome(NamedTuple):
    """An item as the tally takes it. `truth` is 0 if the label was not asked for, or not given."""

    truth: int
    prediction: int
    asked: bool
    ask_probability: float
    score: float


class Figures:
    """The tally of a task. Items that were not asked about are settled at once, others by their label."""

    def __init__(self, settings: TaskSettings) -> None:
        self._many = settings.many
        self._ids = frozenset(settings.ids)
        self._last = max(self._ids)  # counted as +1, whichever class is the positive one
        positive = settings.positive_class
        self._flipped = positive is not None and settings.id_of(positive) != self._last
        self.set_costs(settings.costs)
        self._tally = AskedTally(many=self._many)
        self._new: list[Outcome] = []

    def set_costs(self, costs: Costs) -> None:
        """Use these costs for the metric `cost`."""
        self._weights: dict[str, dict[str, Any]] = {"cost": {"c_p": costs.c_p, "c_n": costs.c_n}}

    def become_many(self) -> None:
        """Count for more than two classes from now on: of the items so far, only who was right remains."""
        self._flush()
        self._tally, self._many, self._flipped = self._tally.as_many(), True, False

    def settle(
        self, prediction: str, truth: str | None, score: float, ask_probability: float, *, asked: bool
    ) -> None:
        """Add an item whose label is final, or will never be known."""
        self._new.append(self._outcome(prediction, truth, score, ask_probability, asked=asked))
        if len(self._new) >= FLUSH_AT:
            self._flush()

    def estimates(self, open_questions: Iterable[Any], level: float = LEVEL) -> dict[str, Estimate]:
        """The metrics by name. The intervals allow for any answer to questions without one."""
        self._flush()
        waiting = AskedTally(many=self._many)
        outcomes = [
            self._outcome(question.prediction, None, question.score, question.ask_probability, asked=True)
            for question in open_questions
        ]
        _add(waiting, outcomes)
        everything = self._tally + waiting
        if self._flipped:
            everything = everything.flipped()
        return {
            metric: everything.estimate(metric, level, worst_case=True, **self._weights.get(metric, {}))
            for metric in (MANY_CLASSES if self._many else TWO_CLASSES)
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays to put into a snapshot."""
        self._flush()
        return self._tally.arrays()

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the arrays of a snapshot."""
        self._tally.restore(arrays)

    def _outcome(
        self, prediction: str, truth: str | None, score: float, ask_probability: float, *, asked: bool
    ) -> Outcome:
        if self._many:
            return Outcome(int(truth is not None), 1 if prediction == truth else -1, asked, ask_probability, score)
        predicted = self._sign(prediction)
        # A correction may know a class that was added later: in any case the prediction was another.
        sign = 0 if truth is None else self._sign(truth) if truth in self._ids else -predicted
        return Outcome(sign, predicted, asked, ask_probability, score)

    def _sign(self, label: str) -> int:
        return 1 if label == self._last else -1

    def _flush(self) -> None:
        _add(self._tally, self._new)
        self._new = []


def sample_estimates(
    sample: Sample, settings: TaskSettings, predictions: Mapping[int, str] | None = None, level: float = LEVEL
) -> dict[str, Estimate]:
    """The metrics from a sample, by what was predicted on arrival or by other predictions of the items.

    The former are about the items that the sample is from. Other predictions are those of a model that has learned
    the labels of some of these items, so the metrics are about any number of new items like them.

    The intervals allow for any answer to audits without one. Newer items may be left out for that; a note says so.
    """
    part = sample.best_part()
    found = _of_audits(part, settings, predictions, level)
    left_out = sample.end - part.end
    if not left_out:
        return found
    note = f"{left_out:,} newer items are left out, because not all of their questions at random are answered."
    return {metric: one._replace(note=" ".join(filter(None, (one.note, note)))) for metric, one in found.items()}


def progressive(audits: Audits, rows: int, settings: TaskSettings, level: float = LEVEL) -> dict[str, Estimate]:
    """The metrics of the last audits, by what the model predicted when each was asked about."""
    latest = audits.latest(LATEST)
    said = {item: audit.said for item, audit in latest if audit.said is not None}
    return _of_audits(Sample(0, rows, latest), settings, said, level)


def _of_audits(
    sample: Sample, settings: TaskSettings, predictions: Mapping[int, str] | None, level: float
) -> dict[str, Estimate]:
    metrics: tuple[str, ...] = MANY_CLASSES if settings.many else TWO_CLASSES
    if predictions is not None:
        metrics = tuple(metric for metric in metrics if metric != "cost")  # which is a sum over known items
    if settings.multilabel:
        metrics += SAMPLE_METRICS
    if sample.labels < FEWEST:
        note = f"Cannot tell yet: {sample.labels} of {FEWEST} questions at random answered."
        return {metric: Estimate(metric, None, None, None, level, sample.labels, note) for metric in metrics}
    counts = SampleCounts(*_counts(sample, settings, predictions))
    costs = {"c_p": settings.costs.c_p, "c_n": settings.costs.c_n}
    found = {
        metric: sample_estimate(metric, counts, sample.rows, level, **costs)
        for metric in metrics
        if metric not in SAMPLE_METRICS
    }
    if settings.multilabel:
        labels = label_sample(sample, settings, predictions)
        found |= {metric: labels.estimate(metric, level) for metric in SAMPLE_METRICS}
    return found


def _counts(sample: Sample, settings: TaskSettings, predictions: Mapping[int, str] | None) -> list[int]:
    """The numbers of audits in the order of `SampleCounts`."""
    found = [0] * len(SampleCounts._fields)
    positive = None if settings.many else settings.id_of(settings.positive_class or "")
    for item, audit in sample.audits:
        said = audit.prediction if predictions is None else predictions[item]
        is_positive = said == positive
        place = 4 + (not is_positive) if audit.label is None else 2 * (not is_positive) + (said != audit.label)
        found[place] += 1
    return found


def _add(tally: AskedTally, outcomes: list[Outcome]) -> None:
    if outcomes:
        truth, predictions, asked, probabilities, scores = map(np.array, zip(*outcomes, strict=True))
        tally.add(truth, predictions, asked, probabilities, scores)
