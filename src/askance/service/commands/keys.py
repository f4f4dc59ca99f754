"""Keys of requests: the same request with the same key again does nothing, and another one needs another key."""

from askance.service.errors import conflict
from askance.service.store.entries import Entry


def check_key(key: str, earlier: Entry, what: str, who: str | None, *, same: bool) -> None:
    """Refuse a key with which somebody else, or a request that is not the `same`, wrote an entry before."""
    if earlier.who != who or not same:
        raise conflict("key_reused", f"the key {key!r} belongs to another {what}: choose another key")
