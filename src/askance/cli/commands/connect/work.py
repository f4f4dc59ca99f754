"""The work of `askance connect redis`."""

import socket
from dataclasses import asdict
from typing import NamedTuple

from askance.cli.output.console import print_json, stdout
from askance.cli.output.progress import progress
from askance.cli.stopping import stopped_by_signals
from askance.service.client import Client
from askance.service.connectors.redis_streams import (
    Progress,
    RedisConnector,
    Streams,
    check_contact,
    connected,
    run,
)


class RedisRequest(NamedTuple):
    """The options of `askance connect redis`."""

    task: str
    redis: str
    items: str | None
    decisions: str | None
    labels: str | None
    group: str
    consumer: str | None
    max_length: int | None
    claim_after: float
    once: bool
    url: str | None
    token: str | None


def move(request: RedisRequest, *, as_json: bool) -> None:
    """Move everything until somebody stops it, and print the counts."""
    if request.items is None and request.labels is None:
        raise ValueError("there is nothing to do: give --items, --labels, or both")
    if request.decisions is not None and request.items is None:
        raise ValueError("--decisions are about the items of --items: give it too")
    streams = Streams(
        items=request.items,
        decisions=request.decisions,
        labels=request.labels,
        group=request.group,
        consumer=request.consumer or socket.gethostname(),
        claim_after=request.claim_after,
        longest=request.max_length,
    )
    redis = connected(request.redis)
    check_contact(redis, request.redis)
    with Client(request.url, request.token, request.task, retries=1) as first_contact:
        first_contact.task_detail()  # reports a wrong address, token or task at once
    with (
        Client(request.url, request.token, request.task, retries=1) as client,
        stopped_by_signals() as stopped,
        progress("moving") as bar,
    ):
        connector = RedisConnector(client, redis, request.task, streams)

        def report(done: Progress) -> None:
            bar(done.items, None, f"{done.items:,} items, {done.asked:,} asked, {done.labels:,} labels")

        try:
            run(connector, once=request.once, wait=stopped.wait, report=report)
        finally:
            redis.close()
    if as_json:
        print_json(asdict(connector.progress))
    else:
        _show(connector.progress)


def _show(done: Progress) -> None:
    console = stdout()
    console.print(
        f"{done.items:,} items were decided, of which {done.asked:,} are questions; {done.labels:,} labels were "
        "written.",
        soft_wrap=True,
    )
    if done.again:
        console.print(f"{done.again:,} had been sent before and were not processed again")
    if done.refused:
        console.print(f"{done.refused:,} entries were refused: see the stream whose name ends in :refused")
