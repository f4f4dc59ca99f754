"""Parameter mixing: averages by hand, one partition is the sequential learner, Spark does what is done here."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import askance
from askance import queries, updates
from askance.data import read
from askance.distributed.mixing import check_mixable, learned_from, mixed, mixed_gaussians, mixed_weights
from askance.distributed.spark_mixing import MixedBatch, MixRequest, mix
from askance.learners.files import from_bytes, to_bytes
from command_line import complaint, output
from engines import running

NAMES = ("PAA-II", "PA-II", "AROW-diag", "NHERD-diag", "CSPAA")


def learner(name: str = "PAA-II", **options: Any) -> askance.Learner:
    return askance.make(name, **{"classes": [-1, 1], "dtype": "float64", "random_state": 5, **options})


def rows(count: int, random_state: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(random_state)
    X = np.round(rng.normal(size=(count, 6)), 3) * (rng.random((count, 6)) < 0.7)
    return X, np.where(X @ np.arange(-2.0, 4.0) + rng.normal(size=count) > 0, 1, -1)


def here(model: bytes, *partitions: tuple[Any, Any]) -> bytes:
    """A batch, mixed in this process."""
    read_in = [read(X, y=y, dtype="float64") for X, y in partitions]
    return mixed(model, [learned_from(model, place, one) for place, one in enumerate(read_in)])


def test_weights_are_averaged_by_their_updates() -> None:
    after = [np.array([1.0, 4.0]), np.array([4.0, 0.0])]
    assert mixed_weights(after, np.array([1, 3])).tolist() == [3.25, 1.0]


def test_variances_and_weights_of_a_mixture_by_hand() -> None:
    before = np.array([[1.0, 1.0], [2.0, 0.5], [0.0, 1.0]])
    first = np.array([[3.0, 0.5], [2.0, 0.5], [1.0, 0.25]])  # gains of 1, 0 and 3
    second = np.array([[6.0, 0.25], [2.0, 0.5], [9.0, 1.0]])  # of 3, 0 and 0
    found = mixed_gaussians(before, [first, second])
    np.testing.assert_allclose(found[:, 0], [(3 + 3 * 6) / 4, 2.0, 1.0])
    np.testing.assert_allclose(found[:, 1], [1 / 5, 1 / 2, 1 / 4])


@pytest.mark.parametrize("name", NAMES)
def test_one_partition_is_the_sequential_learner(name: str) -> None:
    X, y = rows(400)
    sequential = learner(name)
    model = to_bytes(sequential)
    for first in range(0, 400, 100):
        model = here(model, (X[first : first + 100], y[first : first + 100]))
    sequential.run(X, y)
    assert model == to_bytes(sequential)


@pytest.mark.parametrize("name", NAMES)
def test_counters_add_up_and_new_features_find_room(name: str) -> None:
    (X, y), (Z, z) = rows(200), rows(100, random_state=1)
    parts = [
        learned_from(to_bytes(learner(name)), place, read(A, y=b))
        for place, (A, b) in enumerate(((X[:, :4], y), (Z, z)))
    ]
    found = from_bytes(mixed(to_bytes(learner(name)), parts))
    assert found.spending_.rows == 300
    assert found.spending_.asked == sum(part.asked for part in parts)
    assert found.coef_.shape == (1, 6)
    assert np.any(found.coef_[0, 4:])


def test_partitions_toss_coins_of_their_own() -> None:
    X, y = rows(300)
    given = read(X, y=y, dtype="float64")
    alone = learner(delta=0.1)
    model = to_bytes(alone)
    learned = [from_bytes(learned_from(model, place, given).model) for place in range(4)]
    assert alone.run(X, y).asked.sum() == learned[0].spending_.asked
    assert alone.coef_.tolist() == learned[0].coef_.tolist()
    assert len({tuple(one.coef_[0]) for one in learned}) == 4  # other rows were asked


def test_without_an_update_nothing_moves() -> None:
    X, y = rows(100)
    begun = learner("PA-II").fit(X, y)
    sure = read(1000.0 * X, y=begun.predict(X), dtype="float64")
    silent = [learned_from(to_bytes(begun), place, sure) for place in (0, 1)]
    assert [part.updates for part in silent] == [0, 0]
    np.testing.assert_array_equal(from_bytes(mixed(to_bytes(begun), silent)).coef_, begun.coef_)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (askance.Learner(), "known before the first row"),
        (askance.make("MPAA-II", classes=[0, 1, 2]), "mixing needs two classes"),
        (askance.make("PA-II", classes=[0, 1], scaling="standard"), "scale them before mixing"),
        (learner("D-ADA"), "cannot be averaged"),
        (learner("AROW"), "cannot be averaged"),
        (learner("NAROW-diag"), "cannot be averaged"),
        (learner("IELLIP-diag"), "variances of IELLIP soon stop changing"),
        (
            askance.Learner(updates.Perceptron(), queries.Within(queries.Margin(), limit=9), classes=[0, 1]),
            "has a memory",
        ),
    ],
)
def test_what_cannot_be_mixed_is_refused(given: askance.Learner, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        check_mixable(given)
    assert "\n" not in str(caught.value)


WORDS = ("spark", "mix", "--input", "in", "--output", "out.model", "--checkpoint", "state", "--classes")


def test_the_command_complains_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.chdir(tmp_path)
    assert "give two different classes" in complaint(*WORDS, "1")
    assert "cannot be averaged" in complaint(*WORDS, "-1,1", "--algorithm", "AROW")


# ---------------------------------------------------------------------- on Spark


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    with running("spark"):
        from pyspark.sql import SparkSession

        yield SparkSession.getActiveSession()


def write_files(directory: Path, count: int) -> list[tuple[Any, Any]]:
    """Files of JSON lines, in the order in which Spark takes them."""
    import json
    import os

    directory.mkdir()
    parts = []
    for number in range(count):
        X, y = rows(60, random_state=number)
        path = directory / f"{number:03d}.jsonl"
        lines = [
            {"label": int(b), **{f"f{j}": float(x) for j, x in enumerate(a)}} for a, b in zip(X, y, strict=True)
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        os.utime(path, (1e9 + number, 1e9 + number))
        parts.append(path)
    return parts


def simulated(model: bytes, files: list[Any], together: int) -> bytes:
    for first in range(0, len(files), together):
        parts = [read(path, dtype="float64") for path in files[first : first + together]]
        model = mixed(model, [learned_from(model, place, part) for place, part in enumerate(parts)])
    return model


@pytest.mark.soak
def test_spark_mixes_as_it_is_done_here_and_goes_on_after_an_interruption(session: Any, tmp_path: Path) -> None:
    files = write_files(tmp_path / "in", 5)
    begun = learner()
    wish = MixRequest(str(tmp_path / "in"), tmp_path / "out.model", tmp_path / "state", files=2)
    seen: list[MixedBatch] = []

    def stop_at_the_second(batch: MixedBatch) -> None:
        seen.append(batch)
        if batch.number == 1:
            raise RuntimeError("stopped")

    with pytest.raises(Exception, match="stopped"):
        mix(session, begun, wish, stop_at_the_second)
    assert [batch.rows for batch in seen] == [120, 120]
    found = mix(session, begun, wish, seen.append)
    assert [(batch.number, batch.partitions) for batch in seen] == [(0, 2), (1, 2), (2, 1)]
    expected = simulated(to_bytes(begun), files, 2)
    assert to_bytes(found) == expected
    assert (tmp_path / "out.model").read_bytes() == expected
    assert to_bytes(mix(session, begun, wish, seen.append)) == expected  # nothing is mixed twice
    assert len(seen) == 3
    with pytest.raises(ValueError, match="nowhere is not a directory"):
        mix(session, begun, wish._replace(directory="nowhere"))
    with pytest.raises(ValueError, match="has a model with other rules or parameters"):
        mix(session, learner("PA-II"), wish)


@pytest.mark.soak
def test_the_command(session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = write_files(tmp_path / "in", 4)
    told = output(*WORDS, "-1,1", "--dtype", "float64", "--once", "--files-per-batch", "2", "--seed", "5")
    assert "240 rows in 2 batches" in told
    assert askance.load("out.model").spending_.rows == 240
    assert (tmp_path / "out.model").read_bytes() == simulated(to_bytes(learner(classes=[-1.0, 1.0])), files, 2)
    again = output(*WORDS, "-1,1", "--dtype", "float64", "--once", "--seed", "5")
    assert "there are no new files" in again
