"""Few labels: splits, noise, tables."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from askance._util.table_rows import column
from askance.experiments import papers
from askance.experiments.dataset import make_dataset
from askance.experiments.papers import few_labels
from askance.experiments.papers.few_labels import FewLabelsMethod, FewLabelsPlan, run_few_labels, split
from askance.experiments.papers.yan2016_rossel import ENSEMBLE, ROSSEL, SVM
from command_line import output

pytestmark = pytest.mark.compiled  # the optimization takes minutes with the compiler off

SMALL = FewLabelsPlan(splits=2, tuning=1, labelled=0.2)


def words(rows: int = 120, classes: int = 3, random_state: int = 0) -> tuple[Any, Any]:
    """Counts of words, some of which tell the class."""
    random = np.random.default_rng(random_state)
    y = np.arange(rows) % classes
    X = random.poisson(0.4, size=(rows, 12)).astype(float)
    X[np.arange(rows), y] += random.poisson(1.5, size=rows)
    X[np.arange(rows), 11] += 1
    return X, y


def made(**changed: Any) -> Any:
    return make_dataset("made", *words(**changed), np.dtype(float))


@pytest.mark.parametrize("even", [True, False])
def test_a_split_has_the_shares_it_should_and_no_row_twice(even: bool) -> None:
    data = made()
    marked = data._replace(X=np.arange(120.0)[:, None])
    part = split(marked, FewLabelsPlan(labelled=0.1, even=even), 0)
    assert sorted(np.concatenate([part.X, part.test_X])[:, 0].tolist()) == list(range(120))
    known = part.y != few_labels.UNLABELLED
    assert known.sum() == 12
    assert len(part.test_y) == 24
    assert np.array_equal(part.y[known], data.y[part.X[known, 0].astype(int)])
    assert np.array_equal(part.test_y, data.y[part.test_X[:, 0].astype(int)])
    counts = {
        tuple(np.bincount(split(marked, FewLabelsPlan(labelled=0.1, even=even), n).y[:12])) for n in range(9)
    }
    assert (counts == {(4, 4, 4)}) == even


def test_noise_switches_as_many_labels_and_nothing_else() -> None:
    data = made()
    clean, noisy = (split(data, FewLabelsPlan(labelled=0.5), 3, noise) for noise in (0.0, 0.1))
    assert np.array_equal(clean.X, noisy.X)
    assert np.array_equal(clean.test_X, noisy.test_X)
    assert (clean.y != noisy.y).sum() == 6
    assert ((noisy.y >= 0) == (clean.y >= 0)).all()
    assert noisy.y.max() <= 2


def test_rare_words_weigh_more_by_the_rows_to_learn_from_alone() -> None:
    data = made()
    part = split(data, FewLabelsPlan(words=("made",)), 0)
    order = split(data, FewLabelsPlan(), 0)
    idf = np.log(97 / (1 + np.count_nonzero(order.X, axis=0))) + 1
    expected = order.test_X * idf
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(part.test_X.toarray(), expected, rtol=1e-12)


def test_settings_are_chosen_on_splits_that_are_not_reported() -> None:
    seen = []

    class Spy:
        def __init__(self, random_state: int, answer: int) -> None:
            self.random_state, self.answer = random_state, answer

        def fit(self, X: Any, y: Any) -> None:
            seen.append((self.random_state, self.answer, int((y < 0).sum())))

        def predict(self, X: Any) -> Any:
            return np.full(X.shape[0], self.answer)

    method = FewLabelsMethod("spy", Spy, ({"answer": 7}, {"answer": 1}), semi=True)
    rows = run_few_labels({"made": words()}, [method], SMALL, n_jobs=1, backend="sequential")
    assert [one[:2] for one in seen] == [(2, 7), (2, 1), (0, 1), (1, 1)]
    assert {one[2] for one in seen} == {72}  # rows without a label, of 96 to learn from
    assert [row["split"] for row in rows] == [0, 1]
    assert all(json.loads(row["setting"]) == {"answer": 1} for row in rows)
    supervised = method._replace(semi=False)
    seen.clear()
    run_few_labels({"made": words()}, [supervised], SMALL, n_jobs=1, backend="sequential")
    assert {one[2] for one in seen} == {0}


@pytest.mark.slow
def test_annotators_and_noises_are_varied_where_there_are_any() -> None:
    few = [one._replace(settings=one.settings[-1:]) for one in (SVM, ENSEMBLE, ROSSEL)]
    plan = SMALL._replace(annotators=(2, 3), noises=(0.0, 0.2))
    rows = run_few_labels({"made": words()}, few, plan, n_jobs=1, backend="sequential")
    assert len(rows) == 2 * 2 * (1 + 2 + 2)
    assert {(row["algorithm"], row["annotators"]) for row in rows} == {
        *(("SVM", 0), ("ensemble", 2), ("ensemble", 3)),
        *(("ROSSEL", 2), ("ROSSEL", 3)),
    }
    assert [len(column(rows, "accuracy", noise=noise)) for noise in plan.noises] == [10, 10]
    assert len(set(column(rows, "accuracy", algorithm="SVM"))) > 1  # splits and noises differ


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small file that stands for one of the data sets; the first setting is taken."""
    X, y = words(rows=60)
    np.savez(tmp_path / "cnae9.npz", X=X, y=y)
    monkeypatch.setenv("ASKANCE_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(few_labels, "_tuned", lambda *_: 0)
    monkeypatch.setattr(papers, "QUICK", 2)
    return tmp_path


@pytest.mark.soak
def test_the_command(small: Path) -> None:
    told = output("reproduce", "yan2016-rossel", "--quick", "--backend", "sequential")
    assert "ROSSEL" in told
    directory = small / "reproduced" / "yan2016-rossel"
    for name, picture in (("noise", "noise.png"), ("annotators", "annotators.png")):
        assert (directory / name / picture).stat().st_size > 10_000
    text = (directory / "3.3" / "report.md").read_text()
    assert "Left out" in text
    assert "| ROSSEL-50 | 85.04 | " in text
    assert "mean loss over all noise levels" in (directory / "noise" / "report.md").read_text()
    answer = json.loads(
        output("reproduce", "yan2016-rossel", "3.3", "--quick", "--backend", "sequential", "--json")
    )
    rows = json.loads((directory / "3.3" / "results.json").read_text())
    figure = next(one for one in answer["tables"][0]["figures"] if one["algorithm"] == "ROSSEL-10")
    assert figure["accuracy"] == pytest.approx(column(rows, "accuracy", algorithm="ROSSEL-10").mean())
    assert figure["published"] == 85.11
