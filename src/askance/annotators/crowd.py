"""Votes of several annotators on the same items: the posterior of each item, learned online."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from askance.annotators.inference import Fitted, Votes, fitted, other_accuracy, softmax
from askance.annotators.reliability import LEVEL, Prior, Reliability, confidence_bin, vote_worth, weight
from askance.errors import DataError
from askance.metrics.agreement import krippendorff_alpha
from askance.metrics.intervals import Range
from askance.typing import FloatArray, IntArray

# Reliabilities are learned again when this share of votes has been added.
GROWTH = 10
# The number of votes that show how reliable an annotator is, however many others do not.
ENOUGH_TOLD = 30
NOBODY = object()  # no annotator has this name
TEXT_MODEL = object()  # votes where class probabilities are expected


class Vote(NamedTuple):
    """A label that an annotator gave to an item, and how certain it was."""

    label: Hashable
    confidence: float | None = None


class _Model(NamedTuple):
    """What has been learned from the first events: a matrix per annotator and bin of confidence."""

    fitted: Fitted
    annotators: dict[Hashable, int]
    channels: dict[tuple[Hashable, int], int]


class Crowd:
    """Learn the class of items from votes, and how reliable each annotator is.

    Votes are kept. Everything else is a function of them in their order, so a vote that is corrected or forgotten
    leaves no trace. `posterior` is made for asking after each vote: it uses reliabilities that were learned when
    there were at most 10 % fewer votes. `predict`, `posteriors` and `reliability` learn from all votes first.

    Annotators are taken to err independently of each other, and items to be equally hard. In recorded crowds they
    do not. So votes on the same item are discounted by their number where probabilities are returned, which are
    nevertheless often too high.

    Parameters
    ----------
    classes : iterable, optional
        The classes. Without them, the classes are those of the votes so far, in their order.
    prior : Prior, optional
        What is believed about annotators before they vote.

    Examples
    --------
    >>> from askance.annotators import Crowd
    >>> crowd = Crowd(["cat", "dog"])
    >>> for item in range(20):
    ...     for name in ("Ann", "Bob", "Cem"):
    ...         crowd.tell(item, name, "cat" if item % 2 or name == "Cem" else "dog")
    >>> crowd.predict()[0], round(crowd.reliability("Cem").weight, 2)
    ('dog', 0.0)
    """

    def __init__(self, classes: Iterable[Hashable] | None = None, prior: Prior | None = None) -> None:
        self.prior = prior or Prior()
        self._classes = None if classes is None else tuple(dict.fromkeys(classes))
        self._votes: dict[tuple[Hashable, Hashable], Vote] = {}
        self._by_item: dict[Hashable, dict[Hashable, Vote]] = {}
        self._settled: dict[Hashable, Hashable] = {}
        self._expected: dict[Hashable, dict[Any, float]] = {}
        self._models: dict[int, _Model] = {}
        self._seen: tuple[Hashable, ...] | None = None

    # ------------------------------------------------------------------ what is given

    def tell(self, item: Hashable, annotator: Hashable, label: Hashable, confidence: float | None = None) -> None:
        """Add a vote.

        Parameters
        ----------
        item, annotator : hashable
            What the vote is about, and who gave it. An annotator has one vote per item.
        label : hashable
            One of the classes.
        confidence : float, optional
            How certain the annotator says it is, from 0 to 1. It need not be a probability: reliabilities are
            learned per bin of confidence.
        """
        if (item, annotator) in self._votes:
            raise DataError(f"{annotator!r} has already voted on item {item!r}: use correct() to change the vote")
        vote = self._checked(label, confidence)
        if label not in self.classes:
            self._changed()
        self._votes[item, annotator] = vote
        self._by_item.setdefault(item, {})[annotator] = vote

    def correct(
        self, item: Hashable, annotator: Hashable, label: Hashable, confidence: float | None = None
    ) -> None:
        """Replace a vote, as if the new one had been given in the first place."""
        self._require(item, annotator)
        self._votes[item, annotator] = self._by_item[item][annotator] = self._checked(label, confidence)
        self._changed()

    def forget(self, item: Hashable, annotator: Hashable) -> None:
        """Remove a vote, as if it had never been given."""
        self._require(item, annotator)
        del self._votes[item, annotator], self._by_item[item][annotator]
        if not self._by_item[item]:
            del self._by_item[item]
        self._changed()

    def settle(self, item: Hashable, label: Hashable | None) -> None:
        """Give an item its class for certain, as for a gold item or by an expert; None withdraws it."""
        if label is None:
            self._settled.pop(item, None)
        else:
            self._settled[item] = self._checked(label, None).label
        self._changed()

    def expect(self, item: Hashable, probabilities: Mapping[Any, float] | None) -> None:
        """Give an item class probabilities of its own, as from a model of its text; None withdraws them.

        They replace the shares of the classes, so the model is one more voter.
        """
        if probabilities is None:
            self._expected.pop(item, None)
        else:
            given = {one: float(probabilities.get(one, 0.0)) for one in self.classes}
            values = np.array(list(given.values()))
            if not (np.all(values >= 0) and 0 < values.sum() < np.inf):
                raise DataError(
                    f"the probabilities of item {item!r} must be numbers of at least 0, not all of them 0"
                )
            self._expected[item] = given
        self._changed()

    # ------------------------------------------------------------------ what follows from it

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in their order."""
        if self._classes is not None:
            return self._classes
        if self._seen is None:
            labels = (vote.label for vote in self._votes.values())
            self._seen = tuple(dict.fromkeys([*labels, *self._settled.values()]))
        return self._seen

    @property
    def n_votes(self) -> int:
        """The number of votes."""
        return len(self._votes)

    def votes(self, item: Hashable) -> dict[Any, Vote]:
        """Return the votes on an item by annotator, in their order."""
        return dict(self._by_item.get(item, {}))

    def posterior(self, item: Hashable) -> dict[Any, float]:
        """Return the class probabilities of an item; one without votes has the shares of the classes.

        They are too high where annotators make the same errors, as on hard items.
        """
        return dict(zip(self.classes, self.posterior_array([item])[0].tolist(), strict=True))

    def posterior_of(self, votes: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the class probabilities of a new item with these labels or votes by annotator.

        Nothing is learned.
        """
        given = {name: one if isinstance(one, Vote) else Vote(one) for name, one in votes.items()}
        cast = {annotator: self._checked(*vote) for annotator, vote in given.items()}
        model = self._online()
        row = self._with_votes(np.log(model.fitted.shares + 1e-9), cast, model, {})
        row = softmax(row * vote_worth(len(cast)))
        return dict(zip(self.classes, row.tolist(), strict=True))

    def posterior_array(
        self, items: Iterable[Hashable], *, fresh: bool = False, independent: bool = False
    ) -> FloatArray:
        """Return the class probabilities of items, a row per item.

        Parameters
        ----------
        items : iterable
            The items.
        fresh : bool
            Whether to learn from all votes first.
        independent : bool
            Whether to take each vote for one, as if errors on the same item did not go together.
        """
        model = self._whole() if fresh else self._online()
        return softmax(self._logs(items, model)) if independent else self._posterior_array(items, model)

    def posteriors(self) -> dict[Any, dict[Any, float]]:
        """Return the class probabilities of all items with a vote, learned from all votes."""
        rows = self._posterior_array(self._by_item, self._whole()).tolist()
        return {
            item: dict(zip(self.classes, row, strict=True)) for item, row in zip(self._by_item, rows, strict=True)
        }

    def predict(self) -> dict[Any, Any]:
        """Return the most probable class of all items with a vote, learned from all votes."""
        best = self._posterior_array(self._by_item, self._whole()).argmax(axis=1) if self._by_item else []
        return {item: self.classes[k] for item, k in zip(self._by_item, best, strict=True)}

    def reliability(self, annotator: Hashable, level: float = LEVEL) -> Reliability:
        """Return how reliable an annotator is, learned from all votes.

        Annotators are taken to err independently of each other, and items to be equally hard. Where annotators
        make the same errors, their accuracies are too high.
        """
        model = self._whole()
        counts = self._counts(model, annotator)
        items = [item for item, one in self._votes if one == annotator]
        accuracy = (
            self._accuracy_range(model, annotator, items, level) if self._can_tell(annotator, items) else None
        )
        confusion = self.prior.confusion(counts, model.fitted.accuracy)
        return Reliability(len(items), accuracy, weight(counts), confusion)

    def annotators(self) -> list[Any]:
        """Return the names of all annotators, in the order of their first votes."""
        return list(dict.fromkeys(annotator for _, annotator in self._votes))

    def confusion_array(self, annotators: Iterable[Hashable], *, fresh: bool = False) -> FloatArray:
        """Return a confusion matrix per annotator; a new one has that of the crowd. `fresh`: from all votes."""
        model = self._whole() if fresh else self._online()
        return np.array([self._channel_confusion(model, annotator, 0) for annotator in annotators])

    def agreement(self, level: float = LEVEL) -> Range | None:
        """Return Krippendorff's alpha over all items with several votes, with an interval."""
        places = {label: k for k, label in enumerate(self.classes)}
        table = np.zeros((len(self._by_item), len(places)))
        for row, votes in enumerate(self._by_item.values()):
            for vote in votes.values():
                table[row, places[vote.label]] += 1
        return krippendorff_alpha(table, level)

    # ------------------------------------------------------------------ models

    def _changed(self) -> None:
        """Drop what was learned: more has changed than one vote that was added."""
        self._models.clear()
        self._seen = None

    def _online(self) -> _Model:
        """The model of the first votes, of at most a tenth fewer than all."""
        return self._model(checkpoint(len(self._votes)))

    def _whole(self) -> _Model:
        """The model of all votes."""
        return self._model(len(self._votes))

    def _model(self, length: int) -> _Model:
        """The model of the first votes: a function of them alone, whatever happened before."""
        if length not in self._models:
            self._models = {
                known: model for known, model in self._models.items() if known >= checkpoint(len(self._votes))
            }
            self._models[length] = self._fit(length)
        return self._models[length]

    def _fit(self, length: int) -> _Model:
        classes = {label: k for k, label in enumerate(self.classes)}
        if not classes:
            raise DataError("there are no classes yet: add a vote, or use Crowd(classes)")
        items: dict[Hashable, int] = {}
        annotators: dict[Hashable, int] = {}
        channels: dict[tuple[Hashable, int], int] = {}
        rows = []
        for (item, annotator), vote in list(self._votes.items())[:length]:
            annotators.setdefault(annotator, len(annotators))
            channel = channels.setdefault((annotator, confidence_bin(vote.confidence)), len(channels))
            rows.append((items.setdefault(item, len(items)), channel, classes[vote.label]))
        places, numbers, labels = np.array(rows, np.int64).reshape(-1, 3).T
        owners = np.array([annotators[annotator] for annotator, _ in channels], np.int64)
        votes = Votes(places, numbers, labels, owners, self._known(items), self._settled_places(items, classes))
        return _Model(fitted(votes, self.prior), annotators, channels)

    def _known(self, items: Mapping[Hashable, int]) -> FloatArray:
        """The expected class probabilities of items, or NaN."""
        known = np.full((len(items), len(self.classes)), np.nan)
        for item, place in items.items():
            if item in self._expected:
                known[place] = self._expectation(item)
        return known

    def _settled_places(self, items: Mapping[Hashable, int], classes: Mapping[Hashable, int]) -> IntArray:
        """The classes of settled items, or -1."""
        return np.array([classes[self._settled[one]] if one in self._settled else -1 for one in items], np.int64)

    def _expectation(self, item: Hashable) -> FloatArray:
        """The probabilities that were given of an item, for the classes there are now; equal ones if all are 0."""
        given = np.array([self._expected[item].get(one, 0.0) for one in self.classes])
        total = given.sum()
        found: FloatArray = given / total if total else np.full(len(given), 1 / len(given))
        return found

    def _posterior_array(self, items: Iterable[Hashable], model: _Model) -> FloatArray:
        """The posteriors, as of votes that are worth less the more of them an item has.

        All of a posterior is taken to the power, so the most probable class remains the same.
        """
        items = list(items)
        worth = vote_worth(np.array([self._n_voters(item) for item in items], np.int64))
        return softmax(self._logs(items, model) * worth[:, None])

    def _n_voters(self, item: Hashable) -> int:
        """The number of votes on an item; expected probabilities are one more."""
        return len(self._by_item.get(item, {})) + (item in self._expected)

    def _logs(self, items: Iterable[Hashable], model: _Model, without: Hashable = NOBODY) -> FloatArray:
        """The logarithms of the posteriors of independent votes, up to a constant per row."""
        classes = {label: k for k, label in enumerate(self.classes)}
        logs: dict[tuple[Hashable, int], FloatArray] = {}
        rows = []
        for item in items:
            if item in self._settled:
                rows.append(np.where(np.arange(len(classes)) == classes[self._settled[item]], 0.0, -np.inf))
                continue
            known = self._expectation(item) if item in self._expected else model.fitted.shares
            votes = {one: vote for one, vote in self._by_item.get(item, {}).items() if one != without}
            rows.append(self._with_votes(np.log(known + 1e-9), votes, model, logs))
        return np.array(rows).reshape(-1, len(classes))

    def _with_votes(
        self,
        row: FloatArray,
        votes: Mapping[Hashable, Vote],
        model: _Model,
        logs: dict[tuple[Hashable, int], FloatArray],
    ) -> FloatArray:
        """The logarithms of probabilities after these votes; `logs` has those of matrices used before."""
        classes = {label: k for k, label in enumerate(self.classes)}
        for annotator, vote in votes.items():
            channel = (annotator, confidence_bin(vote.confidence))
            if channel not in logs:
                logs[channel] = np.log(self._channel_confusion(model, *channel))
            row = row + logs[channel][:, classes[vote.label]]
        return row

    def _channel_confusion(self, model: _Model, annotator: Hashable, confidence: int) -> FloatArray:
        """The confusion matrix of an annotator in a bin of confidence, also of one that is new."""
        place = model.channels.get((annotator, confidence))
        if place is not None:
            return np.asarray(model.fitted.confusions[place])
        counts = np.array([self._counts(model, annotator), np.zeros((len(self.classes),) * 2)])
        others = other_accuracy(counts, np.zeros(2, np.int64), model.fitted.accuracy, self.prior)
        return self.prior.confusion(counts[1], others[1])

    def _can_tell(self, annotator: Hashable, items: Sequence[Hashable]) -> bool:
        """Whether the votes on these items show how often an annotator is right.

        How often two annotators agree does not show which of them errs. It takes items with votes of others, too,
        or whose class is certain.
        """
        others = [self._voters(item) - {annotator} for item in items if item not in self._settled]
        alone_with = Counter(one for some in others if len(some) == 1 for one in some)
        told = len(items) - sum(not some for some in others) - max(alone_with.values(), default=0)
        return told >= min(ENOUGH_TOLD, len(items) / 2)

    def _voters(self, item: Hashable) -> set[Hashable]:
        """Those who voted on an item, and a model of its text."""
        return {*self._by_item.get(item, {}), *([TEXT_MODEL] if item in self._expected else [])}

    def _accuracy_range(
        self, model: _Model, annotator: Hashable, items: Sequence[Hashable], level: float
    ) -> Range:
        """The accuracy of an annotator, by the chance that each vote is right, judged by everything but itself.

        The chances are those of independent votes. Others would make everybody look better who agrees with most.
        """
        places = {label: k for k, label in enumerate(self.classes)}
        labels = [places[self._by_item[item][annotator].label] for item in items]
        chances = softmax(self._logs(items, model, without=annotator))[np.arange(len(items)), labels]
        voters = [1 if item in self._settled else self._n_voters(item) for item in items]
        return self.prior.accuracy_range(
            chances, len(places), model.fitted.accuracy, level, worth=vote_worth(np.array(voters, np.int64))
        )

    def _counts(self, model: _Model, annotator: Hashable) -> FloatArray:
        """The counts of an annotator over all bins of confidence."""
        places = [place for (one, _), place in model.channels.items() if one == annotator]
        return np.asarray(model.fitted.counts[places].sum(axis=0))

    # ------------------------------------------------------------------ checks

    def _checked(self, label: Hashable, confidence: float | None) -> Vote:
        if self._classes is not None and label not in self._classes:
            names = ", ".join(map(repr, self._classes))
            raise DataError(f"{label!r} is not one of the classes: {names}")
        if confidence is not None and not 0 <= confidence <= 1:
            raise DataError(f"a confidence must be from 0 to 1, not {confidence!r}")
        return Vote(label, confidence)

    def _require(self, item: Hashable, annotator: Hashable) -> None:
        if (item, annotator) not in self._votes:
            raise DataError(f"{annotator!r} has not voted on item {item!r}")


def checkpoint(length: int) -> int:
    """Return the largest number of votes, at most `length`, at which reliabilities are learned.

    Each is a tenth larger than the last, so n votes with a question after each cost as much as about ten fits.
    """
    last = 0
    while last + max(1, last // GROWTH) <= length:
        last += max(1, last // GROWTH)
    return last
