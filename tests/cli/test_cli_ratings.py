"""`askance ratings`: fit, predict and recommend on made-up ratings, and what is said of mistakes."""

import csv
import json
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from askance.ratings import MaxMarginFactorization
from askance.ratings.files import load
from askance.ratings.fitting import FitStep
from command_line import answer, askance, complaint, output
from processes import Terminal

pytestmark = pytest.mark.slow

USERS, ITEMS = 40, 25
SETTINGS = ("--rank", 2, "--n-jobs", 1)


def made_ratings() -> list[tuple[int, int, int]]:
    """Who rated what: two kinds of users, two kinds of items, and noise."""
    random = np.random.default_rng(3)
    scores = (
        3
        + random.normal(size=(USERS, 2)) @ random.normal(size=(2, ITEMS))
        + 0.3 * random.normal(size=(USERS, ITEMS))
    )
    levels = np.clip(np.round(scores), 1, 5).astype(int)
    places = np.argwhere(random.random((USERS, ITEMS)) < 0.7)
    return [(int(user) + 100, int(item) + 500, int(levels[user, item])) for user, item in places]


def write(path: pathlib.Path, header: list[str], rows: Any) -> pathlib.Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def lines_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A directory with ratings.csv, a model of it, and text.csv, whose ids are text, with a model too."""
    directory = tmp_path_factory.mktemp("ratings")
    rows = made_ratings()
    write(directory / "ratings.csv", ["userId", "movieId", "rating"], rows)
    named = [(f"u{user}" if user % 2 else user, f"film {item}", rating) for user, item, rating in rows]
    write(directory / "text.csv", ["user", "item", "rating"], named)
    for name in ("ratings", "text"):
        output("ratings", "fit", directory / f"{name}.csv", "--out", directory / f"{name}.model", *SETTINGS)
    return directory


def library_model(files: pathlib.Path, **options: Any) -> MaxMarginFactorization:
    users, items, ratings = map(np.array, zip(*made_ratings(), strict=True))
    return MaxMarginFactorization(**({"rank": 2, "n_jobs": 1} | options)).fit(users, items, ratings)


@pytest.mark.slow
def test_the_model_is_that_of_the_library(files: pathlib.Path, tmp_path: pathlib.Path) -> None:
    said = answer("ratings", "fit", files / "ratings.csv", "--out", tmp_path / "m", *SETTINGS, "--seed", 5)
    wanted = library_model(files, random_state=5)
    found = load(tmp_path / "m")
    assert np.array_equal(found.user_factors_, wanted.user_factors_)
    assert (said["users"], said["items"], said["ratings"]) == (USERS, ITEMS, len(made_ratings()))
    assert said["levels"] == [1, 2, 3, 4, 5]
    assert said["rank"] == 2
    assert said["objective"] == pytest.approx(wanted.objective_)
    assert said["rmse_held_back"] == pytest.approx(wanted.validation_rmse_)
    assert [stage["rank"] for stage in said["path"]] == [0, 2]
    assert said["test"] is None
    assert said["model"] == str(tmp_path / "m")


@pytest.mark.slow
def test_options_reach_the_model(files: pathlib.Path, tmp_path: pathlib.Path) -> None:
    said = answer(
        *("ratings", "fit", files / "ratings.csv", "--out", tmp_path / "m", "--regularization", 0.3),
        *("--thresholds", "user", "--max-rank", 3, "--levels", "1,2,3,4,5,6", "--n-jobs", 1),
        *("--users", "movieId", "--items", "1"),
    )
    assert (said["users"], said["items"]) == (ITEMS, USERS)
    assert said["levels"] == [1, 2, 3, 4, 5, 6]
    model = load(tmp_path / "m")
    assert (model.rank, model.regularization, model.thresholds, model.max_rank) == ("auto", 0.3, "user", 3)
    assert len(model.thresholds_) == ITEMS


def test_the_report_of_a_fit_with_a_test_part(files: pathlib.Path, tmp_path: pathlib.Path) -> None:
    words = "ratings", "fit", files / "ratings.csv", "--out", tmp_path / "m", "--test", 0.25, *SETTINGS
    said, told = answer(*words), output(*words)
    total = len(made_ratings())
    assert said["test"]["ratings"] == round(total / 4)
    assert said["ratings"] == total - round(total / 4)
    assert 0 < said["test"]["expected_rmse"] < said["test"]["rmse"] < 1.2
    model = load(tmp_path / "m")
    learned = {
        (user, item)
        for user in model.users_
        for item in model.items_[model._ratings.items_of(int(np.flatnonzero(model.users_ == user)[0]))]
    }
    apart = [row for row in made_ratings() if row[:2] not in learned]
    users, items, ratings = map(np.array, zip(*apart, strict=True))
    assert len(apart) == said["test"]["ratings"]
    assert said["test"]["rmse"] == pytest.approx(-model.score(users, items, ratings))
    assert f"{said['ratings']:,} ratings of {said['items']} items by {said['users']} users" in told
    assert "rank      2, as given" in told
    assert f"RMSE {said['test']['rmse']:.4f}" in " ".join(told.split())
    assert "validation RMSE" in told
    assert str(tmp_path / "m") in told


def test_repeated_pairs_are_counted_and_not_held_out(tmp_path: pathlib.Path) -> None:
    rows = [(user, item, 1 + (user + item) % 5) for user in range(6) for item in range(5)]
    wrong = [(user, item, 6 - rating) for user, item, rating in rows[:2]]
    path = write(tmp_path / "a.csv", ["user", "item", "rating"], [*wrong, wrong[0], *rows])
    words = "ratings", "fit", path, "--out", tmp_path / "m", "--rank", 1
    said = answer(*words, "--test", 0.5)
    assert (said["repeated_pairs"], said["ratings"], said["test"]["ratings"]) == (2, 15, 15)
    assert "2 pairs were rated more than once: the last rating in the file counts" in output(*words)
    write(path, ["user", "item", "rating"], [wrong[0], *rows])
    assert "1 pair was rated more than once" in output(*words)
    write(path, ["user", "item", "rating"], rows)
    assert "more than once" not in output(*words)


def test_a_rank_that_helps_less_than_given_is_not_as_given(tmp_path: pathlib.Path) -> None:
    path = write(tmp_path / "a.csv", ["user", "item", "rating"], [(195, 241, 2), (185, 301, 4), (21, 376, 5)])
    told = output("ratings", "fit", path, "--out", tmp_path / "m", "--rank", 3)
    assert "rank      2, not 3 as given: more factors do not help" in told


@pytest.mark.slow
def test_predictions_are_those_of_the_library(files: pathlib.Path, tmp_path: pathlib.Path) -> None:
    rows = [*made_ratings()[:30], (999, 500, 4), (101, 999, 2), (102, 998, 2)]
    pairs = write(tmp_path / "pairs.csv", ["user", "item", "stars"], rows)
    model = load(files / "ratings.model")
    users, items, ratings = map(np.array, zip(*rows, strict=True))
    said = answer("ratings", "predict", files / "ratings.model", pairs)
    assert (said["pairs"], said["unknown_users"], said["unknown_items"]) == (33, 1, 2)
    assert said["errors"]["rmse"] == pytest.approx(-model.score(users, items, ratings))
    told = said["predictions"]
    assert [one["predicted"] for one in told] == model.predict(users, items).tolist()
    assert [one["expected"] for one in told] == pytest.approx(model.predict_expected(users, items).tolist())
    assert np.allclose([one["probabilities"] for one in told], model.predict_proba(users, items))
    assert [(one["user"], one["item"], one["rating"]) for one in told] == rows

    out = tmp_path / "told.csv"
    report = output("ratings", "predict", files / "ratings.model", pairs, "--out", out)
    assert f"RMSE {said['errors']['rmse']:.4f}" in report
    assert "treated as average: users 1, items 2" in report
    written = lines_of(out.read_text())
    assert list(written[0]) == [
        "user",
        "item",
        "rating",
        "predicted",
        "expected",
        *(f"p({n})" for n in range(1, 6)),
    ]
    assert [float(line["expected"]) for line in written] == pytest.approx(
        [one["expected"] for one in told], rel=1e-5
    )
    assert sum(float(written[0][f"p({n})"]) for n in range(1, 6)) == pytest.approx(1, abs=1e-4)
    assert answer("ratings", "predict", files / "ratings.model", pairs, "--out", out)["out"] == str(out)

    printed = askance("ratings", "predict", files / "ratings.model", pairs)
    assert printed.exit_code == 0
    assert printed.stdout == out.read_text()
    assert "33 pairs" in printed.stderr


def test_ids_that_are_text_in_the_model_and_numbers_in_the_file(
    files: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    pairs = write(tmp_path / "pairs.csv", ["user", "item"], [(100, "film 500"), (102, "film 501")])
    said = answer("ratings", "predict", files / "text.model", pairs)
    assert (said["unknown_users"], said["unknown_items"]) == (0, 0)
    pairs = write(tmp_path / "pairs.csv", ["user", "item"], [("100", 500), ("nobody", 501)])
    said = answer("ratings", "predict", files / "ratings.model", pairs)
    assert (said["unknown_users"], said["unknown_items"]) == (1, 0)


@pytest.mark.slow
def test_recommendations(files: pathlib.Path) -> None:
    model = load(files / "ratings.model")
    said = answer("ratings", "recommend", files / "ratings.model", 105, 7777, "nobody", "-n", 4)["users"]
    best = model.recommend(105, 4)
    assert [one["item"] for one in said[0]["recommended"]] == best.items.tolist()
    assert [one["expected"] for one in said[0]["recommended"]] == pytest.approx(best.ratings.tolist())
    assert [(one["user"], one["known"]) for one in said] == [(105, True), (7777, False), ("nobody", False)]
    assert said[1]["recommended"] == said[2]["recommended"]
    rated = {item for user, item, _ in made_ratings() if user == 105}
    assert not rated & {one["item"] for one in said[0]["recommended"]}
    told = output("ratings", "recommend", files / "ratings.model", 105, "nobody", "-n", 4)
    known, stranger = told.split("\n\n")
    assert known.startswith("user 105\n")
    assert "not known" not in known
    assert str(best.items[0]) in known
    assert "user nobody\nis unknown to the model" in stranger


def test_recommendations_where_ids_are_text(files: pathlib.Path) -> None:
    said = answer("ratings", "recommend", files / "text.model", 100, "u101", 101, "-n", 1)["users"]
    assert [(one["user"], one["known"]) for one in said] == [("100", True), ("u101", True), ("101", False)]
    assert said[0]["recommended"][0]["item"].startswith("film ")


def test_a_user_who_has_rated_everything(tmp_path: pathlib.Path) -> None:
    rows = [("keen", item, 1 + item % 3) for item in range(6)] + [("lazy", 1, 2), ("lazy", 2, 3)]
    path = write(tmp_path / "a.csv", ["user", "item", "rating"], rows)
    output("ratings", "fit", path, "--out", tmp_path / "m", "--rank", 1)
    assert output("ratings", "recommend", tmp_path / "m", "keen") == "user keen\nhas rated every item\n"
    said = answer("ratings", "recommend", tmp_path / "m", "keen", "lazy")["users"]
    assert [len(one["recommended"]) for one in said] == [0, 4]


def test_recommendations_for_everyone(files: pathlib.Path, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "all.csv"
    assert (
        answer("ratings", "recommend", files / "ratings.model", "--all", "--out", out, "-n", 2)["users"] == USERS
    )
    assert str(out) in output("ratings", "recommend", files / "ratings.model", "--all", "--out", out, "-n", 2)
    model = load(files / "ratings.model")
    written = lines_of(out.read_text())
    assert {line["user"] for line in written} == set(map(str, model.users_))
    mine = [line for line in written if line["user"] == "105"]
    assert [line["place"] for line in mine] == ["1", "2"]
    assert [int(line["item"]) for line in mine] == model.recommend(105, 2).items.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("stop_at", [1, 6])
def test_interrupted_it_goes_on_from_its_checkpoint(
    files: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, stop_at: int
) -> None:
    words = "ratings", "fit", files / "ratings.csv", "--out", tmp_path / "m", "--n-jobs", 1, "--test", 0.1
    words = *words, "--max-rank", 2
    at_once = answer(*words)
    (tmp_path / "m").unlink()
    line, seen = FitStep.__str__, []

    def interrupt(progress: Any) -> str:
        seen.append(progress)
        if len(seen) == stop_at:
            raise KeyboardInterrupt
        return line(progress)

    monkeypatch.setattr(FitStep, "__str__", interrupt)
    stopped = askance(*words, "--checkpoint", tmp_path / "c")
    assert stopped.exit_code == 130
    assert stopped.stdout == ""
    said = stopped.stderr.splitlines()
    kept = (tmp_path / "c").exists()
    assert kept == (stop_at > 1)  # nothing was there to keep before the first iteration was done
    assert said[-1] == "askance: interrupted"
    assert said[:-1] == (
        [f"askance: progress is saved in {tmp_path / 'c'}: run the same command again to continue"] if kept else []
    )
    assert not (tmp_path / "m").exists()
    again = answer(*words, "--checkpoint", tmp_path / "c")
    assert again == at_once
    assert not (tmp_path / "c").exists()
    iterations = len(seen) - stop_at
    seen.clear()
    monkeypatch.setattr(FitStep, "__str__", lambda progress: seen.append(progress) or line(progress))
    answer(*words)
    assert iterations <= len(seen) - max(stop_at - 2, 0)  # it did not begin anew


def test_a_checkpoint_of_something_else_is_refused(files: pathlib.Path, tmp_path: pathlib.Path) -> None:
    words = "ratings", "fit", files / "ratings.csv", "--out", tmp_path / "m"
    said = complaint(*words, "--checkpoint", files / "ratings.model")
    assert said == f"{files / 'ratings.model'} is not a checkpoint of a ratings fit"
    assert (files / "ratings.model").exists()
    assert "the directory does not exist" in complaint(*words, "--checkpoint", tmp_path / "none" / "c")
    assert "is the same file as --out" in complaint(*words, "--checkpoint", tmp_path / "m")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--rank", "0"), "--rank 0: give auto or a whole number, 1 or more"),
        (("--rank", "many"), "--rank many: give auto"),
        (("--rank", "99"), "rank must be at most 25"),
        (("--regularization", "1.5"), "--regularization 1.5: give a number between 0 and 1"),
        (("--thresholds", "all"), "--thresholds all: give global or user"),
        (("--test", "1"), "--test 1: give a share between 0 and 1"),
        (("--test", "0.0001"), "--test 0.0001: would hold out 0 of"),
        (("--n-jobs", "0"), "--n-jobs 0: give"),
        (("--levels", "1,two"), "--levels 1,two: give numbers"),
        (("--levels", "1,2"), "the rating 3 is not one of the levels"),
        (("--users", "who"), "line 1: there is no column 'who' of users among 'userId', 'movieId', 'rating'"),
        (("--delimiter", "|"), "line 1: has 1 cells where 3 are needed"),
    ],
)
def test_mistakes_in_a_fit(files: pathlib.Path, tmp_path: pathlib.Path, options: Any, said: str) -> None:
    assert said in complaint("ratings", "fit", files / "ratings.csv", "--out", tmp_path / "m", *options)
    assert list(tmp_path.iterdir()) == []


def test_faults_speak_of_options(tmp_path: pathlib.Path) -> None:
    path = write(tmp_path / "a.csv", ["who", "what", "how"], [(1, 2, 3), (1, 3, 3)])
    assert complaint("ratings", "fit", path, "--out", tmp_path / "m").endswith("name it with --users")
    columns = ("--users", "who", "--items", "what", "--ratings", "how")
    said = complaint("ratings", "fit", path, "--out", tmp_path / "m", *columns)
    assert said.endswith("every rating is 3, so there is nothing to learn: give all levels with --levels")
    path.write_text("user,item,rating\n1,2,3\n1,2\n")
    assert complaint("ratings", "fit", path, "--out", tmp_path / "m").startswith(f"{path}, line 3: has 2 cells")
    assert "pass --delimiter" in complaint("ratings", "fit", write(path, ["word"], []), "--out", tmp_path / "m")


def test_wrong_files(files: pathlib.Path, tmp_path: pathlib.Path) -> None:
    model, ratings = files / "ratings.model", files / "ratings.csv"
    content = model.read_bytes()
    assert "would overwrite the data" in complaint("ratings", "fit", ratings, "--out", ratings)
    assert "there is no such file" in complaint("ratings", "fit", tmp_path / "none.csv", "--out", tmp_path / "m")
    assert "cannot be written" in complaint("ratings", "fit", ratings, "--out", tmp_path / "none" / "m")
    for words in (("predict", ratings, ratings), ("recommend", ratings, 1)):
        assert complaint("ratings", *words).startswith(f"{ratings} is not an askance model")
    assert "cannot be read" in complaint("ratings", "recommend", tmp_path / "none", 1)
    assert "is no" in complaint("ratings", "predict", model, model)
    assert "must end in .csv" in complaint("ratings", "predict", model, ratings, "--out", tmp_path / "m")
    copy = tmp_path / "model.csv"
    copy.write_bytes(content)
    assert "would overwrite" in complaint("ratings", "predict", copy, ratings, "--out", copy)
    assert "would overwrite" in complaint("ratings", "recommend", copy, "--all", "--out", copy)
    damaged = bytearray(content)
    damaged[-1] ^= 1
    copy.write_bytes(damaged)
    assert "checksum" in complaint("ratings", "recommend", copy, 1)
    assert model.read_bytes() == content


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give ids of users"),
        (("--all",), "--all and --out go together"),
        (("1", "--out", "a.csv"), "--all and --out go together"),
        (("1", "--all", "--out", "a.csv"), "remove 1"),
        (("1", "-n", "0"), "Invalid value for '-n'"),
    ],
)
def test_mistakes_in_recommending(files: pathlib.Path, words: Any, said: str) -> None:
    assert said in complaint("ratings", "recommend", files / "ratings.model", *words)


def test_without_words_it_shows_its_help() -> None:
    assert output("ratings").strip() == output("ratings", "--help").strip()


@pytest.mark.slow
def test_a_terminal_gets_figures_and_a_program_gets_json(files: pathlib.Path, tmp_path: pathlib.Path) -> None:
    terminal = Terminal()
    words = ["ratings", "fit", files / "ratings.csv", "--out", tmp_path / "m", "--json", *SETTINGS]
    program = [sys.executable, "-m", "askance", *map(str, words)]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=terminal.theirs, text=True)
    told, _ = process.communicate()
    assert json.loads(told)["rank"] == 2
    assert b"ratings.csv" in terminal.written()
