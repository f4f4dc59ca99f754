"""The type of progress callbacks: they are called with (done, total or None, what)."""

from collections.abc import Callable

Progress = Callable[[int, int | None, str], None]
