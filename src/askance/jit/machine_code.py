"""Machine code on disk, loaded without what only numba's compiler needs.

Before numba looks for machine code, it prepares its compiler: it imports and registers all functions that compiled
code may call, which takes longer than the rest of loading. Machine code has those functions inside. What it calls
outside are Python, the C library and numba's runtime, and of these only the runtime has to be started.
"""

from typing import Any

from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys


class MachineCode(FunctionCache):  # type: ignore[misc]
    """The machine code of a function on disk. Numba prepares its compiler itself, once it has to compile."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code for a signature, or None."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)
