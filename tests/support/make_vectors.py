"""Write vectors.npz: what each algorithm returns on small streams, worked out by the naive twins.

    python tests/support/make_vectors.py

A new name needs a twin in naive/ and a run of this script.
"""

import pathlib
from typing import Any

import numpy as np

import naive
import streams
from naive import imbalance, multiclass

PATH = pathlib.Path(__file__).with_name("vectors.npz")
FIELDS = ("predictions", "scores", "ask_probabilities", "asked", "updated", "w")
STREAMS = {"noisy": streams.noisy(), "sparse": streams.sparse_units()}
SEVERAL = streams.several()
CLASSES = 4
MEMBERS = 5


def vectors() -> dict[str, Any]:
    """Every array of the file by name: in/<stream>/X|y|coins and out/<stream>/<name>/<field>."""
    everywhere = {**STREAMS, "several": SEVERAL}
    arrays = {
        f"in/{name}/{part}": value for name, made in everywhere.items() for part, value in made._asdict().items()
    }
    runs = {(stream, name): run(name, stream) for stream in STREAMS for name in naive.ALGORITHMS}
    arrays |= {f"in/{name}/draws": draws(name) for name in STREAMS}
    runs |= {("several", name): run(name, "several") for name in multiclass.ALGORITHMS}
    runs |= {(stream, name): run(name, stream) for stream in STREAMS for name in imbalance.ALGORITHMS}
    for (stream, name), found in runs.items():
        if found.settled < len(found.predictions):
            raise ValueError(
                f"{name} on {stream}: round {found.settled} hangs on the last bits; take another random_state"
            )
        arrays |= {f"out/{stream}/{name}/{field}": getattr(found, field) for field in FIELDS}
    return arrays


def run(name: str, stream: str) -> naive.Run:
    """What the twin of a name returns on a stream."""
    if stream == "several":
        return multiclass.algorithm(name, *SEVERAL, classes=CLASSES)
    if name in imbalance.ALGORITHMS:
        return imbalance.algorithm(name, *STREAMS[stream], draws(stream))
    return naive.algorithm(name, *STREAMS[stream])


def draws(stream: str) -> Any:
    """The coins that a label takes to be learned, one a member."""
    return np.random.default_rng([7, len(stream)]).random((len(STREAMS[stream].y), MEMBERS))


if __name__ == "__main__":
    np.savez_compressed(PATH, **vectors())
    print(
        f"{PATH.name}: {len(naive.ALGORITHMS)} algorithms for two classes, {len(multiclass.ALGORITHMS)} for many, "
        f"{len(imbalance.ALGORITHMS)} for rare positives"
    )
