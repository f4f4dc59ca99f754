"""Where plain Python meets compiled code (numba).

Rules, rows and states are named tuples with ordinary methods. `expose` lets compiled code call such a method. The
call is resolved by the *type* of the tuple, so one generic pass serves every rule. With the compiler switched off
(NUMBA_DISABLE_JIT=1) the same source runs as plain Python.
"""

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, event
from numba.core.errors import NumbaError, UnsupportedBytecodeError
from numba.core.types import Type
from numba.core.types.containers import BaseNamedTuple, BaseTuple
from numba.extending import (
    NativeValue,
    intrinsic,
    models,
    overload,
    overload_method,
    register_jitable,
    register_model,
    unbox,
)

from askance.jit.machine_code import MachineCode
from askance.jit.source_digest import digest_for

Function = TypeVar("Function", bound=Callable[..., Any])

# Sums may be reordered and products fused, which is what lets a dot product use vector instructions.
# NaN and infinity keep their meaning: validation and the rules rely on comparisons with them.
RELAXED = {"reassoc", "nsz", "arcp", "contract"}

# Inline, because a call would pass every array of every tuple on the stack. Functions that only compiled code
# calls need no C entry point, and compile a tenth faster without one.
INLINE = {"forceinline": True, "no_cfunc_wrapper": True}

COMPILING = not numba.config.DISABLE_JIT

# What a cache that cannot be used raises: it cannot be read or written, or an older version of askance wrote it,
# whose classes were elsewhere.
CACHE_ERRORS = (OSError, ImportError, AttributeError)

# What the compiler raises for a function that it cannot compile.
COMPILE_ERRORS = (NumbaError, UnsupportedBytecodeError)


class Bare(Type):
    """The compiled type of a rule without parameters: numba cannot call methods of an empty tuple."""

    def __init__(self, instance_class: type) -> None:
        self.instance_class = instance_class
        super().__init__(f"{instance_class.__name__}()")

    @property
    def key(self) -> type:
        """The identity of the type."""
        return self.instance_class


register_model(Bare)(models.OpaqueModel)


@unbox(Bare)  # type: ignore[untyped-decorator]
def _unbox_bare(typ: Bare, value: Any, context: Any) -> Any:  # noqa: ARG001
    return NativeValue(context.context.get_dummy_value())


def type_of(value: Any) -> Any:
    """Return the compiled type of an argument. Read-only and writable arrays have the same type."""
    if isinstance(value, np.ndarray):
        return numba.typeof(np.empty((0,) * value.ndim, value.dtype))
    if not isinstance(value, tuple):
        return numba.typeof(value)
    if not value:
        return Bare(type(value))
    return BaseTuple.from_types([type_of(part) for part in value], type(value))


def compiled(function: Function, *, exact: bool, cache: bool = True) -> Function:
    """Compile `function` with strict (`exact`) or relaxed arithmetic. It runs without the interpreter lock.

    With `cache`, the machine code is kept on disk until one of the sources that it may be made from is edited.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": False if exact else RELAXED}
    if not cache:
        return numba.njit(**options)(function)
    try:
        kept = numba.njit(cache=True, **options)(_named_by_sources(function))
    except RuntimeError:
        # No cache directory can be written: compile in each process.
        return numba.njit(**options)(function)
    if COMPILING:
        kept._cache = MachineCode(kept.py_func)
    return kept


class CachePlace(NamedTuple):
    """The folder in which machine code is kept; `trouble` says why it cannot be, and is None if it can."""

    folder: str | None
    trouble: str | None


def cache_place() -> CachePlace:
    """Where machine code is kept: numba takes the first folder that can be written."""
    folder: str | None = compiled(_nothing, exact=True).stats.cache_path  # type: ignore[attr-defined]
    if folder is None:
        return CachePlace(None, "no directory is writable")
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except OSError as error:
        return CachePlace(folder, f"{folder}: {error.strerror}")
    return CachePlace(folder, None)


def _nothing() -> None:
    """A function to ask numba about, which is never compiled."""


def _named_by_sources(function: Function) -> Function:
    """Return the same function, with a digest of its sources in the name by which the cache finds machine code."""
    return _copy(function, f"{function.__qualname__}.{digest_for(function.__module__)[:16]}")


def persistent(function: Function, *, exact: bool) -> Function:
    """Compile `function` and cache the machine code on disk; if the cache fails at a call, compile without it."""
    kept = compiled(function, exact=exact)

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        nonlocal kept
        try:
            return kept(*arguments)
        except CACHE_ERRORS:
            kept = compiled(function, exact=exact, cache=False)
            return kept(*arguments)

    return call  # type: ignore[return-value]


class _FirstCompilation(event.Listener):  # type: ignore[misc]
    """Calls a function when the first compilation starts."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell: Callable[[], None] | None = tell

    def on_start(self, event: Any) -> None:  # noqa: ARG002
        tell, self._tell = self._tell, None
        if tell is not None:
            tell()

    def on_end(self, event: Any) -> None:
        pass


@contextmanager
def when_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` before the first function is compiled inside the block, not if all come from the cache."""
    with event.install_listener("numba:compile", _FirstCompilation(tell)):
        yield


SEPARATE: Any = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def separate(function: Function) -> Function:
    """Compile a function that only compiled code calls, once for all callers. Its arithmetic is strict.

    It must not make arrays: references are not counted, which takes longer than most of what such functions do.
    """
    return numba.njit(**SEPARATE, _nrt=False)(function)


def allocating(function: Function) -> Function:
    """Compile a function like `separate` that makes arrays."""
    return numba.njit(**SEPARATE)(function)


def inlined(function: Function) -> Function:
    """Let compiled code call a helper function. In plain Python it stays the function itself."""
    return register_jitable(**INLINE)(function)


def like(value: Any, example: Any) -> Any:
    """Convert a number, or a tuple of two or three numbers, to the precision of `example`.

    Hyper-parameters are in double precision. Without the conversion, loops over single-precision rows would be
    computed in double precision too.
    """
    if isinstance(value, tuple):
        return tuple(type(example)(part) for part in value)
    return type(example)(value)


@overload(like)
def _compiled_like(value, example):  # type: ignore[no-untyped-def]
    to = example
    if not isinstance(value, BaseTuple):
        return lambda value, example: to(value)  # noqa: ARG005
    if len(value) == 2:
        return lambda value, example: (to(value[0]), to(value[1]))  # noqa: ARG005
    return lambda value, example: (to(value[0]), to(value[1]), to(value[2]))  # noqa: ARG005


def stretched(step: Any, factor: float, last: float) -> Any:
    """Multiply a step, or the first of its three numbers, by `factor`, and the third by `last`."""
    if isinstance(step, tuple):
        return (step[0] * type(step[0])(factor), step[1], step[2] * type(step[2])(last))
    return step * type(step)(factor)


@overload(stretched)
def _compiled_stretched(step, factor, last):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if not isinstance(step, BaseTuple):
        to = step
        return lambda step, factor, last: step * to(factor)  # noqa: ARG005
    to = step[0]
    return lambda step, factor, last: (step[0] * to(factor), step[1], step[2] * to(last))


BYTES_OF_A_LINE = 64  # a cache line: the unit in which a processor reads memory


def prefetch(array: Any, start: Any, stop: Any) -> None:
    """Prefetch entries of a contiguous array, counted in row-major order. They may lie beyond its end."""


@overload(prefetch, jit_options=INLINE)
def _compiled_prefetch(array, start, stop):  # type: ignore[no-untyped-def]  # noqa: ARG001
    line = np.uint64(BYTES_OF_A_LINE * 8 // array.dtype.bitwidth)

    def lines(array, start, stop):  # type: ignore[no-untyped-def]
        k = start
        while k < stop:
            _prefetch_line(array, k)
            k += line

    return lines


@intrinsic
def _prefetch_line(_context, array, entry):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        prefetch_bytes(builder, builder.gep(view.data, [arguments[1]]), 1)
        return context.get_dummy_value()

    return numba.types.void(array, entry), generate


def prefetch_bytes(builder: Any, pointer: Any, count: int) -> None:
    """Prefetch the cache lines of `count` bytes, the first of which begins where the pointer points to."""
    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    for offset in range(0, count, BYTES_OF_A_LINE):
        place = builder.gep(builder.bitcast(pointer, byte), [ir.IntType(64)(offset)])
        builder.call(call, [place, number(0), number(3), number(1)])  # for reading, keep in all caches, data cache


def expose(protocol: type) -> None:
    """Let compiled code call the methods that `protocol` declares, on any named tuple that has them."""
    for name, method in vars(protocol).items():
        if not name.startswith("_") and inspect.isfunction(method):
            _expose_method(name, inspect.signature(method))


def _expose_method(name: str, signature: inspect.Signature) -> None:
    def resolve(*arguments: Any) -> Callable[..., Any] | None:
        method = getattr(arguments[0].instance_class, name, None)
        # Without annotations, because numba would compare them too.
        return None if method is None else _copy(method, method.__qualname__)

    # Numba compares the parameters of resolver and method, and would treat `*arguments` as one tuple.
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    resolve.__signature__ = inspect.Signature(bare)  # type: ignore[attr-defined]
    resolve.__name__ = name
    for kind in (BaseNamedTuple, Bare):
        overload_method(kind, name, jit_options=INLINE)(resolve)


def _copy(function: Any, name: str) -> Any:
    """Return the same function by another qualified name, without annotations."""
    copy = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__qualname__ = name
    return copy
