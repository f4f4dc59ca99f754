"""Why a row was chosen, in words."""

import math
from collections.abc import Mapping

EPSILON = 1e-6
NEAR, CLOSE = 0.1, 1.0  # of a gap between scores, where 2 is the width of an SVM's margin
UNEASY, HARD = 0.05, 0.5  # of a slack, where 1 is a row on the border of the classes
UNLIKE, ALIKE, SAME = 0.3, 0.9, 1 - 1e-9


def reason(strategy: str, score: float, parts: Mapping[str, float]) -> str:
    """One line; what is not known is not said."""
    if strategy == "random":
        return "drawn at random"
    said = [*_doubts(strategy, parts), *_company(parts.get("similarity", math.nan))]
    if score == 0 and "similarity" in parts:
        said.append("the best of the rows that the others leave little need for")
    return "; ".join(said) or "the best of what is left"


def _doubts(strategy: str, parts: Mapping[str, float]) -> list[str]:
    if strategy == "entropy":
        return ["its class is the most open"]
    if strategy.startswith("co-testing"):
        return ["its two views disagree" if parts["disagree"] else "both of its views are unsure"]
    prediction, correcting = parts.get("prediction", math.nan), parts.get("correcting", math.nan)
    gap = parts["margin"] if strategy == "margin" else 1 / prediction - EPSILON
    said = []
    if strategy != "correcting" and not math.isnan(gap):
        said.append(_apart(gap))
    if strategy == "al-lupi-max" and correcting > prediction:
        said.clear()  # it was the privileged features that decided
    if strategy != "prediction" and correcting >= UNEASY:
        said.append(f"its privileged features say it is {'hard' if correcting >= HARD else 'not quite easy'}")
    return said


def _apart(gap: float) -> str:
    if gap < NEAR:
        return "its two best classes are nearly equal"
    return f"its two best classes are {'close' if gap < CLOSE else 'not far apart, beside those of other rows'}"


def _company(similarity: float) -> list[str]:
    if similarity >= SAME:
        return ["the same as another one chosen"]
    if similarity >= ALIKE:
        return ["much like another one chosen"]
    return ["unlike the others chosen"] if similarity < UNLIKE else []
