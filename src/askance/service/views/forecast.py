"""What more labels would bring, from what the model predicted for questions at random without their label."""

import math
from typing import NamedTuple

from askance.metrics.forecast import LEVEL, MOST, Forecast, LabelsNeeded
from askance.metrics.reached import least_accuracy
from askance.service import messages
from askance.service.commands.asking import current
from askance.service.state.finite import sentence
from askance.service.state.fold import Fold
from askance.service.transaction import Transaction
from askance.service.views.task import figure_of

STEPS = (100, MOST)
HARDLY = 0.01  # of accuracy
UNANSWERED = 0.1  # of the questions at random: with more, those with an answer may be easier than others

ON_ARRIVAL = (
    "Cannot tell: this task asks on arrival, by how certain the model is. "
    "A task that chooses questions on lease asks some at random."
)
OTHER_LEARNER = "Cannot tell: forecasts are for the automatic learner."
ROLLED_BACK = "Cannot tell: the model was rolled back, so that it no longer knows all labels."


class Evidence(NamedTuple):
    """What a forecast is made from: for each question at random, the labels known then, and who was right.

    `as_asked` is for the advice to stop: in the order of the questions, whether what the model predicted then was
    wrong. A question without an answer counts as wrong.
    """

    labels: list[int]
    wrong: list[bool]
    known: int
    version: int
    goal: float | None
    unit: str
    note: str
    as_asked: list[bool]


def evidence(transaction: Transaction) -> Evidence:
    """What is known of questions at random.

    Those that test the model were not learned from, so they count for what the current model predicts.
    """
    fold = transaction.fold
    asked = fold.audits.latest(len(fold.audits.kept))
    answered = [one for one in asked if one[1].label is not None]
    now = current(transaction, [item for item, audit in answered if audit.test])
    known = fold.counts.known
    return Evidence(
        [known if item in now else audit.labels for item, audit in answered],
        [(now[item].prediction if item in now else audit.said) != audit.label for item, audit in answered],
        known,
        fold.version,
        fold.settings.goal.accuracy,
        "labels" if fold.settings.labels.per_item == 1 else "labelled items",
        _why_not(fold, len(answered)),
        [
            audit.said != audit.label
            for item, audit in asked
            if audit.label is not None or item not in fold.questions.on_loan
        ],
    )


def _why_not(fold: Fold, answered: int) -> str:
    """Why nothing can be said, or an empty text."""
    if not fold.settings.asks_on_lease:
        return ON_ARRIVAL
    if not fold.settings.is_auto:
        return OTHER_LEARNER
    if fold.model.diverged:
        return sentence(fold.model.diverged) or ""
    if fold.amendments.rolled_back.keys() - fold.amendments.undone:
        return ROLLED_BACK
    audits = fold.audits.latest(len(fold.audits.kept))
    missing = sum(audit.label is None and item not in fold.questions.on_loan for item, audit in audits)
    if missing > UNANSWERED * (answered + missing):
        return f"Cannot tell: {missing:,} of {answered + missing:,} questions at random have no answer."
    return ""


def forecast(evidence: Evidence) -> messages.Forecast:
    """The forecast, with advice."""
    found = Forecast(evidence.labels, evidence.wrong, known=evidence.known)
    note = evidence.note or found.note
    if note:
        return messages.Forecast(
            evidence.known, evidence.version, LEVEL, note, evidence.goal, None, [], None, "", ""
        )
    needed = None if evidence.goal is None else found.labels_for(evidence.goal)
    return messages.Forecast(
        evidence.known,
        evidence.version,
        LEVEL,
        "",
        evidence.goal,
        figure_of(found.accuracy()),
        [messages.Outlook(more, figure_of(found.accuracy(more)), figure_of(found.gain(more))) for more in STEPS],
        None if needed is None else messages.LabelsNeeded(needed.accuracy, needed.value, needed.low, needed.high),
        _of_gain(found, evidence.unit) if needed is None else _of_goal(needed, evidence.unit, evidence.as_asked),
        f"A forecast as of {evidence.known:,} {evidence.unit}, for the model of version {evidence.version:,}, if "
        f"items stay alike. In simulations, about {10 * LEVEL:.0f} of 10 such intervals held.",
    )


def _of_goal(needed: LabelsNeeded, unit: str, as_asked: list[bool]) -> str:
    """What the goal takes, in a sentence. That it is reached takes more than a forecast: people stop then."""
    goal = f"{100 * needed.accuracy:.10g} %"
    match needed.low, needed.high:
        case 0, 0:
            least = least_accuracy(as_asked)
            if least >= needed.accuracy:
                return f"The model has reached {goal} accuracy: consider stopping."
            shown = f"the answers so far show only that it is at least {math.floor(100 * least)} %"
            return f"The model may have reached {goal} accuracy, but {shown}."
        case 0, None:
            return f"The model may have reached {goal} accuracy, or need more than {MOST} more {unit}."
        case 0, high:
            return f"Up to about {high} more {unit} for {goal} accuracy; the model may have reached it already."
        case None, _:
            return f"More than {MOST} more {unit} for {goal} accuracy, or this learner cannot reach it."
        case low, None:
            return f"At least about {low} more {unit} for {goal} accuracy, perhaps more than {MOST}."
        case low, high:
            return f"About {low} to {high} more {unit} for {goal} accuracy."
    raise AssertionError(needed)


def _of_gain(found: Forecast, unit: str) -> str:
    """What more labels bring, in a sentence."""
    near, far = (found.gain(more) for more in STEPS)
    assert near.value is not None
    assert near.low is not None
    assert near.high is not None
    assert far.high is not None
    if far.high < HARDLY:
        return f"More {unit} hardly change the model: consider stopping."
    value, low, high = (f"{100 * one:.1f}".replace("-", "−") for one in (near.value, near.low, near.high))
    return f"{STEPS[0]} more {unit} are expected to bring {value} points of accuracy ({low} to {high})."
