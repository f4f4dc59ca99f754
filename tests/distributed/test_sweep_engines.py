"""The long version: two hundred runs on each engine, also with a worker killed in mid-run; and sweeps given up."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import askance
from engines import ENGINES, need, running
from losing import noting_cell
from needs import missing
from processes import interruptible
from small_sweeps import stream

PLAN: dict[str, Any] = {
    "data": {f"made {random_state}": stream(rows=3000, random_state=random_state) for random_state in range(5)},
    "algorithms": ["PAA-I", "PAA-II", "RPA-II", "PEA"],
    "grid": {"C": [0.1, 1.0]},
    "permutations": 5,
    "rates": (0.1, 0.3),
    "tuning": 2,
    "dtype": "float64",
}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return file_of(tmp_path_factory.mktemp("here"), backend="sequential")


def file_of(place: Path, **how: Any) -> bytes:
    found = askance.sweep(**PLAN, **how)
    assert len(found) == 200
    found.save(place / "results.parquet")
    return (place / "results.parquet").read_bytes()


class Killer:
    """Kills whoever first writes its number into a file."""

    def __init__(self, notes: Path) -> None:
        self.notes, self.killed = notes, 0
        self.thread = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        while not list(self.notes.iterdir()):
            time.sleep(0.01)
        time.sleep(0.05)
        number = int(min(self.notes.iterdir()).name)
        os.kill(number, signal.SIGKILL)
        self.killed = number


@pytest.mark.soak
@pytest.mark.parametrize("engine", ENGINES)
def test_two_hundred_runs_on_every_engine(
    engine: str, here: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    monkeypatch.setenv("ASKANCE_NOTES", str(notes))
    with running(engine):
        began = time.perf_counter()
        assert file_of(tmp_path, backend=engine, n_jobs=2) == here
        print(f"{engine}: {time.perf_counter() - began:.1f} s")
        killer = Killer(notes)
        killer.thread.start()
        with monkeypatch.context() as patch:
            patch.setattr("askance.experiments.sweep.run.run_cell", noting_cell)
            began = time.perf_counter()
            assert file_of(tmp_path, backend=engine, n_jobs=2) == here
            print(f"{engine}, one killed: {time.perf_counter() - began:.1f} s")
        killer.thread.join()
        assert killer.killed
        assert len(list(notes.iterdir())) > 1  # another has taken its place


LONG = """
data = ["a8a"]
algorithms = ["PAA-I", "PAA-II", "RPA-II", "AROW", "SOAL"]
permutations = 50
"""


@pytest.mark.soak
@pytest.mark.parametrize("engine", ENGINES)
def test_an_interrupted_sweep_leaves_no_process_behind(engine: str, data_directory: Path, tmp_path: Path) -> None:
    need(engine)
    if not Path("/proc/self/environ").exists():
        missing("the test of processes left behind", "/proc")
    (tmp_path / "plan.toml").write_text(LONG)
    command = [sys.executable, "-m", "askance", "sweep", str(tmp_path / "plan.toml"), "--backend", engine]
    environment = {**os.environ, "ASKANCE_DATA": str(data_directory), "ASKANCE_MARK": str(tmp_path)}
    pipe = subprocess.PIPE
    sweep = interruptible(
        [*command, "--n-jobs", "2"],
        env=environment,
        start_new_session=True,
        stdout=pipe,
        stderr=pipe,
        text=True,
    )
    while not list(tmp_path.glob("plan/parts/*.json")):  # until a part of it is done
        assert sweep.poll() is None
        time.sleep(0.1)
    assert len(marked(tmp_path)) >= 3  # it and two workers
    os.killpg(sweep.pid, signal.SIGINT)  # as a terminal does
    _, told = sweep.communicate(timeout=60)
    assert sweep.returncode == 130
    assert told.splitlines()[-1] == "askance: interrupted"
    limit = time.monotonic() + 10
    while marked(tmp_path) and time.monotonic() < limit:
        time.sleep(0.1)
    assert marked(tmp_path) == []


def marked(mark: Path) -> list[str]:
    """The processes that have the mark in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"ASKANCE_MARK={mark}".encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().decode())
    return found
