"""`askance label`: answer the questions of the service in the terminal."""

from askance.cli import options
from askance.cli.targets import require_extra

EXAMPLE = "Example:   askance label --task tickets"


def label(task: options.Task, url: options.Url = None, token: options.Token = None) -> None:
    """Answer the questions of a task with single keys.

    Answers can also come from a pipe, one per line: a class or its key, s to
    skip, u to undo or q to quit. The command then ends when there are no more
    questions.
    """
    require_extra("msgspec", "httpx")
    from askance.cli.commands.label import work

    work.answer(task, url, token)
