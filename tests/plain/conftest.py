"""The mathematics with the compiler off: `make test-plain` runs this folder, other runs leave it out."""

import os

if os.environ.get("NUMBA_DISABLE_JIT") != "1":
    collect_ignore_glob = ["test_*.py"]
