"""The plain C loop, compiled when it is needed, if there is a compiler."""

import ctypes
import hashlib
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.datasets import Dataset

SOURCE = Path(__file__).with_name("dot_and_axpy.c")
OPTIONS = ("-O3", "-shared", "-fPIC")


def compile_loop(directory: Path) -> Callable[..., None] | None:
    """The C function, or None without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    key = hashlib.sha256(SOURCE.read_bytes() + " ".join(OPTIONS).encode()).hexdigest()[:12]
    library = directory / f"{SOURCE.stem}-{key}.so"
    if not library.exists():
        subprocess.run([compiler, *OPTIONS, "-o", library, SOURCE], check=True)
    function = ctypes.CDLL(str(library)).dot_and_axpy
    function.restype = None
    function.argtypes = (ctypes.c_long, *7 * [ctypes.c_void_p])
    return function


def bound_loop(function: Callable[..., None], dataset: Dataset, moves: NDArray[np.bool_]) -> Callable[[Any], None]:
    """The loop over a sparse data set, to be called with the weights to begin with."""
    X, labels, scores = dataset.X, dataset.y.astype(np.float32), np.empty(len(dataset.y), np.float32)

    def work(weights: NDArray[np.float32]) -> None:
        arrays = (X.indptr, X.indices, X.data, labels, moves, weights, scores)
        function(len(labels), *(array.ctypes.data for array in arrays))

    return work
