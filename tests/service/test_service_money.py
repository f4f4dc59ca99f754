"""Prices and a budget of money: what was spent is exact at any time, after a restart too, and never exceeded."""

import random
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from askance.service import messages
from askance.service.api.prometheus import Scrape
from askance.service.commands import guesses as guess_commands
from askance.service.errors import RequestError
from askance.service.given_settings import as_settings, from_toml
from askance.service.prices import Oracles
from askance.service.settings import Asking, TaskSettings, from_json, to_json
from askance.service.state import programs
from money_stream import MoneyStream
from service_task import TaskRunner, settings
from thinning import rest_slow

PRICES = Oracles(budget=3.05, people=1.0, guesses={"gpt-4o": 0.01, "other": 0.3})


def runner(
    tmp_path: Any, oracles: Oracles = PRICES, chosen: Any = "lease", file: str = "a.db", **more: Any
) -> TaskRunner:
    made = settings("PA-I", questions=Asking(chosen), oracles=oracles, **more)
    return TaskRunner(str(tmp_path / file), made)


def guess(task: TaskRunner, item: int, *names: str, label: str = "spam") -> None:
    request = messages.LateGuesses([messages.LateGuess(label=label, name=name, item=item) for name in names])
    task.run(lambda transaction: guess_commands.guess(transaction, request, "worker"))


def money(task: TaskRunner) -> messages.Money:
    found = task.figures().spend.money
    assert found is not None
    return found


def test_leases_that_have_ended_give_their_money_back(tmp_path: Any) -> None:
    price = Oracles(budget=2.0, people=1.0, guesses={"other": 0.5})
    uses = {
        "guess": lambda task: guess(task, 5, "other"),
        "item": lambda task: task.decide(messages.Item(text="new", guesses={"other": messages.Guess("spam")})),
        "label": lambda task: task.label(
            next(item for item in range(1, 7) if item not in task.task.fold.questions.open), "spam"
        ),
    }
    for name, use in uses.items():
        with runner(tmp_path, price, file=f"{name}.db", labels={"lease_seconds": 1}) as task:
            task.decide(*"abcdef")
            task.lease(count=2)
            assert money(task).left == "0.0"
            task.clock.now += 1.5
            assert (money(task).spent, money(task).left, task.figures().spend.asked) == ("0.0", "2.0", 0)
            use(task)
            assert money(task).left == ("1.0" if name == "label" else "1.5")
            if name == "item":
                assert task.detail(task.task.fold.seq).guesses
            assert task.task.fold.money.spent <= Decimal(2)
            before = task.everything()
            with task.reopened() as again:
                assert again.everything() == before


def test_what_was_spent_is_exact(tmp_path: Any) -> None:
    with runner(tmp_path) as task:
        assert money(task) == messages.Money(
            "0.00", "3.05", "3.05", [
                messages.PaidAnswers("people", 0, "1.0", "0.0"),
                messages.PaidAnswers("gpt-4o", 0, "0.01", "0.00"),
                messages.PaidAnswers("other", 0, "0.3", "0.0"),
            ],
        )  # fmt: skip
        said = messages.Guess("spam")
        task.decide(messages.Item(text="one", guesses={"gpt-4o": said}), "two", "three", "four")
        guess(task, 2, "gpt-4o", "free")
        guess(task, 2, "gpt-4o")  # the same again costs nothing
        guess(task, 2, "gpt-4o", label="ham")
        (leased,) = task.lease().questions
        assert (money(task).spent, money(task).left) == ("1.03", "2.02"), "a label on lease is set aside"
        task.return_question(leased.item)
        assert money(task).spent == "0.03"
        task.label(2, "spam")
        assert [(one.answers, one.paid) for one in money(task).oracles] == [(1, "1.0"), (3, "0.03"), (0, "0.0")]


def test_prometheus_knows_what_was_paid(tmp_path: Any) -> None:
    with runner(tmp_path) as task:
        task.decide("one")
        guess(task, 1, "gpt-4o")
        task.label(1, "spam")
        scrape = Scrape(["spam"], {"spam": task.figures()}, [], [], None, store_up=True)
    samples = [sample for metric in scrape.collect() for sample in metric.samples]
    found = {(one.name, one.labels.get("oracle")): one.value for one in samples}
    assert found["askance_task_paid", "people"] == 1.0
    assert found["askance_task_paid", "gpt-4o"] == 0.01
    assert found["askance_task_decided", "people"] == 1
    assert found["askance_task_money_left", None] == 2.04


def test_nobody_gets_a_question_that_cannot_be_paid(tmp_path: Any) -> None:
    for chosen in ("lease", "arrival"):
        (tmp_path / chosen).mkdir()
        with runner(tmp_path / chosen, chosen=chosen) as task:
            task.decide(*(f"text {number}" for number in range(9)))
            guess(task, 1, *(["gpt-4o"] * 1))
            assert len(task.lease(count=9).questions) == 3
            assert task.lease("bob", count=9).questions == []
            assert money(task).left == "0.04"
            for item in range(2, 6):
                guess(task, item, "gpt-4o")
            with pytest.raises(
                RequestError, match=r"cost more than the 0\.00 that is left: raise oracles\.budget"
            ):
                guess(task, 7, "gpt-4o")
            guess(task, 7, "free")
            task.change(oracles=msgspec.structs.replace(PRICES, budget=4.05))
            guess(task, 7, "gpt-4o")
            assert money(task).left == "0.99"
            assert task.lease("bob").questions == []


@pytest.mark.parametrize("chosen", ["lease", "arrival"])
def test_an_item_is_taken_without_guesses_that_cost_more_than_is_left(tmp_path: Any, chosen: str) -> None:
    with runner(tmp_path, msgspec.structs.replace(PRICES, people=0.0), chosen=chosen) as task:
        said = {"other": messages.Guess("spam"), "free": messages.Guess("spam")}
        given = [messages.Item(text=f"text {number}", id=f"id-{number}", guesses=said) for number in range(12)]
        decided = task.decide(*given)
        assert [one.unpaid for one in decided] == [[]] * 10 + [["other"]] * 2
        assert (money(task).spent, money(task).left) == ("3.00", "0.05")
        assert set(task.detail(decided[9].item).guesses or {}) == {"other", "free"}
        assert set(task.detail(decided[10].item).guesses or {}) == {"free"}
        again = task.decide(*given)
        assert [one.unpaid for one in again] == [one.unpaid for one in decided], "a lost response can be had again"
        guess(task, 11, "gpt-4o")
        task.change(oracles=msgspec.structs.replace(PRICES, people=0.0, budget=4.0))
        guess(task, 11, "other")
        assert money(task).spent == "3.31"


def test_a_guess_with_an_item_leaves_the_label_that_its_arrival_may_ask_for(tmp_path: Any) -> None:
    """The label is asked for with the same entry: both together must not cost more than is left."""
    price = Oracles(budget=1.2, people=1.0, guesses={"other": 0.3})
    with runner(tmp_path, price, "arrival") as task:
        (one,) = task.decide(messages.Item(text="one", guesses={"other": messages.Guess("spam")}))
        assert (one.ask, one.unpaid, money(task).spent) == (True, ["other"], "1.0")
        (two,) = task.decide(messages.Item(text="two", guesses={"other": messages.Guess("spam")}))
        assert (two.ask, two.unpaid, money(task).spent) == (False, ["other"], "1.0")
    with runner(tmp_path, msgspec.structs.replace(price, budget=0.7), "arrival", "poor.db") as task:
        (one,) = task.decide(messages.Item(text="one", guesses={"other": messages.Guess("spam")}))
        assert (one.ask, one.unpaid, money(task).spent) == (False, [], "0.3")


@pytest.mark.parametrize("chosen", rest_slow(["lease", "arrival"], ["lease"]))
def test_every_prefix_of_random_streams_is_exact_and_survives_a_replay(tmp_path: Any, chosen: str) -> None:
    for seed in range(3):
        chance = random.Random(seed)
        (tmp_path / str(seed)).mkdir()
        task = runner(tmp_path / str(seed), chosen=chosen, labels={"per_item": 2, "aggregate": "posterior"})
        task.task.snapshot_every = 20
        known: list[int] = []
        for _ in range(120):
            task.clock.now += chance.choice([0.0, 400.0])
            who, item = chance.choice(["ann", "bob", "cem"]), chance.choice(known or [1])
            try:
                match chance.choice(["decide", "guess", "lease", "label", "undo", "delete"]):
                    case "decide":
                        known.append(task.decide(f"text {chance.random()}")[0].item)
                    case "guess":
                        guess(
                            task,
                            item,
                            chance.choice(["gpt-4o", "other", "free"]),
                            label=chance.choice(["ham", "spam"]),
                        )
                    case "lease":
                        task.lease(who)
                    case "label":
                        task.label(item, chance.choice(["ham", "spam"]), who)
                    case "undo":
                        task.undo(who)
                    case "delete" if chance.random() < 0.1:
                        task.delete(item)
            except RequestError:
                pass
            found = money(task)
            paid = sum((one.answers * Decimal(one.price) for one in found.oracles), Decimal(0))
            assert Decimal(found.spent) == paid <= Decimal("3.05"), seed
            assert found.oracles[0].answers == task.figures().spend.asked
        before = (task.everything(), money(task))
        task.task.rebuild()
        assert (task.everything(), money(task)) == before
        task = task.reopened()
        assert (task.everything(), money(task)) == before
        task.close()


def check_streams(seeds: Iterable[int], monkeypatch: Any) -> Counter[str]:
    """Check every prefix of streams, and that a replay gives the same; return how often what happened."""
    monkeypatch.setattr(programs, "FEWEST", 1)
    seen: Counter[str] = Counter()
    for seed in seeds:
        stream = MoneyStream(seed)
        for _ in range(stream.chance.randrange(10, 50)):
            stream.step()
            try:
                stream.check()
            except AssertionError as error:
                raise AssertionError(f"stream {seed}, after {stream.work}") from error
        replayed = stream.replayed()
        assert (replayed.money, replayed.ledger) == (stream.fold.money, stream.fold.ledger), seed
        assert replayed.programs.state == stream.fold.programs.state, seed
        left = stream.fold.money.left
        assert left is not None
        seen.update(one.kind for one in stream.journal.entries)
        seen["spent"] += left < stream.oracles.price_of_label
        seen["by programs"] += any(one.decided for one in stream.fold.programs.trust(stream.oracles.guesses))
    return seen


def test_the_money_of_many_short_streams_is_exact_and_never_exceeded(monkeypatch: Any) -> None:
    seen = check_streams([*range(30), 526, 551, 4770], monkeypatch)  # the last ones once exceeded it
    assert min(seen[kind] for kind in ("label", "guess", "undo", "skip")) > 10, seen
    assert seen["spent"] > 10, seen


@pytest.mark.slow
def test_the_money_of_hundreds_of_short_streams_is_exact_and_never_exceeded(monkeypatch: Any) -> None:
    seen = check_streams(range(30, 430), monkeypatch)
    assert seen["by programs"] > 1, seen


@pytest.mark.soak
def test_the_money_of_ten_thousand_short_streams_is_exact_and_never_exceeded(monkeypatch: Any) -> None:
    seen = check_streams(range(10_000), monkeypatch)
    assert seen["by programs"] > 20, seen


def test_what_was_paid_for_deleted_items_stays_spent(tmp_path: Any) -> None:
    with runner(tmp_path) as task:
        task.decide(messages.Item(text="secret", guesses={"other": messages.Guess("spam")}), "two")
        guess(task, 1, "gpt-4o", "Ludmilla")
        guess(task, 2, "gpt-4o")
        before = money(task).spent
        task.delete(1)
        assert money(task).spent == before == "0.32"
        task.task.rebuild()
        assert money(task).spent == before
        bodies = b"".join(entry.body for batch in task.store.entries(1) for entry in batch)
        assert b"secret" not in bodies
        assert b"Ludmilla" not in bodies, "which has no price"


# ---------------------------------------------------------------------- settings


def test_a_task_file_has_prices(tmp_path: Any) -> None:
    path = tmp_path / "task.toml"
    path.write_text(
        'name = "mails"\nclasses = ["ham", "spam"]\n'
        '[oracles]\nbudget = 300\npeople = 1.00\nguesses = {"gpt-4o" = 0.01}\n'
    )
    found = from_toml(path)
    assert found.oracles == Oracles(300.0, 1.0, {"gpt-4o": 0.01})
    assert (found.oracles.limit, found.oracles.price_of("gpt-4o")) == (Decimal("300.0"), Decimal("0.01"))
    assert from_json(to_json(found.named)).oracles == found.oracles
    assert b"oracles" not in to_json(TaskSettings("mails", ["ham", "spam"]))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"budget": 10}, "oracles.budget limits nothing without prices"),
        ({"people": -1}, "oracles.people"),
        ({"people": "much"}, "oracles.people"),
        ({"people": 1, "price": 2}, "price"),
        ({"people": 1e-13}, "oracles.people: 1e-13 has more than 12 digits after the point: round it"),
        ({"guesses": {"people": 1}}, 'a program cannot be called "people"'),
        ({"guesses": {"": 1}}, "oracles.guesses"),
    ],
)
def test_wrong_prices_are_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence.replace(".", r"\.")):
        as_settings({"name": "mails", "classes": ["ham", "spam"], "oracles": given}).learner()
