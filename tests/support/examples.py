"""How much tests try: all of it in the soak, a share of it in `make test`."""

from hypothesis import settings

LEAST = 5
OF_THE_SOAK = 100  # examples per test, if it says nothing


def scaled(count: int) -> int:
    """`count` in the soak; its share in `make test`."""
    return max(LEAST, count * settings.default.max_examples // OF_THE_SOAK)


def examples(count: int) -> settings:
    """`@examples(60)` is for a test that wants more or fewer examples than others."""
    return settings(max_examples=scaled(count))
