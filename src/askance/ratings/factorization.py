"""Maximum-margin matrix factorisation of ordinal ratings, as a scikit-learn estimator."""

import os
import warnings
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from askance._util.progress import Progress
from askance._util.saving import Arrays, Header, SaveMixin
from askance.data.rating_columns import Triplets
from askance.ratings.checkpoint import kept
from askance.ratings.contents import KIND, contents
from askance.ratings.drift import Drift, RefitAdvised
from askance.ratings.fitting import FitStep, Fitted, fitted
from askance.ratings.folding import Folding
from askance.ratings.ids import UNKNOWN, Ids, as_names
from askance.ratings.model import Factors, Model, rmse
from askance.ratings.parameters import check, plan_of
from askance.ratings.problem import Settings
from askance.ratings.rating_matrix import RatingMatrix, is_last, thread_count
from askance.ratings.stored_ratings import LaterRatings, StoredRatings
from askance.ratings.triplets import as_pairs, as_triplets, level_numbers, levels_of
from askance.typing import FloatArray


class Recommendation(NamedTuple):
    """Recommended items, best first.

    Attributes
    ----------
    items : ndarray
        Ids of the items.
    ratings : ndarray of float
        Their expected ratings.
    """

    items: NDArray[Any]
    ratings: FloatArray


class MaxMarginFactorization(SaveMixin, BaseEstimator):  # type: ignore[misc]
    """Ordinal matrix factorisation that chooses its own rank (M3F; Yan 2017, chapter 2).

    Star ratings are ordinal: a four is better than a three, but not by the same amount for everyone. The number of
    the predicted rating is 1 plus the number of thresholds at or below the score X_ij of user i and item j. X is a
    matrix of low rank whose scores lie on the right side of each threshold by a margin, with squared hinge loss.

    Parameters
    ----------
    rank : int or "auto", default: "auto"
        Number of factors.
    regularization : float, default: 0.02
        λ, between 0 and 1: the weight of ½‖X‖².
    thresholds : {"global", "user"}, default: "global"
        The same thresholds for all users, or one set per user.
    threshold_regularization : float, default: 10.0
        How strongly the thresholds of users are drawn to their mean, with `thresholds="user"`.
    loss : {"squared", "sq_sum"}, default: "squared"
        "squared" adds the squared hinges of a rating; the gradients in the paper are those of this loss. "sq_sum"
        squares the sum of the hinges, as printed in eq. 2.1, and is not smooth.
    levels : array-like of float or None, default: None
        All possible ratings. None means those that occur in the data.
    barrier : float, default: 1e-4
        ν, the weight of the term that keeps singular values away from 0.
    growth : int, default: 2
        ϱ, the step by which an automatic rank grows.
    max_rank : int, default: 100
        The largest automatic rank.
    tol : float, default: 5e-3
        The descent stops when ‖grad f‖ ≤ tol·√(number of ratings), and tol·(number of ratings) for thresholds.
    rank_tol : float, default: 1e-3
        ε: an automatic rank also stops growing when the relative decrease of the objective per rank is below this.
    max_iter : int, default: 200
        The largest number of iterations at each rank.
    validation_fraction : float, default: 0.1
        The fraction of ratings held out during the search. An automatic rank stops growing when their error no
        longer decreases, the iterations at a rank stop when it increases, and probabilities are calibrated with
        them. The final descent uses all ratings. With 0, only the objective decides.
    patience : int, default: 10
        Number of iterations without a lower validation error that end a rank.
    random_state : int, default: 0
        Decides which ratings are held out, and the start of the search for singular vectors.
    n_jobs : int or None, default: -1
        Number of threads, as in joblib. -1 means all cores.
    watch : callable or None, default: None
        Called as ``watch(done, None, text)`` after each iteration, where `done` counts iterations and `text`
        describes the last one.

    Attributes
    ----------
    rank_ : int
        The rank. It is smaller than a given `rank` if more factors do not lower the objective, or not the error of
        the held-out ratings.
    path_ : tuple of Stage
        The result at each rank that was tried.
    steps_ : tuple of FitStep
        All iterations of the last call of `fit`, in order.
    user_factors_, item_factors_ : ndarray of shape (n_users, rank) and (n_items, rank)
        Their product is the matrix of scores.
    singular_values_ : ndarray of shape (rank,)
        The singular values of the matrix of scores.
    thresholds_ : ndarray of shape (1 or n_users, n_levels - 1)
        The thresholds of all users, or of each user.
    users_, items_ : ndarray
        Ids in the order of the rows.
    levels_ : ndarray
        The possible ratings, in order.
    objective_ : float
        The objective after the fit.
    n_iter_ : int
        Number of iterations of the final descent.
    validation_rmse_ : float
        RMSE of ordinal predictions on the held-out ratings.
    drift_ : Drift
        The prediction error on ratings that arrived after the fit.

    See Also
    --------
    askance.data.read_ratings : Read ratings from a file.

    Examples
    --------
    >>> from askance import MaxMarginFactorization
    >>> users = ["ann", "ann", "ann", "bob", "bob", "bob", "cy", "cy"]
    >>> items = ["tea", "milk", "cake", "tea", "milk", "cake", "tea", "cake"]
    >>> ratings = [5, 1, 4, 5, 1, 4, 1, 5]
    >>> model = MaxMarginFactorization(rank=1, validation_fraction=0).fit(users, items, ratings)
    >>> model.predict(["ann", "cy"], ["tea", "milk"]).shape
    (2,)
    >>> model.recommend("cy", n=1).items.tolist()
    ['milk']
    """

    drift_: Drift
    steps_: tuple[FitStep, ...]

    def __init__(
        self,
        rank: int | str = "auto",
        regularization: float = 0.02,
        *,
        thresholds: str = "global",
        threshold_regularization: float = 10.0,
        loss: str = "squared",
        levels: Any = None,
        barrier: float = 1e-4,
        growth: int = 2,
        max_rank: int = 100,
        tol: float = 5e-3,
        rank_tol: float = 1e-3,
        max_iter: int = 200,
        validation_fraction: float = 0.1,
        patience: int = 10,
        random_state: int = 0,
        n_jobs: int | None = -1,
        watch: Progress | None = None,
    ) -> None:
        self.rank = rank
        self.regularization = regularization
        self.thresholds = thresholds
        self.threshold_regularization = threshold_regularization
        self.loss = loss
        self.levels = levels
        self.barrier = barrier
        self.growth = growth
        self.max_rank = max_rank
        self.tol = tol
        self.rank_tol = rank_tol
        self.max_iter = max_iter
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.watch = watch

    def fit(
        self,
        users: Any,
        items: Any = None,
        ratings: Any = None,
        *,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Fit the model to ratings. If a user has rated an item several times, the last rating counts.

        Parameters
        ----------
        users : array-like, sparse matrix or data frame
            Ids of users, one per rating. Alternatively a sparse matrix with users as rows and items as columns, or
            a data frame with columns for user, item and rating; then `items` and `ratings` must be None.
        items : array-like or None
            Ids of items.
        ratings : array-like of float or None
            Ratings.
        checkpoint : str, os.PathLike or None, default: None
            A file to which the state is written from time to time. If it exists, the fit resumes from it. It is
            removed when the fit is complete.

        Returns
        -------
        self : MaxMarginFactorization

        Raises
        ------
        askance.errors.ParameterError
            If a parameter is not allowed.
        ValueError
            If the ratings cannot be used.
        askance.errors.ModelFileError
            If the checkpoint belongs to another fit or is damaged.
        """
        check(self)
        given = as_triplets(users, items, ratings)
        if not len(given.ratings):
            raise ValueError("there are no ratings: give at least two different ones")
        user_ids, user_numbers = Ids.of(given.users)
        item_ids, item_numbers = Ids.of(given.items)
        shape = len(user_ids), len(item_ids)
        last = is_last(user_numbers, item_numbers)
        ratings = given.ratings[last]
        levels = levels_of(ratings, self.levels)
        numbers = user_numbers[last], item_numbers[last], level_numbers(ratings, levels)
        observed = RatingMatrix.grouped(*numbers, shape)
        del given, user_numbers, item_numbers, last, ratings, numbers
        problem = observed, levels, self._settings, plan_of(self, shape), float(self.validation_fraction)
        # BLAS threads would compete with those of the sweeps, which have more work.
        with kept(checkpoint, problem) as file, threadpool_limits(1, "blas"):
            steps: list[FitStep] = []

            def take(step: FitStep) -> None:
                steps.append(step)
                if self.watch is not None:
                    self.watch(len(steps), None, str(step))

            found = fitted(*problem, self._threads, take, file)
        self.steps_ = tuple(steps)
        self._keep(found, StoredRatings(observed, LaterRatings.none()), user_ids, item_ids, levels)
        return self

    def partial_fit(self, users: Any, items: Any = None, ratings: Any = None) -> Self:
        """Fold new ratings in without a refit. They may be from new users and of new items.

        The users of the new ratings, and items that are new since the fit, get new factors. All other factors stay
        the same. If a user rates an item again, the new rating replaces the earlier one, also that of the fit. The
        factors of items in the fit do not forget it until the next fit. The first call on a model that is not
        fitted is a `fit`.

        Parameters
        ----------
        users, items, ratings
            New ratings, as in `fit`.

        Returns
        -------
        self : MaxMarginFactorization

        Warns
        -----
        RefitAdvised
            When predictions for new ratings are significantly worse, or there are many. See `drift_`.
        askance.errors.DataWarning
            If none of the ids is known, but some are as the other type: see `predict`.
        """
        if not hasattr(self, "rank_"):
            return self.fit(users, items, ratings)
        given = as_triplets(users, items, ratings)
        levels_of(given.ratings, self.levels_)
        if not len(given.ratings):
            return self
        advised, drift = self.drift_.advice, self._judged(given)
        user_ids, user_numbers = self._user_ids.extended(given.users)
        item_ids, item_numbers = self._item_ids.extended(given.items)
        new = LaterRatings(user_numbers, item_numbers, level_numbers(given.ratings, self.levels_))
        stored = self._ratings._replace(later=self._ratings.later.plus(new))
        folding, shape = Folding(self._settings, self._threads), (len(user_ids), len(item_ids))
        self._take(folding.folded(self._model, stored, user_numbers, shape), stored, user_ids, item_ids)
        self.drift_ = drift
        if drift.advice and not advised:
            warnings.warn(f"fit the model again: {drift.advice}", RefitAdvised, stacklevel=2)
        return self

    def predict(self, users: ArrayLike, items: ArrayLike) -> FloatArray:
        """Predict the ordinal rating of each pair.

        Parameters
        ----------
        users, items : array-like
            Ids, one of each per pair. Unknown users and items get average factors.

        Returns
        -------
        ratings : ndarray of shape (n_pairs,)
            Values of `levels_`.

        Warns
        -----
        askance.errors.DataWarning
            If the model knows none of the users, or none of the items, but would know some if text were whole
            numbers, or whole numbers text.
        """
        numbers = self._numbers(users, items)
        return self._model.ordinal(*numbers)

    def predict_expected(self, users: ArrayLike, items: ArrayLike) -> FloatArray:
        """Predict the mean rating of each pair. Its squared error is smaller than that of `predict`.

        Parameters
        ----------
        users, items : array-like
            Ids, one of each per pair.

        Returns
        -------
        ratings : ndarray of shape (n_pairs,)
        """
        numbers = self._numbers(users, items)
        return self._model.expected(*numbers)

    def predict_proba(self, users: ArrayLike, items: ArrayLike) -> FloatArray:
        """Predict the probability of each level, calibrated with the held-out ratings.

        Parameters
        ----------
        users, items : array-like
            Ids, one of each per pair.

        Returns
        -------
        probabilities : ndarray of shape (n_pairs, n_levels)
            One column per value of `levels_`.
        """
        numbers = self._numbers(users, items)
        return self._model.probabilities(*numbers)

    def recommend(self, user: Any, n: int = 10) -> Recommendation:
        """Recommend items that the user has not rated, those with the highest expected rating first.

        Parameters
        ----------
        user : str or int
            Id of the user. An unknown user gets the recommendations of an average one.
        n : int, default: 10
            Number of items; fewer if not enough are left.

        Returns
        -------
        recommendation : Recommendation

        Warns
        -----
        askance.errors.DataWarning
            If the model does not know the user, but would if text were a whole number, or a whole number text.
        """
        check_is_fitted(self)
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise ValueError(f"n must be a whole number, 1 or more, not {n!r}")
        number = self._user_ids.looked_up(as_names([user], "users"), "users", stacklevel=3)
        left = np.ones(len(self.items_), bool)
        if number[0] != UNKNOWN:
            left[self._ratings.items_of(int(number[0]))] = False
        items = np.flatnonzero(left).astype(np.int32)
        expected = self._model.expected(np.repeat(number, len(items)), items)
        best = np.argsort(-expected, kind="stable")[:n]
        return Recommendation(self.items_[items[best]], expected[best])

    def score(self, users: Any, items: Any = None, ratings: Any = None) -> float:
        """Return minus the RMSE of ordinal predictions, so that larger is better.

        Parameters
        ----------
        users, items, ratings
            Ratings, as in `fit`.

        Returns
        -------
        score : float
        """
        given = as_triplets(users, items, ratings)
        return -rmse(self.predict(given.users, given.items), given.ratings)

    def _to_file(self) -> tuple[Header, Arrays]:
        parameters = {name: value for name, value in self.get_params().items() if name != "watch"}
        if parameters["levels"] is not None:
            parameters["levels"] = np.asarray(parameters["levels"], np.float64).tolist()
        header, arrays = contents(self._model, self._ratings, self._user_ids, self._item_ids)
        about = {
            "path": self.path_,
            "steps": self.steps_,
            "objective": self.objective_,
            "iterations": self.n_iter_,
            "rmse": self.validation_rmse_,
            "drift": self.drift_,
        }
        return {"kind": KIND, "parameters": parameters, **header, **about}, arrays

    @property
    def _settings(self) -> Settings:
        return Settings(
            float(self.regularization),
            float(self.barrier),
            self.loss == "sq_sum",
            self.thresholds == "user",
            float(self.threshold_regularization),
        )

    @property
    def _threads(self) -> int:
        return thread_count(self.n_jobs)

    def _keep(self, found: Fitted, ratings: StoredRatings, users: Ids, items: Ids, levels: FloatArray) -> None:
        self.rank_ = found.point.rank
        self.path_ = found.path
        self.objective_ = found.objective
        self.n_iter_ = found.iterations
        self.validation_rmse_ = found.rmse
        self.levels_ = levels
        self.drift_ = Drift(ratings.fitted.n_ratings, found.expected_rmse)
        factors = Factors.of(found.point, found.thresholds)
        self._take(Model(factors, found.biases, found.calibration, levels), ratings, users, items)

    def _take(self, model: Model, ratings: StoredRatings, users: Ids, items: Ids) -> None:
        self._model, self._ratings, self._user_ids, self._item_ids = model, ratings, users, items
        self.user_factors_, self.item_factors_, self.singular_values_, self.thresholds_ = model.factors
        self.users_, self.items_ = users.names, items.names

    def _numbers(self, users: Any, items: Any) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The numbers of pairs of ids."""
        check_is_fitted(self)
        user_names, item_names = as_pairs(users, items)
        return self._user_ids.looked_up(user_names, "users"), self._item_ids.looked_up(item_names, "items")

    def _judged(self, given: Triplets) -> Drift:
        """The drift with new ratings, before they are learned."""
        users, items = self._numbers(given.users, given.items)
        known = (users != UNKNOWN) & (items != UNKNOWN)
        errors = self._model.expected(users[known], items[known]) - given.ratings[known]
        return self.drift_.with_errors(len(users), errors)
