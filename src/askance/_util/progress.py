"""The callback with which long computations report their progress."""

from collections.abc import Callable

Progress = Callable[[int, int | None, str], None]
"""Called as `progress(done, total, what)`: the steps done, their number if it is known, and the current step."""
