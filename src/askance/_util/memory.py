"""How much memory there is: asked before something large is made."""

import os
import pathlib
import re


def free_bytes() -> float:
    """Bytes that could be had now; where nobody can tell, those of the whole machine, or infinity."""
    try:
        told = pathlib.Path("/proc/meminfo").read_text(encoding="ascii")
        return 1024.0 * int(re.findall(r"MemAvailable:\s+(\d+) kB", told)[0])
    except (OSError, IndexError):
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")
