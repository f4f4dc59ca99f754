"""Signatures of webhooks, as the Standard Webhooks specification defines them.

A signature is HMAC-SHA256 over id, timestamp and body. The timestamp keeps an old request from being sent again by
somebody else, and the id is the same whenever an event is sent again.
"""

import base64
import binascii
import hashlib
import hmac
import secrets
import time
from collections.abc import Mapping

PREFIX, SCHEME = "whsec_", "v1,"
KEY_BYTES = 32
ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
TOLERANCE = 300.0  # seconds


def new_secret() -> str:
    """A new secret."""
    return PREFIX + base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def signed(secret: str, identity: str, body: bytes, now: float) -> dict[str, str]:
    """The headers of a request."""
    timestamp = str(int(now))
    return {ID: identity, TIMESTAMP: timestamp, SIGNATURE: _signature(secret, identity, timestamp, body)}


def verify(
    secret: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance: float = TOLERANCE,
    now: float | None = None,
) -> str:
    """Check that a request comes from the service; for those who receive webhooks.

    Parameters
    ----------
    secret : str
        The secret that the service returned when the webhook was added.
    headers : mapping of str to str
        The headers of the request; upper and lower case do not matter.
    body : bytes
        The body as it was received.
    tolerance : float, default=300.0
        How many seconds the request may be old, or ahead of this clock.
    now : float, optional
        The current time in seconds since 1970, for tests.

    Returns
    -------
    str
        The id of the event. It is the same if the event is sent again.

    Raises
    ------
    ValueError
        If a header is missing, the request is too old, or the signature is wrong.

    Examples
    --------
    >>> secret = new_secret()
    >>> headers = signed(secret, "spam.7.label.settled", b"{}", now=1e9)
    >>> verify(secret, headers, b"{}", now=1e9)
    'spam.7.label.settled'
    >>> verify(secret, headers, b"[]", now=1e9)
    Traceback (most recent call last):
        ...
    ValueError: the signature is wrong: the body was changed, or the secret is that of another webhook
    """
    found = {name.lower(): value for name, value in headers.items()}
    missing = [name for name in (ID, TIMESTAMP, SIGNATURE) if name not in found]
    if missing:
        raise ValueError(f"the header {missing[0]} is missing: this is not a webhook of the service")
    identity, timestamp = found[ID], found[TIMESTAMP]
    if not (timestamp.isascii() and timestamp.isdigit()):
        raise ValueError(f"the timestamp {timestamp[:20]!r} is not a whole number")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise ValueError(f"the timestamp is more than {tolerance:g} s away from the clock: the request may be old")
    expected = _signature(secret, identity, timestamp, body)
    if not any(hmac.compare_digest(expected.encode(), given.encode()) for given in found[SIGNATURE].split(" ")):
        raise ValueError("the signature is wrong: the body was changed, or the secret is that of another webhook")
    return identity


def _signature(secret: str, identity: str, timestamp: str, body: bytes) -> str:
    content = f"{identity}.{timestamp}.".encode() + body
    return SCHEME + base64.b64encode(hmac.new(_key(secret), content, hashlib.sha256).digest()).decode()


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error:
        raise ValueError(f"this is not the secret of a webhook: it begins with {PREFIX} and is base64") from None
