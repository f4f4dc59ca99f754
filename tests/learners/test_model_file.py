"""Model files: whole or refused, in one sentence, whatever has happened to them; and nothing in them is run."""

import ast
import errno
import os
import pathlib
import random
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pytest

import askance
from askance import Learner, queries, updates
from askance.learners.files import from_bytes, to_bytes
from model_files import MADE, QUERY, is_refused, trained
from processes import run_code

# ---------------------------------------------------------------------- whole files


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("before", [0, 1, 59])
def test_a_learner_goes_on_from_its_file(before: int, dtype: str, tmp_path: pathlib.Path) -> None:
    X, y, _ = MADE
    path = tmp_path / "spam.model"
    kept = Learner(
        updates.PassiveAggressive1(0.5), QUERY, dtype=dtype, random_state=2**64 - 1, sgn0=-1, classes=[-1, 1]
    )
    if before:
        kept.run(X[:before], y[:before])
    state = to_bytes(kept)
    kept.save(path)
    assert to_bytes(kept) == state
    loaded = askance.load(path)
    assert loaded.get_params() == kept.get_params()
    assert type(loaded.update) is updates.PassiveAggressive1
    assert loaded.spending_ == kept.spending_
    traces = [learner.run(X[before:], y[before:]) for learner in (kept, loaded)]
    for field in ("predictions", "scores", "ask_probabilities", "asked", "updated"):
        assert np.array_equal(*(getattr(trace, field) for trace in traces)), field
    assert to_bytes(loaded) == to_bytes(kept)
    decisions = [learner.ask(X[0]) for learner in (kept, loaded)]
    assert decisions[0] == decisions[1]


@pytest.mark.parametrize(
    "classes", [(-1, 1), (0, 1), (False, True), (3, 7), (-0.5, 2.5), ("ham", "spam"), ("bö", "ßü\n\"'")]
)
@pytest.mark.parametrize("given", [True, False])
def test_classes_of_every_kind_survive(classes: tuple[Any, Any], given: bool) -> None:
    learner = Learner(dtype="float64", classes=classes if given else None)
    learner.run(MADE.X, np.where(MADE.y > 0, classes[1], classes[0]))
    loaded = from_bytes(to_bytes(learner))
    assert loaded.classes_.tolist() == learner.classes_.tolist() == list(classes)
    assert loaded.classes_.dtype == learner.classes_.dtype
    assert loaded.predict(MADE.X).tolist() == learner.predict(MADE.X).tolist()
    assert to_bytes(loaded) == to_bytes(learner)


@pytest.mark.parametrize(
    "y",
    [
        np.array(["ham", "spam"], object),
        pandas.Series(["ham", "spam"]).to_numpy(),
        np.array([0, 1], object),
    ],
    ids=repr,
)
def test_whatever_labels_are_learned_survive(y: Any) -> None:
    learner = Learner(dtype="float64")
    learner.run(MADE.X, y[(MADE.y > 0).astype(int)])
    loaded = from_bytes(to_bytes(learner))
    assert loaded.classes_.tolist() == y.tolist()
    assert loaded.predict(MADE.X).tolist() == learner.predict(MADE.X).tolist()
    assert to_bytes(loaded) == to_bytes(learner)


@pytest.mark.parametrize(
    "query", [queries.Margin(float("inf")), queries.Within(queries.Always(), limit=7.0)], ids=str
)
def test_infinite_parameters_survive(query: Any) -> None:
    assert from_bytes(to_bytes(Learner(query=query))).query == query


def test_one_class_seen_is_still_one_class() -> None:
    learner = Learner(dtype="float64")
    learner.run(MADE.X, np.ones(60, int))
    loaded = from_bytes(to_bytes(learner))
    assert loaded.run(MADE.X, np.zeros(60, int)).classes.tolist() == [0, 1]


def test_the_file_is_safetensors_that_others_can_read(tmp_path: pathlib.Path) -> None:
    from safetensors.numpy import load_file

    learner = trained()
    learner.save(tmp_path / "model")
    arrays = load_file(tmp_path / "model")
    assert any(np.array_equal(array, learner.coef_[0]) for array in arrays.values())


def test_a_rule_of_the_users_own() -> None:
    content = to_bytes(Learner(Half(0.25), random_state=4))
    with pytest.raises(ValueError, match=r"uses the rule Half.*rules=\(Half,\)") as caught:
        from_bytes(content)
    assert "\n" not in str(caught.value)
    loaded = from_bytes(content, rules=(Half,))
    assert isinstance(loaded.update, Half)
    assert loaded.update.C == 0.25
    assert to_bytes(loaded) == content


class Half(updates.PassiveAggressive1):
    """A rule that askance does not know."""


def test_two_rules_of_one_name_are_refused() -> None:
    other = type("Margin", (queries.Margin,), {})
    with pytest.raises(ValueError, match="two rules are named Margin"):
        from_bytes(to_bytes(trained()), rules=(other,))
    assert from_bytes(to_bytes(trained()), rules=(queries.Margin,)).query == QUERY


# ---------------------------------------------------------------------- saving


def test_saving_replaces_the_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "model"
    Learner().save(str(path))
    trained().save(path)
    assert path.read_bytes() == to_bytes(trained())
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.parametrize(
    "fault", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()], ids=repr
)
@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file(
    moment: str, fault: BaseException, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    old = trained()
    old.save(path)

    def fail(*_: Any, **__: Any) -> None:
        raise fault

    monkeypatch.setattr(f"askance._util.atomic_write.os.{moment}", fail)
    with pytest.raises(type(fault)):
        Learner().fit(MADE.X, MADE.y).save(path)
    assert path.read_bytes() == to_bytes(old)
    assert os.listdir(tmp_path) == ["model"]


def test_files_that_cannot_be_read_are_named(tmp_path: pathlib.Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("not a model\n")
    for name in ("empty", "text", "absent", "."):
        with pytest.raises(ValueError, match=r"^\S.*$") as caught:
            askance.load(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)
        assert "\n" not in str(caught.value)


# ---------------------------------------------------------------------- damage


def damages() -> list[Callable[[random.Random, bytes, bytes], bytes]]:
    """What can happen to a file: each takes a source of chance, the file, and another file."""

    def flip(chance: random.Random, content: bytes, other: bytes) -> bytes:
        changed = bytearray(content)
        for _ in range(chance.choice([1, 1, 1, 2, 10, 100])):
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        return bytes(changed)

    def overwrite(chance: random.Random, content: bytes, other: bytes) -> bytes:
        start = chance.randrange(len(content))
        return content[:start] + chance.randbytes(chance.randint(1, 64)) + content[start + chance.randint(0, 64) :]

    def truncate(chance: random.Random, content: bytes, other: bytes) -> bytes:
        return content[: chance.randrange(len(content))]

    def behead(chance: random.Random, content: bytes, other: bytes) -> bytes:
        return content[chance.randrange(1, len(content)) :]

    def insert(chance: random.Random, content: bytes, other: bytes) -> bytes:
        start = chance.randrange(len(content) + 1)
        return content[:start] + chance.randbytes(chance.randint(1, 64)) + content[start:]

    def double(chance: random.Random, content: bytes, other: bytes) -> bytes:
        start, length = chance.randrange(len(content)), chance.randint(1, 64)
        return content[: start + length] + content[start:]

    def swap(chance: random.Random, content: bytes, other: bytes) -> bytes:
        a, b, c, d = sorted(chance.sample(range(len(content) + 1), 4))
        return content[:a] + content[c:d] + content[b:c] + content[a:b] + content[d:]

    def splice(chance: random.Random, content: bytes, other: bytes) -> bytes:
        start = chance.randrange(1, min(len(content), len(other)))
        return content[:start] + other[start:]

    def digit(chance: random.Random, content: bytes, other: bytes) -> bytes:
        """The likeliest way to a header that still reads: another digit somewhere in it."""
        places = [place for place, byte in enumerate(content) if byte in b"0123456789"]
        place = chance.choice(places)
        return content[:place] + bytes([chance.choice(b"0123456789")]) + content[place + 1 :]

    def size(chance: random.Random, content: bytes, other: bytes) -> bytes:
        value = chance.choice([0, 1, 2**63, 2**64 - 1, chance.randrange(2**64), chance.randrange(len(content))])
        return struct.pack("<Q", value) + content[8:]

    def noise(chance: random.Random, content: bytes, other: bytes) -> bytes:
        return chance.randbytes(chance.randrange(2000))

    return [flip, overwrite, truncate, behead, insert, double, swap, splice, digit, size, noise]


def damage_many(count: int, random_state: int) -> None:
    chance = random.Random(random_state)
    kinds = damages()
    models = [to_bytes(trained()), to_bytes(Learner()), to_bytes(askance.make("PE", classes=["ham", "spam"]))]
    done = 0
    while done < count:
        content, other = chance.sample(models, 2)
        spoiled = chance.choice(kinds)(chance, content, other)
        if spoiled in models:
            continue  # a swap of equal bytes, or a digit for itself
        is_refused(spoiled)
        done += 1


def test_damaged_files_are_refused() -> None:
    damage_many(2_000, random_state=0)


@pytest.mark.soak
def test_a_hundred_thousand_damaged_files_are_refused() -> None:
    damage_many(100_000, random_state=1)


@pytest.mark.soak
def test_every_single_bit_counts() -> None:
    content = to_bytes(trained())
    for place in range(8 * len(content)):
        spoiled = bytearray(content)
        spoiled[place // 8] ^= 1 << place % 8
        is_refused(bytes(spoiled))


def test_every_shorter_file_is_refused() -> None:
    content = to_bytes(trained())
    for length in range(len(content)):
        is_refused(content[:length])


# ---------------------------------------------------------------------- nothing is run


@pytest.mark.slow
def test_loading_unpickles_nothing(tmp_path: pathlib.Path) -> None:
    """In a process that only loads a model, no module of askance has imported what could run a file's code."""
    trained().save(tmp_path / "model")
    script = f"""
        import pickle, sys
        import askance
        import askance.learners.files, askance.learners.learner  # what these import may use pickle

        def refuse(*_, **__):
            raise AssertionError("pickle was used")

        pickle.load = pickle.loads = pickle.Unpickler = refuse
        learner = askance.load({str(tmp_path / "model")!r})
        assert learner.spending_.rows == 60
        print(*sorted(module.__file__ for name, module in sys.modules.items()
                      if name.split(".")[0] == "askance" and module.__file__), sep="\\n")
    """
    files = [pathlib.Path(line) for line in run_code(script).split()]
    assert len(files) > 10
    runners = {
        "pickle",
        "cPickle",
        "_pickle",
        "cloudpickle",
        "dill",
        "joblib",
        "marshal",
        "shelve",
        "runpy",
        "code",
    }
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names = {(node.module or "").split(".")[0]}
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                names = {node.func.id} & {"eval", "exec", "__import__", "compile"}
                assert not names, f"{path.name} calls {names}"
            else:
                continue
            assert not names & runners, f"{path.name} imports {names & runners}"
