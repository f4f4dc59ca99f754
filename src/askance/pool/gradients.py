"""BADGE: rows whose gradients are large and different."""

import numpy as np
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from askance.pool.selection import Selection
from askance.pool.trained import ClassifierStrategy
from askance.pool.views import AnyMatrix
from askance.typing import FloatArray


class BADGE(ClassifierStrategy):
    """BADGE: rows whose gradients would change the classifier a lot, and each in another way.

    The gradient of a logistic regression at a row, if its predicted class ŷ were true, is g = (p − e_ŷ) ⊗ (x, 1),
    with the class probabilities p and the unit vector e_ŷ. It is long if the row is uncertain. Rows are drawn by
    the seeding of k-means++: each with the probability ∝ min_j ‖g − g_j‖² over the rows j selected before (Ash et
    al. 2020, algorithm 1). The first is the one with the longest gradient, as in the code of the authors. Rows are
    in the order in which they were drawn.

    The gradients have (features + 1) · classes numbers per row and are never built: ⟨g, g'⟩ = ⟨p − e, p' − e'⟩ ·
    (⟨x, x'⟩ + 1). The time is O(`n` · rows · (features + classes)), and the memory O(rows · classes).

    Parameters
    ----------
    C : float, default: 1.0
        Inverse regularisation strength of the classifier.
    random_state : int, default: 0
        Decides the draws, and the rows while all labels are of one class, when rows are selected at random.

    Attributes
    ----------
    classifier_ : estimator
        The fitted classifier, if there were two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.pool import BADGE
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> strategy = BADGE().fit(X[[0, 9]], ["low", "high"])
    >>> strategy.select(X[1:9], n=2).rows.shape
    (2,)
    """

    def _best(self, X: AnyMatrix, n: int) -> Selection:
        gradients = Gradients(X, self.classifier_.predict_proba(X))
        generator = self._generator()
        rows = [int(gradients.norms.argmax())]
        apart = [gradients.norms[rows[0]]]
        nearest = np.full(X.shape[0], np.inf)
        remaining = np.ones(X.shape[0], bool)
        while True:
            remaining[rows[-1]] = False
            nearest = np.where(remaining, np.minimum(nearest, gradients.distances(rows[-1])), 0.0)
            if len(rows) == min(n, X.shape[0]):
                break
            rows.append(_draw(nearest if nearest.any() else remaining.astype(float), generator))
            apart.append(nearest[rows[-1]])
        chosen = np.array(rows, np.intp)
        scores = np.sqrt(apart)
        return Selection(chosen, scores, {"gradient": np.sqrt(gradients.norms[chosen]), "distance": scores})


class Gradients:
    """Squared lengths of the gradients of all rows, and their squared distances from one of them."""

    def __init__(self, X: AnyMatrix, probabilities: FloatArray) -> None:
        self._X = X
        self._errors = probabilities.copy()
        self._errors[np.arange(len(probabilities)), probabilities.argmax(axis=1)] -= 1
        self.norms: FloatArray = np.square(self._errors).sum(axis=1) * (row_norms(X, squared=True) + 1)

    def distances(self, row: int) -> FloatArray:
        """The squared distances of all gradients from that of a row."""
        products = safe_sparse_dot(self._X, self._X[[row]].T, dense_output=True)[:, 0] + 1
        products *= self._errors @ self._errors[row]
        return np.maximum(self.norms + self.norms[row] - 2 * products, 0)


def _draw(weights: FloatArray, generator: np.random.Generator) -> int:
    """A row, with a probability in proportion to its weight."""
    sums = weights.cumsum()
    return int(np.searchsorted(sums, generator.random() * sums[-1], side="right"))
