"""Guesses of programs about items: features of the model, never labels, and part of what a replay rebuilds."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec import UNSET

from askance.service import messages
from askance.service.commands import guesses
from askance.service.commands import items as commands
from askance.service.compaction import compact
from askance.service.errors import RequestError
from askance.service.settings import Asking
from askance.service.state import journal, snapshots
from askance.service.state.rows import rows_of
from askance.service.views import export, guessers, labellers
from service_task import TaskRunner, settings

ON_LEASE = settings("PA-I", bits=12, questions=Asking("lease", audit=0.5, test=0.0))
GPT = {"gpt-4o": messages.Guess("spam", 0.85)}


@pytest.fixture
def runner(store_url: str) -> Iterator[Any]:
    with TaskRunner(store_url, settings("PA-I", bits=12)) as runner:
        yield runner


@pytest.fixture
def leasing(tmp_path: Path) -> Iterator[Any]:
    with TaskRunner(str(tmp_path / "a.db"), ON_LEASE) as runner:
        yield runner


def guessed(label: str, confidence: float | None = None, name: str = "gpt-4o") -> dict[str, messages.Guess]:
    return {name: messages.Guess(label, confidence)}


def tell(runner: Any, item: int, label: str, name: str = "gpt-4o", **more: Any) -> messages.GuessReceipt:
    wish = messages.LateGuesses([messages.LateGuess(label=label, name=name, item=item, **more)])
    return runner.run(lambda transaction: guesses.guess(transaction, wish, "worker")).guesses[0]  # type: ignore[no-any-return]


def is_rebuilt(runner: Any) -> None:
    """Whether the journal, with snapshots or without, gives the same fold to the bit."""
    everything = runner.everything()
    assert snapshots.content(snapshots.unpack(snapshots.pack(everything), runner.settings)) == everything
    with runner.reopened() as again:
        assert again.everything() == everything
        again.store.drop_snapshots(1, again.store.snapshot_seqs(1))
        again.task.rebuild()
        assert again.everything() == everything
        assert again.store.check() == []


# ---------------------------------------------------------------------- guesses that come with items


def test_guesses_are_kept_with_the_item_and_shown_to_those_who_look_at_it_but_not_in_questions(
    runner: Any,
) -> None:
    more = {"gpt-4o": messages.Guess("spam", 0.85), "rules": messages.Guess("ham")}
    (decided,) = runner.decide("hello", guesses=more)
    found = runner.detail(decided.item).guesses
    assert found == {"gpt-4o": messages.GuessDetail("spam", 0.85), "rules": messages.GuessDetail("ham", None)}
    (question,) = runner.lease().questions
    assert b"gpt-4o" not in msgspec.json.encode(question), "labellers decide without them"
    assert runner.detail(runner.decide("other")[0].item).guesses is None
    is_rebuilt(runner)


def test_a_guess_must_be_one_of_the_classes(runner: Any) -> None:
    with pytest.raises(RequestError, match=r"item 0 \(from 0\), guess of 'gpt-4o': unknown class 'eggs'"):
        runner.decide("hello", guesses=guessed("eggs"))
    assert runner.task.fold.seq == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"gpt": {"label": "spam", "confidence": 1.01}},
        {"gpt": {"label": "spam", "confidence": -0.01}},
        {"gpt": {"label": "spam", "why": "because"}},
        {"gpt": {"confidence": 0.5}},
        {"": {"label": "spam"}},
        {"a" * 101: {"label": "spam"}},
        {"two\nlines": {"label": "spam"}},
        {},
        {f"gpt-{number}": {"label": "spam"} for number in range(9)},
    ],
)
def test_guesses_that_are_not_valid_are_refused(wrong: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"text": "a", "guesses": wrong}, messages.Item)


def test_the_same_id_again_keeps_the_first_guesses(runner: Any) -> None:
    (first,) = runner.decide("hello", id="a", guesses=guessed("spam"))
    (again,) = runner.decide("hello", id="a", guesses=guessed("ham"))
    assert (again.item, again.again) == (first.item, True)
    assert runner.detail(first.item).guesses["gpt-4o"].label == "spam"


CONTENTS: dict[str, dict[str, Any]] = {
    "text": {"text": "the same words"},
    "record": {"record": {"age": 3.0, "city": "Oslo"}},
    "vector": {"vector": [0.6, 0.8]},
    "mixed": {"text": "the same words", "record": {"age": 3.0}, "vector": [0.6, 0.8]},
}


@pytest.mark.parametrize(
    ("item", "algorithm"),
    [
        *((item, "PA-I") for item in CONTENTS),
        ("text", "auto"),
        pytest.param("mixed", "auto", marks=pytest.mark.slow),
    ],
)
def test_the_model_learns_from_guesses_what_the_content_does_not_tell(
    item: str, algorithm: str, tmp_path: Path
) -> None:
    length = {"vector_length": 2} if "vector" in CONTENTS[item] else {}
    made = settings(algorithm, bits=10, item=item, questions=Asking("arrival"), **length)
    with TaskRunner(str(tmp_path / "a.db"), made) as runner:
        for number in range(14):
            label, confidence = ("spam", "ham")[number % 2], (0.75, 0.95)[number % 3 == 0]
            sent = messages.LabelledItem(**CONTENTS[item], label=label, guesses=guessed(label, confidence))
            runner.run(lambda transaction, sent=sent: commands.import_items(transaction, [sent], "sender"))
        new = [messages.Item(**CONTENTS[item], guesses=guessed(label, 0.75)) for label in ("spam", "ham")]
        assert [one.prediction for one in runner.task.predict(new).predictions] == ["spam", "ham"]
        is_rebuilt(runner)


def test_it_learns_at_which_confidence_a_guess_is_right(runner: Any) -> None:
    other = {"spam": "ham", "ham": "spam"}
    for number in range(60):
        label, sure = ("spam", "ham")[number % 2], number % 4 < 2
        sent = messages.LabelledItem(
            text="a", label=label, guesses=guessed(label if sure else other[label], 0.95 if sure else 0.75)
        )
        runner.run(lambda transaction, sent=sent: commands.import_items(transaction, [sent], "sender"))
    new = [messages.Item(text="a", guesses=guessed("spam", confidence)) for confidence in (0.99, 0.71)]
    assert [one.prediction for one in runner.task.predict(new).predictions] == ["spam", "ham"]


@pytest.mark.parametrize("algorithm", ["PA-I", "auto"])
@pytest.mark.parametrize("item", CONTENTS)
def test_items_without_guesses_are_the_rows_that_they_were(item: str, algorithm: str) -> None:
    length = {"vector_length": 2} if "vector" in CONTENTS[item] else {}
    made = settings(algorithm, bits=10, item=item, **length)
    plain = messages.Item(**CONTENTS[item])
    alone, beside = rows_of(made, [plain])[0], rows_of(made, [messages.Item(**CONTENTS[item], guesses=GPT), plain])
    hashed = [row if hasattr(row, "values") else row.categories for row in (alone, beside[1], beside[0])]
    assert np.array_equal(hashed[0].indices, hashed[1].indices)
    assert np.array_equal(hashed[0].values, hashed[1].values)
    assert len(hashed[2].indices) > len(hashed[0].indices)


def test_a_table_of_numbers_alone_keeps_guesses_without_learning_from_them(tmp_path: Path) -> None:
    made = settings("auto", bits=10, item="record", columns={"age": "number"})
    with TaskRunner(str(tmp_path / "a.db"), made) as runner:
        sent = [messages.Item(record={"age": 3.0}, guesses=guesses) for guesses in (GPT, UNSET)]
        assert runner.task.predict(sent).predictions[0] == runner.task.predict(sent).predictions[1]
        (one, _) = runner.decide(*sent)
        assert runner.detail(one.item).guesses == {"gpt-4o": messages.GuessDetail("spam", 0.85)}
        runner.label(one.item, "spam")
        is_rebuilt(runner)


def test_the_journal_of_an_item_without_guesses_is_as_it_was() -> None:
    body = journal.ImportedItem(text="a", label="x")
    assert journal.entry("imported", 1, 0.0, body).body == b'{"text":"a","label":"x"}'


def test_exports_have_the_guesses(runner: Any) -> None:
    runner.label(runner.decide("hello", guesses=guessed("spam", 0.85))[0].item, "ham")
    store, task = runner.store, runner.task
    for lines in (export.labels(store, task), export.decisions(store, task)):
        (one,) = next(lines)
        assert msgspec.to_builtins(one["guesses"]) == {"gpt-4o": {"label": "spam", "confidence": 0.85}}
    for rows in (export.label_rows(store, task), export.decision_rows(store, task)):
        assert next(rows)[0]["guesses"] == '{"gpt-4o":{"label":"spam","confidence":0.85}}'


def test_a_renamed_class_is_renamed_in_guesses(runner: Any) -> None:
    (first,) = runner.decide("hello", guesses=guessed("spam"))
    tell(runner, first.item, "spam", "late")
    runner.change_classes(rename={"spam": "junk"})
    assert {one.label for one in runner.detail(first.item).guesses.values()} == {"junk"}
    before = rows_of(runner.settings, [messages.Item(text="a", guesses=GPT)])[0]
    after = rows_of(runner.task.settings, [messages.Item(text="a", guesses=guessed("junk", 0.85))])[0]
    assert np.array_equal(before.indices, after.indices)
    is_rebuilt(runner)


# ---------------------------------------------------------------------- guesses that come later


def test_a_late_guess_is_a_feature_of_what_is_labelled_afterwards(leasing: Any) -> None:
    items = [one.item for one in leasing.decide(*["the same words"] * 16)]
    for number, item in enumerate(items):
        label = ("spam", "ham")[number % 2]
        tell(leasing, item, label, confidence=0.9)
        leasing.label(item, label)
    assert leasing.task.fold.late_guesses == 16
    more = [one.item for one in leasing.decide("the same words", "the same words")]
    tell(leasing, more[0], "spam", confidence=0.9)
    tell(leasing, more[1], "ham", confidence=0.9)
    leased = {one.item: one.prediction for one in leasing.lease(items=more).questions}
    assert leased == {more[0]: "spam", more[1]: "ham"}, "they are predicted again when they are leased"
    tell(leasing, more[0], "ham", confidence=0.9)
    assert leasing.lease(items=more[:1]).questions[0].prediction == "ham", "the last guess counts"
    is_rebuilt(leasing)


def test_a_guess_after_the_label_is_kept_and_changes_nothing_that_was_learned(leasing: Any) -> None:
    (one,) = leasing.decide("hello")
    leasing.label(one.item, "spam")
    model = leasing.model()
    tell(leasing, one.item, "ham", confidence=0.2)
    assert leasing.model() == model
    assert leasing.detail(one.item).guesses == {"gpt-4o": messages.GuessDetail("ham", 0.2)}
    is_rebuilt(leasing)
    assert leasing.model() == model


def test_the_same_guess_again_does_nothing(leasing: Any) -> None:
    (one,) = leasing.decide(messages.Item(text="hello", id="own", guesses=guessed("spam", 0.5, "first")))
    assert not tell(leasing, one.item, "spam", key="k").again
    before = leasing.task.fold.seq
    assert tell(leasing, one.item, "spam", key="k").again
    assert tell(leasing, one.item, "spam").again, "also without the key"
    assert tell(leasing, one.item, "spam", "first", confidence=0.5).again, "also if it came with the item"
    assert leasing.task.fold.seq == before
    with pytest.raises(RequestError, match="the key 'k' belongs to another guess"):
        tell(leasing, one.item, "ham", key="k")
    by_id = messages.LateGuesses([messages.LateGuess(label="ham", name="gpt-4o", id="own")])
    assert leasing.run(lambda transaction: guesses.guess(transaction, by_id, "worker")).guesses[0].item == one.item


def test_guesses_that_cannot_be_used_are_refused_together(leasing: Any) -> None:
    (one,) = leasing.decide("hello")
    good = messages.LateGuess(label="spam", name="gpt-4o", item=one.item)
    cases = {
        "there is no item 99": messages.LateGuess(label="spam", name="gpt-4o", item=99),
        "there is no item with the id 'x'": messages.LateGuess(label="spam", name="gpt-4o", id="x"),
        "guess 1 .from 0.: unknown class 'eggs'": messages.LateGuess(label="eggs", name="b", item=one.item),
        "give exactly one of the two": messages.LateGuess(label="spam", name="gpt-4o"),
        "item 1 has 2 guesses of 'gpt-4o'": good,
    }
    for sentence, wrong in cases.items():
        wish = messages.LateGuesses([good, wrong])
        with pytest.raises(RequestError, match=sentence):
            leasing.run(lambda transaction, wish=wish: guesses.guess(transaction, wish, "worker"))
    assert leasing.detail(one.item).guesses is None
    for number in range(8):
        tell(leasing, one.item, "spam", f"g{number}")
    with pytest.raises(RequestError, match="already has guesses of 8 programs"):
        tell(leasing, one.item, "spam", "g8")
    leasing.delete(one.item)
    with pytest.raises(RequestError, match="was deleted"):
        tell(leasing, one.item, "spam")


def test_any_task_with_guesses_is_rebuilt_to_the_bit(store_url: str) -> None:
    chance = random.Random(3)
    made = msgspec.structs.replace(ON_LEASE, labels=msgspec.structs.replace(ON_LEASE.labels, per_item=2))
    with TaskRunner(store_url, made, snapshot_every=40) as runner:
        items: list[int] = []
        for step in range(80):
            runner.clock.now += 1
            label = chance.choice(["ham", "spam"])
            what = chance.random()
            if what < 0.4 or not items:
                sent = messages.Item(text=f"w{step % 7}", guesses=guessed(label, 0.9) if what < 0.2 else UNSET)
                items.append(runner.decide(sent)[0].item)
            elif what < 0.6:
                tell(runner, chance.choice(items), label, chance.choice(["a", "b"]), confidence=chance.random())
            elif what < 0.9:
                who = chance.choice(["ann", "bob", "eve"])
                for question in runner.lease(who).questions:
                    if what < 0.75:
                        tell(runner, question.item, label, "a", confidence=what)
                    runner.label(question.item, label, who)
                    if what > 0.7:
                        tell(runner, question.item, "ham", "b", confidence=what)
            elif what < 0.95 and runner.task.fold.recent.get("ann"):
                runner.undo("ann")
            elif what < 0.97:
                gone = items.pop(chance.randrange(len(items)))
                runner.delete(gone)
        assert runner.task.fold.late_guesses > 5
        is_rebuilt(runner)


# ---------------------------------------------------------------------- how often they are right


def found_guessers(runner: Any) -> dict[str, messages.Guesser]:
    sample = runner.run(guessers.sample)
    return {one.name: one for one in labellers.labellers(runner.store, runner.task, sample).guessers}


def test_how_often_a_program_is_right_comes_from_questions_at_random_with_an_interval(tmp_path: Path) -> None:
    made = msgspec.structs.replace(ON_LEASE, questions=Asking("lease", audit=1.0, test=0.0))
    with TaskRunner(str(tmp_path / "a.db"), made) as runner:
        is_measured(runner)


def is_measured(leasing: Any) -> None:
    assert found_guessers(leasing) == {}
    other = {"spam": "ham", "ham": "spam"}
    sent, labels = [], [("spam", "ham")[number % 2] for number in range(240)]
    for number, label in enumerate(labels):
        wrong = other[label] if number % 4 == 0 else label
        sent.append(messages.Item(text=f"w{number}", guesses=guessed(wrong, 0.9) | guessed(label, None, "right")))
    truth = {one.item: label for one, label in zip(leasing.decide(*sent), labels, strict=True)}
    while len(leasing.task.fold.audits.latest(100)) < 40:
        for question in leasing.lease(count=10).questions:
            leasing.label(question.item, truth[question.item])
    for item, _ in leasing.task.fold.audits.latest(10):
        tell(leasing, item, other[truth[item]], "right")  # after the label, so it does not count
        tell(leasing, item, truth[item], "too late")
    found = found_guessers(leasing)
    assert set(found) == {"gpt-4o", "right"}
    figure = found["gpt-4o"].accuracy
    assert figure.labels >= 40
    assert figure.low < 0.75 < figure.high
    assert found["right"].accuracy.value == 1.0
    leasing.delete(*list(truth)[:20])
    assert set(found_guessers(leasing)) == {"gpt-4o", "right"}


def test_without_questions_at_random_the_figure_has_no_interval(runner: Any) -> None:
    for number, label in enumerate(["spam", "ham", "spam", "ham"]):
        (one,) = runner.decide(f"w{number}", guesses=guessed("spam"))
        runner.label(one.item, label)
    accuracy = found_guessers(runner)["gpt-4o"].accuracy
    assert (accuracy.value, accuracy.low, accuracy.labels) == (0.5, None, 4)
    assert "not drawn at random" in accuracy.note


# ---------------------------------------------------------------------- what is erased


def test_a_deleted_item_takes_its_guesses_with_it(tmp_path: Path) -> None:
    with TaskRunner(str(tmp_path / "a.db"), ON_LEASE) as runner:
        first, second = (one.item for one in runner.decide("a", "b", guesses=guessed("spam", 0.85, "Ludmilla")))
        tell(runner, first, "ham", "Ludmilla-2")
        runner.label(first, "ham")
        runner.delete(first, second)
        bodies = b"".join(entry.body for batch in runner.store.entries(1) for entry in batch)
        assert b"Ludmilla" not in bodies
        is_rebuilt(runner)


def test_compaction_drops_guesses_with_the_content(tmp_path: Path) -> None:
    made = settings("PA-I", bits=12, budget={"total": 0})
    with TaskRunner(str(tmp_path / "a.db"), made) as runner:
        (one,) = runner.decide("hello", guesses=guessed("spam"))
        compact(runner.task, 0.0, runner.clock.now + 1)
        assert (runner.detail(one.item).text, runner.detail(one.item).guesses) == (None, None)
