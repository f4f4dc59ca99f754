"""Model files of factorisations of ratings: what they hold."""

from askance._util.saving import Arrays, Header
from askance.ratings.ids import Ids
from askance.ratings.model import Model
from askance.ratings.stored_ratings import StoredRatings

KIND = "ratings"


def contents(model: Model, ratings: StoredRatings, users: Ids, items: Ids) -> tuple[Header, Arrays]:
    """What a file holds of a model, apart from its parameters and what its fit reported."""
    (at_fit, later), factors, calibration, biases = ratings, model.factors, model.calibration, model.biases
    arrays: Arrays = {
        "user_factors": factors.users,
        "item_factors": factors.items,
        "values": factors.values,
        "thresholds": factors.thresholds,
        "levels": model.levels,
        "offsets": calibration.offsets,
        "user_biases": biases.users,
        "item_biases": biases.items,
        "fitted/starts": at_fit.starts,
        "fitted/items": at_fit.items,
        "fitted/levels": at_fit.levels,
        **{f"later/{name}": array for name, array in later._asdict().items()},
        **users.as_arrays("users"),
        **items.as_arrays("items"),
    }
    header = {
        "n_items": at_fit.n_items,
        "slope": calibration.slope,
        "bias_weight": calibration.bias_weight,
        "mean": biases.mean,
    }
    return header, arrays
