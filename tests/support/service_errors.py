"""Errors of the client."""

from collections.abc import Callable
from typing import Any

import pytest

from askance.errors import ServiceError


def fault(work: Callable[[], Any]) -> ServiceError:
    """What a call raises, in one line."""
    with pytest.raises(ServiceError) as caught:
        work()
    assert "\n" not in str(caught.value)
    return caught.value
