"""`askance run`: what it prints, writes and refuses."""

import json
import sys

import numpy as np
import pytest
from pyarrow import parquet
from sklearn import metrics as judge

import askance
import streams
from askance._util.names import METRIC_NAMES
from askance.cli.errors import message_of
from askance.errors import DataError, ParameterError
from askance.metrics import METRICS
from command_line import answer, complaint, mails, output, write_csv

ROWS = 3000


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return mails(tmp_path_factory.mktemp("data") / "mails.csv", ROWS)


@pytest.fixture(scope="module")
def arrays():
    made = streams.noisy(ROWS, 6)
    return made.X, np.where(made.y > 0, "spam", "ham")


def without_times(told):
    return {key: value for key, value in told.items() if key != "seconds"}


def columns(path):
    table = parquet.read_table(path)
    return {name: table[name].to_numpy() for name in table.column_names}


# ---------------------------------------------------------------------- what it prints


def test_the_table_and_the_sentence(data):
    told = output("run", data, "-a", "PAA-II", "--rate", 0.1, "--against", "random,full", "--metric", "f")
    assert "mails.csv: spam (positive) or ham" in told
    lines = [line.split() for line in told.splitlines()]
    for name in ("PAA-II", "asking at random", "asking for all"):
        line = next(line for line in lines if line[: len(name.split())] == name.split())
        assert line[len(name.split())] == "3,000"
    sentence = " ".join(told.split())
    assert "of the labels and reached F of 'spam' 0." in sentence
    assert " at random reached " in sentence
    assert "asking for all labels reached 0." in sentence
    assert all(len(line) <= 80 for line in told.splitlines())


def test_the_figures_are_those_of_the_library(data, arrays):
    told = answer(
        "run", data, "-a", "PAA-II", "--param", "C=0.5", "--param", "delta=0.2", "--seed", 4, "--dtype", "float64"
    )
    (method,) = told["methods"]
    trace = askance.make("PAA-II", C=0.5, delta=0.2, random_state=4, dtype="float64").run(*arrays)
    assert (method["rows"], method["asked"]) == (ROWS, np.count_nonzero(trace.asked))
    assert method["updates"] == np.count_nonzero(trace.updated)
    assert method["metrics"]["f"] == trace.tally().value("f")
    assert set(method["metrics"]) == set(METRICS)
    assert (told["classes"], told["positive"]) == (["ham", "spam"], "spam")


# ---------------------------------------------------------------------- the positive class


@pytest.fixture(scope="module")
def frauds(tmp_path_factory):
    """One row in ten is a fraud, which comes before ok in the alphabet."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(800) < 0.1, "fraud", "ok")
    X = np.column_stack([y == "fraud", np.ones(800)]) + rng.normal(size=(800, 2)) / 2
    return write_csv(tmp_path_factory.mktemp("data") / "frauds.csv", X, y), X, y


def test_f_is_that_of_the_rarer_class_or_of_the_one_that_is_named(frauds, tmp_path):
    path, X, y = frauds
    trace = askance.make("PAA-II").run(np.float32(X), y)
    words = ("run", path, "-a", "PAA-II", "--metric", "f", "--against", "full")
    for positive, named in (("fraud", ()), ("fraud", ("--positive", "fraud")), ("ok", ("--positive", "ok"))):
        told = answer(*words, *named)
        assert told["positive"] == positive
        assert told["classes"] == ["fraud", "ok"]
        (method, full) = told["methods"]
        assert method["metrics"]["f"] == judge.f1_score(y, trace.predictions, pos_label=positive)
        assert method["metrics"]["recall"] == judge.recall_score(y, trace.predictions, pos_label=positive)
        assert method["estimates"]["f"] == trace.estimate("f", positive=positive).as_dict()
        assert full["metrics"]["f"] != method["metrics"]["f"]
        assert f"reached F of {positive!r} {method['metrics']['f']:.3f}; " in told["sentence"]
    said = output(*words)
    assert "frauds.csv: fraud (positive) or ok" in said
    assert "reached F of 'fraud' 0." in " ".join(said.split())


def test_a_constant_prediction_is_that_of_the_larger_class(frauds):
    path, _, _ = frauds
    said = " ".join(output("run", path, "-a", "PAA-II", "--drop", "x0", "--limit", 1).split())
    assert "Always predicting ok would reach accuracy 0.9" in said


@pytest.mark.slow
@pytest.mark.parametrize("name", ["CSPAA", "OMCSL-F-h"])
def test_costs_are_about_the_positive_class(frauds, tmp_path, name):
    """Figures are those of the same rows with the names of the classes swapped, which makes the rare one last."""
    path, X, y = frauds
    swapped = write_csv(tmp_path / "swapped.csv", X, np.where(y == "ok", "fraud", "ok"))
    words = ("-a", name, "--against", "random,PAA-II", "--rate", 0.3, "--metric", "f")
    words = words if name == "CSPAA" else ("-a", name, "--metric", "f")
    wanted = answer("run", swapped, *words)
    for named in ((), ("--positive", "fraud")):
        told = answer("run", path, *words, *named, "--save", tmp_path / "rare.model")
        assert (told["positive"], wanted["positive"]) == ("fraud", "ok")
        assert (
            f"{name} takes 'fraud' for the class that matters; --positive ok chooses the other one."
            in told["notes"]
        )
        for one, other in zip(told["methods"], wanted["methods"], strict=True):
            assert one["metrics"] == other["metrics"]
            assert one["asked"] == other["asked"]
    assert (
        told["methods"][0]["metrics"]["f"]
        != answer("run", path, *words, "--positive", "ok")["methods"][0]["metrics"]["f"]
    )
    assert askance.load(tmp_path / "rare.model").positive == "fraud"
    assert "takes" not in output("run", path, "-a", "PAA-II")


def test_a_resumed_model_keeps_its_positive_class(frauds, tmp_path):
    path, X, y = frauds
    model = tmp_path / "rare.model"
    output("run", path, "-a", "CSPAA", "--save", model)
    told = answer("run", path, "--resume", model, "--positive", "ok")
    learner = askance.make("CSPAA", classes=["fraud", "ok"], positive="fraud")
    learner.run(np.float32(X), y)
    trace = learner.run(np.float32(X), y)
    assert told["methods"][0]["metrics"]["f"] == judge.f1_score(y, trace.predictions, pos_label="ok")
    assert "takes 'fraud' for the class that matters, as when it was trained" in told["notes"][0]


def test_a_pipe_shows_too_late_which_class_is_rarer(frauds):
    path, _, _ = frauds
    words = ("run", "-", "--format", "csv", "-a", "CSPAA", "--json")
    told = json.loads(output(*words, stdin=path.read_bytes()))
    assert "takes 'ok' for the class that matters, the last one, because a pipe" in told["notes"][0]
    named = json.loads(output(*words, "--positive", "fraud", stdin=path.read_bytes()))
    assert named["methods"][0]["metrics"] == answer("run", path, "-a", "CSPAA")["methods"][0]["metrics"]


def test_a_class_that_does_not_exist_is_refused_with_those_that_do(frauds, tmp_path):
    path, _, _ = frauds
    words = ("run", path, "-a", "PAA-II", "--positive", "fruad", "--save", tmp_path / "m")
    assert complaint(*words) == "--positive must be one of 'fraud', 'ok', not 'fruad'"
    assert not list(tmp_path.iterdir())
    many = write_csv(tmp_path / "many.csv", np.eye(3), ["a", "b", "c"])
    said = complaint("run", many, "-a", "MPAA-II", "--positive", "a")
    assert said == f"--positive is for two classes, and {many} has 3: remove it"


def test_mistakes_have_the_costs_that_are_given(data):
    words = ("run", data, "-a", "PAA-II", "--rate", 0.1, "--positive", "spam", "--against", "random")
    for method, again in zip(
        *(answer(*words, "--metric", name)["methods"] for name in ("cost=20:3", "f")), strict=True
    ):
        recall, precision = (again["metrics"][name] for name in ("recall", "precision"))
        missed = again["metrics"]["mistakes"] - (alarms := _alarms(again, recall, precision))
        assert method["metrics"]["cost"] == pytest.approx(20 * missed + 3 * alarms)
        assert method["estimates"]["cost"]["value"] != again["estimates"]["cost"]["value"]
    told = output(*words, "--metric", "cost=20:3")
    assert "A missed positive costs 20 and a false alarm 3." in told
    assert "gives others" in " ".join(output(*words, "--metric", "cost").split())


def _alarms(method, recall, precision):
    """The false alarms, from recall r, precision p and mistakes: with h hits, h (1/r - 1) + h (1/p - 1)."""
    missed_per_hit, alarms_per_hit = 1 / recall - 1, 1 / precision - 1
    hits = method["metrics"]["mistakes"] / (missed_per_hit + alarms_per_hit)
    return hits * alarms_per_hit


@pytest.mark.parametrize("metric", ["cost=a", "cost=1", "cost=-1:2", "f=2:1", "cost=1:inf"])
def test_costs_that_are_not_two_amounts_are_refused(data, metric):
    assert f"--metric {metric}: only cost has numbers" in complaint("run", data, "--metric", metric)


def test_numbers_in_other_notations_are_not_categories_without_a_word(tmp_path):
    path = tmp_path / "payments.csv"
    rows = [f"${row / 7:.2f},3{row % 2}.12.2025,{row / 3:.2f},city {row % 9},{'ab'[row % 2]}" for row in range(60)]
    path.write_text("\n".join(["amount,day,share,city,label", *rows]) + "\n")
    told = " ".join(output("run", path, "-a", "PAA-II").split())
    assert "Read as categories, though they are numbers or dates: 'amount', 'day'." in told
    assert "Read as categories" not in output("run", path)
    path.write_text(path.read_text().replace("$", "").replace(".12.2025", ""))
    assert "Read as categories" not in output("run", path, "-a", "PAA-II")


def test_rounded_scores_of_rare_positives_are_not_shown_as_if_they_were_exact(tmp_path):
    """Nearly all scores are in the first bin: the area of the bins says little about that of the scores."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    path = write_csv(tmp_path / "rare.csv", X, ["fraud" if row % 100 == 0 else "fine" for row in range(600)])
    words = ("run", path, "-a", "PAA-II", "--param", "C=0.001", "--intercept", 30, "--metric", "auroc")
    method = answer(*words)["methods"][0]
    assert method["rounding"]["auroc"] > 0.01
    told = " ".join(output(*words).split())
    assert f"{method['metrics']['auroc']:.2f} ± {method['rounding']['auroc']:.2f}" in told
    assert "AUROC is of scores in 100 bins, and too many are in one of them" in told


def test_estimates_are_those_of_the_library(data, arrays):
    words = (
        "run",
        data,
        "-a",
        "PAA-II",
        "--rate",
        0.1,
        "--against",
        "full",
        "--metric",
        "auroc",
        "--dtype",
        "float64",
    )
    main, full = answer(*words)["methods"]
    learner = askance.make("PAA-II", dtype="float64")
    trace = learner.set_params(query=askance.queries.AtRate(learner.query, 0.1)).run(*arrays)
    expected = trace.summary().as_dict()["estimates"]
    assert main["estimates"] == expected
    assert set(expected) == set(METRICS)
    told = output(*words)
    found = expected["auroc"]
    assert f"{found['value']:.3f} ({found['low']:.3f}–{found['high']:.3f})" in told
    (line,) = (line for line in told.splitlines() if line.startswith("asking for all"))
    assert "(" not in line
    assert full["estimates"]["f"]["low"] == pytest.approx(full["metrics"]["f"])


def test_an_estimate_of_a_part_of_the_rows_says_so_once(data):
    told = answer("run", data, "-a", "PAA-II", "--limit", 50, "--against", "random,full")
    (said,) = (note for note in told["notes"] if note.startswith("Estimates are of"))
    of_all = f"of {ROWS:,}"
    note = told["methods"][0]["estimates"]["accuracy"]["note"]
    reached = ROWS - int(note.partition(" rows could not be asked for")[0].replace(",", ""))
    assert said.startswith(
        f"Estimates are of the rows that could be asked for: PAA-II {reached:,} {of_all}; asking at"
    )
    assert said.count(of_all) == 2  # asking for all leaves nothing to estimate
    rated = answer("run", data, "-a", "PAA-II", "--rate", 0.1)
    assert not any("Estimates are of" in note for note in rated["notes"])


def test_rows_that_all_have_labels_need_no_interval(data):
    told = " ".join(output("run", data, "-a", "PA-II", "--limit", 5).split())
    assert "–" not in told
    said = f"could be asked for: PA-II 5 of {ROWS:,}, which all have labels, so that there is no interval."
    assert said in told


def test_what_cannot_be_told_is_not_told(tmp_path):
    rng = np.random.default_rng(0)
    data = write_csv(tmp_path / "d.csv", rng.normal(size=(500, 3)), np.where(rng.random(500) < 0.02, "b", "a"))
    words = ("run", data, "-a", "PAA-II", "--rate", 0.1, "--metric", "f")
    assert "too few labels" in output(*words)
    found = answer(*words)["methods"][0]["estimates"]["f"]
    assert (found["enough"], found["value"], found["low"]) == (False, None, None)
    assert "positive rows were asked for, and it takes 20." in found["note"]


@pytest.mark.slow
def test_a_kernel_is_named_by_a_word(data, arrays):
    words = ("kernel=rbf", "gamma=0.5", "budget=20")
    told = answer(
        "run", data, "-a", "K-PAA-I", "--dtype", "float64", *(part for word in words for part in ("--param", word))
    )
    learner = askance.make("K-PAA-I", kernel="rbf", gamma=0.5, budget=20, dtype="float64")
    trace = learner.run(*arrays)
    (method,) = told["methods"]
    assert (method["asked"], method["metrics"]["f"]) == (np.count_nonzero(trace.asked), trace.tally().value("f"))


def test_a_parameter_may_be_a_word(data, arrays):
    words = ("--param", "variant=PA-II", "--param", "rho=3", "--dtype", "float64")
    (method,) = answer("run", data, "--algorithm", "CPA", *words)["methods"]
    trace = askance.make("CPA", variant="PA-II", rho=3.0, dtype="float64").run(*arrays)
    assert method["updates"] == np.count_nonzero(trace.updated)
    assert method["metrics"]["f"] == trace.tally().value("f")


def test_the_same_seed_says_the_same(data):
    words = ("run", data, "-a", "PAA-II", "--rate", 0.1, "--against", "random,full", "--seed", 3)
    assert without_times(answer(*words)) == without_times(answer(*words))
    other = answer(*words[:-1], 4)
    assert other["methods"][0]["asked"] != answer(*words)["methods"][0]["asked"]


def test_a_rate_is_reached_by_all_but_full(data):
    told = answer(
        "run", data, "-a", "PAA-II", "--rate", 0.1, "--against", "random, full,PEA,PA-II", "--param", "C=0.3"
    )
    methods = {method["name"]: method for method in told["methods"]}
    assert list(methods) == ["PAA-II", "random", "full", "PEA", "PA-II"]
    for name in ("PAA-II", "random", "PEA"):
        assert methods[name]["share_asked"] == pytest.approx(0.1, abs=0.02)
    for name in ("full", "PA-II"):
        assert methods[name]["share_asked"] == 1
    # The same rule, asked otherwise: and a parameter that methods share is the same for all.
    for name in ("random", "full", "PA-II"):
        assert methods[name]["update"] == "PassiveAggressive2(C=0.3)"
    assert methods["full"]["metrics"] == methods["PA-II"]["metrics"]


def test_without_a_rate_random_asks_as_often_as_the_algorithm_did(data):
    told = answer("run", data, "-a", "PAA-II", "--against", "full,random")
    main, random, full = told["methods"]
    assert (random["name"], full["name"]) == ("random", "full")
    assert random["query"] == f"Random(ratio={main['share_asked']})"
    assert random["share_asked"] == pytest.approx(main["share_asked"], abs=0.05)


def test_the_metrics_are_all_in_the_help():
    assert list(METRIC_NAMES) == list(METRICS)


@pytest.mark.parametrize(("metric", "words"), [("mistakes", "made {} mistakes."), ("cost", "reached cost {}.")])
def test_counts_are_told_as_counts(data, metric, words):
    told = answer("run", data, "-a", "PAA-II", "--metric", metric)
    assert told["sentence"].endswith(words.format(round(told["methods"][0]["metrics"][metric])))


def test_a_blind_guess_that_is_as_good_is_told(tmp_path):
    data = write_csv(tmp_path / "d.csv", np.random.default_rng(0).normal(size=(300, 3)), [0, 0, 0, 0, 1] * 60)
    assert "Always predicting 0 would reach accuracy 0.800" in answer("run", data, "-a", "PAA-II")["notes"][0]


def test_a_blind_guess_of_many_classes_that_is_as_good_is_told(tmp_path):
    """Raw columns of very different size, as newcomers have them: three classes got no hint."""
    rng = np.random.default_rng(0)
    y = rng.choice(3, 120, p=[0.5, 0.3, 0.2])
    path = write_csv(tmp_path / "d.csv", rng.normal(size=(120, 2)) * [1, 1e4], y)
    said = " ".join(output("run", path, "-a", "MPAA-II").split())
    assert f"Always predicting 0 would reach accuracy {np.mean(y == 0):.3f}: check the features." in said
    assert "pass --scaling standard, or use auto" in said


def test_shares_of_labels_that_differ_are_said(tmp_path):
    """On a small file, asking at random may ask for fewer labels: a comparison names both shares."""
    path = mails(tmp_path / "few.csv", 60)
    told = answer("run", path, "-a", "PAA-II", "--rate", 0.1, "--against", "random")
    shares = [f"{100 * method['asked'] / 60:.1f} %" for method in told["methods"]]
    assert shares[0] != shares[1]
    assert all(share in told["sentence"] for share in shares)


def test_a_file_that_begins_with_one_class(tmp_path):
    data = write_csv(
        tmp_path / "d.csv", np.random.default_rng(0).normal(size=(5000, 2)), ["b"] * 4500 + ["a"] * 500
    )
    told = answer("run", data, "-a", "PAA-II")
    assert told["classes"] == ["a", "b"]
    assert told["notes"][0].startswith("The first 4,096 rows have the same class")
    assert answer("run", data, "-a", "PAA-II", "--shuffle", 7)["notes"][:1] != told["notes"][:1]


def test_columns_of_very_different_size_are_noted_once(tmp_path, arrays):
    X, y = arrays
    data = write_csv(tmp_path / "raw.csv", X * [1e6, 1, 1, 1, 1, 1], y)
    notes = answer("run", data, "-a", "PAA-II", "--against", "full")["notes"]
    (note,) = [note for note in notes if note.startswith("Typical values of the columns range from")]
    assert note.endswith(
        "a linear learner follows the largest: pass --scaling standard, or use auto, which scales them itself."
    )
    assert "Typical values" in output("run", data, "-a", "PAA-II")
    assert "Typical values" not in output("run", data, "-a", "PAA-II", "--scaling", "standard")


@pytest.mark.slow
def test_an_intercept_and_scales_are_those_of_the_library(tmp_path, arrays):
    X, y = arrays
    X = X * [1e6, 1, 1, 1, 1, 1]
    data = write_csv(tmp_path / "raw.csv", X, y)
    words = ("--dtype", "float64", "--intercept", 0.3, "--scaling", "standard", "--against", "full,PE")
    told = answer("run", data, "-a", "PAA-II", *words)["methods"]
    for method, name in zip(told, ("PAA-II", "PA-II", "PE"), strict=True):
        learner = askance.make(name, dtype="float64", classes=["ham", "spam"], intercept=0.3, scaling="standard")
        assert method["metrics"]["accuracy"] == learner.run(X, y).summary().accuracy
        assert (method["intercept"], method["scaling"]) == (0.3, "standard")
    raw = answer("run", data, "-a", "PAA-II", "--dtype", "float64")["methods"][0]
    assert raw["metrics"]["accuracy"] < told[0]["metrics"]["accuracy"] - 0.1
    assert (raw["intercept"], raw["scaling"]) == (0.0, None)


def test_words_are_weighted(tmp_path):
    data = tmp_path / "mails.csv"
    lines = [f"the the {word} {number % 7},{number % 2}" for number in range(60) for word in ("win", "see")]
    data.write_text("text,label\n" + "\n".join(lines) + "\n")
    (told,) = answer("run", data, "-a", "PAA-II", "--text", "text", "--scaling", "tfidf")["methods"]
    assert told["scaling"] == "tfidf"
    said = complaint("run", data, "-a", "PAA-II", "--text", "text", "--scaling", "standard")
    assert said == (
        "--scaling 'standard' is for dense rows, but these are sparse: choose --scaling 'tfidf' for counts, "
        "or make the rows dense"
    )


def test_shuffling_changes_the_order_and_nothing_else(data, tmp_path):
    plain, shuffled = tmp_path / "plain.parquet", tmp_path / "shuffled.parquet"
    output("run", data, "-a", "PAA-II", "--trace", plain)
    output("run", data, "-a", "PAA-II", "--trace", shuffled, "--shuffle", 7)
    before, after = columns(plain)["y"], columns(shuffled)["y"]
    assert before.tolist() != after.tolist()
    assert sorted(before) == sorted(after)


@pytest.mark.slow
def test_sparse_rows_that_grow_wider_can_be_shuffled(tmp_path):
    data = tmp_path / "d.svm"
    # A chunk of svmlight text is a megabyte.
    lines = [f"{(-1) ** row} {row % 7 + 1}:1 {8 + row // 2_500}:0.5 # {'.' * 400}" for row in range(3_000)]
    data.write_text("\n".join(lines))
    told = answer("run", data, "-a", "PAA-II", "--shuffle", 1, "--rate", 0.01)
    assert told["methods"][0]["rows"] == 3_000
    assert told["classes"] == [-1.0, 1.0]


def test_given_classes_decide(tmp_path):
    data = write_csv(tmp_path / "d.csv", [[1.0], [2.0]], ["a", "a"])
    assert answer("run", data, "-a", "PAA-II", "--classes", "z,a")["positive"] == "z"
    numbers = write_csv(tmp_path / "n.csv", [[1.0], [2.0]], [3, 3])
    assert answer("run", numbers, "-a", "PAA-II", "--classes", "3,2")["classes"] == [2, 3]


# ---------------------------------------------------------------------- what it writes


def test_the_trace_is_that_of_the_library(data, arrays, tmp_path):
    path = tmp_path / "trace.parquet"
    output("run", data, "-a", "PAA-II", "--seed", 5, "--dtype", "float64", "--trace", path)
    expected = askance.make("PAA-II", random_state=5, dtype="float64").run(*arrays).to_arrow()
    written = parquet.read_table(path)
    assert written.equals(expected, check_metadata=False)
    assert written.schema.metadata == expected.schema.metadata


def test_a_budget_holds_at_every_prefix(data, tmp_path):
    path = tmp_path / "trace.parquet"
    told = answer(
        "run",
        data,
        "-a",
        "PAA-II",
        "--rate",
        0.1,
        "--burst",
        3,
        "--limit",
        200,
        "--against",
        "random",
        "--trace",
        path,
    )
    main, random = told["methods"]
    spent = np.cumsum(columns(path)["asked"])
    assert (spent <= 3 + 0.1 * np.arange(1, ROWS + 1)).all()
    assert spent[-1] == main["asked"] <= 200
    assert main["refused"] > 0
    assert random["asked"] <= 200
    assert f"PAA-II wanted to ask {main['refused']:,} more questions than the limits allow." in told["notes"]


def test_a_limit_alone(data):
    main, random, full = answer("run", data, "-a", "PAA-II", "--limit", 50, "--against", "random,full")["methods"]
    assert main["asked"] == 50
    assert random["asked"] <= 50
    assert full["asked"] == ROWS


def test_a_saved_model_goes_on_as_if_nothing_had_happened(arrays, tmp_path):
    X, y = arrays
    half = ROWS // 2
    first, second = (
        write_csv(tmp_path / "1.csv", X[:half], y[:half]),
        write_csv(tmp_path / "2.csv", X[half:], y[half:]),
    )
    model, path = tmp_path / "model", tmp_path / "trace.parquet"
    output("run", first, "-a", "PAA-II", "--seed", 2, "--dtype", "float64", "--save", model)
    whole = askance.make("PAA-II", random_state=2, dtype="float64").run(X, y)
    continued = askance.load(model).run(X[half:], y[half:])
    assert (continued.scores == whole.scores[half:]).all()
    assert (continued.asked == whole.asked[half:]).all()

    told = answer("run", second, "--resume", model, "--save", model, "--trace", path)
    assert told["methods"][0]["name"] == "model"
    assert columns(path)["asked"].tolist() == whole.asked[half:].tolist()
    assert columns(path)["round"].tolist() == list(range(half, ROWS))
    assert askance.load(model).spending_.rows == ROWS


def test_the_picture(data, tmp_path):
    path = tmp_path / "curve.png"
    assert "Wrote the plot to" in output(
        "run", data, "-a", "PAA-II", "--rate", 0.1, "--against", "random,full", "--plot", path
    )
    assert path.read_bytes().startswith(b"\x89PNG")
    assert [file.name for file in tmp_path.iterdir()] == ["curve.png"]


def test_a_fault_half_way_leaves_what_was_there(data, tmp_path):
    broken = tmp_path / "broken.csv"
    broken.write_text(data.read_text() + "1,2,3,4,5,inf,ham\n")
    old = tmp_path / "old.parquet"
    old.write_text("precious")
    said = complaint("run", broken, "-a", "PAA-II", "--trace", old, "--save", tmp_path / "model")
    assert (
        said == f"{broken}, line {ROWS + 2}, column 'x5': inf is not a finite number: fix it or leave the row out"
    )
    assert old.read_text() == "precious"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["broken.csv", "old.parquet"]


# ---------------------------------------------------------------------- what it refuses


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--algorithm", "PAA-2"], "the catalog has no algorithm 'PAA-2'; did you mean PAA-I or PAA or PAA-II?"),
        (["--against", "fuller"], "the catalog has no algorithm 'fuller'"),
        (["--against", "PAA-II"], "--against PAA-II: this is the algorithm itself"),
        (["--param", "D=1"], "PAA-II has no parameter 'D': its parameters are delta, C, sgn0"),
        (["--param", "C=0"], "--param C must be greater than 0 and finite, not 0.0"),
        (["--param", "C=nan"], "--param C must be greater than 0 and finite, not nan"),
        (["--param", "C=much"], "--param C=much: 'much' is not a number"),
        (["--param", "C"], "--param C: write NAME=VALUE"),
        (["-a", "K-PAA", "--param", "kernel=tanh"], "kernel must be 'linear', 'rbf', 'poly' or a function"),
        (["-a", "K-PAA", "--param", "budget=few"], "--param budget=few: 'few' is not a number"),
        (
            ["-a", "CPA", "--param", "variant=soft"],
            "CPA: variant must be 'PA' or 'PA-I' or 'PA-II', not 'soft'",
        ),
        (["--param", "sgn0=3"], "--param sgn0 must be +1 or -1"),
        (["--rate", "0"], "--rate must be a share of the rows, more than 0 and at most 1, not 0"),
        (["--rate", "2"], "--rate must be a share of the rows, more than 0 and at most 1, not 2"),
        (
            ["--rate", "0.1", "-a", "PA-II"],
            "PA-II always asks, so it cannot be steered to a rate: use PAA-II instead",
        ),
        (["--rate", "0.1", "-a", "PE"], "PE always asks, so it cannot be steered to a rate: use PEA instead"),
        (["--burst", "3"], "--burst limits how far questions may run ahead of --rate: give --rate too"),
        (["--limit", "0"], "Invalid value for '--limit'"),
        (["--metric", "beauty"], "there is no metric 'beauty': choose one of accuracy, error"),
        (["--dtype", "float16"], "--dtype must be 'float32' (fast) or 'float64' (exact), not 'float16'"),
        (["--seed", "-1"], "--seed must be a whole number from 0"),
        (["--intercept", "-1"], "--intercept must be "),
        (["--scaling", "log"], "--scaling must be None, 'standard' or 'tfidf', not 'log'"),
        (["-a", "K-PAA", "--intercept", "1"], "Kernelized has no intercept, because it has no weights"),
        (["--resume", "m", "--scaling", "tfidf"], "--resume continues with the model unchanged: remove --scaling"),
        (
            ["--bound", "--scaling", "tfidf"],
            "--bound needs an algorithm that learns as in its paper: remove --scaling",
        ),
        (
            ["--bound", "--intercept", "1"],
            "--bound needs an algorithm that learns as in its paper: remove --intercept",
        ),
        (["--classes", "ham"], "--classes ham: give two different classes"),
        (["--classes", "ham,eggs"], "{data}: unknown class 'spam' in y: the classes are 'eggs', 'ham'"),
        (["--label", "kind"], "{data}, line 1: no label field 'kind'"),
        (["--format", "xls"], "--format 'xls': give one of"),
        (["--shuffle", "-1"], "--shuffle -1: give a whole number, 0 or more"),
        (["--trace", "t.csv"], "--trace t.csv: the name must end in .parquet"),
        (["--plot", "p.jpg"], "--plot p.jpg: the name must end in .png or .svg or .pdf"),
        (["--save", "no/such/place"], "no/such/place: cannot be written (No such file or directory)"),
        (["--save", "."], ".: is not a regular file"),
        (["--save", "/dev/null"], "/dev/null: is not a regular file"),
        (["--save", "{data}"], "{data}: would overwrite the data"),
        (["--resume", "{data}"], "{data} is not an askance model"),
        (["--resume", "m", "--rate", "0.1"], "--resume continues with the model unchanged: remove --rate"),
        (["--resume", "m", "--param", "C=1"], "--resume continues with the model unchanged: remove --param"),
        (["--resume", "m", "--against", "full"], "--against compares methods that start from scratch"),
    ],
)
def test_one_line_for_a_mistake(data, words, said):
    words = [word.replace("{data}", str(data)) for word in words]
    algorithm = [] if "--resume" in words else ["-a", "PAA-II"]
    assert complaint("run", data, *algorithm, *words).startswith(said.replace("{data}", str(data)))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no such file"),
        ("", "is empty"),
        (
            "a,b\n1,2\n",
            "no label field: looked for 'label', 'y', 'class', 'target' among 'a', 'b': name it with --label",
        ),
        ("x,label\n1,a\n2,a\n", "has only one class, 'a': there is nothing to learn"),
        ("x,label\n1,a\ninf,b\n", "line 3, column 'x': inf is not a finite number"),
        ("x,label\n1,a\n2\n", "line 3: has 1 cell but the header has 2"),
    ],
)
def test_one_line_for_a_bad_file(tmp_path, content, said):
    data = tmp_path / "d.csv"
    if content is not None:
        data.write_text(content)
    told = complaint("run", data, "-a", "PAA-II")
    assert told.startswith(str(data))
    assert said in told


def test_many_classes_take_a_method_for_many_classes(tmp_path):
    made = streams.several(rows=300)
    data = write_csv(tmp_path / "d.csv", made.X, np.array(["a", "b", "c", "d"])[made.y])
    said = answer("run", data, "-a", "MPAA-II", "--against", "MPE,full", "--rate", "0.3")
    assert [method["name"] for method in said["methods"]] == ["MPAA-II", "MPE", "full"]
    assert said["classes"] == ["a", "b", "c", "d"]
    assert said["positive"] is None
    assert set(said["methods"][0]["metrics"]) == {"accuracy", "error", "mistakes", "query_ratio"}
    assert "4 classes: a, b, c, d" in output("run", data, "-a", "MPAA-II")
    told = complaint("run", data, "--algorithm", "PAA-II")
    assert "has more than two classes ('a', 'b', 'c', 'd'): use a multiclass method" in told
    assert "the metric 'f' is for two classes" in complaint("run", data, "-a", "MPAA-II", "--metric", "f")
    assert "PE is binary but MPAA-II is multiclass" in complaint(
        "run", data, "--algorithm", "MPAA-II", "--against", "PE"
    )
    assert "give two or more different classes" in complaint("run", data, "--algorithm", "MPE", "--classes", "a,a")


def test_a_model_of_many_classes_goes_on(tmp_path):
    made = streams.several(rows=300)
    first = write_csv(tmp_path / "first.csv", made.X[:150], made.y[:150])
    second = write_csv(tmp_path / "second.csv", made.X[150:], made.y[150:])
    output("run", first, "-a", "MPAA-II", "--save", tmp_path / "m.safetensors", "--trace", tmp_path / "t.parquet")
    resumed = answer("run", second, "--resume", tmp_path / "m.safetensors")
    assert resumed["classes"] == [0, 1, 2, 3]
    assert resumed["methods"][0]["rows"] == 150


def test_the_parameters_of_the_library_become_options():
    options = {"label": "--label", "categories": "--category", "zero_based": "--zero-based", "rate": "--rate"}
    for text, parameter, said in [
        ("name it with label=", "label", "name it with --label"),
        ("name it with label=, or leave it", "label", "name it with --label, or leave it"),
        ("format='xls' has no label=", "label", "format='xls' has no --label"),
        ("make it categorical with categories=", "categories", "make it categorical with --category"),
        ("indices count from 1: pass zero_based=True", "zero_based", "indices count from 1: pass --zero-based"),
        ("pass view=", "view", "pass view="),
    ]:
        assert message_of(DataError(text, parameter=parameter), options) == said
    wrong = ParameterError("AtRate", "rate", 2, "at most 1")
    assert message_of(wrong, options) == "--rate must be at most 1, not 2"
    assert message_of(wrong, {}) == "AtRate: rate must be at most 1, not 2"
    assert message_of(wrong, {"param": "--param"}) == "--param rate must be at most 1, not 2"


@pytest.mark.parametrize(
    ("package", "words", "said"),
    [
        ("pyarrow", ("--trace", "t.parquet"), "Parquet needs pyarrow: pip install 'askance[parquet]'"),
        ("matplotlib", ("--plot", "p.png"), "a plot needs matplotlib: pip install 'askance[plots]'"),
    ],
)
def test_a_missing_package_is_told_before_the_work(data, package, words, said, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    assert complaint("run", data, "-a", "PAA-II", *words) == said


def test_a_directory_that_cannot_be_written(data, tmp_path, monkeypatch):
    def refuse(path, *arguments, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    target = tmp_path / "model"
    assert complaint("run", data, "-a", "PAA-II", "--save", target).startswith(
        f"{target}: cannot be written (Permission denied)"
    )
