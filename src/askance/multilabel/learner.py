"""The learner of several labels per row."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from askance._util.saving import Arrays, Header, SaveMixin
from askance.auto.row_input import RowInput
from askance.auto.rows import part
from askance.data.known_reading import ATTRIBUTE, reading_of, source_rows
from askance.data.stacking import of_width
from askance.data.stream import is_stream
from askance.learners.core import Spending
from askance.multilabel.contents import KIND, contents, parameters_of
from askance.multilabel.core import MultiLabelCore
from askance.multilabel.labels import as_known, as_names
from askance.multilabel.questions import Answer
from askance.multilabel.settings import ITEMS, MultiLabelSettings
from askance.multilabel.trace import MultiLabelTrace

PREDICTED_TOGETHER = 1024  # rows, so that memory does not grow with their number
NO_LABELS = "this learner has no labels yet: call fit, partial_fit, run or tell first"


class MultiLabelDecision(NamedTuple):
    """The decision about one row.

    Attributes
    ----------
    predictions : list
        The labels that are predicted, sorted.
    scores : dict
        The score of every label, positive for those that are predicted.
    ask_probabilities : dict
        The probability of asking about each label.
    asked : list
        The labels to ask about: does the row carry them?
    ask : bool
        Whether there is a question. It is about all labels of the row if none is known yet.
    """

    predictions: list[Any]
    scores: dict[Any, float]
    ask_probabilities: dict[Any, float]
    asked: list[Any]
    ask: bool


class MultiLabelLearner(RowInput, SaveMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn which labels rows of a stream carry, several at once, with as few questions as possible.

    Every label has a linear model. It learns only from rows of which it is known whether they carry the label.
    Columns are scaled and terms weighted by what was seen of the stream. A label is predicted from the score on at
    which its F is largest. The learner asks about the pairs of a row and a label that are nearest to this
    threshold, and about as many at random.

    Parameters
    ----------
    rate : float, default=0.1
        The share of pairs to ask about. At any time, at most 10 × labels + rate × rows × labels pairs have been
        asked about.
    questions : {"pairs", "items"}, default="pairs"
        Whether a question is about one label of a row, or about all labels of a row, which counts as many pairs
        as there are labels.
    limit : int, default=None
        The number of pairs to ask about in all. After that, rows are only predicted.
    audit : float, default=0.5
        The share of questions that are drawn at random. They find the first rows with a rare label, and give
        every pair a known probability of being asked about.
    C : float, default=10.0
        The penalty of mistakes: smaller values let weights stay smaller.
    memory : int, default=10_000
        The number of labelled rows to remember. The oldest give way.
    random_state : int, default=0
        Decides the coins.
    classes : sequence, default=None
        The labels, if they are known: text or whole numbers. Others are learned when they appear.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    n_features_in_ : int
        The number of features.
    spending_ : Spending
        The number of rows seen, of pairs asked about, and of pairs that the budget refused.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import MultiLabelLearner
    >>> X = np.random.default_rng(0).normal(size=(600, 2))
    >>> Y = [[name for name, on in (("east", x > 0), ("north", y > 0)) if on] for x, y in X]
    >>> learner = MultiLabelLearner(rate=0.2)
    >>> trace = learner.run(X, Y)
    >>> learner.predict_labels([[1.0, 1.0], [1.0, -1.0]])
    [['east', 'north'], ['east']]
    >>> learner.predict([[1.0, -1.0]])
    array([[1, 0]])
    """

    _core: MultiLabelCore

    def __init__(
        self,
        rate: float = 0.1,
        *,
        questions: str = "pairs",
        limit: int | None = None,
        audit: float = 0.5,
        C: float = 10.0,
        memory: int = 10_000,
        random_state: int = 0,
        classes: Sequence[Any] | None = None,
    ) -> None:
        self.rate = rate
        self.questions = questions
        self.limit = limit
        self.audit = audit
        self.C = C
        self.memory = memory
        self.random_state = random_state
        self.classes = classes

    # ------------------------------------------------------------------ the labelling loop

    def ask(self, x: Any, *, granted: bool = True) -> MultiLabelDecision:
        """Predict one row and decide which labels to ask about. Advances the round.

        Parameters
        ----------
        x : array-like or sparse row
            One row of features.
        granted : bool, default=True
            Whether answers can be had at all.

        Returns
        -------
        MultiLabelDecision
            The predictions, the scores, and the labels to ask about.
        """
        core = self._started()
        margins, answer = core.ask(self._one_row(x), granted=granted)
        names = core.names
        return MultiLabelDecision(
            sorted(name for name, margin in zip(names, margins, strict=True) if margin > 0),
            dict(zip(names, margins.tolist(), strict=True)),
            dict(zip(names, answer.chances.tolist(), strict=True)),
            sorted(name for name, asked in zip(names, answer.asked, strict=True) if asked),
            bool(answer.asked.any()) or not names,
        )

    def tell(
        self, x: Any, y: Mapping[Any, bool] | Iterable[Any], ask_probability: float | Mapping[Any, float] = 1.0
    ) -> Self:
        """Learn the labels of one row, however long ago they were asked for.

        Parameters
        ----------
        x : array-like or sparse row
            The row.
        y : mapping or iterable
            What is known of single labels, such as {"sport": True, "politics": False}; or all labels that the row
            carries, such as ["sport"], which says that it carries no others.
        ask_probability : float or mapping, default=1.0
            The probability with which the labels were asked for: `MultiLabelDecision.ask_probabilities`.

        Returns
        -------
        MultiLabelLearner
            The learner itself.
        """
        core = self._started()
        row = self._one_row(x)
        known = as_known([y], 1, core.names)
        names = [*core.names, *known.new]
        if isinstance(ask_probability, Mapping):
            chances = np.array([float(ask_probability.get(name, 1.0)) for name in names])
        else:
            chances = np.full(len(names), float(ask_probability))
        core.check_chances(known.sides[0], chances)
        core.add_labels(known.new)
        core.tell(row, known.sides[0], chances, whole=bool(known.whole[0]))
        return self

    def run(self, X: Any, Y: Any) -> MultiLabelTrace:
        """Simulate the labelling loop on labelled rows, learning only from the pairs that are asked about.

        The names of all labels in `Y` are known from the first row on, but not which rows carry them.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            The rows.
        Y : list of lists, or indicator matrix
            The labels of every row.

        Returns
        -------
        MultiLabelTrace
            The decision of every round.
        """
        core = self._started()
        rows = self._validated(X)
        known = as_known(Y, len(rows.dense), core.names)
        if not known.whole.all():
            raise ValueError("run needs all labels of every row: give lists of labels, or an indicator matrix")
        if not core.names and not known.new:
            raise ValueError("there are no labels: give classes, or rows of which one carries a label")
        core.add_labels(known.new)
        first, refused = core.spending.rows, core.spending.refused
        shape = known.sides.shape
        margins, chances, asked = np.empty(shape), np.empty(shape), np.empty(shape, bool)
        for t in range(len(rows.dense)):
            row = part(rows, t, t + 1)
            margins[t], answer = core.ask(row)
            chances[t], asked[t] = answer
            _learn_answer(core, row, known.sides[t], answer)
        order = np.argsort(core.names)
        return MultiLabelTrace(
            classes=self.classes_,
            y=known.sides[:, order] > 0,
            predictions=margins[:, order] > 0,
            scores=margins[:, order],
            ask_probabilities=chances[:, order],
            asked=asked[:, order],
            by_row=core.settings.questions == ITEMS,
            first_round=first,
            refused=core.spending.refused - refused,
        )

    # ------------------------------------------------------------------ scikit-learn's methods

    def fit(self, X: Any, y: Any) -> Self:
        """Start from scratch and learn from all labels of every row."""
        fresh = type(self)(**self.get_params(deep=False))
        fresh.partial_fit(X, y)
        for name in ("feature_names_in_", ATTRIBUTE):
            self.__dict__.pop(name, None)
        self.__dict__.update(fresh.__dict__)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Sequence[Any] | None = None) -> Self:
        """Learn from all labels of every row, continuing from what was learned before.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            The rows.
        y : list of lists, or indicator matrix
            The labels of every row. A row of a list may also be a mapping of labels to True or False: then its
            other labels stay unknown.
        classes : sequence, default=None
            The labels of the columns of an indicator matrix.

        Returns
        -------
        MultiLabelLearner
            The learner itself.
        """
        core = self._started()
        rows = self._validated(X)
        known = as_known(y, len(rows.dense), core.names, classes)
        if not core.names and not known.new:
            raise ValueError("there are no labels: give classes, or rows of which one carries a label")
        core.add_labels(known.new)
        core.learn(rows, known.sides, known.whole)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores of labels, one column per label in the order of `classes_`: positive if predicted."""
        self._check_fitted()
        X = source_rows(self, X)
        if is_stream(X):
            return np.concatenate([self.decision_function(of_width(chunk.X, self.n_features_in_)) for chunk in X])
        rows, core = self._validated(X), self._core
        parts = [
            core.margins(part(rows, start, start + PREDICTED_TOGETHER))
            for start in range(0, len(rows.dense), PREDICTED_TOGETHER)
        ]
        found: NDArray[np.float64] = np.concatenate(parts)[:, np.argsort(core.names)]
        return found

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities that rows carry labels, one column per label in the order of `classes_`."""
        margins = self.decision_function(X)
        return self._core.probabilities(margins)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return an indicator matrix: 1 for the labels that rows are predicted to carry."""
        return (self.decision_function(X) > 0).astype(np.int64)

    def predict_labels(self, X: Any) -> list[list[Any]]:
        """Return the labels that each row is predicted to carry."""
        classes = self.classes_
        return [classes[row > 0].tolist() for row in self.predict(X)]

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted."""
        if not hasattr(self, "_core") or not self._core.names:
            raise NotFittedError(NO_LABELS)
        return np.sort(self._core.names)

    @property
    def spending_(self) -> Spending:
        """The number of rows seen, of pairs asked about, and of pairs that the budget refused."""
        return self._started().spending

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

    def _started(self) -> MultiLabelCore:
        """The core, which is made at the first use: parameters may change until then."""
        if not hasattr(self, "_core"):
            names = [] if self.classes is None else as_names(self.classes)
            settings = (self.rate, self.questions, self.limit, self.audit, self.C, self.memory, self.random_state)
            core = MultiLabelCore(MultiLabelSettings(*settings, self.classes))
            core.add_labels(names)
            self._core = core
        return self._core

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(NO_LABELS)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_core") and self._core.remembered > 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        return tags


def _learn_answer(core: MultiLabelCore, row: Any, sides: NDArray[np.int8], answer: Answer) -> None:
    """Learn what was asked about one row."""
    if answer.asked.any():
        told = np.where(answer.asked, sides, 0).astype(np.int8)
        chances = np.where(answer.asked, answer.chances, 1.0)
        core.tell(row, told, chances, whole=core.settings.questions == ITEMS)
