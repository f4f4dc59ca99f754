"""Forms: how what a rule has learned is laid over rows. A state names its form; the passes know nothing else.

`Linear` adds up what each feature says, which serves every rule with a few numbers a feature. `Classes` does so
for each of several classes, `Coupled` where some numbers belong to all features together. `Matrix` serves rules
with a number for every pair of features, `Ensemble` several classifiers that speak with one voice.
"""

from askance.rules.state.classes import Classes, form_for_classes
from askance.rules.state.coupled import Coupled, CoupledState
from askance.rules.state.ensemble import Ensemble, EnsembleState, form_for_ensemble
from askance.rules.state.form import Form
from askance.rules.state.linear import Linear
from askance.rules.state.matrix import Matrix, MatrixState

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
    "form_for_classes",
    "form_for_ensemble",
]
