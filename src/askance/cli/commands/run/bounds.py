"""The work of `askance run --bound`: collect rows and decisions, and evaluate the theorems on them."""

from collections.abc import Mapping, Sequence

import numpy as np

from askance.algorithms import look_up
from askance.data.stacking import stacked
from askance.data.stream import Chunk
from askance.learners.trace import Trace
from askance.rules.registry import MULTICLASS
from askance.theory import THEOREMS, Bound
from askance.theory.evaluation import evaluate_on
from askance.theory.inputs import labelled
from askance.theory.register import find


class Witness:
    """Keeps all rows of a contest, and the decisions of the contestants that have a theorem."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._chunks: list[Chunk] = []
        self._pieces: dict[str, list[Trace]] = {name: [] for name in names if name in THEOREMS}

    def add(self, chunk: Chunk, traces: Sequence[Trace]) -> None:
        """Keep a chunk and the decisions about it."""
        self._chunks.append(chunk)
        for name, trace in zip(self._names, traces, strict=True):
            if name in self._pieces:
                self._pieces[name].append(trace)

    def bounds(self, parameters: Mapping[str, float]) -> list[Bound]:
        """The bounds of the theorems; each algorithm gets those parameters that it has."""
        X = stacked([chunk.X for chunk in self._chunks])
        y = np.concatenate([np.asarray(chunk.y) for chunk in self._chunks])
        traces = {name: Trace.join(pieces) for name, pieces in self._pieces.items()}
        rows = labelled(X, y, list(traces.values()), many=look_up(self._names[0]).kind == MULTICLASS)
        found = []
        for name, trace in traces.items():
            own = {key: value for key, value in parameters.items() if key in look_up(name).defaults}
            found.append(evaluate_on(rows, name, find(name), [trace], None, own))
        return found
