"""States, and their forms: how a row is scored by a state, and how a step changes the state.

A state returns its form from the method `form`, and passes use nothing else of a state. `Linear` adds up one term
per feature, for rules with a few numbers per feature. `Classes` does so for each of several classes, and `Coupled`
for states with numbers that depend on all features. `Rescaled` is for rules that shrink or stretch all weights at
once, and `Timed` for weights that shrink with every label. `Matrix` is for rules with a number per pair of
features, `Pairwise` for rules that compare a row with the rows of the other class, and `Ensemble` for several
classifiers with one common prediction.
"""

from askance.rules.state.classes import Classes, form_for_classes
from askance.rules.state.coupled import Coupled, CoupledState
from askance.rules.state.ensemble import Ensemble, EnsembleState, form_for_ensemble
from askance.rules.state.form import Form
from askance.rules.state.linear import Linear
from askance.rules.state.matrix import Matrix, MatrixState
from askance.rules.state.rescaled import Rescaled, SharedNumbers
from askance.rules.state.timed import Timed, TimedState

__all__ = [
    "Classes",
    "Coupled",
    "CoupledState",
    "Ensemble",
    "EnsembleState",
    "Form",
    "Linear",
    "Matrix",
    "MatrixState",
    "Rescaled",
    "SharedNumbers",
    "Timed",
    "TimedState",
    "form_for_classes",
    "form_for_ensemble",
]
