"""Rules for regression: how to learn from a number, and which numbers to ask for."""

from askance.rules.regression.arow import AROWRegression
from askance.rules.regression.by_uncertainty import ByUncertainty
from askance.rules.regression.losses import LOSSES, EpsilonInsensitive, Pinball, SquaredError
from askance.rules.regression.passive_aggressive import PA1Regression, PA2Regression, PARegression
from askance.rules.regression.sgd import SGDRegression

RULES: tuple[type, ...] = (PARegression, PA1Regression, PA2Regression, SGDRegression, AROWRegression)
QUERIES: tuple[type, ...] = (ByUncertainty,)

# The rules by name, for `StreamRegressor` and the command line.
NAMES = {
    "AROW": AROWRegression(),
    "AROW-diag": AROWRegression(full=False),
    "PA": PARegression(),
    "PA-I": PA1Regression(),
    "PA-II": PA2Regression(),
    "SGD": SGDRegression(),
    "SGD-absolute": SGDRegression(EpsilonInsensitive()),
    "SGD-median": SGDRegression(Pinball()),
}

__all__ = [
    "LOSSES",
    "NAMES",
    "AROWRegression",
    "ByUncertainty",
    "EpsilonInsensitive",
    "PA1Regression",
    "PA2Regression",
    "PARegression",
    "Pinball",
    "SGDRegression",
    "SquaredError",
]
