"""Rules that see rows see the same ones when they are compiled, also inside other rules."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import streams
from askance import queries
from askance.engine.passes import arrays_of, bind
from askance.engine.watching import watch
from askance.jit.kernels.neighbours import count_nearest
from askance.learners.inputs import as_rows
from askance.rules.query import recent_rows
from askance.rules.query.rule import with_room
from askance.rules.registry import with_floats


@pytest.mark.slow
@pytest.mark.parametrize("kind", [queries.LocalDensity, queries.CognitiveWindow])
def test_compiled_windows_are_the_same_to_the_last_bit(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = streams.sparse_units(rows=60, width=12, random_state=7)
    rule = with_floats(queries.Within(kind(queries.LocalDensity(queries.Margin(), window=4), window=5)))
    kept, other = (with_room(rule, rule.start(), 12) for _ in range(2))
    rows: Any = as_rows(sp.csr_array(made.X.astype(np.float32)), np.dtype(np.float32))
    for t in range(60):
        arguments = (rule, kept, rows, t)
        bind("watch", arguments, exact=False)(*arguments)
    # Only compiled code can call the compiled function.
    monkeypatch.setattr(recent_rows, "count_nearest", getattr(count_nearest, "py_func", count_nearest))
    for t in range(60):
        watch(rule, other, rows, t)
    for path, array in arrays_of(kept).items():
        np.testing.assert_array_equal(array, arrays_of(other)[path], path)
