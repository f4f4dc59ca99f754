"""Expected error reduction: rows whose labels would make the classifier surest of the rest of the pool."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr
from sklearn.base import clone
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from askance._util.parameters import COUNT, OneOf, check_parameters
from askance.pool.selection import Selection, selected
from askance.pool.trained import ClassifierStrategy
from askance.pool.views import AnyMatrix, one_below_other
from askance.typing import BoolArray, FloatArray

LOSSES = ("log", "zero-one")


class ExpectedErrorReduction(ClassifierStrategy):
    """Expected error reduction: rows after whose labels the classifier is expected to err least.

    For a row x and each class y, the logistic regression is trained again with (x, y) added. Its error on the pool
    is estimated from its own probabilities p: by their entropy ("log"), or by 1 − max p ("zero-one"). Rows are
    ranked by the current estimate less Σ_y p(y | x) · (the estimate after (x, y)) (Roy and McCallum 2001). That
    may be negative, because a label can also show that the classifier was too sure.

    This is the slowest strategy: a selection trains `candidates` · classes times. So only some rows of the pool,
    drawn at random, are compared, and the error is estimated on `references` rows of it. The paper selects one row
    at a time; here, the `n` best rows are selected at once.

    Parameters
    ----------
    loss : {"log", "zero-one"}, default: "log"
        How the error is estimated.
    candidates : int, default: 50
        The number of rows that are compared; at least `n`.
    references : int, default: 500
        The number of rows on which the error is estimated.
    C : float, default: 1.0
        Inverse regularisation strength of the classifier.
    random_state : int, default: 0
        Decides these rows, and the rows while all labels are of one class, when rows are selected at random.

    Attributes
    ----------
    classifier_ : estimator
        The fitted classifier, if there were two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.pool import ExpectedErrorReduction
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> strategy = ExpectedErrorReduction().fit(X[[0, 9]], ["low", "high"])
    >>> strategy.select(X[1:9], n=2).rows.shape
    (2,)
    """

    def __init__(
        self,
        loss: str = "log",
        *,
        candidates: int = 50,
        references: int = 500,
        C: float = 1.0,
        random_state: int = 0,
    ) -> None:
        super().__init__(C, random_state=random_state)
        self.loss = loss
        self.candidates = candidates
        self.references = references

    def _learn(self, X: AnyMatrix, y: NDArray[Any], others: AnyMatrix, known: BoolArray) -> bool:
        check_parameters(self, {"loss": OneOf(LOSSES), "candidates": COUNT, "references": COUNT})
        self.labelled_ = X, y
        return super()._learn(X, y, others, known)

    def _best(self, X: AnyMatrix, n: int) -> Selection:
        generator, size = self._generator(), X.shape[0]
        rows = np.sort(generator.choice(size, min(size, max(n, self.candidates)), replace=False))
        references = X[np.sort(generator.choice(size, min(size, self.references), replace=False))]
        chances = self.classifier_.predict_proba(X[rows])
        now = self._error(self.classifier_, references)
        with threadpool_limits(1, "blas"):  # for few rows, several threads are slower
            after = np.array([self._after(X[[row]], p, references) for row, p in zip(rows, chances, strict=True)])
        found = selected(now - after, n, expected_error=after)
        return found._replace(rows=rows[found.rows])

    def _after(self, x: AnyMatrix, chances: FloatArray, references: AnyMatrix) -> float:
        """The error that is expected when the label of a row is known."""
        X, y = self.labelled_
        rows = one_below_other(X, x)
        errors = [
            self._error(self._again(rows, np.append(y, label)), references) for label in self.classifier_.classes_
        ]
        return float(chances @ errors)

    def _again(self, X: AnyMatrix, y: NDArray[Any]) -> Any:
        """The classifier trained with one row more, from where it is: a third of the time."""
        again = clone(self.classifier_).set_params(warm_start=True)
        again.coef_, again.intercept_ = self.classifier_.coef_.copy(), self.classifier_.intercept_.copy()
        return again.fit(X, y)

    def _error(self, classifier: Any, references: AnyMatrix) -> float:
        p = classifier.predict_proba(references)
        each = entr(p).sum(axis=1) if self.loss == "log" else 1 - p.max(axis=1)
        return float(each.mean())
