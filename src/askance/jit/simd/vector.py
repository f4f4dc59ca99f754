"""A compiled type for several numbers side by side in a vector register: the lanes of a bank, or one per class.

The compiler does not reliably turn a loop over lanes into vector instructions, so this type makes them explicit. A
rule without branches compiles for single numbers and for vectors from the same source. `weights[at(j, v)]` are
consecutive entries from `j` on, one per lane of `v`; for an array of pairs, `pairs[at(j, v), 0]` are the first
numbers of consecutive pairs.

With the compiler switched off there are no vectors: `sixteen`, `four` and `two` return a number, `lanes_of`
returns 1, and loops visit one lane at a time.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_cast
from numba.core.types import Type
from numba.core.types.containers import BaseTuple
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, overload, register_model

from askance.jit.interop import INLINE, inlined, prefetch_bytes
from askance.jit.simd.masks import MASKED_INSTRUCTIONS, as_mask, as_truths, mask_type, merged

# Lanes of a bank, an ensemble or a blocked dot product: four additions of four numbers are under way at a time.
LANES = 16


class Vector(Type):
    """The compiled type of `count` numbers of one precision."""

    def __init__(self, element: Any, count: int) -> None:
        self.element, self.count = element, count
        super().__init__(f"Vector({element}, {count})")


class Mask(Type):
    """The compiled type of bools, one per lane of a vector type."""

    def __init__(self, vector: Vector) -> None:
        self.vector, self.count = vector, vector.count
        super().__init__(f"Mask({vector})")


class Place(Type):
    """The compiled type of an index of `count` entries, or of one column of `count` pairs.

    With a mask, only lanes where the mask is true are written. The others read as 0. If the place is `whole`, the
    entries of all lanes exist, and any may be read.
    """

    def __init__(self, count: int, *, mask: Mask | None = None, whole: bool = False, column: bool = False) -> None:
        self.count, self.mask, self.whole, self.column = count, mask, whole, column
        super().__init__(f"Place({count}, mask={mask}, whole={whole}, column={column})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Vector) -> None:
        element = manager.lookup(kind.element).get_value_type()
        super().__init__(manager, kind, ir.VectorType(element, kind.count))


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Mask) -> None:
        element = manager.lookup(kind.vector.element).get_value_type()
        super().__init__(manager, kind, mask_type(element, kind.count))


@register_model(Place)
class _PlaceModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Place) -> None:
        members: list[tuple[str, Type]] = [("start", types.intp)]
        members += [("mask", kind.mask)] if kind.mask else []
        members += [("column", types.intp)] if kind.column else []
        super().__init__(manager, kind, members)


# ---------------------------------------------------------------------- making vectors


def sixteen(number: Any) -> Any:
    """Return a vector of sixteen lanes with the same number in each."""
    return number


def four(number: Any) -> Any:
    """Return a vector of four lanes with the same number in each."""
    return number


def two(number: Any) -> Any:
    """Return a vector of two lanes with the same number in each."""
    return number


def lanes_of(value: Any) -> int:  # noqa: ARG001
    """Return the number of lanes of a vector; a single number has one."""
    return 1


def at(start: Any, example: Any) -> Any:  # noqa: ARG001
    """Return the index of consecutive entries from `start` on, one per lane of `example`."""
    return start


@inlined
def blocks(lanes: Any, example: Any) -> Any:
    """Iterate over the first lane of each block, where a block has as many lanes as `example`."""
    return range(0, lanes, lanes_of(example))


def first_lanes(count: Any, example: Any) -> Any:  # noqa: ARG001
    """Return a mask for `example` that is true in the first `count` lanes."""
    return True


def only(place: Any, mask: Any) -> Any:  # noqa: ARG001
    """Return the index restricted to the lanes where the mask is true. The array may end before the others."""
    return place


def changing(place: Any, mask: Any) -> Any:  # noqa: ARG001
    """Return the index of entries that change only in the lanes where the mask is true. All of them must exist."""
    return place


def held(value: Any) -> Any:
    """Return a vector or mask unchanged, computed here once and for all.

    Without this, LLVM moves parts of the computation into the loop that uses the value: a mask becomes bits before
    the loop and a mask again for every row, and with relaxed arithmetic a quotient is multiplied out.
    """
    return value


def _overload_spread(function: Callable[..., Any], count: int) -> None:
    @intrinsic
    def spread(_context, number):  # type: ignore[no-untyped-def]
        def generate(_context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
            return splat(builder, arguments[0], count)

        return Vector(number, count)(number), generate

    @overload(function, jit_options=INLINE)
    def compiled(number):  # type: ignore[no-untyped-def]  # noqa: ARG001
        return lambda number: spread(number)


_overload_spread(sixteen, LANES)
_overload_spread(four, 4)
_overload_spread(two, 2)


@overload(lanes_of, jit_options=INLINE)
def _compiled_lanes_of(value):  # type: ignore[no-untyped-def]
    count = getattr(value, "count", 1)
    return lambda value: count  # noqa: ARG005


@overload(at, jit_options=INLINE)
def _compiled_at(start, example):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(example, Vector):
        return lambda start, example: _place(start, example)
    return lambda start, example: start  # noqa: ARG005


@intrinsic
def _place(_context, start, example):  # type: ignore[no-untyped-def]
    kind = Place(example.count)

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        place = cgutils.create_struct_proxy(kind)(context, builder)
        place.start = context.cast(builder, arguments[0], signature.args[0], types.intp)
        return place._getvalue()

    return kind(start, example), generate


@overload(first_lanes, jit_options=INLINE)
def _compiled_first_lanes(count, example):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda count, example: _first_lanes(count, example)


@intrinsic
def _first_lanes(_context, count, example):  # type: ignore[no-untyped-def]
    kind, number = Mask(example), ir.IntType(64)

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        limit = context.cast(builder, arguments[0], signature.args[0], types.intp)
        lanes = ir.Constant(ir.VectorType(number, example.count), list(range(example.count)))
        truths = builder.icmp_signed("<", lanes, splat(builder, limit, example.count))
        return as_mask(builder, truths, context.get_value_type(example))

    return kind(count, example), generate


@overload(held, jit_options=INLINE)
def _compiled_held(value):  # type: ignore[no-untyped-def]
    if isinstance(value, Vector | Mask) and not MASKED_INSTRUCTIONS:
        return lambda value: _held(value)
    return lambda value: value


@intrinsic
def _held(_context, value):  # type: ignore[no-untyped-def]
    def generate(_context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
        memory = cgutils.alloca_once(builder, arguments[0].type)
        builder.store(arguments[0], memory)
        # No instruction, but LLVM must assume that it changes what was stored.
        anything = ir.FunctionType(ir.VoidType(), [memory.type])
        builder.asm(anything, "", "r,~{memory}", [memory], side_effect=True)
        return builder.load(memory)

    return value(value), generate


@overload(only, jit_options=INLINE)
def _compiled_only(place, mask):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda place, mask: _only(place, mask)


@overload(changing, jit_options=INLINE)
def _compiled_changing(place, mask):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda place, mask: _changing(place, mask)


@intrinsic
def _only(_context, place, mask):  # type: ignore[no-untyped-def]
    return _masked(Place(place.count, mask=mask), place, mask)


@intrinsic
def _changing(_context, place, mask):  # type: ignore[no-untyped-def]
    return _masked(Place(place.count, mask=mask, whole=True), place, mask)


def _masked(kind: Place, place: Place, mask: Mask) -> Any:
    """Return the signature and the code of an intrinsic that adds a mask to a place."""

    def generate(context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
        given = cgutils.create_struct_proxy(place)(context, builder, value=arguments[0])
        masked = cgutils.create_struct_proxy(kind)(context, builder)
        masked.start, masked.mask = given.start, arguments[1]
        return masked._getvalue()

    return kind(place, mask), generate


def splat(builder: Any, number: Any, count: int) -> Any:
    """Return a vector with the number in every lane."""
    vector, place = ir.VectorType(number.type, count), ir.IntType(32)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), number, place(0))
    lanes = ir.Constant(ir.VectorType(place, count), [0] * count)
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), lanes)


def load(context: Any, builder: Any, kind: Any, array: Any, count: int) -> Any:
    """Load the first `count` entries of an array."""
    element = context.get_value_type(kind.dtype)
    data = context.make_array(kind)(context, builder, array).data
    pointer = builder.bitcast(data, ir.VectorType(element, count).as_pointer())
    return builder.load(pointer, align=context.get_abi_sizeof(element))


# ---------------------------------------------------------------------- entries of arrays


def _place_in(index: Any) -> Place | None:
    """Return the type of an index that is a place, or a pair of a place and a column number; else None."""
    if isinstance(index, BaseTuple) and len(index) == 2 and isinstance(index[0], Place):
        return Place(index[0].count, mask=index[0].mask, whole=index[0].whole, column=True)
    return index if isinstance(index, Place) else None


@lower_cast(BaseTuple, Place)
def _place_of_pair(context, builder, pair, place, value):  # type: ignore[no-untyped-def]
    of_pair = cgutils.create_struct_proxy(pair[0])(context, builder, value=builder.extract_value(value, 0))
    joined = cgutils.create_struct_proxy(place)(context, builder)
    joined.start = of_pair.start
    if place.mask:
        joined.mask = of_pair.mask
    joined.column = context.cast(builder, builder.extract_value(value, 1), pair[1], types.intp)
    return joined._getvalue()


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args, kws):  # type: ignore[no-untyped-def]  # noqa: ARG002
        array, index = args
        place = _place_in(index)
        if isinstance(array, types.Array) and place:
            return signature(Vector(array.dtype, place.count), array, place)
        return None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args, kws):  # type: ignore[no-untyped-def]  # noqa: ARG002
        array, index, _value = args
        place = _place_in(index)
        if isinstance(array, types.Array) and place:
            return signature(types.none, array, place, Vector(array.dtype, place.count))
        return None


class _Entries:
    """The entries of an array at a place, or of one column of an array of pairs."""

    def __init__(self, context: Any, builder: Any, array: tuple[Any, Any], place: tuple[Any, Any]) -> None:
        self.builder, self.place = builder, place[0]
        index = cgutils.create_struct_proxy(self.place)(context, builder, value=place[1])
        self.mask = index.mask if self.place.mask else None
        self.column = index.column if self.place.column else None
        # Whether the other lanes are not to be touched.
        self.partial = self.mask is not None and (MASKED_INSTRUCTIONS or not self.place.whole)
        element, width = context.get_value_type(array[0].dtype), 1 + self.place.column
        memory = ir.VectorType(element, width * self.place.count)
        data = context.make_array(array[0])(context, builder, array[1]).data
        first = builder.mul(index.start, ir.IntType(64)(width))
        self.pointer = builder.bitcast(builder.gep(data, [first]), memory.as_pointer())
        self.bytes = context.get_abi_sizeof(element)

    def load(self) -> Any:
        """Load the entries; of pairs, those of the column."""
        whole = self._whole()
        return whole if self.column is None else self.builder.select(self._first_column(), *self._columns(whole))

    def store(self, vector: Any) -> None:
        """Store the entries; with a mask, only where it is true."""
        builder = self.builder
        if self.mask is not None and not self.partial:
            vector = merged(builder, self.mask, vector, self.load())
        if self.column is not None:
            first, second = self._columns(self._whole())
            first = builder.select(self._first_column(), vector, first)
            second = builder.select(self._first_column(), second, vector)
            vector = self._side_by_side(first, second)
        if self.partial:
            self._masked("store", ir.VoidType(), [vector], [])
        else:
            builder.store(vector, self.pointer, align=self.bytes)

    def _whole(self) -> Any:
        if not self.partial:
            return self.builder.load(self.pointer, align=self.bytes)
        memory = self.pointer.type.pointee
        return self._masked("load", memory, [], [ir.Constant(memory, None)])

    def _masked(self, name: str, result: Any, before: list[Any], after: list[Any]) -> Any:
        """Call LLVM's masked load or store, which does not touch memory where the mask is false."""
        mask = self.mask if self.column is None else self._side_by_side(self.mask, self.mask)
        mask = as_truths(self.builder, mask)
        arguments = [*before, self.pointer, ir.IntType(32)(self.bytes), mask, *after]
        memory = self.pointer.type.pointee
        letter = {"float": "f32", "double": "f64"}[str(memory.element)]
        full_name = f"llvm.masked.{name}.v{memory.count}{letter}.p0"
        kind = ir.FunctionType(result, [argument.type for argument in arguments])
        function = cgutils.get_or_insert_function(self.builder.module, kind, full_name)
        return self.builder.call(function, arguments)

    def _side_by_side(self, first: Any, second: Any) -> Any:
        count = self.place.count
        return self._shuffled(first, second, [k // 2 + count * (k % 2) for k in range(2 * count)])

    def _columns(self, pairs: Any) -> tuple[Any, Any]:
        places = range(0, 2 * self.place.count, 2)
        return self._shuffled(pairs, pairs, [*places]), self._shuffled(
            pairs, pairs, [place + 1 for place in places]
        )

    def _first_column(self) -> Any:
        return self.builder.icmp_signed("==", self.column, ir.IntType(64)(0))

    def _shuffled(self, left: Any, right: Any, places: list[int]) -> Any:
        mask = ir.Constant(ir.VectorType(ir.IntType(32), len(places)), places)
        return self.builder.shuffle_vector(left, right, mask)


def prefetch_entries(state: Any, place: Any) -> None:
    """Prefetch the entries at a place of every array of a named tuple."""


@overload(prefetch_entries, jit_options=INLINE)
def _compiled_prefetch_entries(state, place):  # type: ignore[no-untyped-def]
    if isinstance(place, Place) and isinstance(state, BaseTuple):
        return lambda state, place: _prefetch_entries(state, place)
    return lambda state, place: None  # noqa: ARG005


@intrinsic
def _prefetch_entries(_context, state, place):  # type: ignore[no-untyped-def]
    def generate(context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
        start = cgutils.create_struct_proxy(place)(context, builder, value=arguments[1]).start
        for position, part in enumerate(state.types):
            if isinstance(part, types.Array):
                width = part.ndim  # of an array of pairs, two numbers per entry
                view = context.make_array(part)(context, builder, builder.extract_value(arguments[0], position))
                first = builder.gep(view.data, [builder.mul(start, ir.IntType(64)(width))])
                prefetch_bytes(builder, first, place.count * width * part.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(state, place), generate


@lower_builtin(operator.getitem, types.Array, Place)
def _load(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    array, index = zip(signature.args, arguments, strict=True)
    return _Entries(context, builder, array, index).load()


@lower_builtin(operator.setitem, types.Array, Place, Vector)
def _store(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    array, index, value = zip(signature.args, arguments, strict=True)
    _Entries(context, builder, array, index).store(value[1])
    return context.get_dummy_value()
