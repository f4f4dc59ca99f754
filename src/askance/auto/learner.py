"""The automatic learner: no settings but the budget."""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from askance._util.saving import Arrays, Header, SaveMixin
from askance.auto.calibration import sharpened
from askance.auto.contents import KIND, contents, parameters_of
from askance.auto.core import AutoCore
from askance.auto.row_input import RowInput
from askance.auto.rows import part
from askance.auto.settings import AutoSettings
from askance.data.known_reading import ATTRIBUTE, labelled_chunks, reading_of, source_rows
from askance.data.stacking import of_width, widest
from askance.data.stream import Stream, is_stream
from askance.learners import labels
from askance.learners.core import Decision, Spending
from askance.learners.trace import Trace
from askance.learners.validation import as_targets
from askance.metrics import Certificate

PREDICTED_TOGETHER = 1024  # rows, so that memory does not grow with their number


class AutoLearner(RowInput, SaveMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn from a stream with as few labels as possible, without settings.

    Linear models with several penalties and, for dense rows, a forest learn from the same labels. Columns are
    scaled and terms weighted by what was seen of the stream. Each model is trusted by how well it predicted labels
    that it had not seen. The learner asks about the rows that it is least certain of, compared to recent rows,
    about a few at random, and in the beginning about rows of columns that are unlike all labelled rows.

    Parameters
    ----------
    rate : float, default=0.1
        The share of rows to ask about, beyond 30 labels in the beginning: at any time, at most 30 + rate × rows
        labels have been asked for. With 1, every row is asked about.
    limit : int, default=None
        The number of labels to ask for in all. After that, rows are only predicted. Labels that you give without a
        question do not count. By default there is no limit.
    audit : float, default=0.2
        The share of questions that are drawn at random. They find what the models are wrongly certain of, and
        give every row a known probability of being asked about.
    memory : int, default=2000
        The number of labelled rows to remember. The oldest give way.
    random_state : int, default=0
        Decides the coins and the forest.
    classes : sequence, default=None
        The classes, if they are known. Others are learned when they appear.
    certify : float, default=None
        A share of mistakes, such as 0.02. Most questions are then about confident rows, at random, until it can be
        certified that so few of their predictions are wrong; see `Trace.certify`. The learner improves more slowly
        meanwhile. What it has found out for this is not saved with it.
    forget : bool, default=True
        Whether to forget old labels when the stream has changed: models that know only recent labels compete with
        those that know all, and if it is certain that they predict better, the others forget.
    reserve : float, default=0.0
        The share of the rate that is held back, such as 0.1. When the stream has changed, the learner asks three
        times as often until the reserve is spent. It costs accuracy if nothing changes.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    n_features_in_ : int
        The number of features.
    spending_ : Spending
        The number of rows seen, of labels asked for, and of labels that the budget refused.
    certificate_ : Certificate or None
        With `certify`, what is certified now.
    changes_ : list of int
        With `forget`, the numbers of rows seen when old labels were forgotten.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import AutoLearner
    >>> X = np.random.default_rng(0).normal(size=(1000, 4)) * [1, 1000, 0.001, 1]
    >>> y = np.where(X[:, 0] * X[:, 3] > 0, "same", "different")
    >>> learner = AutoLearner(rate=0.1)
    >>> trace = learner.run(X, y)
    >>> bool(trace.asked.mean() < 0.14)
    True
    >>> bool((trace.predictions == trace.y)[-200:].mean() > 0.8)
    True
    """

    _core: AutoCore

    def __init__(
        self,
        rate: float = 0.1,
        *,
        limit: int | None = None,
        audit: float = 0.2,
        memory: int = 2000,
        random_state: int = 0,
        classes: Sequence[Any] | None = None,
        certify: float | None = None,
        forget: bool = True,
        reserve: float = 0.0,
    ) -> None:
        self.rate = rate
        self.limit = limit
        self.audit = audit
        self.memory = memory
        self.random_state = random_state
        self.classes = classes
        self.certify = certify
        self.forget = forget
        self.reserve = reserve

    # ------------------------------------------------------------------ the labelling loop

    def ask(self, x: Any, *, granted: bool = True) -> Decision:
        """Predict one row and decide whether to ask for its label. Advances the round.

        Parameters
        ----------
        x : array-like or sparse row
            One row of features.
        granted : bool, default=True
            Whether the label can be had at all.

        Returns
        -------
        Decision
            The prediction, the score, and whether to ask for the label.
        """
        core = self._started()
        return core.ask(self._one_row(x), granted=granted)

    def tell(self, x: Any, y: Any, ask_probability: float = 1.0) -> Self:
        """Learn the label of one row, however long ago it was asked for.

        Parameters
        ----------
        x : array-like or sparse row
            The row.
        y : object
            Its label.
        ask_probability : float, default=1.0
            The probability with which the label was asked for: `Decision.ask_probability`.

        Returns
        -------
        AutoLearner
            The learner itself.
        """
        core = self._started()
        core.tell(self._one_row(x), labels.as_labels([y], 1), ask_probability)
        return self

    def run(self, X: Any, y: ArrayLike | None = None, *, coins: ArrayLike | None = None) -> Trace:
        """Simulate the labelling loop on labelled rows, learning only from the labels that are asked for.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or Stream
            The rows. A stream, such as `askance.data.read_table` returns, has its own labels.
        y : array-like, default=None
            The labels; required unless `X` is a stream.
        coins : array-like, default=None
            Uniform numbers to use instead of the learner's own.

        Returns
        -------
        Trace
            The decision of every round.
        """
        if y is None:
            if not is_stream(X):
                raise ValueError("run needs the labels y, unless X is a stream of askance.data.read_table")
            return Trace.join(self.iter_run(X))
        core = self._started()
        return core.run(self._validated(X), y, coins)

    def iter_run(self, stream: Stream) -> Iterator[Trace]:
        """Run through a stream in constant memory and yield the trace of each chunk.

        The learner remembers how the columns of a table were read. Then it also predicts files and tables, as does
        the learner that is loaded from its file.
        """
        core = self._started()
        width = widest(stream) if core.widths is None else self.n_features_in_
        for chunk in labelled_chunks(self, stream):
            X = chunk.X if width is None else of_width(chunk.X, width)
            assert chunk.y is not None
            yield core.run(self._validated(X), chunk.y)

    # ------------------------------------------------------------------ scikit-learn's methods

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Start from scratch and learn from every label."""
        fresh = type(self)(**self.get_params(deep=False))
        core = fresh._started()
        X = fresh._validated(X)
        targets = as_targets(y, len(X.dense))
        if self.classes is None and len(np.unique(targets)) < 2:
            raise ValueError("fit needs rows of two classes, but y has only one class")
        core.learn(X, targets)
        for outdated in ("feature_names_in_", ATTRIBUTE):
            self.__dict__.pop(outdated, None)
        self.__dict__.update(fresh.__dict__)
        return self

    def partial_fit(self, X: Any, y: ArrayLike, classes: Sequence[Any] | None = None) -> Self:
        """Learn from every label, continuing from what was learned before."""
        core = self._started()
        X = self._validated(X)
        core.learn(X, as_targets(y, len(X.dense)), classes)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of the classes, one column per class in the order of `classes_`."""
        return sharpened(self._shares(X), self._core.remembered)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the log-odds of the larger of two classes, or the logarithm of the share of every class.

        Questions are chosen by them. `predict_proba` corrects how certain they are.
        """
        found = np.log(np.maximum(self._shares(X), 1e-12))
        return found[:, 1] - found[:, 0] if found.shape[1] == 2 else found

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted classes of the rows, which may be a stream or, see `askance.load`, a file."""
        if is_stream(X):
            return np.concatenate(list(self.iter_predict(X)))
        return self.classes_[self._shares(X).argmax(axis=1)]

    def iter_predict(self, stream: Any) -> Iterator[NDArray[Any]]:
        """Predict a stream in constant memory and yield the classes of each chunk. New features are left out.

        A learner that knows how its file was read (see `askance.load`) also takes a file or a table.
        """
        self._check_fitted()
        for chunk in source_rows(self, stream):
            yield self.predict(of_width(chunk.X, self.n_features_in_))

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        self._check_fitted()
        return np.sort(self._core.encoder.observed)

    @property
    def spending_(self) -> Spending:
        """The number of rows seen, of labels asked for, and of labels that the budget refused."""
        return self._started().spending

    @property
    def certificate_(self) -> Certificate | None:
        """What is certified of the rows that were asked about since the learner was made or loaded."""
        return self._started().certificate

    @property
    def changes_(self) -> list[int]:
        """The numbers of rows seen when old labels were forgotten."""
        forgetting = self._started().forgetting
        return [] if forgetting is None else list(forgetting.changes)

    # ------------------------------------------------------------------ inside

    def _to_file(self) -> tuple[Header, Arrays]:
        header, arrays = contents(self._core)
        names = getattr(self, "feature_names_in_", None)
        about = {
            "kind": KIND,
            "parameters": parameters_of(self._core.settings),
            "n_features": self.n_features_in_,
            "feature_names": None if names is None else list(names),
        }
        return {**about, **header, **reading_of(self)}, arrays

    def _shares(self, X: Any) -> NDArray[np.float64]:
        """What the models say together of rows, or of those of a stream or file: a column per class."""
        self._check_fitted()
        X = source_rows(self, X)
        if is_stream(X):
            return np.concatenate([self._shares(of_width(chunk.X, self.n_features_in_)) for chunk in X])
        X, core = self._validated(X), self._core
        parts = [
            core.shares(part(X, start, start + PREDICTED_TOGETHER))
            for start in range(0, len(X.dense), PREDICTED_TOGETHER)
        ]
        found: NDArray[np.float64] = np.concatenate(parts)[:, np.argsort(core.encoder.observed)]
        return found / found.sum(axis=1, keepdims=True)

    def _started(self) -> AutoCore:
        """The core, which is made at the first use: parameters may change until then."""
        if not hasattr(self, "_core"):
            self._core = AutoCore(
                AutoSettings(
                    self.rate,
                    self.limit,
                    self.audit,
                    self.memory,
                    self.random_state,
                    self.classes,
                    self.certify,
                    self.forget,
                    self.reserve,
                )
            )
        return self._core

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this learner has no labels yet: call fit, partial_fit, run or tell first")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_core") and self._core.remembered > 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def with_core(core: AutoCore) -> AutoLearner:
    """Return the learner around a core, with all that it has learned."""
    learner = AutoLearner(**core.settings._asdict())
    learner._core = core
    if core.widths is not None:
        learner.n_features_in_ = sum(core.widths)
    return learner
