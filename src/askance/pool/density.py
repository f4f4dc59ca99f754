"""Information density: uncertain rows in dense regions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import normalize

from askance._util.parameters import NOT_NEGATIVE_AND_FINITE, OneOf, check_parameters
from askance.pool.ratio.kernel_blocks import gamma_of, parts
from askance.pool.selection import Selection, selected
from askance.pool.trained import ClassifierStrategy
from askance.pool.views import AnyMatrix
from askance.typing import BoolArray, FloatArray

REFERENCES = 1000  # rows that others are compared with by the RBF kernel


class InformationDensity(ClassifierStrategy):
    """Information density: rows that are uncertain, and similar to many others of the pool.

    Rows are ranked by φ(x) · (1/U Σ_u sim(x, x_u))^β: the entropy φ of the class probabilities of a logistic
    regression, times the mean similarity to the U rows of the pool (Settles and Craven 2008). So
    outliers are not selected for being uncertain.

    The mean of cosines is the product of a row with the mean of all rows of length 1, so its time is O(rows ·
    features), and it is exact. The RBF kernel is averaged over at most 1,000 rows of the pool, drawn at random,
    with γ = 1 / the sum of the variances of the features.

    Parameters
    ----------
    beta : float, default: 1.0
        The weight β of the density; 0 is entropy sampling.
    similarity : {"rbf", "cosine"}, default: "rbf"
        "cosine" is the paper's, for counts and other features that are not negative; a negative mean counts as 0.
        "rbf" is also for columns of both signs, such as standardised ones.
    C : float, default: 1.0
        Inverse regularisation strength of the classifier.
    random_state : int, default: 0
        Decides with which rows the others are compared, and the rows while all labels are of one class, when rows
        are selected at random.

    Attributes
    ----------
    classifier_ : estimator
        The fitted classifier, if there were two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.pool import InformationDensity
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> strategy = InformationDensity().fit(X[[0, 9]], ["low", "high"])
    >>> strategy.select(X[1:9], n=2).rows.shape
    (2,)
    """

    def __init__(
        self, beta: float = 1.0, *, similarity: str = "rbf", C: float = 1.0, random_state: int = 0
    ) -> None:
        super().__init__(C, random_state=random_state)
        self.beta = beta
        self.similarity = similarity

    def _learn(self, X: AnyMatrix, y: NDArray[Any], others: AnyMatrix, known: BoolArray) -> bool:
        check_parameters(self, {"beta": NOT_NEGATIVE_AND_FINITE, "similarity": OneOf(("rbf", "cosine"))})
        return super()._learn(X, y, others, known)

    def _best(self, X: AnyMatrix, n: int) -> Selection:
        entropy = entr(self.classifier_.predict_proba(X)).sum(axis=1)
        density = mean_cosine(X) if self.similarity == "cosine" else mean_kernel(X, self._generator())
        return selected(entropy * density**self.beta, n, entropy=entropy, density=density)


def mean_cosine(X: AnyMatrix) -> FloatArray:
    """The mean cosine of each row with all rows, at least 0."""
    unit = normalize(X)
    means: FloatArray = unit @ np.asarray(unit.mean(axis=0)).ravel()
    return np.maximum(means, 0)


def mean_kernel(X: AnyMatrix, generator: np.random.Generator) -> FloatArray:
    """The mean RBF kernel of each row with up to 1,000 rows."""
    count = min(REFERENCES, X.shape[0])
    others = X[np.sort(generator.choice(X.shape[0], count, replace=False))]
    gamma = gamma_of(X)
    blocks = (rbf_kernel(X[part], others, gamma=gamma).mean(axis=1) for part in parts(X.shape[0], count))
    return np.concatenate(list(blocks))
