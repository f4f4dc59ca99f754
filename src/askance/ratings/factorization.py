"""Maximum-margin matrix factorisation of ordinal ratings, with scikit-learn's manners."""

import os
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from askance._util.parameters import COUNT, NOT_NEGATIVE, POSITIVE, Constraints, Interval, OneOf, check_parameters
from askance.data.rating_columns import Triplets
from askance.ratings.checkpoint import kept
from askance.ratings.drift import Drift, RefitAdvised
from askance.ratings.errors import rmse
from askance.ratings.fitting import Fitted, Progress, fitted
from askance.ratings.folding import Folding
from askance.ratings.ids import UNKNOWN, Ids, as_names
from askance.ratings.known import Known, Later
from askance.ratings.model import Factors, Model
from askance.ratings.observed import Observed
from askance.ratings.problem import Settings
from askance.ratings.rank_search import Plan
from askance.ratings.threads import count_of
from askance.ratings.triplets import as_pairs, as_triplets, level_numbers, levels_of

Numbers = NDArray[np.float64]

LIMITS: Constraints = {
    "regularization": Interval(0, 1, high_closed=False),
    "thresholds": OneOf(("global", "user")),
    "threshold_regularization": POSITIVE,
    "loss": OneOf(("squared", "sq_sum")),
    "barrier": POSITIVE,
    "growth": COUNT,
    "max_rank": COUNT,
    "tol": POSITIVE,
    "rank_tol": NOT_NEGATIVE,
    "max_iter": COUNT,
    "validation_fraction": Interval(0, 0.5, low_closed=True),
    "patience": COUNT,
    "random_state": Interval(0, 2.0**63, low_closed=True, whole=True),
}


class Recommendation(NamedTuple):
    """Items, the most liked first, and the ratings expected of them."""

    items: NDArray[Any]
    ratings: Numbers


class MaxMarginFactorization(BaseEstimator):  # type: ignore[misc]
    """Tells how users would rate items: an ordinal factorisation whose rank finds itself (Yan 2017, chapter 2).

    A rating is 1 more than the number of thresholds at or below the score X_ij of its user and item. X is a matrix
    of low rank for which scores lie on the right side of each threshold by a margin, with squared hinge loss.

    Parameters
    ----------
    rank : "auto", or how many factors.
    regularization : λ, between 0 and 1, the weight of ½‖X‖².
    thresholds : "global", the same for all users, or "user", each user's own.
    threshold_regularization : how strongly users' own thresholds are drawn to their mean.
    loss : "squared" adds the squares of an entry's hinges, of which the paper's gradients are; "sq_sum" squares
        their sum, as its eq. 2.1 has it, which leaves kinks.
    levels : all ratings there can be; unless said, those that occur.
    barrier : ν, which keeps singular values from 0.
    growth : ϱ, by how much an automatic rank grows at a time.
    max_rank : the largest to try.
    tol : the gradients at which to stop, a rating: ‖grad f‖ ≤ tol·√ratings, and tol·ratings for thresholds.
    rank_tol : ε: an automatic rank also stops growing when the objective falls by less than this share a rank.
    max_iter : how many iterations a rank may take.
    validation_fraction : the share of ratings held back while fitting. An automatic rank stops growing when they
        are not told better, iterations stop when they are told worse, and probabilities are calibrated by them;
        in the end all ratings are learned from. With 0 the objective alone decides.
    patience : how many iterations without a better validation end a rank.
    random_state : of the ratings held back and of the search for singular vectors.
    n_jobs : how many threads, as joblib has it; -1, all cores, unless said.
    watch : called with a `Progress` after each iteration.

    Attributes
    ----------
    rank_ : the rank found.
    path_ : a `Stage` for each rank tried.
    user_factors_, item_factors_ : a row a user and a row an item; their product is the score.
    singular_values_, thresholds_ : those of X, and a row of thresholds for all users or one for each.
    users_, items_, levels_ : the ids in the order of the rows, and the ratings there can be.
    objective_, n_iter_ : the objective in the end, and the iterations of the last fit to all ratings.
    validation_rmse_ : of the ordinal ratings held back.
    drift_ : how ratings since the fit were told.
    """

    drift_: Drift

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
        watch: Callable[[Progress], None] | None = None,
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
        """Learn from ratings: three columns, or a sparse matrix or a data frame in the place of the first.

        With a `checkpoint`, the fit is written to that file now and then, goes on from it if it is there, and
        removes it when done.
        """
        self._check()
        given = as_triplets(users, items, ratings)
        if not len(given.ratings):
            raise ValueError("there are no ratings: give at least two that differ")
        levels = levels_of(given.ratings, self.levels)
        user_ids, user_numbers = Ids.of(given.users)
        item_ids, item_numbers = Ids.of(given.items)
        shape = len(user_ids), len(item_ids)
        observed = Observed.grouped(user_numbers, item_numbers, level_numbers(given.ratings, levels), shape)
        del given, user_numbers, item_numbers
        problem = observed, levels, self._settings, self._plan(shape), float(self.validation_fraction)
        # Threads of the linear algebra would get into the way of those of the sweeps, which have more to do.
        with kept(checkpoint, problem) as file, threadpool_limits(1, "blas"):
            found = fitted(*problem, self._threads, self.watch or (lambda _progress: None), file)
        self._keep(found, Known(observed, Later.none()), user_ids, item_ids, levels)
        return self

    def partial_fit(self, users: Any, items: Any = None, ratings: Any = None) -> Self:
        """Learn from new ratings, also of new users and of new items, without fitting anew.

        The users concerned and the items that were not there when fitting get new factors; all else stays. Warns
        with `RefitAdvised` when it is time to fit anew; `drift_` has the figures.
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
        told = Later(user_numbers, item_numbers, level_numbers(given.ratings, self.levels_))
        known = self._known._replace(later=self._known.later.plus(told))
        folding, shape = Folding(self._settings, self._threads), (len(user_ids), len(item_ids))
        self._take(folding.folded(self._model, known, user_numbers, shape), known, user_ids, item_ids)
        self.drift_ = drift
        if drift.advice and not advised:
            warnings.warn(f"it is time to fit anew: {drift.advice}", RefitAdvised, stacklevel=2)
        return self

    def predict(self, users: Any, items: Any) -> Numbers:
        """The ordinal rating of each pair.

        A user who is not known is taken to be the average one, and so is an item.
        """
        numbers = self._numbers(users, items)
        return self._model.ordinal(*numbers)

    def predict_expected(self, users: Any, items: Any) -> Numbers:
        """The expected rating of each pair, a real number: its squared error is smaller than that of `predict`."""
        numbers = self._numbers(users, items)
        return self._model.expected(*numbers)

    def predict_proba(self, users: Any, items: Any) -> Numbers:
        """The probability of each of `levels_` for each pair, calibrated by ratings not learned from."""
        numbers = self._numbers(users, items)
        return self._model.probabilities(*numbers)

    def recommend(self, user: Any, n: int = 10) -> Recommendation:
        """The `n` items, or as many as there are, of which the best ratings are expected, without those rated."""
        check_is_fitted(self)
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise ValueError(f"n must be a whole number from 1 on, not {n!r}")
        number = self._user_ids.numbers(as_names([user], "users"))
        left = np.ones(len(self.items_), bool)
        if number[0] != UNKNOWN:
            left[self._known.items_of(int(number[0]))] = False
        items = np.flatnonzero(left).astype(np.int32)
        expected = self._model.expected(np.repeat(number, len(items)), items)
        best = np.argsort(-expected, kind="stable")[:n]
        return Recommendation(self.items_[items[best]], expected[best])

    def score(self, users: Any, items: Any = None, ratings: Any = None) -> float:
        """Minus the RMSE of the ordinal ratings: larger is better."""
        given = as_triplets(users, items, ratings)
        return -rmse(self.predict(given.users, given.items), given.ratings)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, all of it or nothing; `load` or `askance.load` reads it."""
        from askance.ratings.files import save

        save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "MaxMarginFactorization":
        """The model in a file; ValueError if it is damaged or none."""
        from askance.ratings.files import load

        return load(path)

    def _check(self) -> None:
        check_parameters(self, LIMITS)
        rank = self.rank
        if rank != "auto" and (isinstance(rank, bool) or not isinstance(rank, int | np.integer) or rank < 1):
            raise ValueError(
                f"{type(self).__name__}: rank must be 'auto' or a whole number from 1 on, not {rank!r}"
            )
        if self.n_jobs == 0:
            raise ValueError(f"{type(self).__name__}: n_jobs must not be 0: -1 is for all cores")

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
        return count_of(self.n_jobs)

    def _plan(self, shape: tuple[int, int]) -> Plan:
        rank = None if self.rank == "auto" else int(self.rank)
        if rank is not None and rank > min(shape):
            raise ValueError(
                f"rank must be at most {min(shape)}, the fewer of {shape[0]} users and {shape[1]} items"
            )
        return Plan(
            rank=rank,
            growth=int(self.growth),
            most=min(self.max_rank, *shape),
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            patience=int(self.patience),
            rank_tol=float(self.rank_tol),
            random_state=int(self.random_state),
        )

    def _keep(self, found: Fitted, known: Known, users: Ids, items: Ids, levels: Numbers) -> None:
        self.rank_ = found.point.rank
        self.path_ = found.path
        self.objective_ = found.objective
        self.n_iter_ = found.iterations
        self.validation_rmse_ = found.rmse
        self.levels_ = levels
        self.drift_ = Drift(known.fitted.size, found.expected_rmse)
        factors = Factors.of(found.point, found.thresholds)
        self._take(Model(factors, found.leanings, found.calibration, levels), known, users, items)

    def _take(self, model: Model, known: Known, users: Ids, items: Ids) -> None:
        self._model, self._known, self._user_ids, self._item_ids = model, known, users, items
        self.user_factors_, self.item_factors_, self.singular_values_, self.thresholds_ = model.factors
        self.users_, self.items_ = users.names, items.names

    def _numbers(self, users: Any, items: Any) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Those of pairs of ids."""
        check_is_fitted(self)
        user_names, item_names = as_pairs(users, items)
        return self._user_ids.numbers(user_names), self._item_ids.numbers(item_names)

    def _judged(self, given: Triplets) -> Drift:
        """The drift with new ratings that are not learned yet."""
        users, items = self._numbers(given.users, given.items)
        known = (users != UNKNOWN) & (items != UNKNOWN)
        errors = self._model.expected(users[known], items[known]) - given.ratings[known]
        return self.drift_.with_errors(len(users), errors)
