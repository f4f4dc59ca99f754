"""Times in messages."""

from datetime import UTC, datetime


def day_of(seconds: float) -> str:
    """A time in seconds since 1970 as a day and a time: 2026-11-17 10:30 UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
