"""How a mask is kept in machine code: a bit per lane, or as many bits per lane as the numbers have.

LLVM turns a load or store under a mask into one instruction where the processor has such instructions (AVX),
and into a branch per lane where it does not (SSE, NEON). There, whole vectors are loaded, merged and stored if all
entries exist, and a mask is kept as integers as wide as the numbers, ready to be merged with.
"""

from typing import Any

from llvmlite import ir

from askance.jit.processor import has_masked_instructions, target_features

MASKED_INSTRUCTIONS = has_masked_instructions(target_features())


def mask_type(element: Any, count: int) -> Any:
    """Return the LLVM type of a mask for vectors of `count` numbers."""
    bits = {"float": 32, "double": 64}[str(element)]
    return ir.VectorType(ir.IntType(1 if MASKED_INSTRUCTIONS else bits), count)


def as_mask(builder: Any, truths: Any, vector: Any) -> Any:
    """Return the mask for vectors of an LLVM type, given one bit per lane."""
    wanted = mask_type(vector.element, vector.count)
    return truths if truths.type == wanted else builder.sext(truths, wanted)


def as_truths(builder: Any, mask: Any) -> Any:
    """Return one bit per lane of a mask."""
    return mask if MASKED_INSTRUCTIONS else builder.trunc(mask, ir.VectorType(ir.IntType(1), mask.type.count))


def merged(builder: Any, mask: Any, yes: Any, no: Any) -> Any:
    """Return `yes` in the lanes where the mask is true and `no` in the others."""
    if MASKED_INSTRUCTIONS:
        return builder.select(mask, yes, no)
    yes_bits, no_bits = (builder.bitcast(vector, mask.type) for vector in (yes, no))
    # Without the inverted mask: LLVM would compute it before a loop, and not see that this is one instruction.
    bits = builder.xor(builder.and_(mask, builder.xor(yes_bits, no_bits)), no_bits)
    return builder.bitcast(bits, yes.type)
