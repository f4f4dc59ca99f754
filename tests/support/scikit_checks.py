"""The checks of scikit-learn that a learner cannot pass, with the reasons."""

from typing import Any

# Its own look at labels of infinity casts them before anybody can refuse them.
OWN_WARNING = "ignore:invalid value encountered in cast:RuntimeWarning"

# One step along a row with weight 2 is not two steps with weight 1.
ONLINE = ("sample_weight_equivalence_on_dense_data", "sample_weight_equivalence_on_sparse_data")
OF_WEIGHTS = (
    *("sample_weights_pandas_series", "sample_weights_not_an_array", "sample_weights_list"),
    *("all_zero_sample_weights_error", "sample_weights_shape", "sample_weights_not_overwritten"),
    "classifiers_one_label_sample_weights",
)


def expected_to_fail(estimator: Any) -> dict[str, str]:
    """The checks of sample weights that a rule cannot pass, with the reason."""
    found = dict.fromkeys(ONLINE, "a learner takes one step per row")
    if not hasattr(estimator._rules()[0], "weighted"):
        found |= dict.fromkeys(OF_WEIGHTS, "the update rule cannot weight rows")
    return {f"check_{name}": reason for name, reason in found.items()}
