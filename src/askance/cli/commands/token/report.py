"""Rights and ends of tokens: what the options mean, and how they are printed."""

import time
from collections.abc import Sequence
from datetime import date
from typing import Any, get_args

import msgspec
import typer
from rich.table import Table

from askance.cli.output.console import print_json, stdout
from askance.service import messages
from askance.service.times import day_of

ROLES = get_args(messages.Role)
SOON = 7 * 86_400.0


def parse_rights(role: str | None, tasks: Sequence[str] | None) -> dict[str, Any]:
    """The rights in --role and --task; empty if there are none."""
    _check_role("--role", role)
    if not tasks:
        return {} if role is None else {"role": role}
    roles = {}
    for given in tasks:
        name, _, own = given.partition("=")
        if not own and role is None:
            raise ValueError(f"--task {given}: there is no role: give --role ROLE, or --task {name}=ROLE")
        _check_role(f"--task {given}", own or None)
        roles[name] = own or role
    return {"tasks": roles}


def parse_end(given: str | None) -> dict[str, Any]:
    """The end in --expires: days or a date; empty if there is none."""
    if given is None:
        return {}
    try:
        return {"expires_in": float(given)}
    except ValueError:
        pass
    try:
        return {"expires": date.fromisoformat(given)}
    except ValueError:
        raise ValueError(f"--expires {given}: give a number of days, or a date such as 2030-01-31") from None


def as_dict(answer: messages.Answer) -> dict[str, Any]:
    """An answer of the service for --json."""
    return msgspec.to_builtins(answer)


def show_secret(made: messages.NewToken, *, json: bool) -> None:
    """Print a new secret. It goes to stdout in any case: it is what the command is for."""
    if json:
        print_json(as_dict(made))
        return
    end = "" if made.expires is None else f", until {day_of(made.expires)}"
    stdout().print(
        f"The token of {made.name}: {rights_of(made.role, made.tasks)}{end}. It is shown only now:", soft_wrap=True
    )
    typer.echo(made.token)


def show_tokens(known: Sequence[messages.KnownToken]) -> None:
    """Print a table of tokens."""
    table = Table(box=None, pad_edge=False)
    for column in ("name", "rights", "ends", "last seen"):
        table.add_column(column)
    for one in known:
        seen = "" if one.seen is None else day_of(one.seen)
        table.add_row(one.name, rights_of(one.role, one.tasks), _end(one), seen)
    stdout().print(table)


def rights_of(role: str | None, tasks: dict[str, messages.Role] | None) -> str:
    """The rights of a token in words: labeller in spam, tickets; read in mails."""
    if tasks is None:
        return f"{role} in all tasks"
    by_role: dict[str, list[str]] = {}
    for task, own in sorted(tasks.items()):
        by_role.setdefault(own, []).append(task)
    return "; ".join(f"{own} in {', '.join(names)}" for own, names in sorted(by_role.items())) or "none"


def _end(token: messages.KnownToken) -> str:
    if token.expires is None:
        return "" if token.provider is None else f"signs in at {token.provider}"
    left = token.expires - time.time()
    if left <= 0:
        return f"ended {day_of(token.expires)}"
    return f"{day_of(token.expires)}{' (soon)' if left < SOON else ''}"


def _check_role(option: str, role: str | None) -> None:
    if role is not None and role not in ROLES:
        raise ValueError(f"{option}: {role} is not a role: give one of {', '.join(ROLES)}")
