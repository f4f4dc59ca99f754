"""Parts on every engine: data sent once, lost workers, faults, and sentences for what cannot be."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import askance
from askance.distributed import spark
from askance.distributed.backends import BACKENDS, open_workers
from askance.distributed.dask import local_cluster
from askance.distributed.tasks import Task, WorkerLostError, run_tasks
from askance.distributed.workers import Workers
from askance.experiments.dataset import make_dataset
from engines import ENGINES, running
from losing import Heavy, faulty, given, lossy, mapped
from needs import NOT_RUN
from small_sweeps import stream
from thinning import rest_in_soak

pytestmark = pytest.mark.slow


# Ray and Spark take long to start: `make slow` has Spark, for the results alone, and the soak has both.
@pytest.fixture(scope="module", params=rest_in_soak(ENGINES, ("loky", "dask")))
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    with running(request.param):
        yield request.param


@pytest.fixture
def workers(engine: str) -> Iterator[Workers]:
    with open_workers(engine, 2) as found:
        yield found


PLAN: dict[str, Any] = {
    "data": {"made": stream(rows=100)},
    "algorithms": ["PAA-II", "RPA-II", "PEA"],
    "grid": {"C": [0.1, 1.0]},
    "permutations": 2,
    "rates": (0.1, 0.4),
    "tuning": 2,
    "dtype": "float64",
    "points": 3,
}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of twelve runs, as this process makes it."""
    path = tmp_path_factory.mktemp("here") / "results.parquet"
    askance.sweep(**PLAN, backend="sequential").save(path)
    return path.read_bytes()


SLOW = [pytest.param(engine, marks=pytest.mark.slow) for engine in ("loky", "dask", "spark")]


@pytest.mark.parametrize("engine", [*SLOW, pytest.param("ray", marks=pytest.mark.soak)], indirect=True)
def test_results_are_the_same_to_the_byte_on_every_engine(engine: str, here: bytes, tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    found = askance.sweep(**PLAN, backend=engine, n_jobs=2, watch=lambda *progress: told.append(progress))
    found.save(tmp_path / "results.parquet")
    assert len(found) == 12
    assert (tmp_path / "results.parquet").read_bytes() == here
    assert [(done, of) for done, of, _ in told] == [(1, 3), (2, 3), (3, 3)]
    assert {title for *_, title in told} == {"PAA-II on made", "RPA-II on made", "PEA on made"}


def tasks(count: int, *arguments: Any) -> list[Task]:
    return [Task(f"part {number}", (*arguments, number)) for number in range(count)]


def test_data_are_sent_once_a_worker(engine: str, workers: Workers) -> None:
    data = Heavy(np.arange(200_000.0))
    Heavy.packed = 0
    found = dict(run_tasks(given, tasks(12, data), workers))
    assert [found[number][2] for number in range(12)] == [data.numbers.sum() + number for number in range(12)]
    # None has the numbers in memory of its own: they are mapped, or views of what the engine brought.
    assert not any(own for *_, own in found.values())
    if engine in ("dask", "spark"):
        assert max(unpacked for _, unpacked, *_ in found.values()) <= 2  # Dask may hand it from worker to worker
    if engine != "loky":
        assert Heavy.packed == 2  # once to be measured, once to be sent


@pytest.mark.slow
def test_two_clusters_on_one_machine_do_not_want_the_same_port() -> None:
    pytest.importorskip("distributed", reason=f"{NOT_RUN}Dask needs dask and distributed")
    with local_cluster(1) as one, local_cluster(1) as other:
        assert one.scheduler_address != other.scheduler_address
        assert one.dashboard_link != other.dashboard_link


@pytest.mark.slow
def test_sparse_data_are_mapped_by_processes_here() -> None:
    X = np.random.default_rng(0).normal(size=(900, 500)) * (np.random.default_rng(1).random((900, 500)) < 0.1)
    from scipy import sparse

    data = make_dataset("sparse", sparse.csr_array(X), np.arange(900) % 2, np.dtype("float64"))
    with open_workers("loky", 2) as workers:
        found = dict(run_tasks(mapped, tasks(4, data), workers))
    assert found == dict.fromkeys(range(4), (True, True))


def test_a_lost_worker_costs_the_parts_in_hand(workers: Workers, tmp_path: Path) -> None:
    some = [Task(f"part {number}", (tmp_path, number, 3, 1)) for number in range(12)]
    found = dict(run_tasks(lossy, some, workers))
    assert sorted(found) == list(range(12))
    begun = {number: len((tmp_path / f"{number}.begun").read_text().split()) for number in range(12)}
    assert begun[3] == 2
    assert sum(begun.values()) <= 12 + 2  # one other was in hand at most
    assert all(begun[number] == 1 for number in (0, 1))  # they were done before


@pytest.mark.slow
def test_a_part_that_ends_every_worker_is_named(tmp_path: Path) -> None:
    with open_workers("loky", 2) as workers:
        check_that_it_is_named(workers, tmp_path)


@pytest.mark.soak
def test_a_part_that_ends_every_worker_of_an_engine_is_named(workers: Workers, tmp_path: Path) -> None:
    check_that_it_is_named(workers, tmp_path)


def check_that_it_is_named(workers: Workers, tmp_path: Path) -> None:
    some = [Task(f"part {number}", (tmp_path, number, 1, 99)) for number in range(4)]
    with pytest.raises(
        WorkerLostError, match=r"^part 1 ends its worker each time: give workers more memory"
    ) as caught:
        list(run_tasks(lossy, some, workers))
    assert "\n" not in str(caught.value)


# Of loky, if it does not get as far in a moment: a thread of its own ends with a KeyError when it is stopped.
@pytest.mark.filterwarnings("ignore:Exception in thread ExecutorManagerThread")
def test_a_fault_is_raised_as_it_is_and_not_tried_again(workers: Workers) -> None:
    with pytest.raises(ValueError, match="part 2 cannot be done") as caught:
        list(run_tasks(faulty, tasks(6), workers))
    assert str(caught.value) == "part 2 cannot be done"
    assert any("in faulty" in note for note in caught.value.__notes__)


def test_an_engine_that_has_gone_is_not_tried_for_ever() -> None:
    def gone(_: Any) -> Any:
        raise ConnectionError("nobody is there")

    with open_workers("loky", 2) as workers, pytest.raises(ConnectionError, match="nobody is there"):
        list(run_tasks(given, tasks(3, Heavy(np.zeros(50_000))), workers._replace(share=gone, losses=(OSError,))))


@pytest.mark.parametrize(
    ("backend", "n_jobs", "cluster", "says"),
    [
        ("hadoop", 2, None, "unknown backend 'hadoop': use one of loky, sequential, dask, ray, spark"),
        ("loky", 0, None, "n_jobs must be a positive integer, or -1 for all processors, not 0"),
        (
            "loky",
            2,
            "tcp://there:1",
            "the backend loky runs on this machine and cannot use the cluster tcp://there:1",
        ),
    ],
)
def test_bad_wishes(backend: str, n_jobs: int, cluster: str | None, says: str) -> None:
    with pytest.raises(ValueError, match=says), open_workers(backend, n_jobs, cluster):
        pass


@pytest.mark.parametrize(
    ("backend", "module"),
    [("dask", "distributed"), ("ray", "ray"), ("spark", "pyspark"), ("spark", "joblibspark")],
)
def test_missing_packages_are_named(backend: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    if module == "joblibspark":
        pytest.importorskip("pyspark")
    says = rf"(the backend {backend}|Spark) needs {module}: pip install 'askance\[{backend}\]'$"
    with pytest.raises(ImportError, match=says), open_workers(backend, 2):
        pass


def test_spark_without_java(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(ImportError, match=r"^Spark needs Java 17 or later"), spark.spark_session(2, None):
        pass


def test_spark_connect_is_refused() -> None:
    pytest.importorskip("pyspark")
    refused = pytest.raises(ValueError, match="sc://there:15002 is Spark Connect")
    with refused, spark.spark_session(2, "sc://there:15002"):
        pass


def test_nobody_answers() -> None:
    dask = pytest.importorskip("dask")
    pytest.importorskip("distributed")
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(OSError, match="no Dask scheduler answers at tcp://127"),
        open_workers("dask", 2, "tcp://127.0.0.1:1"),
    ):
        pass


def test_the_names_of_backends() -> None:
    assert {*ENGINES, "sequential"} == set(BACKENDS)
