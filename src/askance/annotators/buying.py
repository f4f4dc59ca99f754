"""Whether another vote is worth its price: by what it is expected to tell about the class of the item."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from askance.annotators.crowd import Crowd
from askance.errors import ParameterError
from askance.typing import FloatArray


class Offer(NamedTuple):
    """An annotator who can be asked about an item."""

    item: Hashable
    annotator: Hashable


def information(posterior: FloatArray, confusion: FloatArray) -> FloatArray:
    """Return how many bits a vote is expected to tell about the class: the mutual information of both.

    Parameters
    ----------
    posterior : array of shape (..., classes)
        The class probabilities of the item before the vote.
    confusion : array of shape (..., classes, classes)
        The confusion matrix of the annotator.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.annotators import information
    >>> information(np.array([0.5, 0.5]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    array(1.)
    >>> information(np.array([0.5, 0.5]), np.array([[0.3, 0.7], [0.3, 0.7]]))
    array(0.)
    """
    votes = np.einsum("...k,...kl->...l", posterior, confusion)
    left = np.einsum("...k,...k->...", posterior, _entropy(confusion))
    return np.asarray(np.maximum(0.0, _entropy(votes) - left))


class VoteBuyer:
    """Decide whether another vote is bought, and whose.

    A vote is worth its price if it is expected to tell at least `bits` per unit of price, unless the item's most
    probable class has a posterior of `level` already.

    Parameters
    ----------
    level : float, default=0.99
        The posterior from which on no further vote is bought.
    bits : float, default=0.0
        What a vote of price 1 has to tell.
    prices : mapping, optional
        The prices of annotators; others cost 1.

    Examples
    --------
    >>> from askance.annotators import Crowd, VoteBuyer
    >>> crowd, buyer = Crowd(["cat", "dog"]), VoteBuyer(level=0.9)
    >>> crowd.tell("photo", "Ann", "cat")
    >>> buyer.wants_vote(crowd, "photo")
    True
    """

    def __init__(
        self, level: float = 0.99, bits: float = 0.0, prices: Mapping[Hashable, float] | None = None
    ) -> None:
        if not 0 < level <= 1:
            raise ParameterError("VoteBuyer", "level", level, "greater than 0 and at most 1")
        if not bits >= 0:
            raise ParameterError("VoteBuyer", "bits", bits, "at least 0")
        self.level = level
        self.bits = bits
        self.prices = dict(prices or {})
        wrong = next((price for price in self.prices.values() if not price > 0), None)
        if wrong is not None:
            raise ParameterError("VoteBuyer", "prices", wrong, "greater than 0")

    def wants_vote(self, crowd: Crowd, item: Hashable, annotator: Hashable = None) -> bool:
        """Return whether another vote on an item is worth its price; without a name, that of a new annotator."""
        return bool(self.values(crowd, [Offer(item, annotator)])[0] > 0)

    def values(self, crowd: Crowd, offers: Sequence[Offer], *, fresh: bool = False) -> FloatArray:
        """Return the bits per unit of price of each offer, or 0; with `fresh`, learned from all votes."""
        if not offers:
            return np.zeros(0)
        items = {item: place for place, item in enumerate(dict.fromkeys(item for item, _ in offers))}
        names = {name: place for place, name in enumerate(dict.fromkeys(name for _, name in offers))}
        rows = [items[item] for item, _ in offers]
        # What votes tell is reckoned as the matrices are learned, one vote as one; how sure a class is, is not.
        posteriors = crowd.posterior_array(items, fresh=fresh, independent=True)[rows]
        highest = crowd.posterior_array(items, fresh=fresh).max(axis=1)[rows]
        confusions = crowd.confusion_array(names, fresh=fresh)[[names[name] for _, name in offers]]
        paid = np.array([self.prices.get(name, 1.0) for _, name in offers])
        values = information(posteriors, confusions) / paid
        return np.where((highest < self.level) & (values >= self.bits), values, 0.0)

    def best(self, crowd: Crowd, offers: Iterable[Offer], number: int) -> list[Offer]:
        """Return the best offers, at most `number`, one per item, the best first; of equal ones, the first.

        It learns from all votes first, because there is one choice for many votes.
        """
        offers = list(offers)
        values = self.values(crowd, offers, fresh=True)
        chosen: dict[Hashable, Offer] = {}
        for place in np.argsort(-values, kind="stable"):
            if values[place] <= 0 or len(chosen) >= number:
                break
            chosen.setdefault(offers[place].item, offers[place])
        return list(chosen.values())


def _entropy(probabilities: FloatArray) -> FloatArray:
    """The entropy in bits, along the last axis."""
    logs = np.log2(np.where(probabilities > 0, probabilities, 1.0))
    return np.asarray(-np.sum(probabilities * logs, axis=-1))
