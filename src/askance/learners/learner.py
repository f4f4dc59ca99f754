"""The learner: an update rule, a query rule, and what they have learned. The central class of askance."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import validate_data

from askance._util.atomic_write import write_whole
from askance._util.sealed_file import with_more
from askance.data.known_reading import ATTRIBUTE, labelled_chunks, reading_of, source_rows
from askance.data.stacking import of_width
from askance.data.stream import Stream, is_stream
from askance.learners.codec import encode
from askance.learners.core import Decision, LearnerCore, Spending
from askance.learners.nested_parameters import NestedParameters
from askance.learners.scale_warning import warn_of_scales
from askance.learners.settings import Settings
from askance.learners.trace import Trace
from askance.learners.validation import as_targets, check_names, in_one_line, refuse_mixed, remembers_scores
from askance.rules.query import Margin, QueryRule
from askance.rules.registry import check_rules, is_rule
from askance.rules.update import (
    PAM,
    ConfidenceWeightedStdev,
    PassiveAggressive,
    PassiveAggressive2,
    UpdateRule,
    Winnow,
)

# Rules that do poorly on scikit-learn's generic checks, which make one pass. The last noisy label alone can turn
# the weights around, and Winnow has no negative weights, so it needs every row as (x, -x).
POOR = (PassiveAggressive, PAM, ConfidenceWeightedStdev, Winnow)


class Learner(ClassifierMixin, NestedParameters):  # type: ignore[misc]
    """Learn from a stream and ask for a label only when in doubt.

    `ask` and `run` consult the query rule. `tell`, `partial_fit` and `fit` learn from every label they are given.

    Parameters
    ----------
    update : update rule, default=updates.PassiveAggressive2()
        How to learn from a label.
    query : query rule, default=queries.Margin()
        When to ask for a label.
    random_state : int, default=0
        Decides the coins. The coin of a round is a function of `random_state` and round alone.
    dtype : {"float32", "float64"}, default="float32"
        "float32" is fast, with relaxed arithmetic; "float64" follows the formulas to the last bit.
    sgn0 : {1, -1}, default=1
        The sign of a score of 0, on which the papers disagree.
    classes : sequence, default=None
        The classes, if the first rows may not show all of them.
    multiclass : bool, default=False
        Whether there may be more than two classes. New classes are learned when they appear; pass `classes` to
        make decisions independent of how the stream is cut into chunks.
    intercept : float, default=0.0
        The value of a constant feature beside each row, whose weight is learned; 0 means none. Rare classes need
        it: 0.3 is a good value beside rows of length 1. Kernel rules have none.
    scaling : {"standard", "tfidf"}, default=None
        How to scale rows by what was seen of the stream so far. "standard" is for numeric columns: mean 0,
        variance 1, at most 4 deviations, over the root of the number of columns. "tfidf" is for counts of words:
        1 + log count, times how rare a word is, at length 1. `ask`, `run`, `fit` and `partial_fit` observe rows;
        `tell` does so only if all rows so far had labels, because `ask` has seen the row otherwise.
    probability : bool, default=False
        Whether to remember the scores of the last 500 labelled rows, which `predict_proba` needs.
    positive : object, default=None
        Of two classes, the one that rules take for +1: what costs and rarity are about in algorithms that weigh
        mistakes unequally, such as CSPAA and OMCSL. By default, the larger class in sorted order. Scores of `ask`
        and of traces are positive for it; `decision_function` and `coef_` are about the larger class in any case,
        as in scikit-learn.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    coef_ : ndarray
        The weights, of scaled columns if there is scaling: one row for two classes, or one row per class.
    intercept_ : ndarray
        The intercept for two classes, or one per class; 0 if there is none.
    n_features_in_ : int
        The number of features.
    spending_ : Spending
        The number of rows seen, of labels asked for, and of labels that a budget refused.

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> learner = Learner(updates.PassiveAggressive2(C=1.0), queries.Margin(b=1.0), classes=["ham", "spam"])
    >>> decision = learner.ask([1.0, 0.0])
    >>> if decision.ask:
    ...     _ = learner.tell([1.0, 0.0], "spam")
    >>> learner.ask([0.9, 0.1]).prediction
    'spam'
    """

    _core: LearnerCore

    def __init__(
        self,
        update: UpdateRule | None = None,
        query: QueryRule | None = None,
        *,
        random_state: int = 0,
        dtype: str = "float32",
        sgn0: int = 1,
        classes: Sequence[Any] | None = None,
        multiclass: bool = False,
        intercept: float = 0.0,
        scaling: str | None = None,
        probability: bool = False,
        positive: Any = None,
    ) -> None:
        self.update = update
        self.query = query
        self.random_state = random_state
        self.dtype = dtype
        self.sgn0 = sgn0
        self.classes = classes
        self.multiclass = multiclass
        self.intercept = intercept
        self.scaling = scaling
        self.probability = probability
        self.positive = positive
        if all(is_rule(rule) for rule in self._rules()):
            check_rules(*self._rules(), many=multiclass)

    # ------------------------------------------------------------------ the labelling loop

    def ask(self, x: Any, *, granted: bool = True) -> Decision:
        """Predict one row and decide whether to ask for its label. Advances the round.

        Parameters
        ----------
        x : array-like, sparse row or Row
            One row of features.
        granted : bool, default=True
            Whether the label can be had at all. With False the decision is the same, but a rule that is steered
            towards a rate does not count it.

        Returns
        -------
        Decision
            The prediction, the score, and whether to ask for the label.
        """
        check_names(self, x)
        decision = self._started().ask(x, granted=granted)
        self._sync()
        return decision

    def tell(self, x: Any, y: Any, ask_probability: float = 1.0, sample_weight: float | None = None) -> Self:
        """Learn the label of one row, however long ago it was asked for.

        Parameters
        ----------
        x : array-like, sparse row or Row
            The row.
        y : object
            Its label.
        ask_probability : float, default=1.0
            The probability with which the label was asked for: `Decision.ask_probability`. Only rules that
            estimate their own quality need it, such as those of `OMCSL`: they weight the label by its inverse.
        sample_weight : float, optional
            The weight of the row, as in `fit`.

        Returns
        -------
        Learner
            The learner itself.
        """
        check_names(self, x)
        self._started().tell(x, y, ask_probability, sample_weight)
        self._sync()
        return self

    def run(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        coins: ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
    ) -> Trace:
        """Simulate the labelling loop on labelled rows, learning only from the labels that are asked for.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or Stream
            The rows. A stream of `askance.data.read` has its own labels.
        y : array-like, default=None
            The labels; required unless `X` is a stream.
        coins : array-like, default=None
            Uniform numbers to use instead of the learner's own: the label of row t is asked for if
            `coins[t] < ask_probability`.
        classes : sequence, default=None
            Classes that may be missing from `y`.

        Returns
        -------
        Trace
            The decision of every round.
        """
        if y is None and not isinstance(X, Stream):
            raise ValueError("run needs the labels y, unless X is a stream of askance.data.read")
        if y is None:
            return Trace.join(self.iter_run(X))
        core = self._started()
        X = self._validated(X)
        warn_of_scales(core, X)
        trace = core.run(X, y, coins, classes)
        self._sync()
        return trace

    def iter_run(self, stream: Stream) -> Iterator[Trace]:
        """Run through a stream in constant memory and yield the trace of each chunk. New features get room."""
        core = self._started()
        for chunk in labelled_chunks(self, stream):
            refuse_mixed(chunk.X)
            trace = core.follow(chunk, stream.name)
            self._sync()
            yield trace

    # ------------------------------------------------------------------ scikit-learn's methods

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Start from scratch and learn from every label in one pass over the rows.

        Parameters
        ----------
        X : array-like or sparse matrix
            The rows.
        y : array-like
            Their labels.
        sample_weight : array-like, optional
            A positive weight per row, which multiplies its loss. The method `weighted` of each update rule says
            how. Rules without it raise TypeError. Rows of weight 0 are left out.

        Returns
        -------
        Learner
            The learner itself.
        """
        fresh = type(self)(**self.get_params(deep=False))
        core = fresh._started()
        X = fresh._validated(X)
        warn_of_scales(core, X)
        fewest = 1 if self.classes is not None else 2
        core.learn(X, as_targets(y, X.shape[0]), min_classes=fewest, sample_weight=sample_weight)
        fresh._sync()
        for outdated in ("feature_names_in_", ATTRIBUTE):
            self.__dict__.pop(outdated, None)
        self.__dict__.update(fresh.__dict__)
        return self

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: Sequence[Any] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from every label, continuing from what was learned before. For weights of rows, see `fit`."""
        core = self._started()
        X = self._validated(X)
        warn_of_scales(core, X)
        core.learn(X, as_targets(y, X.shape[0]), classes, sample_weight=sample_weight)
        self._sync()
        return self

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the scores of the rows: positive for the larger class, or one column per class."""
        self._check_fitted()
        return self._core.decision_function(self._validated(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted classes of the rows, which may be a stream or, see `askance.load`, a file."""
        self._check_fitted()
        X = source_rows(self, X)
        if is_stream(X):
            return np.concatenate(list(self.iter_predict(X)))
        return self._core.predict(self._validated(X))

    @available_if(remembers_scores)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of the classes, one column per class in the order of `classes_`.

        A temperature turns scores into probabilities, so both have the same order. It is fitted to the scores that
        the last 500 labelled rows had before their labels were learned. Labels that were asked for with a low
        probability count for more: pass `Decision.ask_probability` to `tell`.

        Parameters
        ----------
        X : array-like, sparse matrix or stream
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities.
        """
        self._check_fitted()
        X = source_rows(self, X)
        if is_stream(X):
            return np.concatenate([self.predict_proba(of_width(chunk.X, self.n_features_in_)) for chunk in X])
        return self._core.predict_proba(self._validated(X))

    def iter_predict(self, stream: Any) -> Iterator[NDArray[Any]]:
        """Predict a stream in constant memory and yield the classes of each chunk. New features are left out.

        A learner that knows how its file was read (see `askance.load`) also takes a file or a table.
        """
        for chunk in source_rows(self, stream):
            refuse_mixed(chunk.X)
            yield self.predict(of_width(chunk.X, self.n_features_in_))

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        self._check_fitted()
        return self._core.classes_

    @property
    def coef_(self) -> NDArray[Any]:
        """The weights, read-only: one row for two classes, as in scikit-learn, or one row per class."""
        self._check_fitted()
        return self._core.coef

    @property
    def n_nonzero_(self) -> int:
        """The number of weights that are not 0, of all classes together. Rules with `l1` keep it small."""
        return int(np.count_nonzero(self.coef_))

    @property
    def intercept_(self) -> NDArray[Any]:
        """What is added to the scores: one number for two classes, or one per class; 0 without an intercept."""
        self._check_fitted()
        return self._core.intercept

    @property
    def spending_(self) -> Spending:
        """The number of rows seen, of labels asked for, and of labels that a budget refused."""
        return self._started().spending

    @property
    def support_vectors_(self) -> Any:
        """The support vectors of a kernel rule, one per row, the oldest first."""
        return self._support().matrix(self._core.width)

    @property
    def dual_coef_(self) -> NDArray[Any]:
        """The coefficients of the support vectors, in one row, as in scikit-learn."""
        return self._core.turned(self._support().coefficients[np.newaxis, :].copy())

    # ------------------------------------------------------------------ other

    def resize(self, n_features: int) -> Self:
        """Make room for `n_features` features. New ones start as the update rule starts them."""
        self._started().resize(n_features)
        self._sync()
        return self

    def set_query_rule(self, query: QueryRule) -> Self:
        """Continue with another query rule, in its initial state. What was learned stays."""
        self._started().set_query_rule(query)
        self.query = query
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the learner to a file that `askance.load` reads. The file holds numbers, never code."""
        content, reading = encode(self._started()), reading_of(self)
        write_whole(path, with_more(content, reading) if reading else content)

    def check_parameters(self) -> None:
        """Raise an error if a parameter cannot be used."""
        check_rules(*self._rules(), many=self.multiclass)
        settings = self._settings()
        settings.check(type(self).__name__)
        settings.check_for(self._rules()[0])

    # ------------------------------------------------------------------ inside

    def _rules(self) -> tuple[Any, Any]:
        # Not `or`: a rule without parameters is an empty tuple, which is false.
        update = PassiveAggressive2() if self.update is None else self.update
        query = Margin() if self.query is None else self.query
        return update, query

    def _nested_rules(self) -> Mapping[str, Any]:
        """The rules whose parameters can be set through the learner."""
        return {part: rule for part, rule in zip(("update", "query"), self._rules(), strict=True) if is_rule(rule)}

    def _settings(self) -> Settings:
        return Settings(**{name: getattr(self, name) for name in Settings._fields})

    def _started(self) -> LearnerCore:
        """The core, which is made at the first use: parameters may change until then."""
        if not hasattr(self, "_core"):
            self.check_parameters()
            self._core = LearnerCore(*self._rules(), self._settings())
        return self._core

    def _sync(self) -> None:
        if self._core.width is not None:
            self.n_features_in_ = self._core.width

    def _validated(self, X: Any) -> Any:
        """`X` as an array or CSR matrix of floats with the right number of columns."""
        core = self._core
        if core.fits(X) and not hasattr(self, "feature_names_in_"):
            return X
        reset = core.accepts_width(X)
        try:
            return validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
        except (ValueError, TypeError) as error:
            raise type(error)(in_one_line(str(error))) from None

    def _support(self) -> Any:
        self._check_fitted()
        state = self._core.machine.core.state
        if not hasattr(state, "support"):
            rule = type(self._rules()[0]).__name__
            raise AttributeError(f"{rule} learns weights: only rules of askance.kernels have support vectors")
        return state.support

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this learner has no labels yet: call fit, partial_fit, run or tell first")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_core") and self._core.is_fitted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = bool(self.multiclass)
        update = self._rules()[0]
        tags.classifier_tags.poor_score = isinstance(getattr(update, "inner", update), POOR)
        tags.input_tags.sparse = True
        return tags
