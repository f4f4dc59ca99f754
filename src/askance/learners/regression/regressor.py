"""Regression on a stream that asks for the labels of rows about which little is known."""

from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import column_or_1d, validate_data

from askance._util.saving import Arrays, Header, SaveMixin
from askance.data.known_reading import ATTRIBUTE, labelled_chunks, reading_of, source_rows
from askance.data.stacking import of_width
from askance.data.stream import Stream, is_stream
from askance.learners.core import Decision, Spending
from askance.learners.nested_parameters import NestedParameters
from askance.learners.regression.codec import contents
from askance.learners.regression.core import RegressorCore, RegressorSettings
from askance.learners.regression.targets import as_numbers
from askance.learners.regression.trace import RegressionTrace
from askance.learners.validation import in_one_line, refuse_mixed
from askance.rules.registry import is_rule


class StreamRegressor(SaveMixin, RegressorMixin, NestedParameters):  # type: ignore[misc]
    """Predict numbers on a stream, and ask for the labels of rows about which little is known.

    Columns are standardized by what was seen of the stream, and the target by the labels so far, so that raw
    columns and raw targets can be passed. With a rule that has a spread v = xᵀΣx, such as `AROWRegression`, the
    share `audit` of the questions is asked at random, and the others in proportion to the spread. Labels are then
    weighted, so that the stream is fitted and not the questions. With other rules all questions are random.

    Parameters
    ----------
    update : rule or str, default="AROW"
        A rule of `askance.regression`, or one of the names AROW, AROW-diag, PA, PA-I, PA-II, SGD, SGD-absolute and
        SGD-median.
    rate : float, default=0.1
        The share of rows to ask about, beyond 30 labels in the beginning: at any time, at most 30 + rate × rows
        labels have been asked for. With 1, every row is asked about.
    limit : int, default=None
        The number of labels to ask for in all. After that, rows are only predicted. By default there is no limit.
    audit : float, default=0.5
        The share of questions that are drawn at random, greater than 0. They give every row a known probability of
        being asked about, from which errors are estimated. With 1, all questions are.
    random_state : int, default=0
        Decides the coins.
    intercept : float, default=0.3
        The value of a constant feature, whose weight is the intercept. With 0 there is none.
    scaling : {"standard", "tfidf"} or None, default="standard"
        How columns are scaled while rows are seen. "standard" is for dense rows.
    scale_target : bool, default=True
        Whether rules see the target as deviations from its running mean, in units of its running standard
        deviation. Without it, labels are not weighted by their probability either.

    Attributes
    ----------
    coef_ : ndarray
        The weights of the scaled columns, in units of the target.
    intercept_ : float
        What is added to their sum.
    n_features_in_ : int
        The number of features.
    spending_ : Spending
        The number of rows seen, of labels asked for, and of labels that the limit refused.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import StreamRegressor
    >>> X = np.random.default_rng(0).normal(size=(1000, 2)) * [1, 1000]
    >>> y = 20_000 + 500 * X[:, 0] + 0.2 * X[:, 1]
    >>> model = StreamRegressor(rate=0.05)
    >>> trace = model.run(X, y)
    >>> int(trace.asked.sum()) <= 30 + 0.05 * 1000
    True
    >>> bool(trace.errors().r2 > 0.98)
    True
    """

    _core: RegressorCore

    def __init__(
        self,
        update: Any = "AROW",
        *,
        rate: float = 0.1,
        limit: int | None = None,
        audit: float = 0.5,
        random_state: int = 0,
        intercept: float = 0.3,
        scaling: str | None = "standard",
        scale_target: bool = True,
    ) -> None:
        self.update = update
        self.rate = rate
        self.limit = limit
        self.audit = audit
        self.random_state = random_state
        self.intercept = intercept
        self.scaling = scaling
        self.scale_target = scale_target

    # ------------------------------------------------------------------ the labelling loop

    def ask(self, x: Any, *, granted: bool = True) -> Decision:
        """Predict one row and decide whether to ask for its label. Advances the round.

        Parameters
        ----------
        x : array-like, sparse row or Row
            One row of features.
        granted : bool, default=True
            Whether the label can be had at all.

        Returns
        -------
        Decision
            The prediction (None before the first label), and whether to ask for the label.
        """
        decision = self._started().ask(x, granted=granted)
        self._sync()
        return decision

    def tell(self, x: Any, y: float, ask_probability: float = 1.0, sample_weight: float | None = None) -> Self:
        """Learn the label of one row, however long ago it was asked for.

        Parameters
        ----------
        x : array-like, sparse row or Row
            The row.
        y : float
            Its label.
        ask_probability : float, default=1.0
            The probability with which the label was asked for: `Decision.ask_probability`. Rules with a spread
            weight the label by its inverse, compared with recent labels.
        sample_weight : float, optional
            The weight of the row, as in `fit`.

        Returns
        -------
        StreamRegressor
            The regressor itself.
        """
        self._started().tell(x, y, ask_probability, sample_weight)
        self._sync()
        return self

    def run(self, X: Any, y: ArrayLike | None = None, *, coins: ArrayLike | None = None) -> RegressionTrace:
        """Simulate the labelling loop on labelled rows, learning only from the labels that are asked for.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or Stream
            The rows. A stream of `askance.data.read` has its own labels.
        y : array-like of float, default=None
            The labels; required unless `X` is a stream.
        coins : array-like, default=None
            Uniform numbers to use instead of the regressor's own.

        Returns
        -------
        RegressionTrace
            The prediction and the decision of every round.
        """
        if y is None:
            if not isinstance(X, Stream):
                raise ValueError("run needs the labels y, unless X is a stream of askance.data.read")
            return RegressionTrace.join(self.iter_run(X))
        core = self._started()
        trace = core.run(self._validated(X), y, coins)
        self._sync()
        return trace

    def iter_run(self, stream: Stream) -> Iterator[RegressionTrace]:
        """Run through a stream in constant memory and yield the trace of each chunk."""
        core = self._started()
        for chunk in labelled_chunks(self, stream):
            assert chunk.y is not None
            refuse_mixed(chunk.X)
            trace = core.run(chunk.X, chunk.y, width=max(chunk.X.shape[1], core.width or 0))
            self._sync()
            yield trace

    # ------------------------------------------------------------------ scikit-learn's methods

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Start from scratch and learn from every label in one pass over the rows.

        Parameters
        ----------
        X : array-like or sparse matrix
            The rows.
        y : array-like of float
            Their labels.
        sample_weight : array-like, optional
            A positive weight per row, which multiplies its loss. Rows of weight 0 are left out.

        Returns
        -------
        StreamRegressor
            The regressor itself.
        """
        fresh = type(self)(**self.get_params(deep=False))
        fresh.partial_fit(X, y, sample_weight)
        for outdated in ("feature_names_in_", ATTRIBUTE):
            self.__dict__.pop(outdated, None)
        self.__dict__.update(fresh.__dict__)
        return self

    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from every label, continuing from what was learned before. For weights of rows, see `fit`."""
        core = self._started()
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        X = self._validated(X)
        targets = as_numbers(column_or_1d(y, warn=True), X.shape[0])
        core.learn(X, targets, min_classes=0, sample_weight=sample_weight)
        self._sync()
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predictions of the rows, which may be a stream or, see `askance.load`, a file."""
        self._check_fitted()
        X = source_rows(self, X)
        if is_stream(X):
            return np.concatenate(list(self.iter_predict(X)))
        return self._core.predict(self._validated(X))

    def iter_predict(self, stream: Any) -> Iterator[NDArray[np.float64]]:
        """Predict a stream in constant memory and yield the predictions of each chunk."""
        for chunk in source_rows(self, stream):
            refuse_mixed(chunk.X)
            yield self.predict(of_width(chunk.X, self.n_features_in_))

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights of the scaled columns, read-only, in units of the target."""
        self._check_fitted()
        return self._core.coef[0]

    @property
    def intercept_(self) -> float:
        """What is added to the weighted sum of the scaled columns."""
        self._check_fitted()
        return float(self._core.intercept[0]) + self._core.offset

    @property
    def spending_(self) -> Spending:
        """The number of rows seen, of labels asked for, and of labels that the limit refused."""
        return self._started().spending

    # ------------------------------------------------------------------ inside

    def _nested_rules(self) -> Mapping[str, Any]:
        return {"update": self.update} if is_rule(self.update) else {}

    def _to_file(self) -> tuple[Header, Arrays]:
        names = getattr(self, "feature_names_in_", None)
        header, arrays = contents(self._core)
        return {**header, "feature_names": None if names is None else list(names), **reading_of(self)}, arrays

    def _started(self) -> RegressorCore:
        """The core, which is made at the first use: parameters may change until then."""
        if not hasattr(self, "_core"):
            self._core = RegressorCore(RegressorSettings(**self.get_params(deep=False)))
        return self._core

    def _sync(self) -> None:
        if self._core.width is not None:
            self.n_features_in_ = self._core.width

    def _validated(self, X: Any) -> Any:
        """`X` as an array or CSR matrix of floats with the right number of columns."""
        core = self._core
        if core.fits(X) and not hasattr(self, "feature_names_in_"):
            return X
        try:
            reset = core.accepts_width(X)
            return validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
        except (ValueError, TypeError) as error:
            raise type(error)(in_one_line(str(error))) from None

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this regressor has no labels yet: call fit, partial_fit, run or tell first")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_core") and self._core.is_fitted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.scaling != "standard"
        return tags
