"""`askance spark` says what is wrong before it starts Spark."""

import sys

import pytest

from command_line import complaint, output
from needs import NOT_RUN


def command(*more: object) -> list[object]:
    given = ["--input", "rows", "--labels", "labels", "--output", "out", "--checkpoint", "state"]
    return ["spark", "fleet", *given, "--classes", "ham,spam", *more]


def test_the_command_line_refuses_in_one_sentence_before_spark_starts() -> None:
    assert "PAA-III" in complaint(*command("--algorithm", "PAA-III"))
    assert "SOP cannot be used in a fleet" in complaint(*command("-a", "SOP"))
    assert complaint(*command("--format", "csv")) == "unknown format 'csv': use json or parquet"
    assert complaint(*command("--output", "rows")).startswith("rows is used twice: rows, labels, output and")
    assert "--conf speed: write NAME=VALUE" in complaint(*command("--conf", "speed"))
    assert "--out models.csv: the name must end in .parquet" in complaint(
        "spark", "export", "state", "--out", "models.csv"
    )


def test_without_java_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark", reason=f"{NOT_RUN}Spark needs pyspark")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert complaint(*command()) == "Spark needs Java 17 or later: install it, or set JAVA_HOME"


def test_without_pyspark_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    assert complaint(*command()) == "Spark needs pyspark: pip install 'askance[spark]'"


def test_help_shows_an_example() -> None:
    assert "askance spark fleet --input rows --labels labels" in " ".join(
        output("spark", "fleet", "--help").split()
    )
    assert "askance spark export state" in output("spark", "export", "--help")
    assert "fleet" in output("spark")
