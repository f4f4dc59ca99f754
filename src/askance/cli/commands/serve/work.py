"""What `askance serve` does: opens the store, begins tasks, says where it listens, and stops cleanly."""

import gc
import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from askance.cli.output.console import stdout
from askance.service.api.guard import ServerOptions
from askance.service.json_logging import write_logs
from askance.service.launch import serving
from askance.service.server import is_loopback
from askance.service.service import Service
from askance.service.settings import TaskSettings, from_toml

World = Callable[[Service, str, Console], AbstractContextManager[None]]
LEVELS = ("debug", "info", "warning", "error")


class Wish(NamedTuple):
    """What the command line asks for."""

    store: str
    tasks: list[Path]
    demo: bool
    host: str
    port: int
    hosts: list[str]
    open_to_all: bool
    new_admin_link: bool
    body_bytes: int
    requests_per_second: float
    log: str


def run(wish: Wish) -> None:
    """Serve until somebody stops it."""
    check(wish)
    if not wish.demo:
        serve(wish, lambda *_: nullcontext())
        return
    from askance.cli.commands.serve.demo import made_up_world, temporary_store
    from askance.service.demo.world import SETTINGS

    with temporary_store() as store:
        serve(wish._replace(store=store, open_to_all=True), made_up_world, SETTINGS)


def serve(wish: Wish, world: World, *more: TaskSettings) -> None:
    """Serve, with something that goes on around the service, and perhaps more tasks."""
    settings = [*(from_toml(path) for path in wish.tasks), *more]
    write_logs(wish.log)
    with serving(
        wish.store,
        settings,
        host=wish.host,
        port=wish.port,
        open_to_all=wish.open_to_all,
        options=limits(wish),
    ) as bound:
        greet(wish, bound.service, bound.url)
        gc.freeze()  # no later collection goes through what the start has made
        gc.enable()
        with world(bound.service, bound.url, stdout()):
            bound.serve()


def check(wish: Wish) -> None:
    """ValueError if the service would be open to the world, or the wish cannot be understood."""
    if (wish.open_to_all or wish.demo) and not is_loopback(wish.host):
        option = "--demo" if wish.demo else "--open"
        raise ValueError(
            f"{option} --host {wish.host}: without tokens everybody who reaches this address could do everything; "
            "leave it out, or listen on 127.0.0.1"
        )
    if wish.log not in LEVELS:
        raise ValueError(f"--log {wish.log}: give {', '.join(LEVELS)}")


def limits(wish: Wish) -> ServerOptions:
    """What the guard is to let pass."""
    return ServerOptions(
        body_bytes=wish.body_bytes,
        requests_per_second=wish.requests_per_second,
        wrong_tokens_per_second=wish.requests_per_second / 100,
        hosts=tuple(wish.hosts),
    )


def greet(wish: Wish, service: Service, url: str) -> None:
    """Where it listens, and how to get in."""
    console = stdout()
    reach = "this machine alone" if is_loopback(wish.host) else "every machine that reaches this address"
    store = re.sub(r"(?<=:)[^:@/]+(?=@)", "…", wish.store)  # not the password
    console.print(f"askance listens on {url} ({reach}); store: {store}", soft_wrap=True)
    if not is_loopback(wish.host):
        console.print("Every request needs a token. Put TLS in front: tokens travel as they are.", soft_wrap=True)
    if service.open_to_all:
        console.print(f"Open {url} in a browser. No tokens are asked for (--open).", soft_wrap=True)
    elif wish.new_admin_link or not service.tokens.has_admin:
        code = service.tokens.new_first_code()
        console.print(f"Open this link once for an admin's token:  {url}/first?code={code}", soft_wrap=True)
    names = ", ".join(service.writers) or "none yet: give --task FILE.toml, or POST /api/tasks"
    console.print(f"Tasks: {names}. Ctrl-C stops.", soft_wrap=True)
