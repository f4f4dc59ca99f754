"""Forget old labels when models that know only recent ones predict better: the stream has changed.

From time to time models begin that know only the labels from then on. They and the main models, which know all
labels, predict each label before they learn from it. Where one of the two is right and the other wrong, recent
models that are not better are right in at most half of the cases, so that for every p > 1/2

    (2p)^wins (2(1 - p))^losses

has a mean of at most 1, and so has its average over p from 1/2 to 1. Such evidence ever exceeds 1/δ with a
probability of at most δ (Ville). If it does, the main models forget all labels that the recent ones do not know.

Where the main models are in doubt, both are wrong about equally often, so most labels say little. Mistakes among
rows that were asked about seldom say at once that something has changed: then recent models begin immediately, and
questions are at random for a while. Whether to forget is still decided as above.
"""

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from askance.metrics.drift import OFTEN

BATCH = 10  # labels that are predicted, and then learned, together
BEGIN_EVERY, LAST = 50, 100  # labels: how often recent models begin, and how long they last
FEWEST = 100  # labels that the main models know when the first begin
RECENT_TREES = 20  # fewer than the main models have: after ten labels more, nearly all are grown from scratch
NEEDED = 200.0  # evidence: at a rate of 0.1, at most one mistaken change in 100,000 rows
RISE, SUSPICIOUS = 5.0, 4.0  # the factor by which the odds of a mistake rise, and the evidence for it
SUSPECTED_FOR = 50  # labels: how long questions are at random


Core: TypeAlias = Any  # an AutoCore, which has a `Forgetting`


def evidence(wins: int, losses: int) -> float:
    """The evidence that models are better which were right so often where the others were wrong, and conversely.

    With n cases, the integral of p^wins (1 - p)^losses from 1/2 to 1 is B(wins + 1, losses + 1) times the
    probability of at most `wins` heads among n + 1 tosses of a coin.
    """
    cases = wins + losses
    likely = sum(math.comb(cases + 1, heads) for heads in range(wins + 1))
    return likely / ((cases + 1) * math.comb(cases, wins))


class RecentModels:
    """Models that know only the labels since some label, and how they did beside the main ones."""

    def __init__(self, core: Core, since: int, wins: int = 0, losses: int = 0) -> None:
        self.core, self.since = core, since
        self.wins, self.losses = wins, losses

    @property
    def evidence(self) -> float:
        """The evidence that they are better."""
        return evidence(self.wins, self.losses)


class Suspicion:
    """Whether mistakes have become more frequent in rows that are asked about seldom (CUSUM; Page 1954)."""

    def __init__(self, labels: int = 0, mistakes: int = 0, evidence: float = 0.0) -> None:
        self.labels, self.mistakes, self.evidence = labels, mistakes, evidence

    def add(self, right: bool, chance: float) -> None:
        """Take in whether a prediction was right, and the probability with which its label was asked for."""
        if chance >= OFTEN:
            return
        odds = (self.mistakes + 1) / (self.labels - self.mistakes + 1)
        likelier = (1 + odds) / (1 + RISE * odds)  # a right prediction, after a rise
        self.evidence = max(0.0, self.evidence + math.log(likelier if right else RISE * likelier))
        self.labels += 1
        self.mistakes += not right


class Forgetting:
    """Lets recent models compete with the main ones of a core."""

    def __init__(self) -> None:
        self.competing: list[RecentModels] = []
        # Of labels that recent models have not seen: whether the main models were right, and the probability.
        self.waiting: list[tuple[bool, float]] = []
        self.changes: list[int] = []  # the rows at which labels were forgotten
        self.spends = False  # whether the reserve of labels is being spent
        self.suspicion = Suspicion()
        self.suspects_until = 0  # the number of labels until which questions are at random

    def add(self, core: Core, right: Sequence[bool], chances: Sequence[float]) -> None:
        """Take in whether the main models had predicted labels that they have learned by now."""
        self.waiting += zip(right, chances, strict=True)
        if self.waiting and core.labels % BATCH == 0:
            self._compete(core)

    def _compete(self, core: Core) -> None:
        count = min(len(self.waiting), core.remembered)
        for was_right, chance in self.waiting:
            self.suspicion.add(was_right, chance)
        right, chances = (np.array(found) for found in zip(*self.waiting[-count:], strict=True))
        self.waiting = []
        X, codes = core.last_labels(count)
        for recent in self.competing:
            if recent.core.remembered:
                found = recent.core.shares(X).argmax(axis=1) == codes
                recent.wins += int(np.count_nonzero(found & ~right))
                recent.losses += int(np.count_nonzero(right & ~found))
            recent.core.learn_codes(X, core.encoder, codes, chances)
        best = max(self.competing, key=lambda one: one.evidence, default=None)
        if best is not None and best.evidence > NEEDED:
            self.changes.append(core.spending.rows)
            core.forget(best.core)
            self.competing, self.spends = [], core.settings.reserve > 0
            self.suspicion, self.suspects_until = Suspicion(), 0
        suspects = self.suspicion.evidence > SUSPICIOUS and core.remembered >= FEWEST
        if suspects:
            self.suspicion.evidence, self.suspects_until = 0.0, core.labels + SUSPECTED_FOR
        self._begin(core, at_once=suspects)
        self.spends = self.spends and core.left >= BATCH
        core.share_out()

    def _begin(self, core: Core, *, at_once: bool) -> None:
        """End models that have lasted long enough, and begin new ones, if it is time."""
        self.competing = [one for one in self.competing if core.labels - one.since < LAST]
        begun = self.competing[-1].since if self.competing else 0
        if core.remembered >= FEWEST and (at_once or core.labels - begun >= BEGIN_EVERY):
            self.competing.append(RecentModels(core.without_labels(), core.labels))
