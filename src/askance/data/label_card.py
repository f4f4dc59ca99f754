"""What a data card says about labels that were asked for: how they were chosen, and how to use their weights."""

from collections import Counter
from typing import Any

SHOWN = 20  # classes in the card


def how_they_were_chosen(rows: str, whole: str) -> str:
    """Why the labels are not a fair sample; `rows` are the things with labels, and `whole` is all of them."""
    return f"""The learner saw the {rows} one after the other and asked for a label with a probability that \
depended on its doubt.
So {rows} that are hard to classify are more frequent here than in the {whole}, and classes have other shares. \
A coin
decided, and the probability of each question is known: that is what the weights are for."""


def how_to_use_the_weights(rows: str, count: int, total: float, heaviest: float) -> str:
    """What the weights are for, with their sum and the largest."""
    return f"""A label that was asked for with probability p stands for 1/p {rows}. The weights add up to \
{total:,.0f}, for
{count:,} {rows}; the largest is {heaviest:.3g}.

- **To measure**, always use the weights: a weighted mean over these labels estimates the mean over all {rows}
  without bias, such as the accuracy of a model that has not learned from them, or the share of a class.
- **To fit a model**, leave them out first. With weights, a model is fitted to the {rows} as they come, but a few
  heavy {rows} can decide, and trees suffer most. If you use them, limit them, for example to ten times their \
median.
"""


def table_of_classes(counts: Counter[Any], rows: str) -> str:
    """The classes with their numbers of labels, the most frequent first."""
    lines = "\n".join(f"| {name} | {number:,} |" for name, number in counts.most_common(SHOWN))
    more = f"\n\nand {len(counts) - SHOWN} further classes." if len(counts) > SHOWN else ""
    return f"| label | {rows} |\n|---|---|\n{lines}{more}"
