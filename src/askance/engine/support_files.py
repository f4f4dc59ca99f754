"""Support sets in model files. Their size is known only from the file, which may be damaged or forged."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.engine import passes
from askance.rules.kernel.support_set import Support
from askance.rules.rows import SOUND, SparseRows

Arrays = Mapping[str, NDArray[Any]]
PATH = "state/"


def room_for(found: Arrays, state: Any, budget: int | None) -> Any:
    """Return `state` with arrays as long as those found; ValueError if they cannot be a support set.

    Missing arrays and wrong types are not reported here: the reader of the file does that.
    """
    own = passes.arrays_of(state)
    if not all(_alike(found.get(PATH + path), array) for path, array in own.items()):
        return state
    support = Support(*(found[f"{PATH}support/{name}"] for name in Support._fields))
    _check_support(support, state.width, budget)
    room: dict[str, Any] = {"support": Support(*map(np.zeros_like, support))}
    if hasattr(state, "factor"):
        _check_factor(found[PATH + "factor"], found[PATH + "solved"], support.size)
        room |= {name: np.zeros_like(found[PATH + name]) for name in ("factor", "solved")}
    return state._replace(**room)


def _alike(found: NDArray[Any] | None, own: NDArray[Any]) -> bool:
    return found is not None and found.dtype == own.dtype and found.ndim == 1


def _check_support(support: Support, width: int, budget: int | None) -> None:
    starts, count = support.starts, support.size
    if not len(starts) == count + 1 == len(support.squares) + 1 == len(support.norms) + 1:
        raise ValueError("arrays of a support set with different lengths")
    if starts[0] != 0 or not starts[-1] == len(support.indices) == len(support.values):
        raise ValueError("incomplete support vectors")
    if budget is not None and count > budget:
        raise ValueError(f"{count} support vectors, more than the budget of {budget:g}")
    arguments = (SparseRows(starts, support.indices, support.values), count, width)
    with np.errstate(over="ignore", invalid="ignore"):
        error, row = passes.bind("check", arguments, exact=True)(*arguments)
    if error != SOUND:
        raise ValueError(f"an invalid support vector, number {row}")


def _check_factor(factor: NDArray[Any], solved: NDArray[Any], count: int) -> None:
    if len(solved) != count or len(factor) != count * (count + 1) // 2:
        raise ValueError("a factor whose size does not match the support set")
    rows = np.arange(count)
    # I + G has no eigenvalue below 1, so its factor has none either.
    if not (factor[rows * (rows + 3) // 2] > 0.5).all():
        raise ValueError("an invalid Cholesky factor")
