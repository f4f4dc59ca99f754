"""Ratings: made-up ones, splits, and the tables of factorisations."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from askance._util.table_rows import column, matching
from askance.datasets.ratings import load_ratings
from askance.errors import DataError, DataWarning
from askance.experiments import papers
from askance.experiments.papers import convergence, ratings
from askance.experiments.papers.convergence import run_convergence
from askance.experiments.papers.ratings import TINY, Rated, RatingsMethod, RatingsPlan, RatingsTask, run_ratings
from askance.jit.kernels import rating_sweeps
from askance.ratings import synthetic
from askance.ratings.synthetic import SyntheticRatings
from command_line import output

pytestmark = pytest.mark.compiled  # the optimization takes minutes with the compiler off

ALONE = {"n_jobs": 1, "backend": "sequential"}
METHODS = (RatingsMethod("free", {}), RatingsMethod("given", {}, rank_given=True))


def given(ratings: int = 400, random_state: int = 0) -> Rated:
    """Ratings that stand for those that users gave."""
    random = np.random.default_rng(random_state)
    pairs = random.permutation(30 * 40)[:ratings]
    return Rated(pairs // 40, pairs % 40, random.integers(1, 6, ratings).astype(float))


def not_again(*_given: Any) -> None:
    pytest.fail("what was kept is done again")


def test_made_up_ratings_are_bins_of_a_matrix_of_that_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    dots = rating_sweeps.dots

    def spy(left: Any, right: Any, users: Any, items: Any, found: Any) -> None:
        dots(left, right, users, items, found)
        seen.extend([left, right, users, items, found.copy()])

    monkeypatch.setattr(rating_sweeps, "dots", spy)
    problem = SyntheticRatings(users=50, items=40, rank=4)
    learned, tested = problem.part(3)
    left, right, users, items, scores = seen
    assert left.shape == (50, 4)
    np.testing.assert_allclose(right.T @ right, np.eye(4), atol=1e-12)
    between = left.T @ left  # diag(δ²)
    np.testing.assert_allclose(between, np.diag(np.diag(between)), atol=1e-9)
    assert len(learned.ratings) == problem.learned == round(3.5 * 4 * 86)
    assert len(tested.ratings) == 301
    pairs = np.concatenate([part.users * 40 + part.items for part in (learned, tested)])
    assert np.array_equal(pairs, users * 40 + items)
    assert len(np.unique(pairs)) == len(pairs)
    ratings = np.concatenate([learned.ratings, tested.ratings])
    assert np.all(np.diff(ratings[np.argsort(scores)]) >= 0)
    assert np.ptp(np.bincount(ratings.astype(int))[1:]) <= 1
    signs = np.concatenate([part.ratings for part in problem._replace(levels=2).part(3)])
    assert np.array_equal(signs, np.sign(scores))


def test_the_seed_decides_what_is_made_up() -> None:
    one, same, other = (TINY.part(*random_state).learned for random_state in ((0, 1), (0, 1), (0, 2)))
    assert all(np.array_equal(*pair) for pair in zip(one, same, strict=True))
    assert not np.array_equal(one.ratings, other.ratings)


@pytest.mark.parametrize(("below", "count"), [(10**15, 5000), (1000, 500), (1000, 501), (7, 7), (7, 1)])
def test_different_numbers_are_different_and_as_many_as_wanted(below: int, count: int) -> None:
    found = synthetic._different(below, count, np.random.default_rng(0))
    assert len(np.unique(found)) == len(found) == count
    assert found.min() >= 0
    assert found.max() < below


def test_different_numbers_are_drawn_evenly_and_in_random_order() -> None:
    draws = np.array(
        [synthetic._different(20, 5, np.random.default_rng(random_state)) for random_state in range(4000)]
    )
    for place in (0, 4):
        counts = np.bincount(draws[:, place], minlength=20)
        assert abs(counts - 200).max() < 70  # five deviations


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"rank": 61}, "rank must be from 1 to 60, not 61"),
        ({"rank": 20}, "only 3600 pairs for 8750 ratings"),
        ({"levels": 1}, "levels must be from 2 to 101, not 1"),
    ],
)
def test_what_cannot_be_made_up_is_refused(wrong: dict[str, int], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        TINY._replace(**wrong).part(0)


def test_a_split_has_every_rating_once_and_a_fifth_for_the_test() -> None:
    source = given()
    learned, tested = source.part(0, 1)
    assert len(tested.ratings) == 80
    both = [np.concatenate(pair) for pair in zip(learned, tested, strict=True)]
    assert sorted(zip(*both, strict=True)) == sorted(zip(*source, strict=True))


def test_named_ratings_are_read_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASKANCE_DATA", str(tmp_path))
    source = given()
    np.savez(tmp_path / "ml100k.npz", **source._asdict())
    with pytest.warns(DataWarning, match="ml100k has 400 ratings here, 100,000 in the register"):
        found = load_ratings("ml100k")
    assert all(np.array_equal(*pair) for pair in zip(found, source, strict=True))
    np.savez(tmp_path / "ml1m.npz", users=source.users, y=source.ratings)
    with pytest.raises(DataError, match="none of the columns 'users', 'y' has a usual name for items"):
        load_ratings("ml1m")
    (tmp_path / "ml10m.csv").write_text("1,1,5\n")
    with pytest.warns(DataWarning, match="ml10m has 1 ratings here"):
        assert load_ratings("ml10m").ratings.tolist() == [5]


def test_lambda_is_chosen_on_a_split_that_is_not_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    source = given()

    def spy(part: Any, parameters: dict[str, Any]) -> dict[str, Any]:
        number = next(n for n in range(3) if np.array_equal(part.tested.users, source.part(0, n).tested.users))
        seen.append((number, parameters["regularization"], parameters["rank"]))
        rank = parameters["rank"] if parameters["rank"] != "auto" else 10 + number
        return {"rmse": abs(parameters["regularization"] - 0.2), "rank": rank}

    monkeypatch.setattr(ratings, "_fitted", spy)
    rows = run_ratings([RatingsTask("made", source, (0.1, 0.2), 2)], METHODS, RatingsPlan(), **ALONE)
    free = [(2, 0.1, "auto"), (2, 0.2, "auto"), (0, 0.2, "auto"), (1, 0.2, "auto")]
    assert seen == [*free, (2, 0.1, 12), (2, 0.2, 12), (0, 0.2, 10), (1, 0.2, 11)]
    assert [(row["algorithm"], row["split"], row["regularization"]) for row in rows] == [
        *(("free", 0, 0.2), ("free", 1, 0.2)),
        *(("given", 0, 0.2), ("given", 1, 0.2)),
    ]


def test_made_up_ratings_are_told_with_their_true_rank_and_every_fit_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = RatingsTask("made", TINY, (1e-3,), 2)
    rows = run_ratings([task], METHODS, RatingsPlan(), store=tmp_path, **ALONE)
    assert column(rows, "rank", algorithm="given").tolist() == [TINY.rank] * 2
    assert {(row["users"], row["items"], row["learned"]) for row in rows} == {(60, 60, TINY.learned)}
    guess = np.sqrt(2)  # of the middle level, whatever the pair
    assert np.all(column(rows, "rmse") < 0.6 * guess)
    assert column(rows, "expected").mean() < column(rows, "rmse").mean()  # of a single small split it need not be
    monkeypatch.setattr(ratings, "_fitted", not_again)
    assert run_ratings([task], METHODS, RatingsPlan(), store=tmp_path, **ALONE) == rows


def test_a_descent_falls_and_more_regularisation_learns_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [RatingsMethod(f"{value:g}", {"regularization": value}, rank_given=True) for value in (1e-3, 0.9)]
    problem = TINY._replace(levels=2)
    rows = run_convergence({"made": problem}, {"made": lines}, RatingsPlan(splits=2), store=tmp_path, **ALONE)
    for row in rows:
        assert row["objective"][0] == 1
        assert np.all(np.diff(row["objective"]) <= 0)
        assert np.all(np.diff(row["seconds"]) >= 0)
        assert len(row["seconds"]) == len(row["objective"]) > 5
    weak, strong = (matching(rows, algorithm=line.label) for line in lines)
    for less, more in zip(weak, strong, strict=True):
        assert less["learned_rmse"] < more["learned_rmse"]
        assert less["objective"][-1] < more["objective"][-1]
    monkeypatch.setattr(convergence, "_fitted", not_again)
    assert (
        run_convergence({"made": problem}, {"made": lines}, RatingsPlan(splits=2), store=tmp_path, **ALONE) == rows
    )


def test_the_large_data_are_made_up_only_when_asked_for() -> None:
    assert "2.2-large" not in {table.name for table in papers.tables_of("yan2015")}
    (large,) = papers.tables_of("yan2015", "2.2-large")
    assert large.data["synthetic, large"][1] == SyntheticRatings(20_000, 20_000, 50)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small file that stands for one of the data sets."""
    np.savez(tmp_path / "ml100k.npz", **SyntheticRatings(40, 40, 3).part(7).learned._asdict())
    monkeypatch.setenv("ASKANCE_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(papers, "QUICK", 2)
    return tmp_path


@pytest.mark.soak
def test_the_command(small: Path) -> None:
    told = output("reproduce", "yan2015", "--quick", "--backend", "sequential")
    assert "BNRCG" in told
    directory = small / "reproduced" / "yan2015"
    assert sorted(path.name for path in directory.iterdir()) == ["2.2", "convergence", "overfitting"]
    for name, picture in (("overfitting", "errors.png"), ("convergence", "objectives.png")):
        assert (directory / name / picture).stat().st_size > 10_000
    text = (directory / "2.2" / "report.md").read_text()
    assert "Left out:\n\n- MovieLens 1M: " in text
    assert "- ml100k has 808 ratings here, 100,000 in the register" in text
    assert "| ARSS | 0.3693 | " in text
    assert "| LRGeomCG | 0.4679 | – |" in text
    table = json.loads(output("reproduce", "yan2015", "2.2", "--quick", "--backend", "sequential", "--json"))
    rows = json.loads((directory / "2.2" / "results.json").read_text())
    wanted = {"data": "synthetic, small", "algorithm": "BNRCG"}
    figure = next(one for one in table["tables"][0]["figures"] if wanted.items() <= one.items())
    own = column(rows, "rmse", **wanted)
    assert figure["rmse"] == pytest.approx(own.mean())
    assert figure["published"] == 0.3698
    ordering = next(one for one in table["tables"][0]["orderings"] if one["data"] == "synthetic, small")
    assert ordering["worse"] == "BNRCG"
    lead = own.mean() - column(rows, "rmse", data="synthetic, small", algorithm="ARSS").mean()
    assert ordering["lead"] == pytest.approx(lead)
    assert ordering["holds"] == (lead > 0)
