"""`askance store`: back up, check and compact the store of a service."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from askance.cli import options
from askance.cli.output.console import print_json, stdout

if TYPE_CHECKING:
    from askance.service.store import Store, TaskRecord

BACKUP_EXAMPLE = "Example:   askance store backup labels.db labels-monday.db"
RESTORE_EXAMPLE = "Example:   askance store restore labels-monday.db postgresql://me@host/labels"
CHECK_EXAMPLE = "Example:   askance store check labels.db"
COMPACT_EXAMPLE = "Example:   askance store compact labels.db mails --keep-days 90"

DAMAGED = 1  # the exit code of a check that found something

app = typer.Typer(name="store")

Url = Annotated[
    str,
    typer.Argument(
        metavar="URL", show_default=False, help="A file, sqlite:///FILE or postgresql://USER@HOST/DATABASE."
    ),
]
Backup = Annotated[Path, typer.Argument(metavar="FILE", show_default=False, help="The file of the backup.")]
Source = Annotated[
    str,
    typer.Argument(metavar="FILE", show_default=False, help="The file of a backup, or the URL of a store."),
]
TaskName = Annotated[str, typer.Argument(metavar="TASK", show_default=False, help="The name of a task.")]
KeepDays = Annotated[float, options.option("Keep the content of items of the last DAYS days.", "DAYS", min=0)]


@app.callback(invoke_without_command=True)
def _store(context: typer.Context) -> None:
    """Back up, restore, check and compact the store of a service."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


@app.command(epilog=BACKUP_EXAMPLE)
def backup(url: Url, file: Backup, json: options.Json = False) -> None:
    """Copy the store at URL to a new FILE; the service may be running."""
    if file.exists():
        raise ValueError(f"{file} exists: choose another name, or move it away")
    _copy(url, str(file), json=json)


@app.command(epilog=RESTORE_EXAMPLE)
def restore(source: Source, url: Url, json: options.Json = False) -> None:
    """Copy a backup, or any store, to the store at URL, which must be new or empty: of either kind."""
    _copy(source, url, json=json)


@app.command(epilog=CHECK_EXAMPLE)
def check(url: Url, json: options.Json = False) -> None:
    """Check the store at URL for damage; the exit code is 1 if there is any."""
    from askance.cli.output.progress import progress
    from askance.service.checking import problems
    from askance.service.store import open_store

    with open_store(url, own=False) as store, progress("checking") as report:
        report(0, None, "")
        complaints = problems(store)
    if json:
        print_json({"complaints": complaints})
    else:
        for line in complaints or ["no damage found"]:
            stdout().print(line)
    if complaints:
        raise typer.Exit(DAMAGED)


@app.command(epilog=COMPACT_EXAMPLE)
def compact(url: Url, task: TaskName, keep_days: KeepDays, json: options.Json = False) -> None:
    """Drop the content of old items of TASK that were not asked about. Stop the service first, or use its API.

    This affects items before the last snapshot that is older than DAYS days.
    Decisions and labels are kept, but labels of that time cannot be undone any
    more, and corrected only in tasks that replay nothing for it.
    """
    from askance.cli.output.progress import progress
    from askance.service import compaction
    from askance.service.settings import from_json
    from askance.service.store import open_store
    from askance.service.task import Task

    with open_store(url, own=False):  # fails if the store does not exist, instead of creating it
        pass
    with open_store(url) as store, progress("compacting") as report:
        report(0, None, "")
        found = _task(store, task)
        done = compaction.compact(Task(store, found.id, from_json(found.settings)), keep_days, time.time())
    if json:
        print_json({"task": task, "before": done.before, "items": done.items})
    else:
        stdout().print(f"{done.items:,} items before entry {done.before:,} were compacted")


def _copy(source: str, target: str, *, json: bool) -> None:
    from askance.cli.output.progress import progress, shares
    from askance.service.store import copy, open_store

    with open_store(source, own=False) as store, progress("copying") as report:
        copy(store, target, shares(report))
    with open_store(target, own=False) as written:
        counts = {task.name: written.last(task.id) for task in written.tasks()}
    if json:
        print_json({"tasks": [{"name": name, "entries": count} for name, count in counts.items()]})
    else:
        stdout().print(f"copied {len(counts)} tasks with {sum(counts.values()):,} entries")


def _task(store: "Store", name: str) -> "TaskRecord":
    tasks = {task.name: task for task in store.tasks()}
    if name not in tasks:
        raise ValueError(f"there is no task {name!r} in the store; tasks: {', '.join(map(repr, tasks)) or 'none'}")
    return tasks[name]
