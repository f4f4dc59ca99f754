"""The live service itself, in this process and behind a real socket."""

import pathlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from askance.cli.commands.serve.work import begin
from askance.service.api.guard import Limits
from askance.service.server import listening_socket, make_server
from askance.service.settings import TaskSettings
from askance.service.store import open_store


@contextmanager
def real_service(directory: pathlib.Path, *tasks: TaskSettings) -> Iterator[tuple[str, str]]:
    """Its address, and the code for the first token."""
    with listening_socket("127.0.0.1", 0) as listener, open_store(str(directory / "store.db")) as store:
        service = begin(store, list(tasks), open_to_all=False)
        server = make_server(service, "127.0.0.1", Limits())
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", service.tokens.new_first_code()
        finally:
            service.stopping.set()
            server.should_exit = True
            thread.join()
            service.stop()
