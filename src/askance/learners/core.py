"""The labelling loop: an update rule, a query rule, and what they have learned, one row at a time.

It is the part of a learner that needs no scikit-learn, which takes longer to import than all the rest.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from askance.engine.choice import AnyMachine, machine_for
from askance.jit.coins import coins as toss
from askance.learners import labels
from askance.learners.classes import Coding, ManyClasses, TwoClasses
from askance.learners.inputs import as_rows, is_plain, one_row, sentence, sorted_rows
from askance.rules.query import Margin, QueryRule
from askance.rules.query.rule import refused
from askance.rules.registry import check_rules, with_floats
from askance.rules.rows import SOUND, UNSORTED, AnyRows, Row
from askance.rules.update import PassiveAggressive2, UpdateRule

# `ask` tosses this many coins at a time; a coin depends on its round alone, so nothing else changes.
COINS_AHEAD = 1024

# What a label takes to be learned must not hang together with whether it was asked for.
OTHER_COINS = 0x6C62272E07BB0142


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
        The uniform random number in [0, 1) that decided, a function of `random_state` and round alone.
    """

    prediction: Any
    score: float
    ask_probability: float
    ask: bool
    coin: float


class Spending(NamedTuple):
    """Rows seen, labels asked for, and labels that a budget refused."""

    rows: int
    asked: int
    refused: int


class LearnerCore:
    """Asks and is told, scores and predicts: a `Learner` without scikit-learn, and with the same parameters.

    Many rows at a time must be an array or a CSR matrix of floats.
    """

    _machine: AnyMachine
    _coding: Coding
    _elastic: bool  # whether nothing but rows without a width has been seen
    _unfitted: type[Exception] = ValueError  # what is raised where nothing has been learned

    def __init__(
        self,
        update: UpdateRule | None = None,
        query: QueryRule | None = None,
        *,
        random_state: int = 0,
        dtype: str = "float32",
        sgn0: int = 1,
        classes: Sequence[Any] | None = None,
        many: bool = False,
    ) -> None:
        self.update = update
        self.query = query
        self.random_state = random_state
        self.dtype = dtype
        self.sgn0 = sgn0
        self.classes = classes
        self.many = many
        if all(isinstance(rule, tuple) for rule in self._rules()):
            check_rules(*self._rules(), many=many)

    def ask(self, x: Any, *, granted: bool = True) -> Decision:
        """Predict one row and decide whether its label is worth asking for; advances the round.

        `x` is a 1-D array, a sparse row or an `askance.Row`. `granted=False` tells that the label cannot be had
        anyway: the decision is what it would have been, and a rule that is steered towards a rate leaves it out.
        """
        self._begin_once()
        machine = self._machine
        rows, width = one_row(x, machine.dtype, machine.width, self._elastic)
        coin = self._coin(machine.core.past.rounds.item())
        kind, guess, score, probability, asked = machine.ask(rows, width, coin, float(granted))
        if kind != SOUND:
            raise ValueError(sentence(kind, 0, rows))
        if self._elastic:
            self._has_width(width, elastic=isinstance(x, Row))
        return tuple.__new__(Decision, (self._coding.label(guess), score, probability, asked, coin))

    def tell(self, x: Any, y: Any, probability: float = 1.0) -> Self:
        """Learn the label `y` of row `x` with the weights of now, however long ago it was asked for.

        `probability` is that of the decision to ask for it. Only rules that judge themselves by the labels they
        are told, such as those of `askance.rules.imbalance`, need it: to them, such a label stands for
        1/probability rows.
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

    def ask_by(self, query: QueryRule) -> Self:
        """Go on with another query rule, which starts anew; what was learned stays."""
        self._begin_once()
        check_rules(self._rules()[0], query, many=self.many)
        self.query = query
        self._machine.ask_by(with_floats(query))
        return self

    # ------------------------------------------------------------------ what it says of rows

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

    def check_parameters(self) -> None:
        """Raise ValueError or TypeError, in one sentence, if a parameter cannot be used."""
        check_rules(*self._rules(), many=self.many)
        if self.dtype not in ("float32", "float64"):
            raise ValueError(f"dtype must be 'float32' (fast) or 'float64' (exact), not {self.dtype!r}")
        if self.sgn0 not in (1, -1):
            raise ValueError(f"sgn0 must be +1 or -1, not {self.sgn0!r}")
        whole = isinstance(self.random_state, int | np.integer) and not isinstance(self.random_state, bool)
        if not whole or not 0 <= self.random_state < 2**64:
            raise ValueError(f"random_state must be a whole number from 0 to 2^64 - 1, not {self.random_state!r}")
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

    def _coin(self, round_: int) -> float:
        first, ahead = self._coins_ahead
        if not 0 <= round_ - first < len(ahead):
            first, ahead = round_, toss(self.random_state, round_, COINS_AHEAD)
            self._coins_ahead = (first, ahead)
        return ahead.item(round_ - first)

    def _draws(self, labels_ahead: int) -> NDArray[np.float64] | None:
        """The coins that the next labels take to be learned: a function of `random_state` and label count."""
        members = self._machine.draws
        if not members:
            return None
        told = int(self._machine.core.past.told[0])
        return toss(self.random_state ^ OTHER_COINS, told * members, labels_ahead * members).reshape(-1, members)

    def _validated(self, X: Any, *, reset: bool) -> Any:
        """`X` as an array or CSR matrix of the right width, which `reset` lets it say."""
        reset = reset or (self._elastic and np.ndim(X) == 2 and np.shape(X)[1] >= (self._machine.width or 0))
        fits = reset or X.shape[1] == self._machine.width if is_plain(X) else False
        return X if fits and not hasattr(self, "feature_names_in_") else self._converted(X, reset=reset)

    def _converted(self, X: Any, *, reset: bool) -> Any:
        """What becomes of rows that are not plain or not of the right width."""
        wanted = "" if reset else f" with {self._machine.width} columns"
        given = f"{type(X).__name__} of shape {np.shape(X)}"
        raise ValueError(f"X must be a CSR matrix or an array of floats{wanted}, and not empty, not {given}")

    def _check_fitted(self) -> None:
        if not self._is_fitted():
            raise self._unfitted("this learner has no labels yet: call fit, partial_fit, run or tell first")

    def _is_fitted(self) -> bool:
        begun = hasattr(self, "_machine") and self._machine.width is not None
        return begun and len(self._coding.observed) > 0
