"""Tests that need a program or data which a machine may lack say so in one line at the end of the run."""

from typing import NoReturn

import pytest

NOT_RUN = "not run here: "


def missing(what: str, need: str) -> NoReturn:
    """Skip the test: `missing("the PostgreSQL store", "postgresql")`."""
    pytest.skip(f"{NOT_RUN}{what} needs {need}")
