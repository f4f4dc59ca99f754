"""Checkpoints: a long fit is written to a file and can be resumed after an interruption."""

import hashlib
import os
import pathlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance._util.atomic_write import write_whole
from askance._util.sealed_file import arrays_of, header_of, read, seal
from askance.errors import ModelFileError
from askance.ratings.conjugate_gradient import Iterate, Move
from askance.ratings.manifold import LowRankPoint, Tangent
from askance.ratings.rank_search import SearchState, Stage

KIND = "ratings-checkpoint"
INTERVAL = 30.0  # seconds

Last = tuple[Iterate, int]


class Checkpoint:
    """The state of a fit in a file. Without a path nothing is written."""

    def __init__(self, path: pathlib.Path | None, problem: tuple[Any, ...]) -> None:
        self._path = path
        self._digest = _digest_of(problem) if path else ""
        self._written = time.monotonic()
        self._latest: tuple[SearchState, Last | None] | None = None

    def resumed(self) -> tuple[SearchState | None, Last | None]:
        """The state in the file; raises ModelFileError if it belongs to another fit."""
        if self._path is None or not self._path.exists():
            return None, None
        content = read(self._path)
        try:
            header = header_of(content)
            if header.get("kind") != KIND:
                raise ModelFileError("is not a checkpoint of a ratings fit")
        except ModelFileError as error:
            raise ModelFileError(f"{self._path} {error}") from None
        if header["digest"] != self._digest:
            raise ModelFileError(
                f"{self._path} belongs to a fit with other ratings or settings: choose another file"
            )
        arrays = arrays_of(content)
        state = _state(header["state"], arrays)
        last = header["last"]
        return state, None if last is None else (_iterate("last", last["value"], arrays), last["iteration"])

    def keep(self, state: SearchState, last: Last | None) -> None:
        """Remember the state of the fit, and write it if the last time is long enough ago."""
        self._latest = state, last
        if time.monotonic() - self._written >= INTERVAL:
            self.write()

    def write(self) -> None:
        """Write the last state that was kept."""
        if self._path is None or self._latest is None:
            return
        state, last = self._latest
        arrays = {**_arrays("now", state.now), **_arrays("best", state.best)}
        numbers = {name: value for name, value in state._asdict().items() if name not in ("now", "best")}
        numbers |= {"now": state.now.value, "best": state.best.value}
        header: dict[str, Any] = {"kind": KIND, "digest": self._digest, "state": numbers, "last": None}
        if last is not None:
            arrays |= _arrays("last", last[0])
            header["last"] = {"value": last[0].value, "iteration": last[1]}
        write_whole(self._path, seal(arrays, header))
        self._written = time.monotonic()

    def remove(self) -> None:
        """Delete the file: the fit is complete."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)


@contextmanager
def kept(path: str | os.PathLike[str] | None, problem: tuple[Any, ...]) -> Iterator[Checkpoint]:
    """A checkpoint that is written if the fit is interrupted, and removed when it is complete."""
    file = Checkpoint(None if path is None else pathlib.Path(path), problem)
    try:
        yield file
    except BaseException:
        file.write()
        raise
    file.remove()


def _digest_of(problem: tuple[Any, ...]) -> str:
    """A digest of the ratings and of all settings of a fit."""
    total = hashlib.blake2b(digest_size=16)
    observed, *rest = problem
    for array in observed[:3]:
        total.update(array)
    total.update(
        repr(([observed.n_items], *(part.tolist() if hasattr(part, "tolist") else part for part in rest))).encode()
    )
    return total.hexdigest()


def _arrays(prefix: str, iterate: Iterate) -> dict[str, NDArray[Any]]:
    parts: dict[str, NDArray[Any]] = {"thresholds": iterate.thresholds, "slopes": iterate.threshold_slopes}
    tuples: dict[str, Any] = {"point": iterate.point, "gradient": iterate.gradient}
    if iterate.move is not None:
        start, gradient, direction = iterate.move
        tuples |= {"start": start, "gradient_before": gradient, "direction": direction}
    for name, one in tuples.items():
        parts |= {f"{name}/{field}": array for field, array in one._asdict().items()}
    return {f"{prefix}/{name}": np.ascontiguousarray(array) for name, array in parts.items()}


def _iterate(prefix: str, value: float, arrays: dict[str, NDArray[Any]]) -> Iterate:
    def of(kind: type, name: str) -> Any:
        return kind(*(arrays[f"{prefix}/{name}/{field}"] for field in kind._fields))  # type: ignore[attr-defined]

    moved = f"{prefix}/start/left" in arrays
    move = (
        Move(of(LowRankPoint, "start"), of(Tangent, "gradient_before"), of(Tangent, "direction"))
        if moved
        else None
    )
    thresholds, slopes = arrays[f"{prefix}/thresholds"], arrays[f"{prefix}/slopes"]
    return Iterate(of(LowRankPoint, "point"), thresholds, value, of(Tangent, "gradient"), slopes, move)


def _state(numbers: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> SearchState:
    path = tuple(Stage(*stage) for stage in numbers["path"])
    iterates = {name: _iterate(name, numbers[name], arrays) for name in ("now", "best")}
    return SearchState(**{**numbers, **iterates, "path": path})
