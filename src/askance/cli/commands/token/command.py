"""`askance token`: who may use a service, in which tasks, and until when."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from askance.cli import options
from askance.cli.options import option
from askance.cli.output.console import print_json, stdout
from askance.cli.targets import require_extra

if TYPE_CHECKING:
    from askance.service.client import Client

LIST_EXAMPLE = "Example:   askance token list"
CREATE_EXAMPLE = "Example:   askance token create ann --role labeller --task spam --expires 90"
CHANGE_EXAMPLE = "Example:   askance token change ann --task spam=labeller --task tickets=read"
ROTATE_EXAMPLE = "Example:   askance token rotate gateway --overlap 24"
LINK_EXAMPLE = "Example:   askance token link ann --hours 48"
REVOKE_EXAMPLE = "Example:   askance token revoke ann"
RIGHTS = "Rights"

app = typer.Typer(name="token")

Name = Annotated[
    str, typer.Argument(metavar="NAME", show_default=False, help="The name of the person or program.")
]
Role = Annotated[
    str | None, option("The role: labeller, ingest, read or admin. For all tasks, unless --task.", "ROLE", RIGHTS)
]
Tasks = Annotated[
    list[str] | None,
    option(
        "A task that it is limited to; TASK=ROLE gives another role there. Can be repeated.",
        "TASK",
        RIGHTS,
        "--task",
    ),
]
Expires = Annotated[
    str | None,
    option(
        "When it ends: in DAYS days, or at the beginning of a day such as 2030-01-31 (UTC).", "DAYS|DATE", RIGHTS
    ),
]
NewExpires = Annotated[
    str | None,
    option(
        "When it ends: in DAYS days, at the beginning of a day, or never.", "DAYS|DATE|never", RIGHTS, "--expires"
    ),
]
Overlap = Annotated[
    float, option("How long the old secret stays valid too.", "HOURS", min=0, show_default="0: it ends at once")
]
Hours = Annotated[float, option("How long the link is valid.", "HOURS", min=0.01)]


@app.callback(invoke_without_command=True)
def _token(context: typer.Context) -> None:
    """List, create, change, rotate and revoke tokens of a service. You need an admin token for all tasks."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


@app.command("list", epilog=LIST_EXAMPLE)
def list_tokens(url: options.Url = None, token: options.Token = None, json: options.Json = False) -> None:
    """List all tokens that were not revoked, with their rights and their end."""
    from askance.cli.commands.token.report import as_dict, show_tokens

    with _client(url, token) as client:
        known = [one for one in client.tokens() if one.revoked is None]
    if json:
        print_json({"tokens": [as_dict(one) for one in known]})
    else:
        show_tokens(known)


@app.command(epilog=CREATE_EXAMPLE)
def create(
    name: Name,
    role: Role = None,
    task: Tasks = None,
    expires: Expires = None,
    url: options.Url = None,
    token: options.Token = None,
    json: options.Json = False,
) -> None:
    """Create a token, and print its secret: it is shown only here.

    With --quiet, nothing else is printed.
    """
    from askance.cli.commands.token.report import parse_end, parse_rights, show_secret

    rights, end = parse_rights(role, task), parse_end(expires)
    if not rights:
        raise ValueError("no rights are given: give --role ROLE, and --task TASK to limit it to some tasks")
    with _client(url, token) as client:
        show_secret(client.create_token(name, **rights, **end), json=json)


@app.command(epilog=CHANGE_EXAMPLE)
def change(
    name: Name,
    role: Role = None,
    task: Tasks = None,
    expires: NewExpires = None,
    url: options.Url = None,
    token: options.Token = None,
    json: options.Json = False,
) -> None:
    """Change the rights or the end of a token, effective at once. Its secret stays."""
    from askance.cli.commands.token.report import as_dict, parse_end, parse_rights, show_tokens

    rights = parse_rights(role, task)
    end: dict[str, Any] = {"without_end": True} if expires == "never" else parse_end(expires)
    if not rights and not end:
        raise ValueError("nothing is given: give --role, --task or --expires")
    with _client(url, token) as client:
        changed = client.change_token(name, **rights, **end)
    if json:
        print_json(as_dict(changed))
    else:
        show_tokens([changed])


@app.command(epilog=ROTATE_EXAMPLE)
def rotate(
    name: Name,
    overlap: Overlap = 0.0,
    expires: Expires = None,
    url: options.Url = None,
    token: options.Token = None,
    json: options.Json = False,
) -> None:
    """Replace the secret of a token, and print the new one: it is shown only here.

    Without --overlap, browsers that are signed in with it are signed out. With
    --quiet, nothing else is printed.
    """
    from askance.cli.commands.token.report import parse_end, show_secret

    end = parse_end(expires)
    with _client(url, token) as client:
        show_secret(client.rotate_token(name, overlap, **end), json=json)


@app.command(epilog=LINK_EXAMPLE)
def link(
    name: Name,
    hours: Hours = 24.0,
    url: options.Url = None,
    token: options.Token = None,
    json: options.Json = False,
) -> None:
    """Create a link that signs the owner of a token in with a browser. It works once.

    With --quiet, nothing else is printed.
    """
    from askance.cli.commands.token.report import as_dict
    from askance.service.times import day_of

    with _client(url, token) as client:
        made = client.sign_in_link(name, hours)
    if json:
        print_json(as_dict(made))
        return
    stdout().print(f"This link signs {name} in, once, until {day_of(made.until)}:", soft_wrap=True)
    typer.echo(made.url)


@app.command(epilog=REVOKE_EXAMPLE)
def revoke(name: Name, url: options.Url = None, token: options.Token = None, json: options.Json = False) -> None:
    """Revoke a token: it stops working at once, for good. Its name cannot be used again."""
    from askance.cli.commands.token.report import as_dict

    with _client(url, token) as client:
        revoked = client.revoke_token(name)
    if json:
        print_json(as_dict(revoked))
    else:
        stdout().print(f"the token of {name} is revoked")


def _client(url: str | None, token: str | None) -> "Client":
    require_extra("msgspec", "httpx")
    from askance.service.client import Client

    return Client(url, token)
