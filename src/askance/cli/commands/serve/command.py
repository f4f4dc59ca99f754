"""`askance serve`: start the service."""

import gc
from pathlib import Path
from typing import Annotated

from askance.cli.options import flag, option
from askance.cli.targets import require_extra

EXAMPLE = "Example:   askance serve --task spam.toml   or, to try it,   askance serve --demo"
NETWORK, SECURITY = "Network", "Security"

Store = Annotated[str, option("A SQLite file, or postgresql://USER@HOST/DATABASE.", "URL", None, "--store")]
TaskFiles = Annotated[
    list[Path] | None,
    option("A TOML file of a task to create, if it does not exist yet. Can be repeated.", "TOML", None, "--task"),
]
Demo = Annotated[
    bool,
    flag("--demo", "Run a demo with a simulated stream and labeller, in a temporary store."),
]
Host = Annotated[
    str, option("The address to listen on. The default is reachable from this machine only.", "ADDRESS", NETWORK)
]
Port = Annotated[int, option("The port; 0 chooses a free one.", "PORT", NETWORK, min=0, max=65_535)]
AllowedHost = Annotated[
    list[str] | None,
    option("A Host header to accept. By default all are accepted. Can be repeated.", "NAME", NETWORK),
]
Open = Annotated[
    bool,
    flag("--open", "Do not ask for tokens. Allowed on loopback addresses only.", SECURITY),
]
NewLink = Annotated[
    bool,
    flag("--new-admin-link", "Print a new link that creates an admin token.", SECURITY),
]
MaxBody = Annotated[float, option("The largest request, in MB.", "MB", SECURITY, "--max-body", min=0.001)]
MaxRate = Annotated[float, option("Requests per second and token.", "N", SECURITY, "--max-rate", min=0.1)]
LogLevel = Annotated[str, option("The log level: debug, info, warning or error.", "LEVEL", None, "--log")]


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
    """Start the service: it predicts items, asks for labels, and learns from every answer.

    Everything that it acknowledges is on disk. Ctrl-C completes the current
    requests and stops.
    """
    require_extra("msgspec", "starlette", "uvicorn", "prometheus_client", "httpx")
    gc.disable()  # a start makes no garbage, and looking for it takes a tenth of the time
    try:
        from askance.cli.commands.serve.work import ServeRequest, run

        run(
            ServeRequest(
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
