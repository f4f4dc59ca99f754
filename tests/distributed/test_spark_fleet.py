"""A fleet on Spark does what a plain fleet does with the same micro-batches, also when it is started again."""

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from askance.distributed.spark_fleet import FleetSettings, StreamSettings, settings_of
from command_line import answer, askance, complaint
from documentation import python_blocks
from engines import workers_find_the_tests
from naive.spark_fleet import PlainFleet, as_lines
from paths import ROOT
from spark_streams import made_up, spark_or_missing, write

# Of Spark itself, on every start.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")

FLEET = FleetSettings("PAA-II", {"delta": 1.0}, ["ham", "spam"], bits=10, random_state=7, dtype="float64")
PAGE = ROOT / "docs" / "guides" / "spark-fleet.md"
SETTINGS = StreamSettings(FLEET, pages=16)


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from askance.distributed.spark_session import session

    spark_or_missing()
    place = tmp_path_factory.mktemp("spark")
    options = {
        "spark.sql.shuffle.partitions": "1",  # each needs a worker that imports everything; the soak has more
        "spark.sql.warehouse.dir": str(place),
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # a short life
        "spark.sql.codegen.wholeStage": "false",
    }
    with workers_find_the_tests():  # Java starts once a process, and may serve others after these
        found = session("local[1]", options)
        yield found
        found.stop()


def words(place: pathlib.Path, **changes: object) -> list[object]:
    given = {
        "input": place / "rows",
        "labels": place / "labels",
        "output": place / "out",
        "checkpoint": place / "state",
        "classes": "ham,spam",
        "param": "delta=1",
        "seed": 7,
        "dtype": "float64",
        "bits": 10,
        "pages": 16,
        "files-per-batch": 1,
    } | {name.replace("_", "-"): value for name, value in changes.items()}
    return ["spark", "fleet", "--once", *(word for name, value in given.items() for word in (f"--{name}", value))]


def outcomes(spark: Any, place: pathlib.Path) -> list[str]:
    lines = spark.read.parquet(str(place / "out")).collect()
    return as_lines([line.asDict() for line in lines])


@pytest.mark.soak
def test_it_decides_and_learns_as_a_plain_fleet_also_after_a_restart(spark: Any, tmp_path: pathlib.Path) -> None:
    batches = made_up(keys=20, rows=240, batches=3)
    plain = PlainFleet(SETTINGS)
    expected = [line for batch in batches for line in plain.micro_batch(*batch)]
    reasons = {line["reason"] for line in expected}
    assert reasons == {None, "came before", "was not asked", "was learned before", "is not a class"}

    for number in (0, 1):
        write(batches[number], number, tmp_path / "rows", tmp_path / "labels")
    first = answer(*words(tmp_path))
    write(batches[2], 2, tmp_path / "rows", tmp_path / "labels")
    second = answer(*words(tmp_path))

    assert (first["batches"], second["batches"]) == (2, 1)
    assert first["rows"] + second["rows"] == 240
    assert outcomes(spark, tmp_path) == as_lines(expected)
    assert settings_of(spark, str(tmp_path / "state")) == SETTINGS

    told = complaint(*words(tmp_path, seed=8, bits=11))
    assert told == (
        "the checkpoint has other settings: bits was 10 and is now 11; random_state was 7 and is now 8: "
        "use the same settings, or a new checkpoint"
    )

    assert "20 keys" in askance("spark", "export", tmp_path / "state", "--out", tmp_path / "models.parquet").stdout
    import pyarrow.parquet

    models = pyarrow.parquet.read_table(tmp_path / "models.parquet").to_pydict()
    assert dict(zip(models["key"], models["model"], strict=True)) == dict(plain.fleet.packed())


@pytest.mark.soak
def test_the_page_of_the_documentation_works(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spark_or_missing()
    monkeypatch.chdir(tmp_path)
    [example] = python_blocks(PAGE)
    exec(example, {})
    commands = re.findall(r"^\$ askance (spark .*state.*)$", PAGE.read_text(), flags=re.MULTILINE)
    whole = [[sys.executable, "-m", "askance", *command.split()] for command in commands]
    first, second = (subprocess.run(words, capture_output=True, text=True, check=True) for words in whole)
    assert first.stdout.startswith("1,000 rows, ")
    assert second.stdout == "wrote the models of 3 keys to models.parquet\n"
    assert first.stderr == second.stderr == ""  # Spark's own chatter is held back
