"""The service in this process, behind a real socket."""

import pathlib
from collections.abc import Iterator
from contextlib import contextmanager

from askance.service import start
from askance.service.api.guard import ServerOptions
from askance.service.settings import TaskSettings


@contextmanager
def real_service(
    directory: pathlib.Path, *tasks: TaskSettings, options: ServerOptions | None = None
) -> Iterator[tuple[str, str]]:
    """Its address, and the code for the first token."""
    with start(directory / "store.db", tasks, options=options) as service:
        yield service.url, service.admin_code()
