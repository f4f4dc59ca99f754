"""A digest of the sources, so that machine code is never older than the rule it was made from.

Numba's cache notices an edit of the file that holds a compiled function, not of the files whose methods
that function calls. Passes therefore close over the digest made here: an edit misses the cache, a revert
hits it again. Rules from elsewhere, whose sources nobody can list, are compiled anew in each process.
"""

import functools
import hashlib
import pathlib

PACKAGE = pathlib.Path(__file__).parents[1]
# What compiled code can be made of. Editing a reader or a page leaves the machine code as it was.
COMPILED = ("_util/splitmix.py", "jit/**/*.py", "rules/**/*.py", "engine/**/*.py")


def package_digest() -> str:
    """The digest of every source file of the package that compiled code is made from."""
    return digest_of(*COMPILED)


@functools.cache
def digest_of(*patterns: str) -> str:
    """The digest of the source files of the package that patterns stand for."""
    total = hashlib.sha256()
    for pattern in patterns:
        paths = sorted(PACKAGE.glob(pattern))
        if not paths:  # a pattern that was forgotten in a move would let compiled code go stale
            raise LookupError(f"no source file of askance matches {pattern!r}")
        for path in paths:
            total.update(path.relative_to(PACKAGE).as_posix().encode())
            total.update(path.read_bytes())
    return total.hexdigest()


def is_ours(rule: type) -> bool:
    """Whether a class belongs to the package, so that the digest knows its source."""
    return rule.__module__.startswith("askance.")
