"""`askance run --oracle`: people and machines under one budget."""

import json

import numpy as np
import pytest

from command_line import answer, complaint, output

pytestmark = pytest.mark.compiled  # the models are too slow without machine code
LLM, HUMAN = ("--oracle", "llm=guesses.gpt:0.01"), ("--oracle", "human:1.00")


@pytest.fixture(scope="module")
def guessed(tmp_path_factory):
    """Rows with the guess of a machine that is right on nine of ten."""
    random = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("oracles") / "guessed.jsonl"
    lines = []
    for size in random.normal(size=800).tolist():
        label = "large" if size > 0 else "small"
        said = label if random.random() < 0.9 else "small"
        guess = {"label": said, "confidence": 0.85}
        lines.append(json.dumps({"size": size + random.normal(), "label": label, "guesses": {"gpt": guess}}))
    path.write_text("\n".join(lines))
    return path


def test_what_was_bought_from_whom(guessed, tmp_path):
    trace = tmp_path / "trace.parquet"
    told = answer("run", guessed, *LLM, *HUMAN, "--budget", "48", "--trace", trace)
    machine, person = told["oracles"]
    assert (machine["name"], machine["guess"], machine["price"]) == ("llm", "gpt", "0.01")
    assert machine["bought"] == 800
    assert person["bought"] <= 40
    assert (told["budget"], float(told["spent"]) <= 48) == ("48.00", True)
    assert told["answers_accuracy"] >= told["accuracy"] > 0.88
    assert 0.8 < machine["right"] < 1
    assert trace.stat().st_size > 0


def test_the_summary(guessed):
    said = " ".join(output("run", guessed, *LLM, *HUMAN, "--budget", "48", "--shuffle", "3").split())
    assert "guessed.jsonl: 800 rows of the classes large, small Columns: 1 number." in said
    assert "llm 800 0.01 8.00" in said
    assert "of 48.00." in said
    assert "of the predictions were right; with the labels of people in their place" in said


def test_no_more_labels_than_an_accuracy_takes(guessed):
    words = (guessed, *LLM, *HUMAN, "--budget", "300")
    told, all_of_it = answer("run", *words, "--until", "accuracy=0.7"), answer("run", *words)
    assert told["oracles"][1]["bought"] < 0.7 * all_of_it["oracles"][1]["bought"]
    assert told["accuracy"] > 0.8


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--oracle", "llm=guesses.claude:0.01", *HUMAN, "--budget", "9"), "no guess 'claude': there are 'gpt'"),
        (
            (*LLM, "--oracle", "human:-1", "--budget", "9"),
            "--oracle human:-1: the price must be an amount from 0 on",
        ),
        ((*LLM, "--budget", "9"), "--oracle: one oracle must be a person, such as human:1.00, but none is"),
        ((*HUMAN, "--oracle", "ann:2", "--budget", "9"), "such as human:1.00, but human and ann are"),
        (("--oracle", "human", "--budget", "9"), "--oracle human: give human:1.00, or llm=guesses.gpt-4o:0.01"),
        (("--oracle", "llm=gpt:1", *HUMAN, "--budget", "9"), "--oracle llm=gpt:1: give human:1.00, or"),
        ((*LLM, "--oracle", "llm:1", "--budget", "9"), "--oracle llm: two oracles have this name"),
        ((*LLM, *HUMAN), "what may all oracles cost together? Give --budget too"),
        (("--budget", "9"), "--budget is money for oracles: give --oracle too"),
        ((*LLM, *HUMAN, "--budget", "much"), "--budget must be an amount"),
        ((*LLM, *HUMAN, "--budget", "9", "--rate", "0.1"), "--budget limits it: remove --rate"),
        ((*LLM, *HUMAN, "--budget", "9", "--metric", "f"), "--oracle shows the accuracy: remove --metric"),
        ((*LLM, *HUMAN, "--budget", "9", "--until", "recall=0.9"), "--oracle stops at an accuracy"),
        (("--until", "accuracy=0.9"), "--until accuracy saves money for oracles: give --oracle and --budget"),
        ((*LLM, *HUMAN, "--budget", "9", "--until", "accuracy=9"), "accuracy=9"),
        ((*LLM, *HUMAN, "--budget", "9", "--id", "size"), "--oracle takes labels from the file itself"),
    ],
)
def test_errors_say_what_is_wrong(guessed, words, said):
    assert said in complaint("run", guessed, *words)


def test_a_pipe_is_refused():
    assert "save the pipe to a file" in complaint("run", "-", *HUMAN, "--budget", "9")


TASK = 'name = "sizes"\nclasses = ["large", "small"]\n'
PRICES = "[oracles]\nbudget = 48.00\npeople = 1.00\nguesses = {gpt = 0.01}\n"


def test_the_settings_of_a_task_have_prices_too(guessed, tmp_path):
    path = tmp_path / "sizes.toml"
    path.write_text(TASK + PRICES)
    told, other = answer("run", guessed, "--task", path), answer("run", guessed, *LLM, *HUMAN, "--budget", "48")
    assert [(one["name"], one["guess"], one["price"]) for one in told["oracles"]] == [
        ("gpt", "gpt", "0.01"),
        ("people", None, "1.0"),
    ]
    assert (told["accuracy"], told["spent"]) == (other["accuracy"], other["spent"])


@pytest.mark.parametrize(
    ("content", "words", "said"),
    [
        (TASK, (), "sizes.toml: what may all oracles cost together? Give oracles.budget"),
        (TASK + PRICES, HUMAN, "--task has the oracles and their budget: remove --oracle and --budget, or --task"),
        (TASK + PRICES, ("--rate", "0.1"), "--budget limits it: remove --rate"),
        (TASK + "[oracles]\nbudget = 9\n", (), "oracles.budget limits nothing without prices"),
        (TASK + "[oracles]\nmoney = 9\n", (), "sizes.toml: "),
        (TASK + PRICES.replace("gpt", "claude"), (), "no guess 'claude'"),
    ],
)
def test_errors_in_settings_say_what_is_wrong(guessed, tmp_path, content, words, said):
    path = tmp_path / "sizes.toml"
    path.write_text(content)
    assert said in complaint("run", guessed, "--task", path, *words)
