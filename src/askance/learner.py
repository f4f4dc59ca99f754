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
from askance.data.stream import Stream
from askance.engine.coins import coins as toss
from askance.engine.machine import AnyRows, Machine
from askance.inputs import as_rows, is_plain, one_row, sentence, sorted_rows
from askance.queries import Margin, QueryRule
from askance.queries.rule import refused
from askance.rows import SOUND, UNSORTED, Row
from askance.rules import check_rules, with_floats
from askance.trace import Trace
from askance.updates import PAM, ConfidenceWeightedStdev, PassiveAggressive, PassiveAggressive2, UpdateRule

# `ask` tosses this many coins at a time; a coin depends on its round alone, so nothing else changes.
COINS_AHEAD = 1024

# Rules that go as far as a label wants, however wrong it may be.
HARD = (PassiveAggressive, PAM, ConfidenceWeightedStdev)


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
    classes : the two classes, where the first rows may not show both. The larger is the positive one.

    `ask` and `run` consult the query rule; `tell`, `partial_fit` and `fit` learn from every label they are given.
    """

    def __init__(
        self,
        update: UpdateRule | None = None,
        query: QueryRule | None = None,
        *,
        seed: int = 0,
        dtype: str = "float32",
        sgn0: int = 1,
        classes: Sequence[Any] | None = None,
    ) -> None:
        self.update = update
        self.query = query
        self.seed = seed
        self.dtype = dtype
        self.sgn0 = sgn0
        self.classes = classes
        if all(isinstance(rule, tuple) for rule in self._rules()):
            check_rules(*self._rules())

    # ------------------------------------------------------------------ the labelling loop

    def ask(self, x: Any) -> Decision:
        """Predict one row and decide whether its label is worth asking for; advances the round.

        `x` is a 1-D array, a sparse row or an `askance.Row`.
        """
        self._begin_once()
        machine = self._machine
        rows, width = one_row(x, machine.dtype, machine.width, self._elastic)
        coin = self._coin(int(machine.core.past.rounds[0]))
        kind, guess, score, probability, asked = machine.ask(rows, width, coin)
        if kind != SOUND:
            raise ValueError(sentence(kind, 0, rows))
        if self._elastic:
            self._has_width(width, elastic=isinstance(x, Row))
        return Decision(self._pair[guess > 0] if self._pair else None, score, probability, asked)

    def tell(self, x: Any, y: Any) -> Self:
        """Learn the label `y` of row `x` with the weights of now, however long ago it was asked for."""
        self._begin_once()
        machine = self._machine
        rows, width = one_row(x, machine.dtype, machine.width, self._elastic)
        if self._pair is None or y not in self._pair:
            observed, signs = self._signs(labels.as_labels([y], 1))
        else:
            observed, signs = self._observed, self._sign[int(y == self._pair[1])]
        kind, bad = machine.learn(rows, width, signs)
        if kind != SOUND:
            raise ValueError(sentence(kind, bad, rows))
        if observed is not self._observed:
            self._observe(observed)
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
        if self.classes is None and len(labels.distinct(targets, targets[:0])) < 2:
            raise ValueError("fit needs rows of two classes, but y has only one class")
        fresh._learn(X, targets)
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
        """The scores of the rows: positive for the larger class."""
        self._check_fitted()
        X = self._validated(X, reset=False)
        return self._on_sound_rows(X, lambda rows: self._machine.score(rows, *X.shape))

    def predict(self, X: Any) -> NDArray[Any]:
        """The classes of the rows."""
        scores = self.decision_function(X)
        positive = scores >= 0 if self._machine.core.at_zero > 0 else scores > 0
        return self.classes_[positive.astype(int)]

    @property
    def classes_(self) -> NDArray[Any]:
        """The two classes; the larger is the positive one."""
        self._check_fitted()
        return labels.pair(self._observed).copy()

    @property
    def coef_(self) -> NDArray[Any]:
        """The weights, in scikit-learn's form of one row a binary classifier."""
        self._check_fitted()
        window = self._machine.core.state.weights[np.newaxis, :]
        window.flags.writeable = False
        return window

    def save(self, path: Any) -> None:
        """Write the whole learner to a file that `askance.load` reads, here or elsewhere."""
        from askance.model_file import save

        save(self, path)

    def check_parameters(self) -> None:
        """Raise ValueError or TypeError, in one sentence, if a parameter cannot be used."""
        check_rules(*self._rules())
        if self.dtype not in ("float32", "float64"):
            raise ValueError(f"dtype must be 'float32' (fast) or 'float64' (exact), not {self.dtype!r}")
        if self.sgn0 not in (1, -1):
            raise ValueError(f"sgn0 must be +1 or -1, not {self.sgn0!r}")
        whole = isinstance(self.seed, int | np.integer) and not isinstance(self.seed, bool)
        if not whole or not 0 <= self.seed < 2**64:
            raise ValueError(f"seed must be a whole number from 0 to 2^64 - 1, not {self.seed!r}")
        if self.classes is not None:
            labels.as_classes(self.classes)

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
        self._machine = Machine(update, query, np.dtype(self.dtype), float(self.sgn0))
        self._observe(np.empty(0) if self.classes is None else labels.as_classes(self.classes))
        self._sign = (np.full(1, -1, self.dtype), np.full(1, 1, self.dtype))
        self._elastic = True
        self._coins_ahead: tuple[int, NDArray[np.float64]] = (-1, np.empty(0))

    def _run(
        self, X: Any, width: int, y: ArrayLike, coins: Any = None, classes: Sequence[Any] | None = None
    ) -> Trace:
        """One pass over rows; if anything is wrong with them, nothing changes."""
        machine, dtype = self._machine, self._machine.dtype
        observed, signs = self._signs(labels.as_labels(y, X.shape[0]), classes)
        first, refused_before = int(machine.core.past.rounds[0]), refused(machine.core.memory)
        tossed = toss(self.seed, first, len(signs)) if coins is None else given_coins(coins, len(signs))
        outcome = self._on_sound_rows(X, lambda rows: machine.run(rows, width, signs, tossed))
        self._observe(observed)
        self._has_width(width)
        return Trace(
            truth=signs.astype(np.int8),
            **outcome._asdict(),
            classes=labels.pair(observed).copy(),
            first_round=first,
            mode="float64 exact" if dtype == np.float64 else "float32 relaxed",
            algorithm=f"{machine.core.update} × {machine.core.query}",
            spent=int(np.count_nonzero(outcome.asked)),
            refused=refused(machine.core.memory) - refused_before,
        )

    def _learn(self, X: Any, y: NDArray[Any], classes: Sequence[Any] | None = None) -> None:
        observed, signs = self._signs(y, classes)
        machine, width = self._machine, X.shape[1]
        self._on_sound_rows(X, lambda rows: (*machine.learn(rows, width, signs), None))
        self._observe(observed)
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

    def _signs(self, y: NDArray[Any], classes: Sequence[Any] | None = None) -> tuple[NDArray[Any], NDArray[Any]]:
        """The classes observed with `y`, and y as +1 and -1; nothing changes yet."""
        known = self._observed
        if classes is not None:
            known = labels.distinct(labels.as_classes(classes), known)
        observed = labels.distinct(y, known)
        pair = labels.pair(observed)
        if len(known) == 1 and (pair[1] == known[0]) != (labels.pair(known)[1] == known[0]):
            raise ValueError(
                f"the class {known[0]!r} was learned with the other sign: give classes={pair.tolist()!r}"
            )
        return observed, labels.signs(y, pair, self._machine.dtype)

    def _observe(self, observed: NDArray[Any]) -> None:
        """Note which classes labels have shown so far, and so what the two classes are."""
        self._observed = observed
        self._pair: tuple[Any, Any] | None = tuple(labels.pair(observed).tolist()) if len(observed) else None

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
        return float(ahead[round_ - first])

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this learner has no labels yet: call fit, partial_fit, run or tell first")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_machine") and self._pair is not None and self._machine.width is not None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # One pass with hard steps: the last noisy label alone can turn the weights round.
        tags.classifier_tags.poor_score = isinstance(self._rules()[0], HARD)
        tags.input_tags.sparse = True
        return tags


def in_one_line(complaint: str) -> str:
    """scikit-learn's complaint without the data that it shows and without its advice on other estimators."""
    first = re.sub(r"\s*array=.*?\]\.(?=\s)", "", complaint, flags=re.DOTALL).split("\nLearner does not accept")[0]
    return " ".join(first.split())[:250]


def given_coins(coins: ArrayLike, rows: int) -> NDArray[np.float64]:
    """Coins from the user: as many as rows, each in [0, 1)."""
    given = np.ascontiguousarray(coins, np.float64)
    if given.shape != (rows,):
        raise ValueError(f"coins must hold one number a row, {rows} in all, not an array of shape {given.shape}")
    if not ((given >= 0) & (given < 1)).all():
        raise ValueError("coins must be uniform numbers of at least 0 and less than 1")
    return given
