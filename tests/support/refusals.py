"""What must be refused is refused in one sentence."""

import contextlib
from collections.abc import Iterator

import pytest


@contextlib.contextmanager
def refused(*words: str) -> Iterator[None]:
    """The call is refused in one line, which names the words."""
    with pytest.raises((ValueError, TypeError)) as caught:
        yield
    sentence = str(caught.value)
    assert "\n" not in sentence, sentence
    assert len(sentence) < 300, sentence
    for word in words:
        assert word in sentence, sentence
