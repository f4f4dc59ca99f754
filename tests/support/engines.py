"""The engines that sweeps run on, started for some tests; those that are not installed are skipped."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

from needs import missing

ENGINES = ("loky", "dask", "ray", "spark")
PACKAGES = {"loky": (), "dask": ("distributed",), "ray": ("ray",), "spark": ("pyspark", "joblibspark")}


def need(engine: str) -> None:
    """Skip a test if the engine is not installed."""
    for package in PACKAGES[engine]:
        if find_spec(package) is None:
            missing(f"the tests on {engine}", package)
    if engine == "spark" and not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        missing("the tests on spark", "Java 17 or later")


@contextmanager
def running(engine: str, workers: int = 2) -> Iterator[None]:
    """An engine that is there already when work comes, so that it starts once for all tests of a module."""
    need(engine)
    with ExitStack() as stack:
        stack.enter_context(workers_find_the_tests())
        if engine == "dask":
            from askance.distributed.dask import local_cluster
            from distributed import Client

            stack.enter_context(Client(stack.enter_context(local_cluster(workers))))
        elif engine == "ray":
            import ray

            from askance.distributed.ray import connect

            connect(workers, None)
            stack.callback(ray.shutdown)
        elif engine == "spark":
            from askance.distributed.spark import spark_session

            stack.enter_context(spark_session(workers, None))
        yield


@contextmanager
def workers_find_the_tests() -> Iterator[None]:
    """What tests send to workers stands in modules of the tests."""
    before = os.environ.get("PYTHONPATH")
    here = str(Path(__file__).parent)
    os.environ["PYTHONPATH"] = here if before is None else f"{here}{os.pathsep}{before}"
    try:
        yield
    finally:
        with contextlib.suppress(KeyError):
            del os.environ["PYTHONPATH"]
        if before is not None:
            os.environ["PYTHONPATH"] = before
