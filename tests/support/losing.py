"""Parts of work that end their workers, count themselves or tell what they were given; workers import them."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np

from askance.experiments.sweep.run import run_cell


class Heavy:
    """Data that counts, in each process, how often it was packed and unpacked."""

    packed = unpacked = 0

    def __init__(self, numbers: Any) -> None:
        self.numbers = numbers

    def __getstate__(self) -> Any:
        Heavy.packed += 1
        return self.numbers

    def __setstate__(self, numbers: Any) -> None:
        Heavy.unpacked += 1
        self.numbers = numbers


def noted(place: Path, part: int) -> int:
    """How many times this part has begun, this time included."""
    with open(place / f"{part}.begun", "a") as begun:
        begun.write(f"{os.getpid()}\n")
    return len((place / f"{part}.begun").read_text().splitlines())


def lossy(place: Path, part: int, deadly: int, times: int) -> tuple[int, int]:
    """A part of which one ends its worker, some times."""
    count = noted(place, part)
    if part == deadly and count <= times:
        time.sleep(0.5)  # others are in hand meanwhile, or finished
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.1)
    return part, os.getpid()


def given(data: Heavy, part: int) -> tuple[int, int, float, bool]:
    """Who did it, how often that process has unpacked the data, their sum, and whether they are its own."""
    own = data.numbers.flags.owndata and not isinstance(data.numbers, np.memmap)
    return os.getpid(), Heavy.unpacked, float(data.numbers.sum()) + part, own


def faulty(part: int) -> int:
    if part == 2:
        raise ValueError(f"part {part} cannot be done")
    return part


def mapped(data: Any, part: int) -> tuple[bool, bool]:
    """Whether the numbers of sparse rows, and their places, lie in a file that processes have in common."""
    first, second = (isinstance(array, np.memmap) for array in (data.X.data, data.X.indices))
    return first, second


def noting_cell(plan: Any, method: Any, data: Any, store: Any) -> Any:
    """A cell of the sweep that takes its time, and tells who does it."""
    if data.name == "made 2":
        (Path(os.environ["ASKANCE_NOTES"]) / str(os.getpid())).touch()
        time.sleep(0.3)
    return run_cell(plan, method, data, store)
