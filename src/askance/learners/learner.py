"""The learner: an update rule, a query rule, and what they have learned. The central class of askance."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from askance.data.stream import Stream
from askance.jit.coins import coins as toss
from askance.learners import labels
from askance.learners.core import LearnerCore
from askance.learners.trace import BINARY, MANY, Trace
from askance.rules.query import Always
from askance.rules.query.rule import refused
from askance.rules.update import PAM, ConfidenceWeightedStdev, PassiveAggressive, Winnow

POOR = (PassiveAggressive, PAM, ConfidenceWeightedStdev, Winnow)


class Learner(ClassifierMixin, LearnerCore, BaseEstimator):  # type: ignore[misc]
    """Learns from a stream and asks for a label only when in doubt.

    Parameters
    ----------
    update : how to learn from a label, for example `updates.PassiveAggressive2(C=1.0)`, the default.
    query : when to ask for one, for example `queries.Margin(b=1.0)`, the default.
    random_state : of the coins. The coin of a round is a pure function of random_state and round.
    dtype : "float32" is fast, with relaxed arithmetic; "float64" is exact, to the last bit of the formulas.
    sgn0 : the sign (+1 or -1) of a score of 0, on which the papers disagree.
    classes : the classes, where the first rows may not show all. Of two, the larger is the positive one.
    many : whether there may be more than two classes; new ones are learned when they appear. `classes` that are
        given are reckoned with from the start, so that decisions do not depend on how a stream is cut.

    `ask` and `run` consult the query rule; `tell`, `partial_fit` and `fit` learn from every label they are given.
    """

    _unfitted = NotFittedError

    # ------------------------------------------------------------------ the labelling loop, simulated

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
        from askance.learners.files import save

        save(self, path)

    # ------------------------------------------------------------------ inside

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
            true_codes=codes.astype(np.int32),
            predicted_codes=outcome.predictions,
            scores=outcome.scores,
            ask_probabilities=outcome.ask_probabilities,
            asked=outcome.asked,
            updated=outcome.updated,
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

    def _converted(self, X: Any, *, reset: bool) -> Any:
        """What scikit-learn makes of anything that holds rows."""
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

    def _tossed(
        self, first: int, rounds: int, given: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """The coins that decide about asking in each round, and those that a label takes to be learned, if any."""
        draws = self._draws(rounds)
        if given is None:
            return toss(self.random_state, first, rounds), draws
        if draws is None or np.ndim(given) == 1:
            return given_coins(given, (rounds,)), draws
        if not isinstance(self._rules()[1], Always):
            raise ValueError("coins must hold one number a row, which decides about asking; labels toss their own")
        return np.zeros(rounds), given_coins(given, draws.shape)

    def _support(self) -> Any:
        self._check_fitted()
        if not hasattr(self._machine.core.state, "support"):
            raise AttributeError(
                f"{type(self._rules()[0]).__name__} learns weights: only rules of dual have a support set"
            )
        return self._machine.core.state.support

    def __sklearn_is_fitted__(self) -> bool:
        return self._is_fitted()

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
