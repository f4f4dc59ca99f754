"""Reverse proxies: only those that are named may say whom they speak for."""

import ipaddress
from collections.abc import Iterable, MutableMapping
from typing import Any

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Proxies:
    """The addresses and networks of trusted proxies.

    Parameters
    ----------
    trusted : iterable of str
        Addresses such as 127.0.0.1, and networks such as 10.0.0.0/8.

    Raises
    ------
    ValueError
        If one is neither an address nor a network.

    Examples
    --------
    >>> Proxies(["10.0.0.0/8"]).trusted("10.1.2.3")
    True
    """

    def __init__(self, trusted: Iterable[str]) -> None:
        self._networks = [_network(one) for one in trusted]

    def trusted(self, address: str) -> bool:
        """Whether an address is one of them."""
        found = _address(address) if self._networks else None
        return found is not None and any(found in network for network in self._networks)

    def apply(self, scope: MutableMapping[str, Any]) -> None:
        """Set the client and the scheme of a request to what a trusted proxy says about them."""
        client = scope.get("client")
        if client is None or not self.trusted(client[0]):
            return
        scheme = _values(scope, b"x-forwarded-proto")[-1].lower()
        if scheme in ("http", "https"):
            scope["scheme"] = scheme
        if (sender := self._sender(_values(scope, b"x-forwarded-for"))) is not None:
            scope["client"] = (sender, 0)

    def _sender(self, forwarded: list[str]) -> str | None:
        """The last address that no trusted proxy has: a client may have invented those before it."""
        sender = None
        for part in reversed(forwarded):
            found = _address(part)
            if found is None:
                break
            sender = str(found)
            if not self.trusted(sender):
                break
        return sender


def _values(scope: MutableMapping[str, Any], header: bytes) -> list[str]:
    given = [value.decode("latin-1") for name, value in scope["headers"] if name == header]
    return [part.strip() for part in ",".join(given).split(",")]


def _network(given: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(given)
    except ValueError:
        raise ValueError(
            f"{given!r} is not the address of a proxy: "
            "give an address such as 10.0.0.7, or a network such as 10.0.0.0/8"
        ) from None


def _address(given: str) -> Address | None:
    """An address, also with a port or in brackets; None if it is none."""
    host = given.partition("]")[0][1:] if given.startswith("[") else given
    if host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found
