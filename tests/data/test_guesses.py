"""Guesses in tables: answers of machines with their confidences, as features."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from askance import AutoLearner
from askance.data import read_table
from askance.data.guesses import without_guesses
from askance.data.kinds import PER_ANSWER
from askance.data.model_rows import add_reading, read_for_model
from askance.data.typed import TypedTable


def record(answer: Any, confidence: Any, label: str = "a", number: float = 1.0) -> dict[str, Any]:
    return {"number": number, "label": label, "guesses": {"gpt": {"label": answer, "confidence": confidence}}}


RECORDS = [record("a", 0.85, "a"), record("b", 0.3, "b", 2.0), record("a", None, "b"), record(None, 0.5)]
RECORDS.append({"number": 3.0, "label": "a"})
WIDTH = 2 * PER_ANSWER + 1


def guess_part(table: TypedTable) -> Any:
    return next(iter(table)).X[:, -WIDTH:]


def test_an_answer_has_features_for_itself_its_confidence_and_the_tenth() -> None:
    table = read_table(RECORDS)
    assert table.described() == "1 number, 1 guess"
    rows = guess_part(table)
    expected = np.zeros((5, WIDTH))
    expected[0, [0, 1, 2 + 8]] = 1.0, 0.85, 1.0
    expected[1, [PER_ANSWER, PER_ANSWER + 1, PER_ANSWER + 2 + 3]] = 1.0, 0.3, 1.0  # 0.3 begins its tenth
    expected[2, 0] = 1.0
    expected[3:, -1] = 1.0
    assert np.array_equal(rows, expected)
    names = table.plan.feature_names()
    assert len(names) == 1 + WIDTH
    assert names[1] == "guesses.gpt.label=a"
    assert names[2 + 1 + 8] == "guesses.gpt.label=a from 0.8"
    assert names[-1] == "guesses.gpt.label (missing)"


def test_a_csv_file_has_the_same_guesses(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(
        "number,guesses.gpt,guesses.gpt.confidence,label\n1,a,0.85,a\n2,b,0.3,b\n1,a,,b\n1,,0.5,a\n3,,,a\n"
    )
    assert np.array_equal(guess_part(read_table(path)), guess_part(read_table(RECORDS)))


def test_a_confidence_that_comes_later_and_is_no_share_is_missing() -> None:
    many = [record("ab"[n % 2], 0.5) for n in range(1000)]
    *_, last = read_table([*many, record("a", 85), record("a", "high")])
    assert last.X[-2, -WIDTH:].tolist() == last.X[-1, -WIDTH:].tolist() == [1.0] + [0.0] * (WIDTH - 1)


@pytest.mark.parametrize("confidence", [85, "high"])
def test_confidences_that_are_no_shares_are_columns_as_others(confidence: Any) -> None:
    other = 80 if confidence == 85 else "low"
    table = read_table([record("a", confidence), record("b", other)] * 3)
    assert "guess" not in table.described()


def test_a_given_kind_and_a_dropped_column_count_more() -> None:
    assert read_table(RECORDS, drop=["guesses.gpt.confidence"]).described() == "1 number, 1 category"
    table = read_table(RECORDS, numbers=["guesses.gpt.confidence"])
    assert table.described() == "2 numbers, 1 category"


def test_guesses_with_many_answers_are_hashed() -> None:
    table = read_table([record(f"answer {n % 30}", 0.5) for n in range(60)])
    assert table.described() == "1 guess; left out: number (one value)"
    rows = next(iter(table)).X
    assert np.array_equal(np.diff(rows.indptr), np.full(60, 2))  # the answer, and the answer with the bin


def test_a_model_file_reads_guesses_as_before(tmp_path: Path) -> None:
    table, model = read_table(RECORDS * 8), tmp_path / "model"
    learner = AutoLearner(rate=1.0)
    for chunk in table:
        learner.run(chunk.X, chunk.y)
    learner.save(model)
    add_reading(model, table)
    path = tmp_path / "more.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in RECORDS))
    (chunk,) = read_for_model(model, path)
    assert np.array_equal(chunk.X, next(iter(read_table(RECORDS))).X)


def test_guesses_help_a_learner_that_knows_nothing_else() -> None:
    """The confidence of a wrong answer is low: bins tell which answers to turn round."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(1500) < 0.5, "a", "b")
    confidence = rng.choice([0.2, 0.9], 1500)
    right = rng.random(1500) < np.where(confidence > 0.5, 0.95, 0.1)
    answers = np.where(right == (y == "a"), "a", "b")
    records = [record(*one) for one in zip(answers.tolist(), confidence.tolist(), y.tolist(), strict=True)]
    (chunk,) = read_table(records)
    trace = AutoLearner(rate=0.05).run(chunk.X, chunk.y)
    assert (trace.predictions == trace.y)[500:].mean() > 0.9
    assert (answers == y).mean() < 0.6


def test_readers_that_do_not_know_guesses_get_a_category_and_a_number() -> None:
    plan = without_guesses(read_table(RECORDS).columns)
    assert [(column.name, column.kind) for column in plan[1:]] == [
        ("guesses.gpt.label", "category"),
        ("guesses.gpt.confidence", "number"),
    ]
