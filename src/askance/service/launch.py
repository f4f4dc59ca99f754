"""Starting the service from Python."""

import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import msgspec

from askance.service.api.guard import ServerOptions
from askance.service.given_settings import Settings, as_settings
from askance.service.server import Server, is_loopback, listening_socket, make_server
from askance.service.service import Service
from askance.service.settings import Hashing, TaskSettings
from askance.service.state.models import warm_up
from askance.service.store import Store, open_store
from askance.service.uploads.registry import MOST_BYTES

STARTED_CHECK = 0.002  # seconds
PATIENCE = 3.0  # seconds before the console says what takes so long
PREPARING = "Preparing the learner. The first time on a machine, it is compiled, which takes about half a minute."


class Bound(NamedTuple):
    """A service that is ready to serve: its server, its socket and its URL."""

    service: Service
    server: Server
    listener: socket.socket
    url: str

    def serve(self) -> None:
        """Serve until the server is stopped."""
        self.server.run(sockets=[self.listener])


class RunningService:
    """A service that runs in a thread of this process. Use it as a context manager, or call `stop`.

    Attributes
    ----------
    url : str
        The URL of the service.
    """

    def __init__(self, resources: ExitStack, bound: Bound) -> None:
        self.url = bound.url
        self._bound = bound
        self._resources = resources
        self._thread = threading.Thread(target=bound.serve, name="askance-server")
        self._thread.start()
        while self._thread.is_alive() and not bound.server.started:
            time.sleep(STARTED_CHECK)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(url={self.url!r})"

    def admin_code(self) -> str:
        """Create a code that `Client.first_token` exchanges for an admin token, once."""
        return self._bound.service.tokens.new_first_code()

    def stop(self) -> None:
        """Finish the waiting commands, and stop. A second call does nothing."""
        self._bound.service.stopping.set()
        self._bound.server.should_exit = True
        self._thread.join()
        self._resources.close()


def run(
    store: str | Path = "askance.db",
    tasks: Sequence[Settings] = (),
    *,
    host: str = "127.0.0.1",
    port: int = 8383,
    open_to_all: bool = False,
    options: ServerOptions | None = None,
) -> None:
    """Run the service until Ctrl-C or SIGTERM.

    Parameters
    ----------
    store : str or Path, default="askance.db"
        An SQLite file or a PostgreSQL URL, as for `askance serve --store`.
    tasks : sequence of TaskSettings, dict, str or Path, default=()
        Tasks to create if the store does not have them yet; a path is that of a TOML file.
    host : str, default="127.0.0.1"
        The address to listen on.
    port : int, default=8383
        The port; 0 chooses a free one.
    open_to_all : bool, default=False
        Whether requests need no token. Allowed on loopback addresses only.
    options : ServerOptions, optional
        Limits of the server, such as the largest body.

    Raises
    ------
    ValueError
        If the port is in use, the settings of a task are not valid, or the service would be open to everybody.
    StoreError
        If the store cannot be opened.

    Examples
    --------
    >>> import askance.service
    >>> askance.service.run("tickets.db", ["tickets.toml"])  # doctest: +SKIP
    """
    with serving(str(store), tasks, host=host, port=port, open_to_all=open_to_all, options=options) as bound:
        print(f"askance listens on {bound.url}", flush=True)  # noqa: T201 - the only way to tell the URL
        if not (open_to_all or bound.service.tokens.has_admin):
            link = f"{bound.url}/first?code={bound.service.tokens.new_first_code()}"
            print(f"Open this link once for an admin token:  {link}", flush=True)  # noqa: T201
        bound.serve()


def start(
    store: str | Path | None = None,
    tasks: Sequence[Settings] = (),
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    open_to_all: bool = False,
    options: ServerOptions | None = None,
) -> RunningService:
    """Start the service in a thread of this process, for tests and notebooks.

    Parameters
    ----------
    store : str or Path, optional
        An SQLite file or a PostgreSQL URL. Default: a temporary store that is deleted at the end.
    tasks, host, open_to_all, options
        As for `run`.
    port : int, default=0
        The port; 0 chooses a free one.

    Returns
    -------
    RunningService
        A context manager with the URL of the service.

    Examples
    --------
    >>> import askance, askance.service
    >>> task = {"name": "tickets", "classes": ["billing", "bug"], "hashing": {"bits": 8}}
    >>> with askance.service.start(tasks=[task], open_to_all=True) as service:
    ...     with askance.Client(service.url, task="tickets") as client:
    ...         client.decide("my invoice is wrong").item
    1
    """
    resources = ExitStack()
    try:
        if store is None:
            store = Path(resources.enter_context(tempfile.TemporaryDirectory(prefix="askance-"))) / "askance.db"
        bound = resources.enter_context(
            serving(str(store), tasks, host=host, port=port, open_to_all=open_to_all, options=options)
        )
    except BaseException:
        resources.close()
        raise
    return RunningService(resources, bound)


@contextmanager
def serving(
    store: str,
    tasks: Iterable[Settings],
    *,
    host: str,
    port: int,
    open_to_all: bool,
    options: ServerOptions | None = None,
) -> Iterator[Bound]:
    """Open the store and bind the port; at the end, finish the waiting commands and close both."""
    if open_to_all and not is_loopback(host):
        raise ValueError(
            f"host={host!r}: a service without tokens must listen on a loopback address: use 127.0.0.1"
        )
    settings = [as_settings(task) for task in tasks]
    with listening_socket(host, port) as listener, open_store(store) as opened:
        prepare_learner()
        options = options or ServerOptions()
        service = create_service(
            opened,
            settings,
            open_to_all=open_to_all,
            private_webhooks=options.private_webhooks,
            upload_bytes=options.upload_bytes,
        )
        try:
            server = make_server(service, host, options)
            yield Bound(service, server, listener, url_of(host, listener.getsockname()[1]))
        finally:
            service.stop()


def prepare_learner() -> None:
    """Compile or load the code of the learner of new tasks, so that no request waits for it."""
    notice = threading.Timer(PATIENCE, print, [PREPARING], {"file": sys.stderr, "flush": True})
    notice.start()
    try:
        warm_up(TaskSettings("any", ["no", "yes"], "record", hashing=Hashing(bits=1)))
    finally:
        notice.cancel()


def create_service(
    store: Store,
    tasks: Iterable[TaskSettings],
    *,
    open_to_all: bool,
    private_webhooks: bool = False,
    upload_bytes: int = MOST_BYTES,
) -> Service:
    """The service of a store, with these tasks in it."""
    service = Service(store, open_to_all=open_to_all, private_webhooks=private_webhooks, upload_bytes=upload_bytes)
    try:
        for settings in tasks:
            if settings.name in service.broken:
                continue  # it is in the list of tasks, with the reason
            if settings.name not in service.writers:
                service.add_task(settings)
            elif not _describes(settings, service.writers[settings.name].task.first_settings):
                raise ValueError(
                    f"the store has a task {settings.name!r} with other settings: choose another name"
                )
    except BaseException:
        service.stop()
        raise
    return service


def _describes(given: TaskSettings, stored: TaskSettings) -> bool:
    """Whether settings describe a stored task. What they leave out may be an earlier default."""
    labels = msgspec.structs.replace(given.labels, aggregate=given.labels.aggregate or stored.labels.aggregate)
    return stored == msgspec.structs.replace(
        given,
        algorithm=given.algorithm or stored.algorithm,
        questions=given.questions or stored.questions,
        labels=labels,
    )


def url_of(host: str, port: int) -> str:
    """The URL under which this machine reaches a service."""
    if host in ("0.0.0.0", "::"):
        host = "localhost"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
