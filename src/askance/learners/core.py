"""The core of a learner: two rules, what they have learned, and the classes seen so far.

It needs no scikit-learn, which takes longer to import than everything else; the service uses it directly.
`askance.Learner` holds one and converts whatever users pass to it.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance.data.stream import Chunk
from askance.engine.machine import Machine
from askance.engine.machines import machine_for
from askance.engine.passes import Outcome, check_rows
from askance.errors import ParameterError
from askance.jit.coins import coins as toss
from askance.learners import labels
from askance.learners.calibration import of_classes, probabilities, temperature
from askance.learners.classes import BinaryEncoder, ClassEncoder, MulticlassEncoder
from askance.learners.features import Features
from askance.learners.inputs import checked_coins, checked_weights, is_plain, one_row, sentence, sound_rows
from askance.learners.scale_warning import warn_of_scales
from askance.learners.settings import Settings
from askance.learners.trace import Trace
from askance.rules.kernel import RULES as DUAL
from askance.rules.query import Always, QueryRule
from askance.rules.query.rule import refused
from askance.rules.registry import BINARY, MULTICLASS, check_rules, with_floats
from askance.rules.rows import SOUND, AnyRows, Row

# `ask` draws this many coins at a time. A coin depends on its round alone, so nothing else changes.
COINS_AHEAD = 1024

# The coins used in learning a label must be independent of those that decided about asking for it.
LEARNING_STREAM = 0x6C62272E07BB0142


class Decision(NamedTuple):
    """The decision about one row.

    Attributes
    ----------
    prediction : object
        The predicted class, or None while no class is known.
    score : float
        The score of the row. For two classes, its sign decides the prediction.
    ask_probability : float
        The probability with which the label is asked for.
    ask : bool
        Whether to ask for the label: `coin < ask_probability`, as far as a budget allows.
    coin : float
        The uniform random number in [0, 1) that decided. It is a function of `random_state` and round alone.
    """

    prediction: Any
    score: float
    ask_probability: float
    ask: bool
    coin: float


class Spending(NamedTuple):
    """The number of rows seen, of labels asked for, and of labels that a budget refused."""

    rows: int
    asked: int
    refused: int


class LearnerCore:
    """Two rules and what they have learned, for rows that are arrays or CSR matrices of floats.

    Parameters
    ----------
    update, query : named tuples
        The rules.
    settings : Settings
        The other parameters of the learner.
    """

    def __init__(self, update: Any, query: Any, settings: Settings) -> None:
        check_rules(update, query, many=settings.multiclass)
        settings.check()
        settings.check_for(update)
        self.rules: tuple[Any, Any] = update, query  # as they were given; those of the machine are in floats
        self.settings = settings
        self.features = settings.features()
        dtype, many = np.dtype(settings.dtype), bool(settings.multiclass)
        known = np.empty(0) if settings.classes is None else labels.as_classes(settings.classes, many=many)
        self.encoder: ClassEncoder = (MulticlassEncoder if many else BinaryEncoder)(
            known, dtype, settings.positive
        )
        self.machine = machine_for(
            with_floats(update),
            with_floats(query),
            dtype,
            float(settings.sgn0),
            many=many,
            lanes=self.encoder.lanes,
            record=bool(settings.probability),
        )
        self.elastic = True  # whether all rows so far came without a width
        self._coins_ahead: tuple[int, NDArray[np.float64]] = (-1, np.empty(0))
        self._temperature = (-1, 1.0)  # after that many labels

    # ------------------------------------------------------------------ one row

    def ask(self, x: Any, *, granted: bool = True) -> Decision:
        """Predict one row and decide whether to ask for its label. See `Learner.ask`."""
        machine = self.machine
        if self.features is None:
            rows, width = one_row(x, machine.dtype, machine.width, self.elastic)
        else:
            rows, width = self._raw_row(x, self.features)
        coin = self._coin(machine.core.past.rounds.item())
        if self.features is None:
            kind, code, score, probability, ask = machine.ask(rows, width, coin, float(granted))
        else:
            kind, code, score, probability, ask = self.features.apply(
                rows, width, lambda rows, width: machine.ask(rows, width, coin, float(granted)), observe=True
            )
        if kind != SOUND:
            raise ValueError(sentence(kind, 0, rows))
        if self.elastic:
            self.elastic = isinstance(x, Row)
        return tuple.__new__(Decision, (self.encoder.label(code), score, probability, ask, coin))

    def tell(self, x: Any, y: Any, ask_probability: float = 1.0, sample_weight: float | None = None) -> Self:
        """Learn the label of one row. See `Learner.tell`."""
        if not 0 < ask_probability <= 1:
            raise ParameterError("tell", "ask_probability", ask_probability, "greater than 0 and at most 1")
        machine = self.machine
        weights = None if sample_weight is None else checked_weights(sample_weight, 1, machine.core.update)
        if self.features is None:
            rows, width = one_row(x, machine.dtype, machine.width, self.elastic)
        else:
            rows, width = self._raw_row(x, self.features)
        encoder, codes = self.encoder.encode_one(y)
        draws = self._draws(1) if machine.draws else None

        def learn(rows: AnyRows, width: int) -> tuple[int, int]:
            if weights is None:
                return machine.learn(rows, width, codes, encoder.lanes, draws, float(ask_probability))
            return self._weighting_machine.learn_weighted(
                rows, width, codes, encoder.lanes, weights, float(ask_probability)
            )

        if self.features is None:
            kind, bad = learn(rows, width)
        else:
            is_new = self.features.is_new(int(machine.core.past.labels[0]))
            kind, bad = self.features.apply(rows, width, learn, observe=is_new)
        if kind != SOUND:
            raise ValueError(sentence(kind, bad, rows))
        self.encoder = encoder
        if self.elastic:
            self.elastic = isinstance(x, Row)
        return self

    # ------------------------------------------------------------------ many rows

    def run(
        self,
        X: Any,
        y: ArrayLike,
        coins: ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
        width: int | None = None,
    ) -> Trace:
        """Ask, and learn from what was asked for, row by row. If a row is bad, nothing changes."""
        encoder, codes = self.encoder.encode(labels.as_labels(y, X.shape[0]), classes)
        outcome, common = self._rounds(X, codes, encoder, coins, width)
        return Trace(
            true_codes=codes.astype(np.int32),
            predicted_codes=outcome.predictions,
            scores=outcome.scores,
            classes=encoder.values,
            kind=MULTICLASS if self.settings.multiclass else BINARY,
            **common,
        )

    def follow(self, chunk: Chunk, name: str) -> Trace:
        """Ask, and learn, in a chunk of the stream of this name. New features get room."""
        if chunk.y is None:
            raise ValueError(f"{name} has no labels: `run` and `iter_run` simulate, so they need them")
        warn_of_scales(self, chunk.X, 4)
        return self.run(chunk.X, chunk.y, width=max(chunk.X.shape[1], self.width or 0))

    def _rounds(
        self, X: Any, codes: NDArray[Any], encoder: Any, coins: ArrayLike | None, width: int | None
    ) -> tuple[Outcome, dict[str, Any]]:
        """Do one round per row. Return the outcome, and what the traces of all kinds of labels have in common."""
        machine, width = self.machine, X.shape[1] if width is None else width
        first, refused_before = int(machine.core.past.rounds[0]), refused(machine.core.memory)
        own, draws = self._coins_for(first, len(codes), coins)
        outcome = self._on_sound_rows(
            X, width, lambda rows, width: machine.run(rows, width, codes, own, encoder.lanes, draws)
        )
        self.encoder, self.elastic = encoder, False
        return outcome, {
            "ask_probabilities": outcome.ask_probabilities,
            "asked": outcome.asked,
            "updated": outcome.updated,
            "first_round": first,
            "mode": "float64 exact" if machine.dtype == np.float64 else "float32 relaxed",
            "algorithm": f"{machine.core.update} × {machine.core.query}{self.settings.described()}",
            "spent": int(np.count_nonzero(outcome.asked)),
            "refused": refused(machine.core.memory) - refused_before,
        }

    def learn(
        self,
        X: Any,
        y: NDArray[Any],
        classes: Sequence[Any] | None = None,
        *,
        min_classes: int = 1,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        """Learn from every label, but those of weight 0. If a row is bad, nothing changes."""
        encoder, codes = self.encoder.encode(y, classes)
        machine, draws, weights = self.machine, None, None
        if sample_weight is None:
            draws = self._draws(len(codes))
        else:
            weights = checked_weights(sample_weight, len(codes), machine.core.update)
            X, codes, weights = self._without_weightless(X, codes, weights)
        found = encoder.observed if len(codes) == len(y) else np.unique(codes)
        if len(found) < min_classes:
            others = "" if weights is None else ", or weights of 0 for others"
            raise ValueError(f"fit needs rows of two classes, but y has only one class{others}")

        def learn(rows: AnyRows, width: int) -> tuple[int, int, None]:
            if weights is None:
                return (*machine.learn(rows, width, codes, encoder.lanes, draws), None)
            return (*self._weighting_machine.learn_weighted(rows, width, codes, encoder.lanes, weights), None)

        self._on_sound_rows(X, X.shape[1], learn)
        self.encoder, self.elastic = encoder, False

    def decision_function(self, X: Any) -> NDArray[Any]:
        """The scores of the rows: positive for the larger class, or one column per class."""
        scores = self._scores(X)
        if not self.settings.multiclass:
            return self.turned(scores[:, 0])
        scores = scores[:, np.argsort(self.encoder.observed)]
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The predicted classes of the rows."""
        scores = self._scores(X)
        if self.settings.multiclass:
            return self.encoder.values[np.argmax(scores, axis=1)]
        positive = scores[:, 0] >= 0 if self.machine.core.at_zero > 0 else scores[:, 0] > 0
        return self.encoder.values[positive.astype(int)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probabilities of the classes, one column per class in the order of `classes_`."""
        recent, many = self.machine.recent, bool(self.settings.multiclass)
        n_labels = int(recent.n_labels[0])
        if self._temperature[0] != n_labels:
            self._temperature = n_labels, temperature(recent, many=many)
        found = probabilities(of_classes(self._scores(X), many=many), self._temperature[1])
        return found[:, np.argsort(self.encoder.values)]

    # ------------------------------------------------------------------ what it has learned

    @property
    def width(self) -> int | None:
        """The number of features, or None before the first row."""
        width = self.machine.width
        return width if width is None or self.features is None else width - self.features.extra

    @property
    def has_rows(self) -> bool:
        """Whether there were rows, with or without labels."""
        past = self.machine.core.past
        return bool(past.rounds[0] or past.labels[0])

    @property
    def is_fitted(self) -> bool:
        """Whether a label has been learned."""
        return self.machine.width is not None and len(self.encoder.observed) > 0

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        return np.sort(self.encoder.values)

    @property
    def is_second_at_zero(self) -> bool:
        """Whether the larger of two classes is predicted if the score is 0."""
        return bool(self.machine.core.at_zero > 0) != self.encoder.is_turned

    @property
    def query(self) -> Any:
        """The current query rule."""
        return self.machine.core.query

    @property
    def spending(self) -> Spending:
        """What has been asked for so far."""
        core = self.machine.core
        return Spending(int(core.past.rounds[0]), int(core.past.asked[0]), refused(core.memory))

    @property
    def coef(self) -> NDArray[Any]:
        """A read-only view of the weights: one row for two classes, or one row per class."""
        weights = self._weights()
        if self.features is not None:
            weights = weights[:, self.features.extra :]
        weights = self.turned(weights)
        weights.flags.writeable = False
        return weights

    @property
    def intercept(self) -> NDArray[Any]:
        """What is added to the scores: one number per row of `coef`."""
        if isinstance(self.machine.core.update, DUAL):  # which may have no weights
            return np.zeros(1, self.machine.dtype)
        weights = self._weights()
        if self.features is None or not self.features.extra:
            return np.zeros(len(weights), self.machine.dtype)
        return self.turned(weights[:, 0]) * self.machine.dtype.type(self.features.intercept)

    def resize(self, n_features: int) -> Self:
        """Make room for `n_features` features. See `Learner.resize`."""
        if n_features < (self.width or 1):
            raise ValueError(f"this learner has {self.width} features, which cannot become {n_features}")
        self.make_room(n_features)
        self.elastic = False
        return self

    def make_room(self, width: int, lanes: int | None = None) -> Self:
        """Make room for rows with `width` columns and, if given, for `lanes` classes."""
        if self.features is None:
            self.machine.make_room(width, lanes)
        else:
            self.machine.make_room(width + self.features.extra, lanes)
            self.features.make_room(width)
        return self

    def set_query_rule(self, query: QueryRule) -> Self:
        """Continue with another query rule, in its initial state. See `Learner.set_query_rule`."""
        check_rules(self.machine.core.update, query, many=self.settings.multiclass)
        self.machine.set_query_rule(with_floats(query))
        self.rules = self.rules[0], query
        return self

    def set_random_state(self, random_state: int) -> Self:
        """Continue with other coins. What was learned stays."""
        settings = self.settings._replace(random_state=random_state)
        settings.check()
        self.settings, self._coins_ahead = settings, (-1, np.empty(0))
        return self

    def fits(self, X: Any) -> bool:
        """Whether `X` can be used as it is: an array or CSR matrix of floats with the right number of columns."""
        return is_plain(X) and (X.shape[1] == self.width or self.accepts_width(X))

    def accepts_width(self, X: Any) -> bool:
        """Whether `X` may set the number of features."""
        free = self.width is None or (self.elastic and np.ndim(X) == 2)
        return free and (self.width is None or np.shape(X)[1] >= self.width)

    # ------------------------------------------------------------------ inside

    def _scores(self, X: Any) -> NDArray[Any]:
        if not self.is_fitted:
            raise ValueError("this learner has no labels yet: call tell first")
        if not self.fits(X):
            shape = f"{type(X).__name__} of shape {np.shape(X)}"
            raise ValueError(
                f"X must be a CSR matrix or an array of floats with {self.width} columns, not {shape}"
            )
        count, width = X.shape
        scores: NDArray[Any] = self._on_sound_rows(
            X, width, lambda rows, width: self.machine.score(rows, count, width), observe=False
        )
        return scores

    def turned(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Numbers of the rules, for which the positive class is +1, as scikit-learn has them: for the larger."""
        return -numbers if self.encoder.is_turned else numbers

    @property
    def _weighting_machine(self) -> Machine:
        """The machine, for weighted rows: kernel rules, whose machine is another, have no method `weighted`."""
        return cast("Machine", self.machine)

    def _weights(self) -> NDArray[Any]:
        weights = self.machine.weights()
        return weights[np.argsort(self.encoder.observed)] if self.settings.multiclass else weights

    def _on_sound_rows(
        self, X: Any, width: int, work: Callable[[AnyRows, int], tuple[int, int, Any]], *, observe: bool = True
    ) -> Any:
        """What `work` returns for the rows as the machine sees them, and their width there."""
        features = self.features
        if features is None:
            return sound_rows(X, self.machine.dtype, lambda rows: work(rows, width))
        rows = sound_rows(X, features.raw_dtype, lambda rows: (*check_rows(rows, X.shape[0], width), rows))
        kind, bad, found = features.apply(rows, width, work, observe=observe)
        if kind != SOUND:
            raise ValueError(sentence(kind, bad, rows))
        return found

    def _raw_row(self, x: Any, features: Features) -> tuple[AnyRows, int]:
        """One sound row, before features are made of it, and its width."""
        rows, width = one_row(x, features.raw_dtype, self.width, self.elastic)
        kind, bad = check_rows(rows, 1, width)
        if kind != SOUND:
            raise ValueError(sentence(kind, bad, rows))
        return rows, width

    def _without_weightless(self, X: Any, codes: NDArray[Any], weights: NDArray[np.float64]) -> tuple[Any, ...]:
        """Rows, their labels and their weights, without the rows of weight 0; ValueError if any row is bad."""
        counted = weights > 0
        if counted.all():
            return X, codes, weights
        # SciPy trusts a matrix that it takes rows of.
        sound_rows(X, self.machine.dtype, lambda rows: (*check_rows(rows, *X.shape), None))
        return X[counted], codes[counted], weights[counted]

    def _coin(self, round_: int) -> float:
        first, ahead = self._coins_ahead
        if not 0 <= round_ - first < len(ahead):
            first, ahead = round_, toss(self.settings.random_state, round_, COINS_AHEAD)
            self._coins_ahead = (first, ahead)
        return ahead.item(round_ - first)

    def _draws(self, n_labels: int) -> NDArray[np.float64] | None:
        """The coins used in learning the next labels: a function of `random_state` and the number of labels."""
        per_label = self.machine.draws
        if not per_label:
            return None
        first = int(self.machine.core.past.labels[0]) * per_label
        coins = toss(self.settings.random_state ^ LEARNING_STREAM, first, n_labels * per_label)
        return coins.reshape(-1, per_label)

    def _coins_for(
        self, first: int, rounds: int, given: ArrayLike | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """The coins that decide about asking in each round, and those used in learning, if any."""
        draws = self._draws(rounds)
        if given is None:
            return toss(self.settings.random_state, first, rounds), draws
        if draws is None or np.ndim(given) == 1:
            return checked_coins(given, (rounds,)), draws
        if not isinstance(self.machine.core.query, Always):
            raise ValueError("coins must hold one number per row, which decides about asking")
        return np.zeros(rounds), checked_coins(given, draws.shape)
