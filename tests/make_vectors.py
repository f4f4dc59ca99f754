"""Write vectors.npz: what each algorithm returns on two small streams, worked out by the naive twins.

    python tests/make_vectors.py

A new name needs a twin in naive/ and a run of this script.
"""

import pathlib
from typing import Any

import numpy as np

import naive
import streams

PATH = pathlib.Path(__file__).with_name("vectors.npz")
FIELDS = ("labels", "scores", "probabilities", "asked", "updated", "w")
STREAMS = {"noisy": streams.noisy(), "sparse": streams.sparse_units()}


def vectors() -> dict[str, Any]:
    """Every array of the file by name: in/<stream>/X|y|coins and out/<stream>/<name>/<field>."""
    arrays = {
        f"in/{name}/{part}": value for name, made in STREAMS.items() for part, value in made._asdict().items()
    }
    for stream, made in STREAMS.items():
        for name in naive.ALGORITHMS:
            run = naive.algorithm(name, *made)
            if run.settled < len(made.y):
                raise ValueError(
                    f"{name} on {stream}: round {run.settled} hangs on the last bits; take another seed"
                )
            arrays |= {f"out/{stream}/{name}/{field}": getattr(run, field) for field in FIELDS}
    return arrays


if __name__ == "__main__":
    np.savez_compressed(PATH, **vectors())
    print(f"{PATH.name}: {len(naive.ALGORITHMS)} algorithms on {len(STREAMS)} streams")
