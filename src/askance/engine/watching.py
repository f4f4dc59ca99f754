"""Show rows to the query rules that see their features."""

from typing import Any

from numba.extending import overload

from askance.jit.interop import INLINE


def watch(query: Any, memory: Any, rows: Any, t: int) -> None:
    """Show row `t` to a query rule, and to the rules that it wraps, if they have a method `see`."""
    if hasattr(query, "see"):
        query.see(memory, rows, t)
    if hasattr(query, "inner"):
        watch(query.inner, memory.inner, rows, t)


@overload(watch, jit_options=INLINE)
def _compiled_watch(query, memory, rows, t):  # type: ignore[no-untyped-def]  # noqa: ARG001
    rule = query.instance_class
    observes, wraps = hasattr(rule, "see"), "inner" in rule._fields

    def both(query, memory, rows, t):  # type: ignore[no-untyped-def]
        query.see(memory, rows, t)
        watch(query.inner, memory.inner, rows, t)

    def own(query, memory, rows, t):  # type: ignore[no-untyped-def]
        query.see(memory, rows, t)

    def inner(query, memory, rows, t):  # type: ignore[no-untyped-def]
        watch(query.inner, memory.inner, rows, t)

    def nothing(query, memory, rows, t):  # type: ignore[no-untyped-def]
        pass

    return {(True, True): both, (True, False): own, (False, True): inner, (False, False): nothing}[observes, wraps]
