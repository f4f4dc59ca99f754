"""The amount of free memory, for checks before large allocations."""

import os
import pathlib
import re


def free_bytes() -> float:
    """Return the available bytes; if the system does not say, its total memory or infinity."""
    try:
        text = pathlib.Path("/proc/meminfo").read_text(encoding="ascii")
        return 1024.0 * int(re.findall(r"MemAvailable:\s+(\d+) kB", text)[0])
    except (OSError, IndexError):
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")
