# Generated from asynchronous_tokens.py by tools/make_sync_client.py: edit that file, and run the tool.
"""The tokens of a service."""

from askance.service import messages as m
from askance.service.client import token_calls
from askance.service.client.synchronous_requests import Requests
from askance.service.client.token_calls import End, Tasks


class Tokens(Requests):
    """The methods of a client that are about tokens."""

    def first_token(self, code: str) -> m.NewToken:
        """Create the first admin token, with the code in the link that the first start prints."""
        return self._do(token_calls.first_token(code))

    def tokens(self) -> list[m.KnownToken]:
        """List all tokens, including revoked ones."""
        return self._do(token_calls.tokens())

    def create_token(
        self,
        name: str,
        role: m.Role | None = None,
        *,
        tasks: Tasks | None = None,
        expires_in: float | None = None,
        expires: End | None = None,
    ) -> m.NewToken:
        """Create a token. Its secret is only in this answer.

        Parameters
        ----------
        name : str
            The name of the person or program. It can be used once.
        role : {"admin", "labeller", "ingest", "read"}, optional
            The role in all tasks, or in the tasks that are listed.
        tasks : dict or list of str, optional
            The role in each task, or tasks in which the role is `role`. Others cannot be seen.
        expires_in : float, optional
            Days until the token ends. By default it does not end.
        expires : date, datetime or float, optional
            When it ends instead; a date is its beginning in UTC, a number is in seconds since 1970.
        """
        return self._do(token_calls.create_token(name, role, tasks, expires_in, expires))

    def change_token(
        self,
        name: str,
        role: m.Role | None = None,
        *,
        tasks: Tasks | None = None,
        expires_in: float | None = None,
        expires: End | None = None,
        without_end: bool = False,
    ) -> m.KnownToken:
        """Change the rights or the end of a token, as for `create_token`; `without_end` removes the end."""
        return self._do(token_calls.change_token(name, role, tasks, expires_in, expires, without_end=without_end))

    def rotate_token(
        self, name: str, overlap: float = 0.0, *, expires_in: float | None = None, expires: End | None = None
    ) -> m.NewToken:
        """Replace the secret of a token. The old one stays valid for `overlap` hours; without an overlap, browsers
        that are signed in with it are signed out.
        """
        return self._do(token_calls.rotate_token(name, overlap, expires_in, expires))

    def sign_in_link(self, name: str, hours: float = 24.0) -> m.SignInLink:
        """Create a link that signs the owner of a token in with a browser. It works once, within `hours` hours."""
        return self._do(token_calls.sign_in_link(name, hours))

    def revoke_token(self, name: str) -> m.KnownToken:
        """Revoke a token."""
        return self._do(token_calls.revoke_token(name))
