"""Parts of a sweep: found again, and done again only where they are damaged."""

from pathlib import Path
from typing import Any

import pytest

from askance.experiments.store import Store


class Worker:
    def __init__(self, found: Any) -> None:
        self.found, self.calls = found, 0

    def __call__(self) -> Any:
        self.calls += 1
        return self.found


def test_a_part_is_done_once(tmp_path: Path) -> None:
    work = Worker([{"f": 0.1 + 0.2, "name": "ü"}])
    first = Store(tmp_path).recall(["a", 1], work)
    again = Store(tmp_path).recall(["a", 1], work)
    assert first == again == work.found
    assert work.calls == 1
    Store(tmp_path).recall(["a", 2], work)
    assert work.calls == 2
    assert len(list(tmp_path.glob("parts/*"))) == 2


def test_without_a_place_nothing_is_kept() -> None:
    work = Worker(1)
    assert Store(None).recall("a", work) == Store(None).recall("a", work) == 1
    assert work.calls == 2


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-3], lambda _: b"", lambda b: b.replace(b"5", b"6"), lambda _: b"\xff{"]
)
def test_a_damaged_part_is_reported_and_done_again(tmp_path: Path, damage: Any) -> None:
    work = Worker([5.5, 5])
    Store(tmp_path).recall("a", work)
    Store(tmp_path).recall("b", work)
    (path, _) = sorted(tmp_path.glob("parts/*.json"))
    path.write_bytes(damage(path.read_bytes()))
    calls = work.calls
    with pytest.warns(RuntimeWarning, match="damaged: this part of the sweep is computed again"):
        assert [Store(tmp_path).recall(key, work) for key in "ab"] == [work.found] * 2
    assert work.calls == calls + 1
    assert [Store(tmp_path).recall(key, work) for key in "ab"] == [work.found] * 2
    assert work.calls == calls + 1


def test_work_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Store(tmp_path).recall("a", fail)
    with pytest.raises(TypeError):
        Store(tmp_path).recall("a", lambda: {1, 2})
    assert not list(tmp_path.glob("parts/*"))
