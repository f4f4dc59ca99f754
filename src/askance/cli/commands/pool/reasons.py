"""Why a row was chosen, as text."""

import math
from collections.abc import Mapping

EPSILON = 1e-6
NEAR, CLOSE = 0.1, 1.0  # a gap between scores; 2 is the width of an SVM's margin
UNEASY, HARD = 0.05, 0.5  # a slack; 1 is a row on the decision boundary
UNLIKE, ALIKE, SAME = 0.3, 0.9, 1 - 1e-9


# Strategies with one reason for all their rows.
ALWAYS = {
    "random": "drawn at random",
    "entropy": "its class is the most uncertain",
    "badge": "it would change the model in its own way",
    "information-density": "its class is uncertain, and many rows are like it",
    "expected-error": "its label should make other rows more certain",
    "core-set": "far from all labelled and chosen rows",
}


def reason(strategy: str, score: float, parts: Mapping[str, float]) -> str:
    """The reason in one line; unknown values are left out."""
    if strategy in ALWAYS:
        return ALWAYS[strategy]
    if strategy == "typiclust":
        return f"typical of a cluster of {parts['cluster_size']:,.0f} rows"
    if strategy == "probcover":
        return _covered(parts["covers"])
    said = [*_doubts(strategy, parts), *_company(parts.get("similarity", math.nan))]
    if score == 0 and "similarity" in parts:
        said.append("best of the rows that are covered by others")
    return "; ".join(said) or "best of the remaining rows"


def _doubts(strategy: str, parts: Mapping[str, float]) -> list[str]:
    if strategy.startswith("co-testing"):
        return ["its two views disagree" if parts["disagree"] else "both of its views are uncertain"]
    prediction, correcting = parts.get("prediction", math.nan), parts.get("correcting", math.nan)
    gap = parts["margin"] if strategy == "margin" else 1 / prediction - EPSILON
    said = []
    if strategy != "correcting" and not math.isnan(gap):
        said.append(_apart(gap))
    if strategy == "al-lupi-max" and correcting > prediction:
        said.clear()  # the privileged features decided
    if strategy != "prediction" and correcting >= UNEASY:
        said.append(f"its privileged features say it is {'hard' if correcting >= HARD else 'not easy'}")
    return said


def _apart(gap: float) -> str:
    if gap < NEAR:
        return "its two best classes are nearly equal"
    return f"its two best classes are {'close' if gap < CLOSE else 'close, compared with other rows'}"


def _covered(rows: float) -> str:
    if rows < 1:
        return "drawn at random: labelled rows are near to all others"
    return f"near to {rows - 1:,.0f} other rows that have no label nearby" if rows > 1 else "no label is nearby"


def _company(similarity: float) -> list[str]:
    if similarity >= SAME:
        return ["identical to another chosen row"]
    if similarity >= ALIKE:
        return ["very similar to another chosen row"]
    return ["different from the other chosen rows"] if similarity < UNLIKE else []
