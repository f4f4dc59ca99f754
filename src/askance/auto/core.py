"""The core of an automatic learner: models that compete, the rows they remember, and the questions they ask."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance.auto import mixture
from askance.auto.features import Columns, Terms, features_for
from askance.auto.memory import LabelledRows
from askance.auto.mixture import SCORE_TEMPERATURES, VOTE_TEMPERATURES, Mixture
from askance.auto.models import PENALTIES, Forest, LinearModels
from askance.auto.rows import part
from askance.errors import ParameterError
from askance.jit.coins import coins as toss
from askance.jit.kernels.doubt import Plan, next_question, no_past
from askance.learners import labels
from askance.learners.classes import MulticlassEncoder
from askance.learners.core import Decision, Spending, checked_coins
from askance.learners.trace import Trace
from askance.rules.registry import BINARY, MULTICLASS

Numbers = NDArray[np.float64]

FIRST_LABELS = 10  # asked for at once: until then there is nothing to doubt
BURST, EARLY_RATE = 30, 0.3  # until there are this many, a higher rate: early labels are worth most
BLOCK = 256  # rows that are scored together; those after a question are scored again
FEWEST_FOR_LOSSES = 3  # labels before predictions are compared
# Scales are refreshed after each of the first rows, then at every doubling, then at equal distances.
EVERY_ROW, DOUBLING = 10, 2000


class AutoSettings(NamedTuple):
    """The parameters of an automatic learner."""

    rate: float = 0.1
    audit: float = 0.1
    memory: int = 2000
    random_state: int = 0
    classes: Sequence[Any] | None = None

    def check(self) -> None:
        """Raise ParameterError for the first parameter that cannot be used."""
        owner = "AutoLearner"
        if not 0 < self.rate <= 1:
            raise ParameterError(owner, "rate", self.rate, "greater than 0 and at most 1")
        if not 0 < self.audit <= 1:
            raise ParameterError(owner, "audit", self.audit, "greater than 0 and at most 1")
        if not _is_whole(self.memory) or self.memory < 1:
            raise ParameterError(owner, "memory", self.memory, "a whole number of at least 1")
        if not _is_whole(self.random_state) or not 0 <= self.random_state < 2**63:
            raise ParameterError(owner, "random_state", self.random_state, "a whole number from 0 to 2^63 - 1")
        if self.classes is not None:
            labels.as_classes(self.classes, many=True)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


class AutoCore:
    """Competing models and what they have learned, for rows that are arrays of float64, or `Sparse`."""

    features: Columns | Terms
    linear: LinearModels
    forest: Forest | None
    labelled: LabelledRows

    def __init__(self, settings: AutoSettings) -> None:
        settings.check()
        self.settings = settings
        known = np.empty(0) if settings.classes is None else labels.as_classes(settings.classes, many=True)
        self.encoder = MulticlassEncoder(known, np.dtype(np.float64))
        self.past = no_past()
        self.plan = Plan(float(settings.rate), float(settings.audit), FIRST_LABELS, BURST, EARLY_RATE)
        self.width: int | None = None
        self.next_refresh = 1

    def start(self, X: Any) -> None:
        """Prepare for rows like these, unless there were some before."""
        if self.width is not None:
            return
        self.width = X.shape[1]
        self.features = features_for(X)
        sparse = isinstance(self.features, Terms)
        self.linear = LinearModels(self.features.width)
        self.forest = None if sparse else Forest(int(self.settings.random_state))
        self.labelled = LabelledRows(self.width, sparse=sparse)
        self.mixture = Mixture(len(PENALTIES) + (self.forest is not None))

    # ------------------------------------------------------------------ the labelling loop

    def ask(self, X: Any, *, granted: bool = True) -> Decision:
        """Predict one row and decide whether to ask for its label."""
        self.start(X)
        round_ = int(self.past.counts[0])
        self.observe(X)
        coin = toss(self.settings.random_state, round_, 1)
        found, probability = self.probabilities(X), np.empty(1)
        place = next_question(_certainty(found), coin, self.plan, self.past, probability, granted)
        code = int(found[0].argmax())
        prediction = self.encoder.label(code) if len(self.labelled) else None
        score = float(self._scores(found)[0])
        return Decision(prediction, score, float(probability[0]), place == 0, float(coin[0]))

    def tell(self, X: Any, y: NDArray[Any], ask_probability: float = 1.0) -> Self:
        """Learn the label of one row."""
        if not 0 < ask_probability <= 1:
            raise ParameterError("tell", "ask_probability", ask_probability, "greater than 0 and at most 1")
        encoder, codes = self.encoder.encode(y)
        self.start(X)
        if self.features.rows[0] <= len(self.labelled):  # labels without questions: the row is new
            self.observe(X)
        self._learn(X, encoder, codes.astype(np.int64), np.array([ask_probability]))
        return self

    def run(self, X: Any, y: ArrayLike, coins: ArrayLike | None = None) -> Trace:
        """Ask, and learn from what was asked for, row by row."""
        targets = labels.as_labels(y, X.shape[0])
        first, count = int(self.past.counts[0]), X.shape[0]
        refused = int(self.past.counts[2])
        every, _ = self.encoder.encode(targets)  # refuses bad labels before anything changes
        own = toss(self.settings.random_state, first, count) if coins is None else checked_coins(coins, (count,))
        self.start(X)
        found = np.zeros((count, max(2, len(every.observed))))
        asked, probabilities = np.zeros(count, bool), np.zeros(count)
        t, block = 0, min(BLOCK, int(1.5 / self.settings.rate) + 1)
        while t < count:
            self.observe(part(X, t, t + 1))
            stop = min(count, t + block, t + self.next_refresh - int(self.features.rows[0]))
            known = self.probabilities(part(X, t, stop))
            found[t:stop, : known.shape[1]] = known
            place = t + next_question(
                _certainty(known), own[t:stop], self.plan, self.past, probabilities[t:stop], True
            )
            decided = min(place + 1, stop)
            self.features.observe(part(X, t + 1, decided))
            if place < stop:
                asked[place] = True
                encoder, codes = self.encoder.encode(targets[place : place + 1])
                self._learn(
                    part(X, place, place + 1), encoder, codes.astype(np.int64), probabilities[place : place + 1]
                )
            t = decided
        final, true_codes = self.encoder.encode(targets)  # classes are numbered in the order of their first label
        return self._trace(final, true_codes, found, probabilities, asked, first, refused)

    def learn(self, X: Any, y: NDArray[Any], classes: Sequence[Any] | None = None) -> None:
        """Learn from every label."""
        encoder, codes = self.encoder.encode(y, classes)
        self.start(X)
        start, count = 0, X.shape[0]
        while start < count:
            stop = min(count, start + max(1, len(self.labelled) // 10))
            self.observe(part(X, start, stop))
            self._learn(part(X, start, stop), encoder, codes[start:stop].astype(np.int64), np.ones(stop - start))
            start = stop
        if count > 1:
            self.linear.sweep(10)

    # ------------------------------------------------------------------ predictions

    def probabilities(self, X: Any) -> Numbers:
        """Return the probabilities of the classes, in the order of their codes; at least two columns."""
        classes = max(2, len(self.encoder.observed))
        if not len(self.labelled):
            return np.full((X.shape[0], classes), 1.0 / classes)
        trust = self.mixture.weights()
        total = np.zeros((X.shape[0], classes))
        if trust[: len(PENALTIES)].any():
            scores = self.linear.scores(self.features.rows_of(X))
            for model in np.flatnonzero(trust[: len(PENALTIES)]).tolist():
                temperature = SCORE_TEMPERATURES[self.mixture.temperature(model)]
                own = mixture.of_scores(scores[:, model], temperature)
                total[:, : own.shape[1]] += trust[model] * own
        if self.forest is not None and trust[-1]:
            temperature = VOTE_TEMPERATURES[self.mixture.temperature(len(trust) - 1)]
            total += trust[-1] * mixture.of_votes(self.forest.shares(X, classes), temperature)
        return total

    @property
    def spending(self) -> Spending:
        """What has been asked for so far."""
        return Spending(*(int(count) for count in self.past.counts))

    # ------------------------------------------------------------------ inside

    def observe(self, X: Any) -> None:
        """Learn scales from rows without labels."""
        self.features.observe(X)
        if self.features.rows[0] >= self.next_refresh:
            self.features.refresh()
            rows = int(self.features.rows[0])
            self.next_refresh = rows + (1 if rows < EVERY_ROW else min(rows, DOUBLING))
            if len(self.labelled):
                self.linear.refresh(self.features.rows_of(self.labelled.rows))

    def _learn(self, X: Any, encoder: MulticlassEncoder, codes: NDArray[np.int64], chances: Numbers) -> None:
        """Learn the labels of rows, which the models have not seen."""
        rows = self.features.rows_of(X)
        if len(self.labelled) >= FEWEST_FOR_LOSSES:
            self._compare(X, rows, codes, chances)
        self.encoder = encoder
        classes = max(2, len(encoder.observed))
        self.labelled.extend(X, codes)
        self.linear.add(rows, codes, classes)
        if len(self.labelled) > self.settings.memory:
            number = len(self.labelled) - self.settings.memory + self.settings.memory // 10
            self.labelled.drop(number)
            self.linear.drop(number)
        if self.forest is not None:
            self.forest.add(self.labelled.rows, self.labelled.codes, classes)

    def _compare(self, X: Any, rows: Any, codes: NDArray[np.int64], chances: Numbers) -> None:
        """Compare the models' predictions with the labels, before they learn from them."""
        known = np.flatnonzero(codes < self.linear.classes)
        scores = self.linear.scores(rows)[known, :, np.newaxis]
        right = np.empty((len(known), *self.mixture.losses.shape))
        chosen = np.arange(len(known)), slice(None), slice(None), codes[known]
        right[:, : len(PENALTIES)] = mixture.of_scores(scores, SCORE_TEMPERATURES[:, np.newaxis])[chosen]
        if self.forest is not None:
            shares = self.forest.shares(X[known], self.linear.classes)[:, np.newaxis, np.newaxis]
            right[:, len(PENALTIES) :] = mixture.of_votes(shares, VOTE_TEMPERATURES[:, np.newaxis])[chosen]
        for place, chance in enumerate(chances[known]):
            self.mixture.learn(right[place], float(chance))

    def _scores(self, found: Numbers) -> Numbers:
        """Return log-odds of the larger class of two; of more, by how much the likeliest leads."""
        if len(self.encoder.observed) != 2:
            return _certainty(found)
        return _log_odds(found[:, int(np.argsort(self.encoder.observed)[1])])

    def _trace(
        self,
        final: MulticlassEncoder,
        true_codes: Numbers,
        found: Numbers,
        probabilities: Numbers,
        asked: NDArray[np.bool_],
        first: int,
        refused: int,
    ) -> Trace:
        predicted = found.argmax(axis=1)
        codes, classes, kind = true_codes.astype(np.int32), final.observed, MULTICLASS
        if len(classes) == 2:
            larger = int(np.argsort(classes)[1])
            codes, predicted = (np.where(one == larger, 1, -1).astype(np.int32) for one in (codes, predicted))
            classes, kind = np.sort(classes), BINARY
            scores = _log_odds(found[:, larger])
        else:
            scores = _certainty(found)
        return Trace(
            true_codes=codes,
            predicted_codes=predicted,
            scores=scores,
            ask_probabilities=probabilities,
            asked=asked,
            updated=asked.copy(),
            classes=classes,
            kind=kind,
            first_round=first,
            mode="float64 exact",
            algorithm=f"AutoLearner({self.settings.rate:g})",
            spent=int(np.count_nonzero(asked)),
            refused=int(self.past.counts[2]) - refused,
        )


def _log_odds(probabilities: Numbers) -> Numbers:
    share = np.clip(probabilities, 1e-12, 1.0 - 1e-12)
    odds: Numbers = np.log(share / (1.0 - share))
    return odds


def _certainty(found: Numbers) -> Numbers:
    """Return how much likelier the likeliest class is than the next."""
    ordered = np.partition(found, found.shape[1] - 2, axis=1)
    certainty: Numbers = ordered[:, -1] - ordered[:, -2]
    return certainty
