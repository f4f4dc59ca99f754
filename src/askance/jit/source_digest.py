"""A digest of the sources, so that cached machine code is never older than the rules it was compiled from.

Numba's cache notices an edit of the file that defines a compiled function, but not of the files whose methods that
function calls. Compiled functions therefore have the digest computed here in their names (see `jit/interop.py`):
after an edit the cache has no entry, and after a revert it has one again. Rules from outside the package, whose
source files are not known, are compiled again in each process.
"""

import functools
import hashlib
import pathlib

PACKAGE = pathlib.Path(__file__).parents[1]
# The sources of compiled code in `jit`, which calls nothing outside, and of all compiled code. Editing any other
# file leaves the cache valid.
KERNELS = ("_util/splitmix.py", "jit/**/*.py")
COMPILED = (*KERNELS, "rules/**/*.py", "engine/**/*.py")


def package_digest() -> str:
    """Return the digest of all source files that compiled code is made from."""
    return digest_of(*COMPILED)


def digest_for(module: str) -> str:
    """Return the digest of all source files that a compiled function in `module` may be made from."""
    return digest_of(*KERNELS) if module.startswith("askance.jit.") else package_digest()


@functools.cache
def digest_of(*patterns: str) -> str:
    """Return the digest of the source files of the package that match the patterns."""
    total = hashlib.sha256()
    for pattern in patterns:
        paths = sorted(PACKAGE.glob(pattern))
        if not paths:  # an outdated pattern would let compiled code go stale
            raise LookupError(f"no source file of askance matches {pattern!r}")
        for path in paths:
            total.update(path.relative_to(PACKAGE).as_posix().encode())
            total.update(path.read_bytes())
    return total.hexdigest()


def is_ours(rule: type) -> bool:
    """Return whether a class belongs to this package, so that the digest covers its source."""
    return rule.__module__.startswith("askance.")
