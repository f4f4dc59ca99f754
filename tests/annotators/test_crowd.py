"""Votes of a crowd: a naive twin, laws, spammers, and votes that leave no trace when they are forgotten."""

import itertools
import random
from collections import Counter
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest

from askance.annotators import Crowd, reliability
from askance.annotators.crowd import checkpoint
from askance.errors import DataError
from naive import dawid_skene

CLASSES = ["ant", "bee", "cow"]
HONEST = 0.9


def simulated(seed: int, items: int = 60, classes: list[str] = CLASSES) -> tuple[list[Any], dict[int, str]]:
    """Votes of six honest people, one who answers at random and one who always answers the same."""
    chance = random.Random(seed)
    truth = {item: chance.choice(classes) for item in range(items)}
    votes: list[Any] = []
    for item, label in truth.items():
        others = [one for one in classes if one != label]
        votes += [
            (item, name, label if chance.random() < HONEST else chance.choice(others))
            for name in chance.sample(["A", "B", "C", "D", "E", "F"], 4)
        ]
        votes += [(item, "random", chance.choice(classes)), (item, "same", classes[0])]
    return votes, truth


def told(votes: list[Any], classes: list[Any] | None = CLASSES) -> Crowd:
    crowd = Crowd(classes)
    for vote in votes:
        crowd.tell(*vote)
    return crowd


def assert_same(one: Crowd, two: Crowd) -> None:
    """Two crowds agree to the bit, online and as a whole."""
    assert one.classes == two.classes
    assert one.annotators() == two.annotators()
    assert one.posteriors() == two.posteriors()
    assert {item: one.posterior(item) for item in one.predict()} == {
        item: two.posterior(item) for item in two.predict()
    }
    for name in one.annotators():
        for ours, theirs in zip(one.reliability(name), two.reliability(name), strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("seed", range(3))
def test_the_posteriors_are_those_of_the_naive_twin(seed: int) -> None:
    votes, _ = simulated(seed, 25)
    ours, twin = told(votes).posteriors(), dawid_skene.posteriors(votes, list(CLASSES))
    for item, row in twin.items():
        assert ours[item] == pytest.approx(row, abs=1e-6)


def test_items_are_predicted_better_than_by_single_votes() -> None:
    votes, truth = simulated(1, 200)
    predicted = told(votes).predict()
    assert np.mean([predicted[item] == label for item, label in truth.items()]) > 0.95
    crowd = told(votes)
    accuracy = crowd.reliability("A").accuracy
    assert accuracy is not None
    assert accuracy.low < HONEST < accuracy.high
    assert accuracy.high - accuracy.low < 0.2


@pytest.mark.parametrize("classes", [["no", "yes"], CLASSES, [*CLASSES, "dog", "eel"]])
def test_spammers_have_a_low_weight_within_30_items(classes: list[str]) -> None:
    weights: dict[str, list[float]] = {"random": [], "same": [], "A": []}
    for seed in range(20):
        spammed = told(simulated(seed, 30, classes)[0], classes)
        honest = told(simulated(seed, 45, classes)[0], classes)  # "A" has voted on about 30 of them
        for name, found in weights.items():
            found.append((honest if name == "A" else spammed).reliability(name).weight)
    assert max(weights["same"]) < 0.05
    assert np.mean(np.array(weights["random"]) < 0.2) >= 0.95
    assert np.mean(np.array(weights["A"]) > 0.2) >= 0.95


@pytest.mark.parametrize("seed", range(3))
def test_forgotten_and_corrected_votes_leave_no_trace(seed: int) -> None:
    votes, _ = simulated(seed, 20)
    chance = random.Random(seed)
    crowd = Crowd()
    for item, name, label in votes:
        crowd.tell(item, name, chance.choice([label, "wrong"]))
        if chance.random() < 0.2:
            crowd.posterior(item)
        if chance.random() < 0.05:
            crowd.predict()
    removed = set(chance.sample(votes, 30))
    for item, name, label in votes:
        if (item, name, label) in removed:
            crowd.forget(item, name)
        else:
            crowd.correct(item, name, label)
    assert_same(crowd, told([vote for vote in votes if vote not in removed], None))


def test_withdrawn_knowledge_leaves_no_trace() -> None:
    votes, _ = simulated(4, 15)
    crowd = told(votes)
    crowd.settle(3, "cow")
    crowd.expect(5, {"ant": 0.9, "bee": 0.1})
    assert crowd.posterior(3) == {"ant": 0.0, "bee": 0.0, "cow": 1.0}
    assert crowd.posteriors() != told(votes).posteriors()
    crowd.settle(3, None)
    crowd.expect(5, None)
    assert_same(crowd, told(votes))


def test_asking_in_between_changes_nothing() -> None:
    votes, _ = simulated(5, 8)
    crowd = Crowd(CLASSES)
    for item, name, label in votes:
        crowd.tell(item, name, label)
        crowd.posterior(item)
        crowd.predict()
    assert_same(crowd, told(votes))


def test_the_posterior_of_votes_that_are_not_learned_is_that_of_a_new_item() -> None:
    votes, _ = simulated(4)
    crowd, other = told(votes[:95]), told(votes[:95])
    given = {"A": "bee", "random": "cow", "new": "bee"}
    found = crowd.posterior_of(given)
    for name, label in given.items():
        other.tell("new item", name, label)
    assert checkpoint(98) == checkpoint(95)
    assert found == other.posterior("new item")
    assert crowd.n_votes == 95


def test_names_of_classes_and_annotators_do_not_matter() -> None:
    votes, _ = simulated(6, 30)
    names: dict[Hashable, Hashable] = {"ant": 2, "bee": 0, "cow": 1}
    people = {name: -place for place, name in enumerate(["A", "B", "C", "D", "E", "F", "random", "same"])}
    renamed = told([(item, people[name], names[label]) for item, name, label in votes], [0, 1, 2]).posteriors()
    for item, row in told(votes).posteriors().items():
        assert {names[label]: value for label, value in row.items()} == pytest.approx(renamed[item], abs=1e-9)


def test_the_order_of_votes_matters_only_while_they_arrive() -> None:
    votes, _ = simulated(7, 30)
    one, two = told(votes).posteriors(), told(votes[::-1]).posteriors()
    for item, row in one.items():
        assert row == pytest.approx(two[item], abs=1e-9)


def test_gold_items_show_who_is_right() -> None:
    crowd = Crowd(["no", "yes"])
    for item in range(30):
        crowd.tell(item, "wrong", "yes")
        crowd.tell(item, "also wrong", "yes")
        crowd.tell(item, "right", "no" if item % 2 else "yes")
        crowd.settle(item, "no" if item % 2 else "yes")
    crowd.tell("new", "wrong", "yes")
    crowd.tell("new", "right", "no")
    assert crowd.predict()["new"] == "no"
    assert crowd.reliability("right").weight > 0.5
    assert crowd.reliability("wrong").weight == 0.0


def pair(items: int) -> tuple[Crowd, dict[int, str]]:
    """Votes of two people, of whom Ann is right in 95 % and Bob in 75 %, and the true classes."""
    chance = random.Random(3)
    truth = {item: chance.choice(["no", "yes"]) for item in range(items)}
    crowd = Crowd(["no", "yes"])
    for item, label in truth.items():
        for name, skill in (("Ann", 0.95), ("Bob", 0.75)):
            crowd.tell(item, name, label if chance.random() < skill else "no" if label == "yes" else "yes")
    return crowd, truth


def test_votes_of_two_annotators_do_not_show_which_of_them_errs() -> None:
    crowd, truth = pair(200)
    assert [crowd.reliability(name).accuracy for name in ("Ann", "Bob")] == [None, None]
    assert min(crowd.reliability(name).weight for name in ("Ann", "Bob")) > 0.4  # votes are weighed all the same
    for item in range(20):
        crowd.tell(item, "Cem", truth[item])
    assert crowd.reliability("Ann").accuracy is None, "a third annotator has few of these items"
    crowd.expect(30, {"yes": 0.6, "no": 0.4})
    assert crowd.reliability("Ann").accuracy is None, "a model of the text has fewer"
    for item in range(20, 40):
        crowd.tell(item, "Cem", truth[item])
    assert crowd.reliability("Ann").accuracy is not None


def test_gold_items_show_which_of_two_annotators_errs() -> None:
    crowd, truth = pair(200)
    for item in range(40):
        crowd.settle(item, truth[item])
    ann, bob = (crowd.reliability(name).accuracy for name in ("Ann", "Bob"))
    assert ann is not None
    assert bob is not None
    assert bob.low < 0.75 < bob.high < ann.low < 0.95 < ann.high


def test_votes_that_are_alone_on_their_items_show_nothing() -> None:
    crowd = Crowd(["no", "yes"])
    for item in range(50):
        crowd.tell(item, ("Ann", "Bob")[item % 2], "yes" if item % 3 else "no")
    assert crowd.reliability("Ann").accuracy is None


@pytest.mark.parametrize("voters", [1, 2, 6])
def test_votes_on_an_item_are_worth_less_the_more_there_are(voters: int) -> None:
    found = Crowd(["no", "yes"]).posterior_of(dict.fromkeys(range(voters), "yes"))
    odds = (0.7 / 0.3) ** (voters / (1 + 0.2 * (voters - 1)))  # of people of whom nothing is known
    assert found["yes"] == pytest.approx(odds / (1 + odds))


def test_a_model_of_the_text_is_discounted_as_a_vote_is(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = Crowd(["no", "yes"])
    crowd.expect("text", {"no": 0.3, "yes": 0.7})
    assert crowd.posterior("text")["yes"] == pytest.approx(0.7)
    crowd.tell("text", "Ann", "yes")
    found = crowd.posterior("text")
    monkeypatch.setattr(reliability, "CORRELATION", 0.0)
    independent = crowd.posterior("text")
    assert found["yes"] / found["no"] == pytest.approx((independent["yes"] / independent["no"]) ** (1 / 1.2))


def test_a_discount_changes_no_predicted_class(monkeypatch: pytest.MonkeyPatch) -> None:
    votes, _ = simulated(8, 100)
    discounted = told(votes).predict()
    monkeypatch.setattr(reliability, "CORRELATION", 0.0)
    assert told(votes).predict() == discounted


def hard(seed: int) -> tuple[Crowd, dict[int, str], dict[str, float]]:
    """Ten people vote on 200 items, and a fifth of these mislead most of them. Also how often each was right."""
    chance = random.Random(seed)
    crowd, truth, right = Crowd(["no", "yes"]), {}, Counter[str]()
    for item in range(200):
        label, other = chance.sample(["no", "yes"], 2)
        truth[item] = label
        skill = 0.35 if chance.random() < 0.2 else 0.85
        for name in "ABCDEFGHIJ":
            is_right = chance.random() < skill
            crowd.tell(item, name, label if is_right else other)
            right[name] += is_right
    return crowd, truth, {name: count / 200 for name, count in right.items()}


def test_where_people_make_the_same_errors_a_discount_costs_less_and_covers_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def loss_and_coverage() -> tuple[float, float]:
        losses, covered = [], []
        for seed in range(3):
            crowd, truth, right = hard(seed)
            found = crowd.posteriors()
            losses += [-np.log(found[item][label]) for item, label in truth.items()]
            for name, share in right.items():
                limits = crowd.reliability(name).accuracy
                assert limits is not None
                covered.append(limits.low <= share <= limits.high)
        return float(np.mean(losses)), float(np.mean(covered))

    loss, coverage = loss_and_coverage()
    monkeypatch.setattr(reliability, "CORRELATION", 0.0)
    loss_before, coverage_before = loss_and_coverage()
    assert loss < 0.7 * loss_before
    assert coverage > coverage_before + 0.1


def test_confidence_is_learned_and_not_believed() -> None:
    crowd = Crowd(["no", "yes"])
    for item in range(200):
        label = ("no", "yes")[item % 2]
        other = ("no", "yes")[1 - item % 2]
        crowd.settle(item, label)
        if item % 4 < 2:
            crowd.tell(item, "model", label, 0.75)
        else:
            crowd.tell(item, "model", label if item % 8 < 4 else other, 0.99)
    crowd.tell("low", "model", "yes", 0.75)
    crowd.tell("high", "model", "yes", 0.99)
    assert crowd.posterior("low")["yes"] > 0.9
    assert crowd.posterior("high")["yes"] < 0.6


def test_a_model_of_the_text_is_one_more_voter() -> None:
    crowd = Crowd(["no", "yes"])
    crowd.expect("text", {"no": 0.1, "yes": 0.9})
    assert crowd.posterior("text")["yes"] == pytest.approx(0.9)
    for item in range(20):
        crowd.settle(item, "yes" if item % 2 else "no")
        crowd.tell(item, "Ann", "yes" if item % 2 or item < 4 else "no")
    crowd.tell("text", "Ann", "no")
    assert 0.1 < crowd.posterior("text")["yes"] < 0.9
    crowd.expect("text", None)
    assert crowd.posterior("text")["yes"] < 0.1


def test_nothing_is_known_at_first() -> None:
    crowd = Crowd(CLASSES)
    assert crowd.predict() == {}
    assert crowd.posteriors() == {}
    assert crowd.posterior("new") == pytest.approx(dict.fromkeys(CLASSES, 1 / 3))
    unknown = crowd.reliability("nobody")
    assert unknown.accuracy is not None
    assert (unknown.votes, unknown.weight, unknown.accuracy.value) == (0, 0.0, pytest.approx(0.7, abs=0.01))
    assert crowd.agreement() is None


def test_wrong_input_is_named() -> None:
    crowd = Crowd(["no", "yes"])
    crowd.tell(1, "Ann", "no")
    with pytest.raises(DataError, match="already voted on item 1"):
        crowd.tell(1, "Ann", "yes")
    with pytest.raises(DataError, match="'maybe' is not one of the classes: 'no', 'yes'"):
        crowd.tell(2, "Ann", "maybe")
    with pytest.raises(DataError, match="from 0 to 1, not 75"):
        crowd.tell(2, "Ann", "no", 75)
    with pytest.raises(DataError, match="'Bob' has not voted on item 1"):
        crowd.forget(1, "Bob")
    with pytest.raises(DataError, match="probabilities of item 3"):
        crowd.expect(3, {"maybe": 1.0})
    with pytest.raises(DataError, match="no classes yet"):
        Crowd().posterior(1)


def test_checkpoints_grow_by_a_tenth() -> None:
    lengths = sorted({checkpoint(length) for length in range(2000)})
    assert lengths[:12] == list(range(12))
    assert all(later - former <= max(1, former / 10) for former, later in itertools.pairwise(lengths))
    assert len(lengths) < 80


def test_expected_probabilities_stay_with_their_classes() -> None:
    """Without given classes, their order is that of the votes, and changes with them."""
    crowd = Crowd()
    crowd.tell(1, "A", "x")
    crowd.settle(2, "z")
    crowd.expect(3, {"x": 0.1, "z": 0.9})
    crowd.tell(4, "A", "y")
    assert max(crowd.posterior(3), key=crowd.posterior(3).__getitem__) == "z"
    crowd = Crowd()
    crowd.tell("i1", "A", "x")
    crowd.tell("i2", "A", "y")
    crowd.expect("i3", {"x": 0.9, "y": 0.1})
    crowd.correct("i1", "A", "y")
    crowd.correct("i2", "A", "x")
    assert crowd.posterior("i3")["x"] > 0.8
    crowd.forget("i2", "A")
    assert crowd.posterior("i3") == {"y": pytest.approx(1.0)}
    crowd.expect("i3", {"y": 1.0})
    crowd.correct("i1", "A", "z")
    assert crowd.posterior("i3") == {"z": pytest.approx(1.0)}, "what was expected is not among the classes"


def test_an_annotator_may_have_any_name() -> None:
    found = []
    for name in (None, "Ann", 0, ""):
        crowd = Crowd(["cat", "dog"])
        crowd.tell("item", name, "cat")
        found.append(crowd.posterior("item")["cat"])
    assert found == [found[1]] * 4
