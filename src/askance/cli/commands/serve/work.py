"""The work of `askance serve`: open the store, create tasks, listen, and stop cleanly."""

import gc
import os
import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from askance.cli.output.console import stdout
from askance.service.api.guard import ServerOptions
from askance.service.api.proxies import Proxies
from askance.service.auth.oidc_settings import OidcSettings
from askance.service.given_settings import from_toml
from askance.service.json_logging import write_logs
from askance.service.launch import serving
from askance.service.server import is_loopback
from askance.service.service import Service
from askance.service.settings import TaskSettings
from askance.service.uploads.registry import MOST_BYTES

World = Callable[[Service, str, Console], AbstractContextManager[None]]
SECRET = "ASKANCE_OIDC_SECRET"
LEVELS = ("debug", "info", "warning", "error")


class ServeRequest(NamedTuple):
    """The options of `askance serve`."""

    store: str
    tasks: list[Path]
    demo: bool
    host: str
    port: int
    hosts: list[str]
    proxies: list[str]
    path_prefix: str
    open_to_all: bool
    new_admin_link: bool
    body_bytes: int
    requests_per_second: float
    connections: int
    connections_per_address: int
    log: str
    oidc: OidcSettings | None = None
    private_webhooks: bool = False
    upload_bytes: int = MOST_BYTES


def client_secret(file: Path | None) -> str | None:
    """The secret that the identity provider has given to this service, from a file or from the environment."""
    if file is None:
        return os.environ.get(SECRET) or None
    secret = file.read_text(encoding="utf-8").strip()
    if not secret:
        raise ValueError(f"--oidc-secret-file {file}: the file is empty")
    return secret


def run(request: ServeRequest) -> None:
    """Serve until the process is stopped."""
    check(request)
    if not request.demo:
        serve(request, lambda *_: nullcontext())
        return
    from askance.cli.commands.serve.demo import simulated_world, temporary_store
    from askance.service.demo.world import SETTINGS

    with temporary_store() as store:
        serve(request._replace(store=store, open_to_all=True), simulated_world, SETTINGS)


def serve(request: ServeRequest, world: World, *more: TaskSettings) -> None:
    """Serve, with a simulated world around the service and more tasks, if given."""
    settings = [*(from_toml(path) for path in request.tasks), *more]
    write_logs(request.log)
    with serving(
        request.store,
        settings,
        host=request.host,
        port=request.port,
        open_to_all=request.open_to_all,
        options=server_options(request),
    ) as bound:
        greet(request, bound.service, bound.url)
        gc.freeze()  # later collections skip what the start has made
        gc.enable()
        with world(bound.service, bound.url, stdout()):
            bound.serve()


def check(request: ServeRequest) -> None:
    """Raise ValueError if the service would be open to other machines, or an option is wrong."""
    if (request.open_to_all or request.demo) and not is_loopback(request.host):
        option = "--demo" if request.demo else "--open"
        raise ValueError(
            f"{option} --host {request.host}: without tokens, everyone who reaches this address could do all: "
            f"remove {option}, or listen on 127.0.0.1"
        )
    Proxies(request.proxies)
    if (request.open_to_all or request.demo) and request.oidc is not None:
        raise ValueError("--oidc-issuer: a service without tokens signs nobody in: remove --open or --demo")
    if request.log not in LEVELS:
        raise ValueError(f"--log {request.log}: give one of {', '.join(LEVELS)}")


def server_options(request: ServeRequest) -> ServerOptions:
    """The limits on requests."""
    return ServerOptions(
        body_bytes=request.body_bytes,
        requests_per_second=request.requests_per_second,
        wrong_tokens_per_second=request.requests_per_second / 100,
        hosts=tuple(request.hosts),
        proxies=tuple(request.proxies),
        path_prefix=request.path_prefix,
        connections=request.connections,
        connections_per_address=request.connections_per_address,
        oidc=request.oidc,
        private_webhooks=request.private_webhooks,
        upload_bytes=request.upload_bytes,
    )


def greet(request: ServeRequest, service: Service, url: str) -> None:
    """Print where the service listens, and how to sign in."""
    console = stdout()
    reach = "this machine only" if is_loopback(request.host) else "all machines that can reach this one"
    store = re.sub(r"(?<=:)[^:@/]+(?=@)", "…", request.store)  # not the password
    console.print(f"askance listens on {url} ({reach}); store: {store}", soft_wrap=True)
    if not is_loopback(request.host):
        console.print(
            "Every request needs a token. Use a proxy with TLS: tokens are sent in plain text.", soft_wrap=True
        )
    if service.open_to_all:
        console.print(f"Open {url} in a browser. No token is needed (--open).", soft_wrap=True)
    elif request.new_admin_link or not service.tokens.has_admin:
        code = service.tokens.new_first_code()
        console.print(f"Open this link once to get an admin token:  {url}/first?code={code}", soft_wrap=True)
    learners = {name: writer.task.settings.method for name, writer in service.writers.items()}
    names = ", ".join(f"{name} ({learner})" for name, learner in learners.items())
    names = names or "none yet; create one in the browser, or give --task FILE.toml"
    console.print(f"Tasks: {names}. Ctrl-C stops.", soft_wrap=True)
    for name, task in service.broken.items():
        console.print(f"The task {name} cannot be served: {task.reason}", soft_wrap=True, markup=False)
