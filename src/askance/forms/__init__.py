"""Forms: how what a rule has learned is laid over rows. A state names its form; the passes know nothing else.

`Linear` adds up what each feature says, which serves every rule with a few numbers a feature. `Settled` does so
where some numbers belong to all features together.
"""

from askance.forms.form import Form
from askance.forms.linear import Linear
from askance.forms.settled import Settled

__all__ = ["Form", "Linear", "Settled"]
