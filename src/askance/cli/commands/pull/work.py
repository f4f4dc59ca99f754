"""The work of `askance pull`."""

from pathlib import Path
from typing import NamedTuple

from askance._util.atomic_write import write_whole
from askance.cli.output.console import print_json, stdout
from askance.service.client import Client
from askance.service.client.export_files import Exported, check_exported, format_of


class PullRequest(NamedTuple):
    """The arguments and options of `askance pull`."""

    file: Path
    task: str
    what: str
    url: str | None
    token: str | None


def pull_file(request: PullRequest, *, as_json: bool) -> None:
    """Save the export, and the data card of labels beside it."""
    check_exported(request.what)
    what: Exported = request.what  # type: ignore[assignment]
    form = format_of(request.file)
    written: dict[str, str] = {what: str(request.file)}
    with Client(request.url, request.token, request.task) as client:
        client.export(request.file, what)
        if what == "labels" and form != "hf":  # which has its card inside
            card = request.file.with_suffix(".card.md")
            write_whole(card, client.data_card().encode())
            written["data card"] = str(card)
    if as_json:
        print_json({"task": request.task, "format": form, "written": written})
    else:
        names = " and ".join(f"the {name} to {path}" for name, path in written.items())
        stdout().print(f"Wrote {names}.", soft_wrap=True)
