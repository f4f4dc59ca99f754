"""`askance connect`: move items, decisions and labels between the service and other systems."""

from typing import Annotated

import typer

from askance.cli import options
from askance.cli.options import flag, option
from askance.cli.targets import require_extra

REDIS_EXAMPLE = "Example:   askance connect redis --task tickets --items tickets --labels tickets:labels"
REDIS = "Redis"

app = typer.Typer(name="connect")

Server = Annotated[
    str,
    option(
        "The address of Redis or Valkey. Prefer the environment variable if it has a password.",
        "URL",
        REDIS,
        "--redis",
        envvar="ASKANCE_REDIS",
    ),
]
Items = Annotated[
    str | None,
    option("Read items from this stream: fields text or record (JSON), id, note, image.", "STREAM", REDIS),
]
Decisions = Annotated[str | None, option("Write the decision about each item to this stream.", "STREAM", REDIS)]
LabelStream = Annotated[
    str | None, option("Write every settled label to this stream.", "STREAM", REDIS, "--labels")
]
Group = Annotated[str, option("The group of consumers.", "NAME", REDIS)]
Consumer = Annotated[
    str | None,
    option("The name of this consumer in the group. By default, the name of the machine.", "NAME", REDIS),
]
MaxLength = Annotated[
    int | None, option("Keep about N entries in the streams that are written to.", "N", REDIS, min=1)
]
ClaimAfter = Annotated[
    float,
    option("Take over entries that another consumer left unfinished for this long.", "SECONDS", REDIS, min=0),
]
Once = Annotated[bool, flag("--once", "Stop when nothing is left to move.")]


@app.callback(invoke_without_command=True)
def _connect(context: typer.Context) -> None:
    """Move items, decisions and labels between the service and other systems."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


@app.command("redis", epilog=REDIS_EXAMPLE)
def connect_redis(
    task: options.Task,
    redis: Server = "redis://127.0.0.1:6379",
    items: Items = None,
    decisions: Decisions = None,
    labels: LabelStream = None,
    group: Group = "askance",
    consumer: Consumer = None,
    max_length: MaxLength = None,
    claim_after: ClaimAfter = 60.0,
    once: Once = False,
    url: options.Url = None,
    token: options.Token = None,
    json: options.Json = False,
) -> None:
    """Send items of a Redis stream to the service, and write decisions and labels to others.

    Everything arrives at least once, and every item is decided once. It runs until
    Ctrl-C, and waits for Redis and the service if they do not answer.
    """
    require_extra("msgspec", "httpx", "redis")
    from askance.cli.commands.connect.work import RedisRequest, move

    request = RedisRequest(
        task, redis, items, decisions, labels, group, consumer, max_length, claim_after, once, url, token
    )
    move(request, as_json=json)
