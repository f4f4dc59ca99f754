"""Other factorisations of ratings: how each is fitted and predicts; None if it is not installed."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.ratings import MaxMarginFactorization
from bench.rating_data import Ratings

Numbers = NDArray[np.float64]
Settings = Mapping[str, Any]


class Method(NamedTuple):
    """The name of a method, its grid of parameters, and how it is prepared, fitted and predicts."""

    name: str
    grid: list[Settings]
    prepare: Callable[[Ratings], Any]
    fit: Callable[[Any, Settings], Any]
    predict: Callable[[Any, Ratings], Numbers]


def ours(thresholds: str) -> Method:
    """Expected ratings of the factorisation with its automatic rank."""
    return Method(
        f"askance, {'global' if thresholds == 'global' else 'own'} thresholds",
        [{"regularization": weight} for weight in (0.003, 0.005, 0.01, 0.02, 0.03, 0.05)],
        lambda ratings: ratings,
        lambda ratings, settings: MaxMarginFactorization(thresholds=thresholds, n_jobs=2, **settings).fit(
            *ratings
        ),
        lambda model, test: model.predict_expected(test.users, test.items),
    )


def lenskit() -> Method | None:
    """Its explicit ALS with biases."""
    try:
        import pandas as pd
        from lenskit.als import BiasedMFScorer
        from lenskit.data import from_interactions_df
    except ImportError:
        return None

    def prepare(ratings: Ratings) -> Any:
        columns = {"user_id": ratings.users, "item_id": ratings.items, "rating": ratings.ratings}
        return from_interactions_df(pd.DataFrame(columns))

    def fit(data: Any, settings: Settings) -> Any:
        scorer = BiasedMFScorer(**settings)
        scorer.train(data)
        return scorer

    grid = [
        {"embedding_size": size, "regularization": weight}
        for size in (10, 25, 50)
        for weight in (0.03, 0.05, 0.07, 0.1, 0.15)
    ]
    return Method("LensKit ALS", grid, prepare, fit, _lenskit_predictions)


def _lenskit_predictions(scorer: Any, test: Ratings) -> Numbers:
    """Its scores of many pairs at once: its own function takes one user."""
    bias = scorer.bias
    users = scorer.users.numbers(test.users, missing="negative")
    items = scorer.items.numbers(test.items, missing="negative")
    predicted = np.full(len(users), float(bias.global_bias))
    predicted[users >= 0] += np.asarray(bias.user_biases)[users[users >= 0]]
    predicted[items >= 0] += np.asarray(bias.item_biases)[items[items >= 0]]
    both = (users >= 0) & (items >= 0)
    left, right = np.asarray(scorer.user_embeddings), np.asarray(scorer.item_embeddings)
    predicted[both] += np.einsum("ij,ij->i", left[users[both]], right[items[both]])
    return predicted


def cmfrec() -> Method | None:
    """Its explicit factorisation with biases, by ALS."""
    try:
        import pandas as pd
        from cmfrec import CMF
    except ImportError:
        return None

    def prepare(ratings: Ratings) -> Any:
        return pd.DataFrame({"UserId": ratings.users, "ItemId": ratings.items, "Rating": ratings.ratings})

    grid = [{"k": size, "lambda_": weight} for size in (10, 25, 50) for weight in (5, 7, 10, 15, 20)]
    return Method(
        "cmfrec ALS",
        grid,
        prepare,
        lambda data, settings: CMF(nthreads=2, verbose=False, **settings).fit(data),
        lambda model, test: model.predict(test.users, test.items).astype(np.float64),
    )
