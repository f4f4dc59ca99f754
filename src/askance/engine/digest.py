"""Digests of sources, so that machine code is never older than the rule it was made from.

Numba's cache notices an edit of the file that holds a compiled function, not of the files whose methods
that function calls. Passes therefore close over the digest made here: an edit misses the cache, a revert
hits it again.
"""

import functools
import hashlib
import inspect
import pathlib

PACKAGE = pathlib.Path(__file__).parents[1]
# What compiled code can be made of. Editing a reader or a page leaves the machine code as it was.
COMPILED = ("rows.py", "mixing.py", "engine/*.py", "updates/*.py", "queries/*.py")


@functools.cache
def package_digest() -> str:
    """The digest of every source file of the package that compiled code is made from."""
    total = hashlib.sha256()
    for pattern in COMPILED:
        for path in sorted(PACKAGE.glob(pattern)):
            total.update(path.relative_to(PACKAGE).as_posix().encode())
            total.update(path.read_bytes())
    return total.hexdigest()


def rule_digest(rules: tuple[type, ...]) -> str | None:
    """The digest of the package and of rules defined elsewhere; None if a rule has no source to read."""
    total = hashlib.sha256(package_digest().encode())
    for rule in rules:
        if not rule.__module__.startswith("askance."):
            try:
                # The whole file: a rule may call functions that stand beside it.
                total.update(pathlib.Path(inspect.getfile(rule)).read_bytes())
                total.update(inspect.getsource(rule).encode())
            except (OSError, TypeError):
                return None
    return total.hexdigest()
