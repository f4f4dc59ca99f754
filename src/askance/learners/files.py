"""Learners as the content of model files, and back."""

from askance.learners.codec import decode, encode
from askance.learners.core import LearnerCore
from askance.learners.from_rules import with_core
from askance.learners.learner import Learner


def to_bytes(learner: Learner | LearnerCore) -> bytes:
    """The content of a model file."""
    return encode(learner if isinstance(learner, LearnerCore) else learner._started())


def from_bytes(content: bytes, rules: tuple[type, ...] = ()) -> Learner:
    """The learner in the content of a model file. `rules` are rules of your own that it uses."""
    return with_core(decode(content, rules))
