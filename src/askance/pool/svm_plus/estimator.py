"""SVM+: a support vector machine that uses privileged features of the training rows."""

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
from askance._util.saving import Arrays, Header, SaveMixin, class_list, matrix_arrays, plain_parameters
from askance.pool.svm_plus.correcting import FittedSVMPlus, fit_svm_plus
from askance.pool.svm_plus.feature_space import Space, View, check_kernel
from askance.pool.svm_plus.interior_point import CLOSE
from askance.pool.views import AnyMatrix, as_privileged
from askance.typing import FloatArray

Kernel = str | Callable[[Any, Any], Any]

KIND = "svm_plus"

LIMITS = {
    "C": POSITIVE,
    "gamma": POSITIVE,
    "degree": Interval(1, low_closed=True, high_closed=False, whole=True),
    "coef0": NOT_NEGATIVE_AND_FINITE,
}


class SVMPlus(SaveMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """SVM+: a support vector machine with privileged features, which only the training rows have.

        min ½(‖w‖² + γ‖w̃‖²) + C Σ_i c(x̃_i)   so that   y_i(w·x_i + b) ≥ 1 - c(x̃_i)   and   c(x̃_i) ≥ 0,

    with the correcting function c(x̃) = w̃·x̃ + b̃ in place of the slacks of an ordinary SVM (Vapnik and Vashist
    2009; Yan 2017, equation 4.1, with the squares that are missing in print). Predictions need only x. A large
    c(x̃) means that a row is hard. Rows without privileged features have an ordinary slack at the same cost; if no
    row has any, this is the ordinary SVM. More than two classes are learned one against the rest. If many
    intercepts are optimal, the middle one is taken.

    Parameters
    ----------
    C : float, default: 1.0
        The cost of slacks.
    gamma : float, default: 1.0
        γ, the cost of a correcting function that is not constant.
    kernel, privileged_kernel : {"linear", "rbf", "poly"} or callable, default: "linear"
        The kernels of the features and of the privileged features. A callable takes two matrices and returns their
        Gram matrix, as in `sklearn.svm.SVC`.
    kernel_gamma, privileged_kernel_gamma : float or "scale", default: "scale"
        γ of "rbf" and "poly"; "scale" means 1 / (number of features × variance).
    degree : int, default: 3
        The degree of "poly", for both kernels.
    coef0 : float, default: 1.0
        The constant of "poly", for both kernels.
    n_jobs : int or None, default: None
        Number of classes that are learned at once, as in scikit-learn.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    intercept_ : ndarray of shape (n_classifiers,)
        One entry per class, or one if there are two classes. The same holds for the other attributes.
    dual_coef_ : ndarray of shape (n_classifiers, n_rows)
        α_i y_i of each training row.
    coef_ : ndarray of shape (n_classifiers, n_features)
        The weights, if the kernel is linear.
    correcting_intercept_, correcting_dual_coef_, correcting_coef_ : ndarray
        The same for the correcting function, if some row had privileged features. Its dual coefficients are
        (α_i + β_i - C)/γ, for rows with privileged features.
    objective_ : ndarray of shape (n_classifiers,)
        The objective.
    gap_ : ndarray of shape (n_classifiers,)
        An estimate of the distance of the objective to its optimum, relative to the objective.
    n_features_in_, n_privileged_features_in_ : int
        Numbers of features.

    See Also
    --------
    PrivilegedSelector : Uses the correcting function to select rows of a pool.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import SVMPlus
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> privileged = np.array([[0.1], [0.9], [1.1], [0.2]])
    >>> model = SVMPlus().fit(X, ["low", "low", "high", "high"], privileged)
    >>> model.predict([[0.2], [2.8]]).tolist()
    ['low', 'high']
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
        """Fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training rows.
        y : array-like of shape (n_rows,)
            Their labels.
        privileged : array-like or sparse matrix of shape (n_rows, n_privileged_features) or None, default: None
            Privileged features. A row of NaN means that the row has none.

        Returns
        -------
        self : SVMPlus

        Raises
        ------
        askance.errors.ParameterError
            If a parameter is not allowed.
        ValueError
            If the rows, labels or privileged features cannot be used.

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            If the solver did not come close to the optimum.
        """
        self._check_parameters()
        matrix, labels = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        rows: AnyMatrix = sp.csr_array(matrix) if sp.issparse(matrix) else matrix
        check_classification_targets(labels)
        others, known = as_privileged(privileged, rows.shape[0])
        classes = np.unique(labels)
        if len(classes) < 2:
            raise ValueError(f"y has only one class, {classes.tolist()[0]!r}: an SVM needs two or more")
        positives = classes if len(classes) > 2 else classes[1:]
        signs = np.where(labels == positives[:, None], 1.0, -1.0)
        main = View(self._space(self.kernel, self.kernel_gamma, rows), rows, np.ones_like(known))
        space = self._space(self.privileged_kernel, self.privileged_kernel_gamma, others[known])
        views = main, View(space, others, known)
        self._keep(fit_svm_plus(*views, signs, float(self.C), float(self.gamma), self.n_jobs), bool(known.any()))
        self.classes_: NDArray[Any] = classes
        self.n_privileged_features_in_: int = others.shape[1]
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return the score w·φ(x) + b of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_rows,) or (n_rows, n_classes)
            One number per row if there are two classes, otherwise one per class.
        """
        check_is_fitted(self)
        matrix = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        return self._shaped(self._fitted.scores.values(matrix) + self.intercept_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        classes : ndarray of shape (n_rows,)
        """
        scores = self.decision_function(X)
        places = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(int)
        return self.classes_[places]

    def correcting(self, privileged: Any) -> FloatArray:
        """Return the correcting function w̃·φ̃(x̃) + b̃ of each row: how hard the row is.

        Parameters
        ----------
        privileged : array-like or sparse matrix of shape (n_rows, n_privileged_features)
            Privileged features. A row of NaN means that the row has none.

        Returns
        -------
        values : ndarray of shape (n_rows,) or (n_rows, n_classes)
            NaN for rows without privileged features.

        Raises
        ------
        ValueError
            If no training row had privileged features.
        """
        check_is_fitted(self)
        if not hasattr(self, "correcting_intercept_"):
            raise ValueError("SVMPlus has no correcting function: no training row had privileged features")
        rows = privileged.shape[0] if sp.issparse(privileged) else len(privileged)
        matrix, known = as_privileged(privileged, rows)
        width = self.n_privileged_features_in_
        if matrix.shape[1] != width:
            raise ValueError(f"privileged has {matrix.shape[1]} features, but SVMPlus was fitted with {width}")
        values = self._fitted.slacks.values(matrix) + self.correcting_intercept_
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

    def _keep(self, found: FittedSVMPlus, corrects: bool) -> None:
        if not (found.gaps < CLOSE).all():
            far = f"SVMPlus stopped at a gap of {found.gaps.max():.0e} of the objective"
            warnings.warn(f"{far}: scale the features, or use a smaller C", ConvergenceWarning, stacklevel=3)
        self._take(found, corrects=corrects)

    def _take(self, found: FittedSVMPlus, *, corrects: bool) -> None:
        self._forget()
        self._fitted = found
        self.intercept_, self.dual_coef_ = found.intercepts, found.duals
        self.objective_, self.gap_ = found.objectives, found.gaps
        weights, slack_weights = found.scores.weights(), found.slacks.weights()
        if weights is not None:
            self.coef_ = weights
        if corrects:
            self.correcting_intercept_, self.correcting_dual_coef_ = found.slack_intercepts, found.slack_duals
        if corrects and slack_weights is not None:
            self.correcting_coef_ = slack_weights

    def _forget(self) -> None:
        """Delete the attributes of an earlier fit that the next one may not have."""
        for name in ("coef_", "correcting_intercept_", "correcting_dual_coef_", "correcting_coef_"):
            self.__dict__.pop(name, None)

    def _plain_parameters(self) -> dict[str, Any]:
        """The parameters for a file; raises ValueError if a kernel is a function."""
        for name in ("kernel", "privileged_kernel"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(
                    f"SVMPlus cannot be saved because {name} is a function, and a model file holds no code: "
                    "use 'linear', 'rbf' or 'poly'"
                )
        return plain_parameters(self)

    def _to_file(self) -> tuple[Header, Arrays]:
        found = self._fitted
        arrays: Arrays = {
            "scores/lines": found.scores.lines,
            "slacks/lines": found.slacks.lines,
            "duals": found.duals,
            "intercepts": found.intercepts,
            "slack_duals": found.slack_duals,
            "slack_intercepts": found.slack_intercepts,
            "objectives": found.objectives,
            "gaps": found.gaps,
        }
        header: Header = {
            "kind": KIND,
            "parameters": self._plain_parameters(),
            "classes": class_list(self.classes_),
            "n_features": self.n_features_in_,
            "feature_names": list(getattr(self, "feature_names_in_", [])) or None,
            "n_privileged_features": self.n_privileged_features_in_,
            "corrects": hasattr(self, "correcting_intercept_"),
        }
        for name, functions in (("scores", found.scores), ("slacks", found.slacks)):
            header[f"{name}_gamma"] = float(functions.space.gamma)
            if functions.rows is not None:
                arrays |= matrix_arrays(f"{name}/rows", functions.rows)
        return header, arrays

    def _shaped(self, values: FloatArray) -> FloatArray:
        return values if len(self.classes_) > 2 else values[:, 0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
