"""Atomic writes and optional packages."""

import os
import pathlib

import pytest

from askance._util.atomic_write import atomic_write, write_whole
from askance._util.optional import require


def test_a_file_appears_only_when_it_is_complete(tmp_path: pathlib.Path) -> None:
    target = tmp_path / "picture.svg"
    with atomic_write(target) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".svg"
        temporary.write_bytes(b"new")
        assert not target.exists()
    assert target.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["picture.svg"]


def test_an_error_keeps_the_old_file(tmp_path: pathlib.Path) -> None:
    target = tmp_path / "model"
    write_whole(target, b"old")

    def stop_half_way() -> None:
        with atomic_write(target) as temporary:
            temporary.write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop_half_way()
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["model"]


def test_a_link_stays_a_link(tmp_path: pathlib.Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    write_whole(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_directory_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match=r"is not a file that can be replaced: choose another path$"):
        write_whole(tmp_path, b"")
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "missing" / "model", b"")


def test_a_missing_package_is_named_with_its_remedy() -> None:
    assert require("math", None, "this test").sqrt(4) == 2
    with pytest.raises(ImportError, match=r"^Parquet needs no_such: pip install 'askance\[parquet\]'$"):
        require("no_such", "parquet", "Parquet")
    with pytest.raises(ImportError, match=r"^this table needs no_such: pip install no_such$"):
        require("no_such", None, "this table")
