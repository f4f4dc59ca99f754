"""Forms: how what a rule has learned is laid over rows. A state names its form; the passes know nothing else.

`Linear` adds up what each feature says, which serves every rule with a few numbers a feature. `Classes` does so
for each of several classes, `Settled` where some numbers belong to all features together. `Matrix` serves rules
with a number for every pair of features, `Panel` several classifiers that speak with one voice.
"""

from askance.forms.classes import Classes, room_for_classes
from askance.forms.form import Form
from askance.forms.linear import Linear
from askance.forms.matrix import Matrix, MatrixState
from askance.forms.panel import Panel, PanelState, room_for_panel
from askance.forms.settled import Settled, SettlingState

__all__ = [
    "Classes",
    "Form",
    "Linear",
    "Matrix",
    "MatrixState",
    "Panel",
    "PanelState",
    "Settled",
    "SettlingState",
    "room_for_classes",
    "room_for_panel",
]
