"""Operators on vectors in compiled code: arithmetic, comparisons, selection, roots.

A number combined with a vector is copied to every lane, in the precision of the vector.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, overload

from askance.jit.interop import INLINE
from askance.jit.simd.masks import as_mask, merged
from askance.jit.simd.vector import Mask, Vector, splat

ARITHMETIC = {
    (operator.add, operator.iadd): "fadd",
    (operator.sub, operator.isub): "fsub",
    (operator.mul, operator.imul): "fmul",
    (operator.truediv, operator.itruediv): "fdiv",
}
COMPARISONS = {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
}
LOGIC = {operator.and_: "and_", operator.or_: "or_", operator.xor: "xor"}
ROOTS = {math.sqrt: "sqrt", abs: "fabs"}


def _vector_among(kinds: Any) -> Vector | None:
    """The vector type of two operands: two vectors of the same type, or a vector and a number."""
    vectors = {kind for kind in kinds if isinstance(kind, Vector)}
    others = [kind for kind in kinds if not isinstance(kind, Vector | types.Number | types.Boolean)]
    return vectors.pop() if len(vectors) == 1 and not others else None


def _in_lanes(context: Any, builder: Any, value: Any, kind: Any, vector: Any) -> Any:
    """Return the operand as a vector."""
    if isinstance(kind, Vector):
        return value
    return splat(builder, context.cast(builder, value, kind, vector.element), vector.count)


def _define(function: Any, returns: Callable[[Vector], Any], make: Callable[..., Any]) -> None:
    """Define an operator of two vectors, or of a vector and a number."""

    class Template(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args, kws):  # type: ignore[no-untyped-def]  # noqa: ARG002
            vector = _vector_among(args) if len(args) == 2 else None
            return vector and signature(returns(vector), *args)

    infer_global(function)(Template)

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        vector = _vector_among(signature.args)
        values = zip(arguments, signature.args, strict=True)
        return make(builder, *(_in_lanes(context, builder, value, kind, vector) for value, kind in values))

    for operands in ((Vector, Vector), (Vector, types.Any), (types.Any, Vector)):
        lower_builtin(function, *operands)(generate)


def _arithmetic(name: str) -> Callable[..., Any]:
    return lambda builder, left, right: getattr(builder, name)(left, right)


def _comparison(sign: str) -> Callable[..., Any]:
    # As for single numbers, only "!=" is true for NaN.
    kind = "fcmp_unordered" if sign == "!=" else "fcmp_ordered"
    return lambda builder, left, right: as_mask(builder, getattr(builder, kind)(sign, left, right), left.type)


for _functions, _name in ARITHMETIC.items():
    for _function in _functions:
        _define(_function, lambda vector: vector, _arithmetic(_name))
for _function, _sign in COMPARISONS.items():
    _define(_function, Mask, _comparison(_sign))


def _define_alone(function: Any, make: Callable[..., Any]) -> None:
    """Define an operator of one vector."""

    class Template(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args, kws):  # type: ignore[no-untyped-def]  # noqa: ARG002
            return signature(args[0], *args) if len(args) == 1 and isinstance(args[0], Vector) else None

    infer_global(function)(Template)

    def generate(_context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
        return make(builder, arguments[0])

    lower_builtin(function, Vector)(generate)


def library(name: str) -> Callable[..., Any]:
    """Return a generator of calls to the LLVM intrinsic of that name, applied to every lane."""

    def make(builder: Any, vector: Any) -> Any:
        letter = {"float": "f32", "double": "f64"}[str(vector.type.element)]
        kind = ir.FunctionType(vector.type, [vector.type])
        full_name = f"llvm.{name}.v{vector.type.count}{letter}"
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, full_name), [vector])

    return make


_define_alone(operator.neg, lambda builder, vector: builder.fneg(vector))
for _root, _name in ROOTS.items():
    _define_alone(_root, library(_name))


class _MaskTemplate(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args, kws):  # type: ignore[no-untyped-def]  # noqa: ARG002
        masks = {kind for kind in args if isinstance(kind, Mask)}
        fits = len(masks) == 1 and all(isinstance(kind, Mask | types.Boolean) for kind in args)
        return signature(masks.pop(), *args) if fits else None


def _define_logic(function: Any, name: str) -> None:
    infer_global(function)(_MaskTemplate)

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        mask = signature.return_type
        vector = context.get_value_type(mask.vector)
        operands = zip(arguments, signature.args, strict=True)
        masks = [
            value if isinstance(kind, Mask) else as_mask(builder, splat(builder, value, mask.count), vector)
            for value, kind in operands
        ]
        return getattr(builder, name)(*masks)

    for operands in ((Mask, Mask), (Mask, types.Boolean), (types.Boolean, Mask)):
        lower_builtin(function, *operands)(generate)


for _connective, _name in LOGIC.items():
    _define_logic(_connective, _name)


@intrinsic
def select(_context, condition, yes, no):  # type: ignore[no-untyped-def]
    """Return `yes` where the condition holds and `no` elsewhere. The condition may be one bool for all lanes."""
    vector: Any = condition.vector if isinstance(condition, Mask) else _vector_among((yes, no))

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        operands = zip(arguments[1:], signature.args[1:], strict=True)
        values = [_in_lanes(context, builder, value, kind, vector) for value, kind in operands]
        if isinstance(condition, Mask):
            return merged(builder, arguments[0], *values)
        return builder.select(arguments[0], *values)

    return vector(condition, yes, no), generate


def any_of(mask: Any) -> Any:
    """Return whether the mask is true in any lane."""
    return mask


@overload(any_of, jit_options=INLINE)
def _compiled_any_of(mask):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda mask: _any_of(mask)


@intrinsic
def _any_of(_context, mask):  # type: ignore[no-untyped-def]

    def generate(_context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
        bits = builder.bitcast(arguments[0], ir.IntType(arguments[0].type.element.width * mask.count))
        return builder.icmp_unsigned("!=", bits, bits.type(0))

    return types.boolean(mask), generate
