"""`askance serve`: the live service."""

import gc
from pathlib import Path
from typing import Annotated

import typer

from askance.cli.options import option
from askance.cli.targets import require

EXAMPLE = "Example:   askance serve --task spam.toml      First look:   askance serve --demo"
LISTENING, GUARDING = "Listening", "Guarding"

Store = Annotated[
    str, option("A file, or postgresql://…; askance.db in this directory unless said.", "URL", None, "--store")
]
TaskFiles = Annotated[
    list[Path] | None,
    option(
        "A task to begin, as a TOML file, unless it is there already; may be repeated.", "TOML", None, "--task"
    ),
]
Demo = Annotated[
    bool,
    typer.Option("--demo", help="A made-up stream and labeller in a temporary store: watch the figures move."),
]
Host = Annotated[str, option("127.0.0.1 unless said: this machine alone.", "ADDRESS", LISTENING)]
Port = Annotated[int, option("8383 unless said; 0 takes a free one.", "PORT", LISTENING, min=0, max=65_535)]
AllowedHost = Annotated[
    list[str] | None,
    option("A name by which the service may be called, if not every one; may be repeated.", "NAME", LISTENING),
]
Open = Annotated[
    bool,
    typer.Option("--open", rich_help_panel=GUARDING, help="Ask nobody for a token. For loopback addresses alone."),
]
NewLink = Annotated[
    bool,
    typer.Option(
        "--new-admin-link", rich_help_panel=GUARDING, help="Print another link that makes an admin's token."
    ),
]
MaxBody = Annotated[
    float, option("Largest request in MB; 8 unless said.", "MB", GUARDING, "--max-body", min=0.001)
]
MaxRate = Annotated[
    float, option("Requests a second of one token; 2000 unless said.", "N", GUARDING, "--max-rate", min=0.1)
]
LogLevel = Annotated[str, option("debug, info, warning or error; warning unless said.", "LEVEL", None, "--log")]


def serve(
    store: Store = "askance.db",
    task: TaskFiles = None,
    demo: Demo = False,
    host: Host = "127.0.0.1",
    port: Port = 8383,
    allowed_host: AllowedHost = None,
    open_to_all: Open = False,
    new_admin_link: NewLink = False,
    max_body: MaxBody = 8.0,
    max_rate: MaxRate = 2000.0,
    log: LogLevel = "warning",
) -> None:
    """Serve: items in, questions out, and a model that never forgets a label.

    Everything that was acknowledged is on disk. Ctrl-C finishes what was begun and stops.
    """
    require("msgspec", "starlette", "uvicorn", "prometheus_client", "httpx")
    gc.disable()  # nothing that a start makes is garbage, and looking for some takes a tenth of it
    try:
        from askance.cli.commands.serve.work import Wish, run

        run(
            Wish(
                store=store,
                tasks=task or [],
                demo=demo,
                host=host,
                port=port,
                hosts=allowed_host or [],
                open_to_all=open_to_all,
                new_admin_link=new_admin_link,
                body_bytes=int(max_body * 1e6),
                requests_per_second=max_rate,
                log=log,
            )
        )
    finally:
        gc.enable()
