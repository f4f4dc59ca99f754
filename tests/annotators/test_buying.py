"""Buying votes: what a vote tells, when enough is known, and whose vote is bought."""

import math

import numpy as np
import pytest

from askance.annotators import Crowd, Offer, VoteBuyer, information
from askance.errors import ParameterError


def trained() -> Crowd:
    """A crowd with a good annotator and one who answers at random."""
    crowd = Crowd(["no", "yes"])
    for item in range(60):
        label = ("no", "yes")[item % 2]
        crowd.settle(item, label)
        crowd.tell(item, "good", label)
        crowd.tell(item, "random", ("no", "yes")[item // 2 % 2])
    return crowd


def test_information_is_that_of_the_definition() -> None:
    posterior, confusion = np.array([0.2, 0.5, 0.3]), np.random.default_rng(0).dirichlet([1, 2, 3], 3)
    expected = 0.0
    for k in range(3):
        for vote in range(3):
            joint = posterior[k] * confusion[k, vote]
            expected += joint * math.log2(joint / (posterior[k] * (posterior @ confusion[:, vote])))
    assert information(posterior, confusion) == pytest.approx(expected)


def test_votes_are_bought_until_the_level() -> None:
    crowd, buyer = trained(), VoteBuyer(level=0.9)
    assert buyer.wants_vote(crowd, "new")
    assert not buyer.wants_vote(crowd, 0)
    crowd.tell("new", "good", "yes")
    assert not buyer.wants_vote(crowd, "new")
    assert VoteBuyer(level=0.9999).wants_vote(crowd, "new")


def test_a_vote_has_to_tell_enough_for_its_price() -> None:
    crowd = trained()
    cheap, dear = VoteBuyer(bits=0.1), VoteBuyer(bits=0.1, prices={"good": 50.0})
    assert cheap.wants_vote(crowd, "new", "good")
    assert not cheap.wants_vote(crowd, "new", "random")
    assert not dear.wants_vote(crowd, "new", "good")


def test_the_best_offers_are_chosen_one_per_item() -> None:
    crowd = trained()
    offers = [Offer("a", "random"), Offer("a", "good"), Offer("b", "good"), Offer(0, "somebody")]
    assert VoteBuyer().best(crowd, offers, 5) == [Offer("a", "good"), Offer("b", "good")]
    assert VoteBuyer().best(crowd, offers, 1) == [Offer("a", "good")]
    assert VoteBuyer(prices={"good": 1e6}).best(crowd, offers[:2], 1) == [Offer("a", "random")]
    assert VoteBuyer().best(crowd, [], 3) == []


def test_fewer_votes_do_as_well_as_all() -> None:
    random = np.random.default_rng(3)
    truth = random.integers(0, 2, 300)
    skill = {name: 0.9 if name < 4 else 0.5 for name in range(8)}
    votes = {
        (item, name): int(truth[item] if random.random() < share else 1 - truth[item])
        for item in range(300)
        for name, share in skill.items()
    }
    crowd, left = Crowd([0, 1]), dict(votes)
    for pair in list(votes)[:160]:
        crowd.tell(*pair, left.pop(pair))
    while crowd.n_votes < 900:
        for offer in VoteBuyer(level=1).best(crowd, [Offer(*pair) for pair in left], 100):
            crowd.tell(*offer, left.pop((offer.item, offer.annotator)))
    predicted = crowd.predict()
    assert np.mean([predicted[item] == truth[item] for item in range(300)]) > 0.95
    bought = [name for item in range(300) for name in crowd.votes(item)]
    assert np.mean([name < 4 for name in bought[160:]]) > 0.9


def test_wrong_settings_are_named() -> None:
    with pytest.raises(ParameterError, match="level must be greater than 0 and at most 1, not 2"):
        VoteBuyer(level=2)
    with pytest.raises(ParameterError, match="bits must be at least 0"):
        VoteBuyer(bits=-1)
    with pytest.raises(ParameterError, match="prices must be greater than 0"):
        VoteBuyer(prices={"Ann": 0.0})
