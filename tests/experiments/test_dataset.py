"""Data of experiments, permutations, and trials on them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import askance
from askance.data import read, read_table
from askance.errors import ParameterError
from askance.experiments.dataset import LARGER, load_datasets, make_dataset, shuffled, with_positive
from askance.experiments.sweep.trial import Candidate, run_trials
from askance.jit.coins import coins
from askance.rules.query import Always, AtRate, Margin
from askance.rules.update import PassiveAggressive2, Perceptron

FLOAT32 = np.dtype("float32")


def stream(classes: int = 2, rows: int = 200) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 6)) * (rng.random((rows, 6)) < 0.3)
    return X, np.argmax(X @ rng.normal(size=(6, classes)), axis=1)


def test_labels_and_rows() -> None:
    X, y = stream()
    given = make_dataset("a", sp.csr_matrix(X), np.where(y, "spam", "ham"), FLOAT32)
    assert given.classes == ("ham", "spam")
    assert not given.many
    assert np.array_equal(given.y, np.where(y, 1.0, -1.0))
    assert sp.issparse(given.X)
    np.testing.assert_allclose(given.X.toarray(), X, rtol=1e-6)
    assert isinstance(make_dataset("a", sp.csr_matrix(X + 1), y, FLOAT32).X, np.ndarray)
    three = make_dataset("a", X, stream(3)[1], FLOAT32)
    assert three.many
    assert sorted(set(three.y)) == [0, 1, 2]
    assert given.digest != make_dataset("a", sp.csr_matrix(X), 1 - y, FLOAT32).digest
    unsorted = sp.csr_matrix((np.ones(2), [1, 0], [0, 2, 2]), shape=(2, 3))
    assert make_dataset("a", unsorted, [0, 1], FLOAT32).X[[0]].toarray().tolist() == [[1, 1, 0]]


@pytest.mark.parametrize(
    ("X", "y", "says"),
    [
        (np.ones((3, 2)), [1, 2], "one label per row"),
        (np.ones(3), [1, 2, 3], "X must be a matrix"),
        (np.ones((3, 2)), [1, 1, 1], "all rows have the label 1"),
        (np.array([[1.0, np.nan]] * 2), [0, 1], "NaN"),
    ],
)
def test_what_cannot_be_learned_from(X: Any, y: Any, says: str) -> None:
    with pytest.raises(ValueError, match=f"^bad: .*{says}"):
        make_dataset("bad", X, y, FLOAT32)


def test_what_users_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = stream()
    path = tmp_path / "small.csv"
    path.write_text("a,b,label\n1,2,x\n3,4,y\n5,6,x\n")
    assert [one.name for one in load_datasets({"one": (X, y), "two": (X, y)}, FLOAT32)] == ["one", "two"]
    assert [one.name for one in load_datasets((X, y), FLOAT32)] == ["data"]
    (read,) = load_datasets([str(path)], FLOAT32)
    assert (read.name, read.X.shape, read.classes) == ("small", (3, 2), ("x", "y"))
    np.savez(
        tmp_path / "german.npz",
        data=np.ones(3, "float32"),
        indices=np.arange(3, dtype="int32"),
        indptr=np.arange(4),
        shape=np.array([3, 3]),
        y=np.array([1, -1, 1], "int16"),
    )
    monkeypatch.setenv("ASKANCE_DATA", str(tmp_path))
    with pytest.warns(askance.errors.DataWarning):
        (named,) = load_datasets("german", FLOAT32)
    assert (named.name, named.X.shape) == ("german", (3, 3))
    with pytest.raises(ValueError, match="expected a pair"):
        load_datasets({"one": X}, FLOAT32)


def test_streams_are_data_sets(tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    path.write_text("a,b,kind,queue\n1,2,red,x\n3,4,blue,y\n5,6,red,x\n")
    stream = read(path, label="queue")
    (alone,) = load_datasets(stream, FLOAT32)
    (listed,) = load_datasets([stream], FLOAT32)
    (named,) = load_datasets({"tickets": stream}, FLOAT32)
    assert [one.name for one in (alone, listed, named)] == ["small", "small", "tickets"]
    assert alone.digest == listed.digest == named.digest
    assert alone.classes == ("x", "y")
    (typed,) = load_datasets(read_table(path, label="queue"), FLOAT32)
    assert typed.X.shape[0] == 3
    with pytest.raises(ValueError, match="small has no labels"):
        load_datasets(read(path, label=False), FLOAT32)


def test_two_data_sets_of_one_name_are_refused(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "train.csv").write_text("a,label\n1,x\n3,y\n")
    files = [str(tmp_path / folder / "train.csv") for folder in ("one", "two")]
    with pytest.raises(ValueError, match="two data sets have the name 'train'"):
        load_datasets(files, FLOAT32)


def test_a_permutation_is_decided_by_seed_and_number() -> None:
    given = make_dataset("a", *stream(), FLOAT32)
    one, same, other = shuffled(given, 0, 1), shuffled(given, 0, 1), shuffled(given, 0, 2)
    assert np.array_equal(one.y, same.y)
    assert np.array_equal(one.coins, same.coins)
    assert not np.array_equal(one.y, other.y)
    assert not np.array_equal(one.coins, other.coins)
    assert sorted(one.y) == sorted(given.y)
    assert len(set(one.coins[:50]) & set(coins(0, 0, 200))) == 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_trials_are_runs(dtype: str) -> None:
    given = make_dataset("a", *stream(), np.dtype(dtype))
    rows = shuffled(given, 0, 0)
    candidates = [Candidate(PassiveAggressive2(c), Margin(b), 1.0) for c in (0.1, 1.0) for b in (0.1, 1.0)]
    candidates.insert(1, Candidate(Perceptron(), Always(), -1.0))
    candidates.insert(2, Candidate(PassiveAggressive2(1.0), AtRate(Margin(1.0), 0.3), 1.0))
    trials = run_trials(candidates, given, rows, parts=4)
    assert len(trials) == len(candidates)
    for candidate, trial in zip(candidates, trials, strict=True):
        learner = askance.Learner(
            candidate.update, candidate.query, dtype=dtype, sgn0=candidate.at_zero, classes=[-1, 1]
        )
        trace = learner.run(rows.X, rows.y.astype(int), coins=rows.coins)
        for last, counts in zip((50, 100, 150, 200), trial.counts, strict=True):
            wrong = (trace.predictions != rows.y)[:last]
            assert counts.rows == last
            assert abs(counts.asked - trace.asked[:last].sum()) <= (dtype == "float32")
            assert abs(counts.mistakes - wrong.sum()) <= 2 * (dtype == "float32")
            assert abs(counts.false_negatives - (wrong & (rows.y[:last] > 0)).sum()) <= 2 * (dtype == "float32")
            assert counts.known == last
        assert trial.seconds > 0


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("classes", [2, 3])
def test_threads_change_no_trial(dtype: str, classes: int) -> None:
    given = make_dataset("a", *stream(classes), np.dtype(dtype))
    rows = shuffled(given, 0, 0)
    candidates = [Candidate(PassiveAggressive2(2.0**k), Margin(2.0**k), 1.0) for k in range(-10, 10)]
    candidates[3:3] = [Candidate(PassiveAggressive2(c), AtRate(Margin(1.0), 0.3), 1.0) for c in (0.1, 1.0)]
    alone, together = (run_trials(candidates, given, rows, 2, threads) for threads in (1, 3))
    assert [trial.counts for trial in alone] == [trial.counts for trial in together]


def test_trials_of_many_classes() -> None:
    given = make_dataset("a", *stream(3), FLOAT32)
    rows = shuffled(given, 0, 0)
    (trial,) = run_trials([Candidate(PassiveAggressive2(1.0), Margin(1.0), 1.0)], given, rows)
    learner = askance.Learner(PassiveAggressive2(1.0), Margin(1.0), classes=[0, 1, 2], multiclass=True)
    trace = learner.run(rows.X, rows.y.astype(int), coins=rows.coins)
    assert trial.counts[0].mistakes == (trace.predictions != rows.y).sum()
    assert trial.counts[0].asked == trace.asked.sum()


def test_the_positive_class_is_the_rarer_one_or_the_one_that_is_named() -> None:
    X = np.eye(10)
    given = make_dataset("frauds", X, ["fraud"] * 2 + ["ok"] * 8, np.dtype(float))
    assert (given.classes, given.y.tolist()) == (("fraud", "ok"), [-1.0] * 2 + [1.0] * 8)
    for positive in (None, "fraud"):
        turned = with_positive(given, positive)
        assert (turned.classes, turned.y.tolist()) == (("ok", "fraud"), [1.0] * 2 + [-1.0] * 8)
        assert turned.digest != given.digest
    for positive in (LARGER, "ok"):
        assert with_positive(given, positive) is given
    with pytest.raises(ParameterError, match="positive must be one of 'fraud', 'ok', not 'yes'"):
        with_positive(given, "yes")
    many = make_dataset("many", X, np.arange(10) % 3, np.dtype(float))
    assert with_positive(many, None) is many
    with pytest.raises(ValueError, match="many: positive is for two classes, and there are 3"):
        with_positive(many, 1)
