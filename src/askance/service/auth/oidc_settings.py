"""OpenID Connect: which provider, and which rights its claims give."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, get_args
from urllib.parse import urlsplit

from askance.service.messages import Role

LOOPBACK = ("127.0.0.1", "localhost", "::1")
NAME_CLAIMS = ("preferred_username", "email", "name", "sub")
LONGEST_NAME = 64
TASK = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class Grant(NamedTuple):
    """A role for people whose claim has a value, in all tasks or in one."""

    value: str
    role: Role
    task: str | None = None


class OidcSettings(NamedTuple):
    """The provider, this service as its client, and what claims mean. Without a grant, nobody has any rights."""

    issuer: str
    client_id: str
    client_secret: str | None = None
    claim: str = "groups"
    grants: tuple[Grant, ...] = ()
    default_role: Role | None = None
    name_claim: str | None = None

    @property
    def host(self) -> str:
        """The host of the provider, as people see it."""
        return urlsplit(self.issuer).netloc

    def rights(self, claims: Mapping[str, Any]) -> tuple[Role | None, dict[str, Role] | None]:
        """The role in all tasks, or the roles in some; (None, None) if there are no rights.

        The first grant that matches counts: for all tasks if there is one, otherwise in each task.
        """
        values = set(_values(claims.get(self.claim)))
        matching = [grant for grant in self.grants if grant.value in values]
        for grant in matching:
            if grant.task is None:
                return grant.role, None
        tasks: dict[str, Role] = {}
        for grant in matching:
            tasks.setdefault(grant.task or "", grant.role)
        return (None, tasks) if tasks else (self.default_role, None)

    def name(self, claims: Mapping[str, Any]) -> str:
        """A name for votes and the audit log, in the form that names of tokens have."""
        for claim in (self.name_claim, *NAME_CLAIMS):
            if claim is not None and (name := _plain(claims.get(claim))):
                return name
        return "somebody"


def oidc_settings(
    issuer: str | None,
    client_id: str | None,
    client_secret: str | None = None,
    *,
    claim: str = "groups",
    roles: Iterable[str] = (),
    default_role: str | None = None,
    name_claim: str | None = None,
) -> OidcSettings | None:
    """Check the options and return the settings; None if there is no provider.

    Parameters
    ----------
    issuer, client_id, client_secret : str, optional
        The issuer of the provider, and what it calls this service. A client without a secret is a public one.
    claim : str, default="groups"
        The claim whose values give rights.
    roles : iterable of str, default=()
        `VALUE=ROLE` for all tasks, or `VALUE=ROLE:TASK` for one.
    default_role : str, optional
        The role of people without such a value. By default they are refused.
    name_claim : str, optional
        The claim with the name of a person. Default: preferred_username, email, name or sub.

    Raises
    ------
    ValueError
        If an option is missing or not valid.

    Examples
    --------
    >>> made = oidc_settings("https://id.example.org", "askance", roles=["staff=read", "mods=labeller:spam"])
    >>> made.rights({"groups": ["mods"]})
    (None, {'spam': 'labeller'})
    """
    if issuer is None and client_id is None:
        return None
    if issuer is None or client_id is None:
        raise ValueError("an identity provider needs both: give --oidc-issuer and --oidc-client-id")
    check_url("the issuer", issuer)
    if default_role is not None:
        _check_role("--oidc-default-role", default_role)
    grants = tuple(_grant(one) for one in roles)
    if not grants and default_role is None:
        raise ValueError("nobody could sign in: give --oidc-role VALUE=ROLE or --oidc-default-role ROLE")
    return OidcSettings(issuer, client_id, client_secret or None, claim, grants, default_role, name_claim)  # type: ignore[arg-type]


def check_url(what: str, url: str) -> None:
    """Raise ValueError if a URL of the provider has no TLS, except on this machine."""
    try:
        parts = urlsplit(url)
        sound = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    except ValueError:
        sound = False
    if not sound or not parts.hostname or parts.fragment:
        raise ValueError(f"{what} {url!r} is not valid: give an https URL")


def _grant(given: str) -> Grant:
    value, _, rest = given.rpartition("=")
    role, _, task = rest.partition(":")
    if not value:
        raise ValueError(f"--oidc-role {given}: give VALUE=ROLE or VALUE=ROLE:TASK")
    _check_role(f"--oidc-role {given}", role)
    if task and not TASK.fullmatch(task):
        raise ValueError(f"--oidc-role {given}: {task!r} cannot be the name of a task")
    return Grant(value, role, task or None)  # type: ignore[arg-type]


def _check_role(option: str, role: str) -> None:
    if role not in get_args(Role):
        raise ValueError(f"{option}: {role!r} is not a role: give one of {', '.join(get_args(Role))}")


def _values(claim: Any) -> list[str]:
    """The values of a claim: of a list, its texts; of a text, the text and its words."""
    if isinstance(claim, str):
        return [claim, *claim.split()]
    return [value for value in claim if isinstance(value, str)] if isinstance(claim, list) else []


def _plain(name: Any) -> str:
    """A name in letters, digits and . _ @ -; empty if nothing is left."""
    if not isinstance(name, str):
        return ""
    ascii_ = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9._@]+", "-", ascii_).lstrip("._@-")[:LONGEST_NAME].rstrip("-")
