"""A fleet on Spark that is killed at random moments and started again loses nothing and does nothing twice."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

from askance.distributed.spark_fleet import FleetSettings, StreamSettings
from processes import run_code
from spark_crowd import Crowd
from spark_streams import spark_or_missing

FLEET = FleetSettings("PAA-II", {"delta": 1.0}, ["ham", "spam"], random_state=7, dtype="float64")
SETTINGS = StreamSettings(FLEET)
SPARK = {"spark.sql.shuffle.partitions": "4", "spark.driver.memory": "4g"}


def started(place: pathlib.Path) -> subprocess.Popen[bytes]:
    """The job, in processes of its own that can be killed together."""
    given = {"input": "rows", "labels": "labels", "output": "out", "checkpoint": "state", "classes": "ham,spam"}
    given |= {
        "param": "delta=1",
        "seed": "7",
        "dtype": "float64",
        "format": "parquet",
        "files-per-batch": "2",
    }
    words = [word for name, value in given.items() for word in (f"--{name}", value)]
    for name, value in SPARK.items():
        words += ["--conf", f"{name}={value}"]
    command = [
        sys.executable,
        "-m",
        "askance",
        "spark",
        "fleet",
        "--once",
        "--cluster",
        "local[2]",
        "--json",
        *words,
    ]
    with (place / "log").open("ab") as log:
        return subprocess.Popen(command, cwd=place, stdout=log, stderr=log, start_new_session=True)


def committed(place: pathlib.Path) -> int:
    commits = place / "state" / "commits"
    return sum(path.name.isdigit() for path in commits.iterdir()) if commits.is_dir() else 0


def killed_now_and_then(place: pathlib.Path, batches: int, kills: int, random_state: int) -> list[float]:
    """Run the job to its end; the seconds after which it was killed, each at any moment of some micro-batch."""
    chance = random.Random(random_state)
    moments = []
    begun = time.monotonic()
    for after in [*sorted(chance.sample(range(batches - 1), kills)), None]:
        job = started(place)
        if after is None:
            assert job.wait() == 0, (place / "log").read_text()[-3000:]
            continue
        while committed(place) <= after:
            assert job.poll() is None, (place / "log").read_text()[-3000:]
            time.sleep(0.1)
        time.sleep(chance.uniform(0, 15))
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
        moments.append(time.monotonic() - begun)
    return [*moments, time.monotonic() - begun]


def models_of(place: pathlib.Path) -> dict[str, bytes]:
    """From a process of its own: this one has no Spark."""
    table = place / "models.parquet"
    run_code(
        f"""
        import sys
        sys.argv = ["askance", "spark", "export", {str(place / "state")!r}, "--out", {str(table)!r}]
        from askance.cli import main
        main()
        """
    )
    import pyarrow.parquet

    columns = pyarrow.parquet.read_table(table).to_pydict()
    return dict(zip(columns["key"], columns["model"], strict=True))


def outcomes(place: pathlib.Path, kind: str) -> Any:
    """What Spark's own log of the sink says is there: files of a micro-batch that was killed do not count."""
    import json

    import pyarrow.parquet

    logs = [path for path in (place / "out" / "_spark_metadata").iterdir() if not path.name.startswith(".")]
    whole = max(
        (path for path in logs if path.suffix == ".compact"), key=lambda path: int(path.stem), default=None
    )
    first = -1 if whole is None else int(whole.stem)
    later = [path for path in logs if path.suffix != ".compact" and int(path.name) > first]
    lines = [line for path in [*([whole] if whole else []), *later] for line in path.read_text().splitlines()[1:]]
    names = [json.loads(line)["path"].removeprefix("file://") for line in lines]
    parts = [pyarrow.parquet.ParquetFile(name).read() for name in names if f"kind={kind}" in name]
    return pyarrow.concat_tables(parts).to_pandas().astype({"id": int}).sort_values("id", ignore_index=True)


@pytest.mark.soak
@pytest.mark.parametrize(("keys", "rows", "batches", "kills"), [(100_000, 2_000_000, 10, 3)])
def test_killed_at_random_moments_every_row_is_decided_and_every_label_learned_once(
    tmp_path: pathlib.Path, keys: int, rows: int, batches: int, kills: int
) -> None:
    spark_or_missing()
    crowd = Crowd.made(SETTINGS, keys, rows, batches)
    crowd.write(tmp_path)
    moments = killed_now_and_then(tmp_path, batches, kills, random_state=rows)
    print("killed and ended after", [round(moment) for moment in moments], "s")

    expected = crowd.expected()
    decided = outcomes(tmp_path, "row")
    assert np.array_equal(decided["id"], np.arange(rows))
    for name in ("score", "probability", "asked", "label", "round"):
        assert np.array_equal(decided[name].to_numpy(), getattr(expected, name)), name

    told = outcomes(tmp_path, "label")
    known = np.flatnonzero(crowd.batch < batches - 1)
    assert np.array_equal(told["id"], known)
    assert np.array_equal(told["outcome"] == "learned", expected.asked[known])

    models = models_of(tmp_path)
    assert models.keys() == {f"k{key}" for key in np.unique(crowd.key)}
    assert all(model == expected.fleet.pack(key) for key, model in models.items())
