"""SVM+: a support vector machine whose slacks are a function of features that only the training rows have."""

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from askance._util.parameters import NOT_NEGATIVE_AND_FINITE, POSITIVE, Interval, check_parameters
from askance.pool.svm_plus.correcting import Learned, learned
from askance.pool.svm_plus.feature_space import Space, View, check_kernel
from askance.pool.svm_plus.interior_point import CLOSE
from askance.pool.views import AnyMatrix, as_privileged

Array = NDArray[np.float64]
Kernel = str | Callable[[Any, Any], Any]

LIMITS = {
    "C": POSITIVE,
    "gamma": POSITIVE,
    "degree": Interval(1, low_closed=True, high_closed=False, whole=True),
    "coef0": NOT_NEGATIVE_AND_FINITE,
}


class SVMPlus(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A support vector machine that learns from privileged features how far to trust each training row.

        min ½(‖w‖² + γ‖w̃‖²) + C Σ_i c(x̃_i)   so that   y_i(w·x_i + b) ≥ 1 - c(x̃_i)   and   c(x̃_i) ≥ 0,

    with the correcting function c(x̃) = w̃·x̃ + b̃ in place of the slacks of an ordinary SVM (Vapnik and Vashist
    2009; Yan 2017, equation 4.1, with the squares that its print lacks). Predictions need x alone; a large c(x̃)
    says that a row is hard. Rows without privileged features have an ordinary slack at the same cost, and if no
    row has any, it is the ordinary SVM. More than two classes are learned one against the rest.

    Parameters
    ----------
    C : the cost of slacks.
    gamma : γ, the cost of a correcting function that is not constant.
    kernel, privileged_kernel : of the features and of the privileged ones: "linear", "rbf", "poly" or a function
        of two matrices that returns their Gram matrix, as `sklearn.svm.SVC` takes it.
    kernel_gamma, privileged_kernel_gamma : the γ of "rbf" and "poly"; "scale" is 1 / (features × variance).
    degree, coef0 : of "poly", for both kernels.
    n_jobs : how many classes to learn at once, as scikit-learn has it.

    After `fit`, with one entry a class, or one if there are two: `intercept_`, `dual_coef_` (α_i y_i of each row),
    `coef_` if the kernel is linear, `objective_` and `gap_`, about how much of the objective is above its optimum;
    and if some row had privileged features, `correcting_intercept_`, `correcting_dual_coef_` ((α_i + β_i - C)/γ of
    these rows) and `correcting_coef_`. Where many intercepts are equally good, the middle one is taken.
    """

    def __init__(
        self,
        C: float = 1.0,
        gamma: float = 1.0,
        kernel: Kernel = "linear",
        privileged_kernel: Kernel = "linear",
        *,
        kernel_gamma: float | str = "scale",
        privileged_kernel_gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.kernel = kernel
        self.privileged_kernel = privileged_kernel
        self.kernel_gamma = kernel_gamma
        self.privileged_kernel_gamma = privileged_kernel_gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, privileged: Any = None) -> Self:
        """Learn from rows, their labels, and privileged features, of which a row of NaN means that it has none."""
        self._check_parameters()
        matrix, labels = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        rows: AnyMatrix = sp.csr_array(matrix) if sp.issparse(matrix) else matrix
        check_classification_targets(labels)
        others, known = as_privileged(privileged, rows.shape[0])
        classes = np.unique(labels)
        if len(classes) < 2:
            raise ValueError(f"y has one class only, {classes.tolist()[0]!r}: an SVM needs rows of two or more")
        positives = classes if len(classes) > 2 else classes[1:]
        signs = np.where(labels == positives[:, None], 1.0, -1.0)
        main = View(self._space(self.kernel, self.kernel_gamma, rows), rows, np.ones_like(known))
        space = self._space(self.privileged_kernel, self.privileged_kernel_gamma, others[known])
        views = main, View(space, others, known)
        self._keep(learned(*views, signs, float(self.C), float(self.gamma), self.n_jobs), bool(known.any()))
        self.classes_: NDArray[Any] = classes
        self.n_privileged_features_in_: int = others.shape[1]
        return self

    def decision_function(self, X: Any) -> Array:
        """w·φ(x) + b of each row: one number if there are two classes, or else one a class."""
        check_is_fitted(self)
        matrix = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        return self._shaped(self._learned.scores.values(matrix) + self.intercept_)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of the largest score; of two classes the larger one where the score is greater than 0."""
        scores = self.decision_function(X)
        places = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(int)
        return self.classes_[places]

    def correcting(self, privileged: Any) -> Array:
        """The correcting function w̃·φ̃(x̃) + b̃ of each row, which says how hard it is; NaN for a row without x̃."""
        check_is_fitted(self)
        if not hasattr(self, "correcting_intercept_"):
            raise ValueError("SVMPlus has no correcting function: no row that it learned had privileged features")
        rows = privileged.shape[0] if sp.issparse(privileged) else len(privileged)
        matrix, known = as_privileged(privileged, rows)
        width = self.n_privileged_features_in_
        if matrix.shape[1] != width:
            raise ValueError(f"privileged has {matrix.shape[1]} features, but SVMPlus learned from {width}")
        values = self._learned.slacks.values(matrix) + self.correcting_intercept_
        return self._shaped(np.where(known[:, None], values, np.nan))

    def _check_parameters(self) -> None:
        check_parameters(self, LIMITS)
        for view in ("", "privileged_"):
            check_kernel(f"{view}kernel", getattr(self, f"{view}kernel"))
            if not isinstance(getattr(self, f"{view}kernel_gamma"), str):
                check_parameters(self, {f"{view}kernel_gamma": POSITIVE})
            elif getattr(self, f"{view}kernel_gamma") != "scale":
                given = getattr(self, f"{view}kernel_gamma")
                raise ValueError(f"SVMPlus: {view}kernel_gamma must be 'scale' or a number, not {given!r}")

    def _space(self, kernel: Kernel, gamma: float | str, rows: AnyMatrix) -> Space:
        return Space(kernel, gamma, self.degree, self.coef0, rows)

    def _keep(self, found: Learned, corrects: bool) -> None:
        if not (found.gaps < CLOSE).all():
            far = f"SVMPlus came no nearer to its optimum than {found.gaps.max():.0e} of the objective"
            warnings.warn(f"{far}: scale the features, or take a smaller C", ConvergenceWarning, stacklevel=3)
        self._forget()
        self._learned = found
        self.intercept_, self.dual_coef_ = found.biases, found.duals
        self.objective_, self.gap_ = found.objectives, found.gaps
        weights, slack_weights = found.scores.weights(), found.slacks.weights()
        if weights is not None:
            self.coef_ = weights
        if corrects:
            self.correcting_intercept_, self.correcting_dual_coef_ = found.slack_biases, found.slack_duals
        if corrects and slack_weights is not None:
            self.correcting_coef_ = slack_weights

    def _forget(self) -> None:
        """Take away what an earlier fit has left and the next may not have."""
        for name in ("coef_", "correcting_intercept_", "correcting_dual_coef_", "correcting_coef_"):
            self.__dict__.pop(name, None)

    def _shaped(self, values: Array) -> Array:
        return values if len(self.classes_) > 2 else values[:, 0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
