"""How many examples a test tries that wants more or fewer than others."""

from hypothesis import settings

LEAST = 5
OF_THE_SOAK = 100  # what tests try there that say nothing


def examples(count: int) -> settings:
    """`@examples(60)`: 60 in the soak, and the same share as everywhere else in `make test`."""
    return settings(max_examples=max(LEAST, count * settings.default.max_examples // OF_THE_SOAK))
