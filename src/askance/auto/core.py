"""The core of an automatic learner: models that compete, and the questions they ask."""

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance.auto.calibration import sharpened, sharpness
from askance.auto.forgetting import BATCH, RECENT_TREES, Forgetting
from askance.auto.models import copy_scales, new_models, refresh, relabel, with_classes, with_room, without_oldest
from askance.auto.rows import part
from askance.auto.settings import AutoSettings
from askance.auto.steering import Steering
from askance.errors import ParameterError
from askance.jit.coins import coins as toss
from askance.jit.kernels import labelling
from askance.jit.kernels.doubt import Plan, no_past
from askance.jit.kernels.labelling import ASKED, DONE, NEXT_REFRESH, REFRESH, REMEMBERED, Found, Models
from askance.jit.kernels.mixed import Mixed
from askance.learners import labels
from askance.learners.classes import MulticlassEncoder
from askance.learners.core import COINS_AHEAD, Decision, Spending
from askance.learners.inputs import checked_coins
from askance.learners.trace import Trace
from askance.metrics import Certificate
from askance.rules.registry import BINARY, MULTICLASS

Numbers = NDArray[np.float64]

FIRST_LABELS = 10  # asked for at once: until then there is nothing to doubt
BURST, EARLY_RATE = 30, 0.3  # until there are this many, a higher rate: early labels are worth most
BOOST = 3.0  # times the rate: what is asked for after a change, as long as there is a reserve
UNUSUAL = 0.3  # the share of these, after the first, about rows that are unlike all labelled ones
NEW_CLASS_SWEEPS = 10  # over all remembered rows, when a class appears
# Scales are refreshed after each of the first rows, then at every doubling, then at equal distances.
EVERY_ROW, DOUBLING, REFRESH_SWEEPS = 10, 2000, 2
UNKNOWN = np.array([-1])  # the code of a label that is not there yet


class AutoCore:
    """Competing models and what they have learned, for rows of the kind `Mixed`."""

    models: Models

    def __init__(self, settings: AutoSettings) -> None:
        settings.check()
        self.settings = settings
        known = np.empty(0) if settings.classes is None else labels.as_classes(settings.classes, many=True)
        self.encoder = MulticlassEncoder(known, np.dtype(np.float64))
        self.past = no_past()
        rate, audit = float(settings.rate), float(settings.audit)
        limit = math.inf if settings.limit is None else float(settings.limit)
        self.plan = Plan(rate, rate, audit, FIRST_LABELS, BURST, EARLY_RATE, limit, 0.0)
        self.steering = None if settings.certify is None else Steering(settings.certify)
        self.forgetting = Forgetting() if settings.forget else None
        self.widths: tuple[int, int] | None = None
        self.share_out()
        self.unit_columns = 0  # the first columns, if they are vectors of length 1 beside others
        self._found = _nothing_found(1)
        self._coins_ahead: tuple[int, Numbers] = (-1, np.empty(0))

    def start(self, X: Mixed) -> None:
        """Prepare for rows like these, unless there were some before."""
        if self.widths is None:
            self.widths = X.dense.shape[1], X.sparse_width
            # Texts have words that no other has: being unlike others says little.
            self.plan = self.plan._replace(unusual=UNUSUAL if self.widths[0] else 0.0)
            memory, random_state = int(self.settings.memory), int(self.settings.random_state)
            self.models = new_models(*self.widths, self.classes, memory, random_state)

    @property
    def classes(self) -> int:
        """The number of classes so far, at least two."""
        return max(2, len(self.encoder.observed))

    @property
    def remembered(self) -> int:
        """The number of labelled rows in memory."""
        return 0 if self.widths is None else int(self.models.counts[REMEMBERED])

    @property
    def labels(self) -> int:
        """The number of labels so far, remembered or not."""
        return 0 if self.widths is None else int(self.models.counts[labelling.LABELS])

    @property
    def spending(self) -> Spending:
        """What has been asked for so far."""
        return Spending(*(int(count) for count in self.past.counts))

    @property
    def certificate(self) -> Certificate | None:
        """What is certified of the rows that were asked about, with `certify`."""
        return None if self.steering is None else self.steering.certifier.certificate()

    def steer(self, rate: float, burst: int = BURST) -> None:
        """Ask about another share of the rows from now on: never more than `burst` + `rate` × rows so far."""
        settings = self.settings._replace(rate=rate)
        settings.check()
        self.settings = settings
        self.plan = self.plan._replace(rate=float(rate), burst=min(BURST, int(burst)))
        self.share_out()

    def share_out(self) -> None:
        """Ask for what the reserve leaves of the rate, or for more while the reserve is spent.

        While a change is suspected, questions are at random: recent models need all kinds of rows.
        """
        spends = self.forgetting is not None and self.forgetting.spends
        suspects = self.forgetting is not None and self.labels < self.forgetting.suspects_until
        share = BOOST if spends else 1 - self.settings.reserve
        audit = 1.0 if suspects else float(self.settings.audit)
        self.plan = self.plan._replace(steady=min(1.0, share * self.plan.rate), audit=audit)

    @property
    def left(self) -> float:
        """The number of labels that may be asked for at once."""
        rows, asked, _ = self.spending
        return min(self.plan.burst + self.plan.rate * rows, self.plan.limit) - asked

    # ------------------------------------------------------------------ the labelling loop

    def ask(self, X: Mixed, *, granted: bool = True) -> Decision:
        """Predict one row and decide whether to ask for its label."""
        self.start(X)
        coins, found = self._next_coin(), self._found
        for observed in (False, True):  # again, if the row brings fresh scales
            start = observed, granted
            _, why = labelling.advance(X, UNKNOWN, coins, self.plan, self.past, self.models, found, 0, start)
            if why != REFRESH:
                break
            self._refresh()
        prediction = self.encoder.label(int(found.predicted[0])) if self.remembered else None
        score = self._scores(found)[0]
        probability, asks = float(found.ask_probabilities[0]), bool(found.asked[0])
        if self.steering is not None:
            self.steering.add(X, found, granted=granted)
            self.plan = self.steering.plan(self.plan)
        return Decision(prediction, float(score), probability, asks, float(coins[0]))

    def pass_over(self, X: Mixed) -> None:
        """Do as `ask` does for each of these rows without a grant; nobody needs the decisions."""
        self.start(X)
        count = len(X.dense)
        coins = toss(self.settings.random_state, int(self.past.counts[0]), count)
        codes, found = np.full(count, -1), _nothing_found(count)
        t, observed, why = 0, False, REFRESH
        while why == REFRESH:
            start = observed, False
            t, why = labelling.advance(X, codes, coins, self.plan, self.past, self.models, found, t, start)
            if why == REFRESH:
                self._refresh()
                observed = True

    def tell(self, X: Mixed, y: NDArray[Any], ask_probability: float = 1.0) -> Self:
        """Learn the label of one row."""
        if not 0 < ask_probability <= 1:
            raise ParameterError("tell", "ask_probability", ask_probability, "greater than 0 and at most 1")
        encoder, codes = self.encoder.encode(y)
        self.start(X)
        if self.models.scales.rows[0] <= self.models.counts[labelling.LABELS]:  # never asked about: it is new
            self.observe(X)
        if self.steering is not None:
            self.steering.tell(X, int(codes[0]))
        compares = self.forgetting is not None
        right = compares and int(self.shares(X)[0].argmax()) == int(codes[0])
        self.learn_codes(X, encoder, codes.astype(np.int64), np.array([float(ask_probability)]))
        if self.forgetting is not None:
            self.forgetting.add(self, [right], [float(ask_probability)])
        return self

    def run(self, X: Mixed, y: ArrayLike, coins: ArrayLike | None = None) -> Trace:
        """Ask, and learn from what was asked for, row by row."""
        count = len(X.dense)
        targets = labels.as_labels(y, count)
        every, codes = self.encoder.encode(targets)  # refuses bad labels before anything changes
        first, refused = (int(self.past.counts[place]) for place in (0, 2))
        own = toss(self.settings.random_state, first, count) if coins is None else checked_coins(coins, (count,))
        self.start(X)
        known = np.arange(len(every.observed))  # the codes of classes, by their place in `every`
        known[len(self.encoder.observed) :] = -1
        places, found = codes.astype(np.int64), _nothing_found(count)
        for start, stop in [(0, count)] if self.steering is None else self.steering.stretches(count):
            rows, here = X if stop - start == count else part(X, start, stop), slice(start, stop)
            seen = Found._make(array[here] for array in found)
            self._run_part(rows, targets[here], places[here], known, own[here], seen)
            if self.steering is not None:
                self.steering.add_labelled(seen, known[places[here]])
                self.plan = self.steering.plan(self.plan)
        final, true_codes = self.encoder.encode(targets)  # classes are numbered in the order of their first label
        return self._trace(final, true_codes.astype(np.int64), found, first, refused)

    def _run_part(
        self,
        X: Mixed,
        targets: NDArray[Any],
        places: NDArray[np.int64],
        known: NDArray[np.int64],
        coins: Numbers,
        found: Found,
    ) -> None:
        """Ask, and learn, for rows of which `known` tells the codes of classes; it learns of new ones."""
        own_codes, start, why = known[places], 0, -1
        while why != DONE:
            t, why = self._advance(X, own_codes, coins, found, start, observed=why == REFRESH)
            stop = t
            if why == REFRESH:
                self._refresh()
            elif why == ASKED:
                encoder, code = self.encoder.encode(targets[t : t + 1])
                chances = found.ask_probabilities[t : t + 1]
                self.learn_codes(part(X, t, t + 1), encoder, code.astype(np.int64), chances)
                stop = t + 1
            if self.forgetting is not None:
                learned = start + np.flatnonzero(found.asked[start:stop])
                right = found.predicted[learned] == own_codes[learned]
                self.forgetting.add(self, right.tolist(), found.ask_probabilities[learned].tolist())
            if why == ASKED and own_codes[t] < 0:  # a class is new
                known[places[t]] = int(code[0])
                own_codes = known[places]
            start = stop

    def learn(self, X: Mixed, y: NDArray[Any], classes: Sequence[Any] | None = None) -> None:
        """Learn from every label."""
        encoder, codes = self.encoder.encode(y, classes)
        self.start(X)
        start, count = 0, len(X.dense)
        while start < count:
            stop = min(count, start + max(1, self.remembered // 10))
            self.observe(part(X, start, stop))
            self.learn_codes(
                part(X, start, stop), encoder, codes[start:stop].astype(np.int64), np.ones(stop - start)
            )
            start = stop
        if count > 1:
            labelling.retrain(self.models, False, NEW_CLASS_SWEEPS)

    def learn_codes(
        self, X: Mixed, encoder: MulticlassEncoder, codes: NDArray[np.int64], chances: Numbers
    ) -> None:
        """Learn the labels of rows, as codes of the encoder. The models have not seen these rows."""
        before, self.encoder = self.classes, encoder
        models = with_room(self.models, len(codes), len(X.values))
        sweeps = 0
        if self.classes > before:
            models, sweeps = with_classes(models, self.classes), NEW_CLASS_SWEEPS
            chances = np.zeros(len(codes))  # nothing has been learned for as many classes yet
        with np.errstate(over="ignore"):
            labelling.learn(X, codes, chances, models, sweeps)
        memory = self.settings.memory
        if models.counts[REMEMBERED] > memory:
            models = without_oldest(models, int(models.counts[REMEMBERED]) - memory + memory // 10)
        self.models = models

    def relabel(self, place: int, label: Any) -> Self:
        """Replace the label of a remembered row, and learn again from all that is remembered. The oldest is row 0.

        The models then fit the label as if no other had been there. What follows from earlier predictions stays:
        how far each model is trusted, and how confident it is, comes from comparing what it predicted with labels
        as they were given, and these predictions are not kept. A class stays known if none of its labels is left.
        """
        if not 0 <= place < self.remembered:
            raise IndexError(f"there is no remembered row {place}: there are {self.remembered}, from 0")
        encoder, codes = self.encoder.encode(labels.as_labels([label], 1))
        code = int(codes[0])
        if self.models.lanes.codes[place] != code:
            before, self.encoder = self.classes, encoder
            if self.classes > before:
                self.models = with_classes(self.models, self.classes)
            relabel(self.models, place, code, NEW_CLASS_SWEEPS)
        return self

    # ------------------------------------------------------------------ a stream that has changed

    def last_labels(self, count: int) -> tuple[Mixed, NDArray[np.int64]]:
        """The rows that were learned last, and their codes."""
        rows = self.remembered
        X = part(self.models.labelled, rows - count, rows)
        longest = int(np.diff(X.starts).max(initial=0))
        return X._replace(longest=longest), self.models.lanes.codes[rows - count : rows].copy()

    def without_labels(self) -> "AutoCore":
        """Return a core that knows the scales of this one, and shares them, but no labels."""
        assert self.widths is not None
        fresh = AutoCore(self.settings._replace(certify=None, forget=False, reserve=0.0))
        fresh.encoder, fresh.widths, fresh.unit_columns = self.encoder, self.widths, self.unit_columns
        memory, random_state = int(self.settings.memory), int(self.settings.random_state)
        models = new_models(*self.widths, self.classes, memory, random_state, RECENT_TREES)
        fresh.models = models._replace(scales=self.models.scales)
        return fresh

    def forget(self, recent: "AutoCore") -> None:
        """Forget all labels but the last ones, which other models know, and trust each model as these do."""
        with np.errstate(over="ignore"):
            self.models = without_oldest(self.models, self.remembered - recent.remembered)
        for own, other in zip(self.models.mixture, recent.models.mixture, strict=True):
            own[:] = other
        labelling.retrain(self.models, False, NEW_CLASS_SWEEPS)

    # ------------------------------------------------------------------ predictions

    def shares(self, X: Mixed) -> Numbers:
        """Return what the models say together: shares of the classes, by which questions are chosen.

        Classes are in the order of their codes; there are at least two columns.
        """
        found = np.empty((len(X.dense), self.classes))
        labelling.probabilities(X, self.models, found)
        return found

    def probabilities(self, X: Mixed) -> Numbers:
        """Return the probabilities of the classes, in the order of their codes; at least two columns."""
        return sharpened(self.shares(X), self.remembered)

    def probability(self, score: float) -> float:
        """Return the probability of a prediction with this score, for two classes."""
        return 1.0 / (1.0 + math.exp(-sharpness(self.remembered, 2) * abs(score)))

    def decision_function(self, X: Mixed) -> Numbers:
        """Return the scores that `ask` decides by: log-odds of the larger of two classes, or the shares of all."""
        found = self.shares(X)[:, np.argsort(self.encoder.observed)]
        return log_odds(found[:, 1]) if len(self.encoder.observed) == 2 else found

    # ------------------------------------------------------------------ more columns

    def with_columns(self, columns: int) -> "AutoCore":
        """Return a core for rows with more dense columns, which were 0 in all rows so far.

        It learns the remembered labels again, and has yet to compare its models: this is for the first rows.
        """
        assert self.widths is not None
        fresh, before, rows = AutoCore(self.settings), self.widths[0], self.remembered
        fresh.plan, fresh.encoder, fresh.past = self.plan, self.encoder, self.past
        fresh.unit_columns = self.unit_columns
        labelled, entries = self.models.labelled, int(self.models.labelled.starts[rows])
        X = Mixed(
            np.hstack([labelled.dense[:rows], np.zeros((rows, columns - before))]),
            labelled.starts[: rows + 1],
            labelled.indices[:entries],
            labelled.values[:entries],
            self.widths[1],
            int(np.diff(labelled.starts[: rows + 1]).max(initial=0)),
        )
        fresh.start(X)
        copy_scales(self.models.scales, fresh.models.scales, before)
        fresh.models.counts[NEXT_REFRESH] = self.models.counts[NEXT_REFRESH]
        if rows:
            codes = self.models.lanes.codes[:rows]
            fresh.learn_codes(X, self.encoder, codes, np.zeros(rows))
        return fresh

    # ------------------------------------------------------------------ inside

    def observe(self, X: Mixed) -> None:
        """Learn scales from rows without labels."""
        labelling.observe_all(X, self.models.scales)
        if self.models.scales.rows[0] >= self.models.counts[NEXT_REFRESH]:
            self._refresh()

    def _next_coin(self) -> Numbers:
        """The coin of the next row. Tossing many at once takes hardly longer than one."""
        round_, (first, ahead) = int(self.past.counts[0]), self._coins_ahead
        if not 0 <= round_ - first < len(ahead):
            first, ahead = round_, toss(self.settings.random_state, round_, COINS_AHEAD)
            self._coins_ahead = (first, ahead)
        return ahead[round_ - first : round_ - first + 1]

    def _refresh(self) -> None:
        refresh(self.models.scales, self.unit_columns)
        rows = int(self.models.scales.rows[0])
        self.models.counts[NEXT_REFRESH] = rows + (1 if rows < EVERY_ROW else min(rows, DOUBLING))
        if self.remembered:
            labelling.retrain(self.models, True, REFRESH_SWEEPS)
        for recent in [] if self.forgetting is None else self.forgetting.competing:  # which have the same scales
            labelling.retrain(recent.core.models, True, REFRESH_SWEEPS)

    def _advance(
        self, X: Mixed, codes: NDArray[np.int64], coins: Numbers, found: Found, t: int, *, observed: bool
    ) -> tuple[int, int]:
        plan = self.plan
        if self.forgetting is not None:
            plan = plan._replace(pause_at=float(self.labels - self.labels % BATCH + BATCH))
        with np.errstate(over="ignore"):  # 64-bit arithmetic is meant to wrap when trees are drawn
            return labelling.advance(X, codes, coins, plan, self.past, self.models, found, t, (observed, True))

    def _scores(self, found: Found) -> Numbers:
        """Return log-odds of the larger class of two; of more, by how much the likeliest leads."""
        if len(self.encoder.observed) != 2:
            return found.certainty
        larger = int(np.argsort(self.encoder.observed)[1])
        return log_odds(found.second if larger == 1 else 1.0 - found.second)

    def _trace(
        self, final: MulticlassEncoder, codes: NDArray[np.int64], found: Found, first: int, refused: int
    ) -> Trace:
        classes, kind, scores = final.observed, MULTICLASS, found.certainty
        predicted = np.minimum(found.predicted, len(classes) - 1)  # before the first label, there may be one class
        if len(classes) == 2:
            larger = int(np.argsort(classes)[1])
            codes, predicted = (np.where(one == larger, 1, -1) for one in (codes, predicted))
            classes, kind = np.sort(classes), BINARY
            scores = log_odds(found.second if larger == 1 else 1.0 - found.second)
        return Trace(
            true_codes=codes.astype(np.int32),
            predicted_codes=predicted.astype(np.int32),
            scores=scores,
            ask_probabilities=found.ask_probabilities,
            asked=found.asked,
            updated=found.asked.copy(),
            classes=classes,
            kind=kind,
            first_round=first,
            mode="float64 exact",
            algorithm=f"AutoLearner({self.settings.rate:g})",
            spent=int(np.count_nonzero(found.asked)),
            refused=int(self.past.counts[2]) - refused,
            widest=1.0 if self.steering is None else self.steering.certifier.widest,
        )


def _nothing_found(count: int) -> Found:
    return Found(
        predicted=np.zeros(count, np.int64),
        certainty=np.zeros(count),
        second=np.zeros(count),
        ask_probabilities=np.zeros(count),
        asked=np.zeros(count, np.bool_),
    )


def log_odds(probabilities: Numbers) -> Numbers:
    """Return log-odds of probabilities that are not quite 0 or 1."""
    share = np.clip(probabilities, 1e-12, 1.0 - 1e-12)
    odds: Numbers = np.log(share / (1.0 - share))
    return odds
