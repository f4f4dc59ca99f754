"""The learner: an update rule, a query rule, and what they have learned. The central class of askance."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from askance import labels
from askance.coding import Coding, ManyClasses, TwoClasses
from askance.data.stream import Stream
from askance.engine.coins import coins as toss
from askance.engine.machine import AnyRows
from askance.inputs import as_rows, is_plain, one_row, sentence, sorted_rows
from askance.machines import AnyMachine, machine_for
from askance.queries import Always, Margin, QueryRule
from askance.queries.rule import refused
from askance.rows import SOUND, UNSORTED, Row
from askance.rules import check_rules, with_floats
from askance.trace import BINARY, MANY, Trace
from askance.updates import (
    PAM,
    ConfidenceWeightedStdev,
    PassiveAggressive,
    PassiveAggressive2,
    UpdateRule,
    Winnow,
)

POOR = (PassiveAggressive, PAM, ConfidenceWeightedStdev, Winnow)

# `ask` tosses this many coins at a time; a coin depends on its round alone, so nothing else changes.
COINS_AHEAD = 1024

# What a label takes to be learned must not hang together with whether it was asked for.
OTHER_COINS = 0x6C62272E07BB0142


class Decision(NamedTuple):
    """What `ask` says of a row: the predicted class, the score, the probability of asking, and whether to ask."""

    label: Any
    score: float
    probability: float
    asked: bool


class Spending(NamedTuple):
    """Rows seen, labels asked for, and labels that a budget refused."""

    rows: int
    asked: int
    refused: int


class Learner(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learns from a stream and asks for a label only when in doubt.

    Parameters
    ----------
    update : how to learn from a label, for example `updates.PassiveAggressive2(C=1.0)`, the default.
    query : when to ask for one, for example `queries.Margin(b=1.0)`, the default.
    seed : of the coins. The coin of a round is a pure function of seed and round.
    dtype : "float32" is fast, with relaxed arithmetic; "float64" is exact, to the last bit of the formulas.
    sgn0 : the sign (+1 or -1) of a score of 0, on which the papers disagree.
    classes : the classes, where the first rows may not show all. Of two, the larger is the positive one.
    many : whether there may be more than two classes; new ones are learned when they appear. `classes` that are
        given are reckoned with from the start, so that decisions do not depend on how a stream is cut.

    `ask` and `run` consult the query rule; `tell`, `partial_fit` and `fit` learn from every label they are given.
    """

    _machine: AnyMachine
    _coding: Coding
    _elastic: bool  # whether nothing but rows without a width has been seen

    def __init__(
        self,
        update: UpdateRule | None = None,
        query: QueryRule | None = None,
        *,
        seed: int = 0,
        dtype: str = "float32",
        sgn0: int = 1,
        classes: Sequence[Any] | None = None,
        many: bool = False,
    ) -> None:
        self.update = update
        self.query = query
        self.seed = seed
        self.dtype = dtype
        self.sgn0 = sgn0
        self.classes = classes
        self.many = many
        if all(isinstance(rule, tuple) for rule in self._rules()):
            check_rules(*self._rules(), many=many)

    # ------------------------------------------------------------------ the labelling loop

    def ask(self, x: Any) -> Decision:
        """Predict one row and decide whether its label is worth asking for; advances the round.

        `x` is a 1-D array, a sparse row or an `askance.Row`.
        """
        self._begin_once()
        machine = self._machine
        rows, width = one_row(x, machine.dtype, machine.width, self._elastic)
        coin = self._coin(machine.core.past.rounds.item())
        kind, guess, score, probability, asked = machine.ask(rows, width, coin)
        if kind != SOUND:
            raise ValueError(sentence(kind, 0, rows))
        if self._elastic:
            self._has_width(width, elastic=isinstance(x, Row))
        return tuple.__new__(Decision, (self._coding.label(guess), score, probability, asked))

    def tell(self, x: Any, y: Any, probability: float = 1.0) -> Self:
        """Learn the label `y` of row `x` with the weights of now, however long ago it was asked for.

        `probability` is that of the decision to ask for it. Only rules that judge themselves by the labels they
        are told, such as those of `askance.imbalance`, need it: to them, such a label stands for 1/probability
        rows.
        """
        self._begin_once()
        if not 0 < probability <= 1:
            raise ValueError(f"probability must be greater than 0 and at most 1, not {probability!r}")
        machine = self._machine
        rows, width = one_row(x, machine.dtype, machine.width, self._elastic)
        coding, codes = self._coding.one(y)
        draws = self._draws(1) if machine.draws else None
        kind, bad = machine.learn(rows, width, codes, coding.lanes, draws, float(probability))
        if kind != SOUND:
            raise ValueError(sentence(kind, bad, rows))
        self._coding = coding
        if self._elastic:
            self._has_width(width, elastic=isinstance(x, Row))
        return self

    def run(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        coins: ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
    ) -> Trace:
        """Simulate the labelling loop on rows whose labels are known, learning only from those asked for.

        `X` may also be a stream of `askance.data.read`, which brings its own labels. `coins` are uniforms to
        use instead of the learner's own: row t is asked for where coins[t] < probability.
        """
        if y is None and not isinstance(X, Stream):
            raise ValueError("run needs the labels y, unless it is given a stream of askance.data.read")
        if y is None:
            return Trace.join(self.follow(X))
        self._begin_once()
        X = self._validated(X, reset=self._machine.width is None)
        return self._run(X, X.shape[1], y, coins, classes)

    def follow(self, stream: Stream) -> Iterator[Trace]:
        """Run through a stream in constant memory: the trace of each chunk in turn. New features find room."""
        self._begin_once()
        for chunk in stream:
            if chunk.y is None:
                raise ValueError(f"{stream.name} has no labels: `run` and `follow` simulate, so they need them")
            yield self._run(chunk.X, max(chunk.X.shape[1], self._machine.width or 0), chunk.y)

    def spending(self) -> Spending:
        """What has been asked for so far, and what a budget has refused."""
        self._begin_once()
        core = self._machine.core
        return Spending(int(core.past.rounds[0]), int(core.past.asked[0]), refused(core.memory))

    def widen(self, n_features: int) -> Self:
        """Have room for `n_features` features: those never seen before start as the update rule starts them."""
        self._begin_once()
        if n_features < (self._machine.width or 1):
            raise ValueError(f"this learner has {self._machine.width} features, which cannot become {n_features}")
        self._machine.make_room(n_features)
        self._has_width(n_features)
        return self

    # ------------------------------------------------------------------ scikit-learn's verbs

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Forget everything, then learn from every label in one pass over the rows."""
        fresh = type(self)(**self.get_params(deep=False))
        fresh._begin_once()
        X = fresh._validated(X, reset=True)
        targets = self._targets(y, X.shape[0])
        fresh._learn(X, targets, at_least=1 if self.classes is not None else 2)
        self.__dict__.pop("feature_names_in_", None)
        self.__dict__.update(fresh.__dict__)
        return self

    def partial_fit(self, X: Any, y: ArrayLike, classes: Sequence[Any] | None = None) -> Self:
        """Learn from every label, going on from what was learned before."""
        self._begin_once()
        X = self._validated(X, reset=self._machine.width is None)
        self._learn(X, self._targets(y, X.shape[0]), classes)
        return self

    def decision_function(self, X: Any) -> NDArray[Any]:
        """The scores of the rows: positive for the larger class, or of more than two, a column a class."""
        scores = self._scores(X)
        if not self.many:
            return scores[:, 0]
        scores = scores[:, np.argsort(self._coding.observed)]
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The classes of the rows."""
        scores = self._scores(X)
        if self.many:
            return self._coding.values[np.argmax(scores, axis=1)]
        positive = scores[:, 0] >= 0 if self._machine.core.at_zero > 0 else scores[:, 0] > 0
        return self.classes_[positive.astype(int)]

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted; of two, the larger is the positive one."""
        self._check_fitted()
        return np.sort(self._coding.values)

    @property
    def coef_(self) -> NDArray[Any]:
        """The weights: a row for two classes, as in scikit-learn; for many, a row a class."""
        self._check_fitted()
        window = self._machine.weights()
        if self.many:
            window = window[np.argsort(self._coding.observed)]
        window.flags.writeable = False
        return window

    @property
    def support_vectors_(self) -> Any:
        """The support vectors of a learner in dual form, a row each, the oldest first."""
        return self._support().matrix(self._machine.width)

    @property
    def dual_coef_(self) -> NDArray[Any]:
        """The coefficients of the support vectors, in scikit-learn's form of one row a binary classifier."""
        return self._support().coefficients[np.newaxis, :].copy()

    def save(self, path: Any) -> None:
        """Write the whole learner to a file that `askance.load` reads, here or elsewhere."""
        from askance.model_file import save

        save(self, path)

    def check_parameters(self) -> None:
        """Raise ValueError or TypeError, in one sentence, if a parameter cannot be used."""
        check_rules(*self._rules(), many=self.many)
        if self.dtype not in ("float32", "float64"):
            raise ValueError(f"dtype must be 'float32' (fast) or 'float64' (exact), not {self.dtype!r}")
        if self.sgn0 not in (1, -1):
            raise ValueError(f"sgn0 must be +1 or -1, not {self.sgn0!r}")
        whole = isinstance(self.seed, int | np.integer) and not isinstance(self.seed, bool)
        if not whole or not 0 <= self.seed < 2**64:
            raise ValueError(f"seed must be a whole number from 0 to 2^64 - 1, not {self.seed!r}")
        if not isinstance(self.many, bool | np.bool_):
            raise ValueError(f"many must be True or False, not {self.many!r}")
        if self.classes is not None:
            labels.as_classes(self.classes, many=bool(self.many))

    # ------------------------------------------------------------------ inside

    def _rules(self) -> tuple[Any, Any]:
        # Not `or`: a rule without parameters is an empty tuple, and so false.
        update = PassiveAggressive2() if self.update is None else self.update
        query = Margin() if self.query is None else self.query
        return update, query

    def _begin_once(self) -> None:
        if hasattr(self, "_machine"):
            return
        self.check_parameters()
        update, query = map(with_floats, self._rules())
        dtype, many = np.dtype(self.dtype), bool(self.many)
        given = np.empty(0) if self.classes is None else labels.as_classes(self.classes, many=many)
        self._coding = (ManyClasses if many else TwoClasses)(given, dtype)
        lanes = self._coding.lanes
        self._machine = machine_for(update, query, dtype, float(self.sgn0), many=many, lanes=lanes)
        self._elastic = True
        self._coins_ahead: tuple[int, NDArray[np.float64]] = (-1, np.empty(0))

    def _run(
        self, X: Any, width: int, y: ArrayLike, coins: Any = None, classes: Sequence[Any] | None = None
    ) -> Trace:
        """One pass over rows; if anything is wrong with them, nothing changes."""
        machine, dtype = self._machine, self._machine.dtype
        coding, codes = self._coding.all(labels.as_labels(y, X.shape[0]), classes)
        first, refused_before = int(machine.core.past.rounds[0]), refused(machine.core.memory)
        tossed, draws = self._tossed(first, len(codes), coins)
        outcome = self._on_sound_rows(X, lambda rows: machine.run(rows, width, codes, tossed, coding.lanes, draws))
        self._coding = coding
        self._has_width(width)
        return Trace(
            truth=codes.astype(np.int32),
            **outcome._asdict(),
            classes=coding.values,
            kind=MANY if self.many else BINARY,
            first_round=first,
            mode="float64 exact" if dtype == np.float64 else "float32 relaxed",
            algorithm=f"{machine.core.update} × {machine.core.query}",
            spent=int(np.count_nonzero(outcome.asked)),
            refused=refused(machine.core.memory) - refused_before,
        )

    def _learn(self, X: Any, y: NDArray[Any], classes: Sequence[Any] | None = None, *, at_least: int = 1) -> None:
        coding, codes = self._coding.all(y, classes)
        if len(coding.observed) < at_least:
            raise ValueError("fit needs rows of two classes, but y has only one class")
        machine, width = self._machine, X.shape[1]
        draws = self._draws(len(codes))
        self._on_sound_rows(X, lambda rows: (*machine.learn(rows, width, codes, coding.lanes, draws), None))
        self._coding = coding
        self._has_width(width)

    def _on_sound_rows(self, X: Any, work: Callable[[AnyRows], tuple[int, int, Any]]) -> Any:
        """What `work` finds on the rows of `X`, or ValueError if it finds a bad one, which changes nothing."""
        rows = as_rows(X, self._machine.dtype)
        kind, bad, found = work(rows)
        if kind == UNSORTED:
            rows = sorted_rows(X, self._machine.dtype)
            kind, bad, found = work(rows)
        if kind != SOUND:
            raise ValueError(sentence(kind, bad, rows))
        return found

    def _scores(self, X: Any) -> NDArray[Any]:
        self._check_fitted()
        X = self._validated(X, reset=False)
        scores: NDArray[Any] = self._on_sound_rows(X, lambda rows: self._machine.score(rows, *X.shape))
        return scores

    def _has_width(self, width: int, *, elastic: bool = False) -> None:
        self.n_features_in_, self._elastic = width, elastic

    def _validated(self, X: Any, *, reset: bool) -> Any:
        """`X` as an array or CSR matrix of the right width; scikit-learn converts what is neither."""
        reset = reset or (self._elastic and np.ndim(X) == 2 and np.shape(X)[1] >= (self._machine.width or 0))
        fits = reset or X.shape[1] == self._machine.width if is_plain(X) else False
        if fits and not hasattr(self, "feature_names_in_"):
            return X
        try:
            return validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
        except (ValueError, TypeError) as error:
            raise type(error)(in_one_line(str(error))) from None

    def _targets(self, y: ArrayLike, rows: int) -> NDArray[Any]:
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        targets = labels.as_labels(column_or_1d(y, warn=True), rows)
        check_classification_targets(targets)
        return targets

    def _coin(self, round_: int) -> float:
        first, ahead = self._coins_ahead
        if not 0 <= round_ - first < len(ahead):
            first, ahead = round_, toss(self.seed, round_, COINS_AHEAD)
            self._coins_ahead = (first, ahead)
        return ahead.item(round_ - first)

    def _tossed(
        self, first: int, rounds: int, given: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """The coins that decide about asking in each round, and those that a label takes to be learned, if any."""
        draws = self._draws(rounds)
        if given is None:
            return toss(self.seed, first, rounds), draws
        if draws is None or np.ndim(given) == 1:
            return given_coins(given, (rounds,)), draws
        if not isinstance(self._rules()[1], Always):
            raise ValueError("coins must hold one number a row, which decides about asking; labels toss their own")
        return np.zeros(rounds), given_coins(given, draws.shape)

    def _draws(self, labels_ahead: int) -> NDArray[np.float64] | None:
        """The coins that the next labels take to be learned: a pure function of seed and number of the label."""
        members = self._machine.draws
        if not members:
            return None
        told = int(self._machine.core.past.told[0])
        return toss(self.seed ^ OTHER_COINS, told * members, labels_ahead * members).reshape(-1, members)

    def _support(self) -> Any:
        self._check_fitted()
        if not hasattr(self._machine.core.state, "support"):
            raise AttributeError(
                f"{type(self._rules()[0]).__name__} learns weights: only rules of dual have a support set"
            )
        return self._machine.core.state.support

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this learner has no labels yet: call fit, partial_fit, run or tell first")

    def __sklearn_is_fitted__(self) -> bool:
        begun = hasattr(self, "_machine") and self._machine.width is not None
        return begun and len(self._coding.observed) > 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = bool(self.many)
        # One pass with steps as long as a label asks for: the last noisy one alone can turn the weights round. And
        # Winnow, without negative weights, cannot learn most targets unless every row comes as (x, -x).
        update = self._rules()[0]
        tags.classifier_tags.poor_score = isinstance(getattr(update, "inner", update), POOR)
        tags.input_tags.sparse = True
        return tags


def in_one_line(complaint: str) -> str:
    """scikit-learn's complaint without the data that it shows and without its advice on other estimators."""
    first = re.sub(r"\s*array=.*?\]\.(?=\s)", "", complaint, flags=re.DOTALL).split("\nLearner does not accept")[0]
    return " ".join(first.split())[:250]


def given_coins(coins: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Coins from the user: for each row one, or as many as the rule takes, each in [0, 1)."""
    given = np.ascontiguousarray(coins, np.float64)
    if given.shape != shape:
        numbers = "one number" if len(shape) == 1 else f"{shape[1]} numbers"
        raise ValueError(
            f"coins must hold {numbers} a row, for {shape[0]} rows, not an array of shape {given.shape}"
        )
    if not ((given >= 0) & (given < 1)).all():
        raise ValueError("coins must be uniform numbers of at least 0 and less than 1")
    return given
