"""`askance label`: answer the questions of a live service in the terminal, one key each."""

from askance.cli import options

EXAMPLE = "Example:   askance label --task tickets"


def label(task: options.Task, url: options.Url = None, token: options.Token = None) -> None:
    """Answer the questions of a task, with one key each and no Enter.

    From a pipe, an answer a line: a class or its key, s, u or q; it ends when nothing is left to ask.
    """
    from askance.cli.commands.label import work

    work.answer(task, url, token)
