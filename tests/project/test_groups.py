"""Tests that share something run in one process: otherwise each process would prepare it for itself."""

import pytest

from conftest import group_of

RAN: list[str] = []


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("tests/data/test_readers.py::test_one", "data/test_readers.py"),
        ("data/test_readers.py::test_one[a-b]", "data/test_readers.py"),
        ("tests/service/test_service_store.py::test_one[2-postgres]", "postgres"),
        ("tests/service/test_service_store.py::test_postgres[sqlite]", "service/test_service_store.py"),
        ("tests/distributed/test_backends.py::test_one[dask]", "dask"),
    ],
)
def test_tests_share_a_server_or_a_file(name: str, group: str) -> None:
    assert group_of(name, compiled=True) == group_of(name, compiled=False) == group


def test_tests_of_the_automatic_learner_share_what_is_compiled() -> None:
    name = "tests/cli/test_cli_auto.py::test_one"
    assert group_of(name, compiled=True) == "auto"
    assert group_of(name, compiled=False) == "cli/test_cli_auto.py"


@pytest.mark.parametrize("number", range(8))
def test_the_tests_of_a_file_run_in_one_process(number: int, request: pytest.FixtureRequest) -> None:
    name = request.node.originalname
    asked_for = [item.name for item in request.session.items if getattr(item, "originalname", None) == name]
    assert asked_for[: len(RAN)] == RAN
    assert asked_for[len(RAN)] == request.node.name
    RAN.append(request.node.name)
