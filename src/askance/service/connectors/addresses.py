"""Where webhooks may go: the URL is resolved first, and private addresses are refused unless they are allowed.

The connection goes to the address that was checked, so that a name cannot lead elsewhere a moment later.
"""

import ipaddress
import socket
from typing import NamedTuple
from urllib.parse import urlsplit

PORTS = {"http": 80, "https": 443}
NAT64 = ipaddress.ip_network("64:ff9b::/96")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Target(NamedTuple):
    """The parts of the URL of a webhook."""

    tls: bool
    host: str
    port: int
    path: str  # with the query
    header: str  # the Host header


class RefusedAddressError(ValueError):
    """A webhook may not go there."""


def target_of(url: str) -> Target:
    """The parts of a URL; ValueError with one sentence if a webhook cannot have it."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"{url!r} is not a URL ({error})") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise ValueError(f"{url!r} is not an address for webhooks: give http://… or https://…")
    if parts.username is not None or parts.fragment:
        raise ValueError("the URL has a user name or a fragment: leave it out; requests are signed instead")
    if not url.isascii() or any(character <= " " or character == "\x7f" for character in url):
        raise ValueError("the URL has characters that are not allowed: write them as %XX, and the name as xn--…")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme == "https", parts.hostname, port or PORTS[parts.scheme], path, parts.netloc)


def resolved(target: Target, *, private: bool) -> list[str]:
    """The addresses to try, in turn. OSError if the name is not known, RefusedAddressError for private ones."""
    found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses = [str(address[4][0]) for address in found]
    for address in addresses:
        if not private and not is_public(ipaddress.ip_address(address.partition("%")[0])):
            raise RefusedAddressError(
                f"{target.host} is at {address}, which is not a public address: start the service with "
                "--private-webhooks to allow it"
            )
    return list(dict.fromkeys(addresses))


def is_public(address: Address) -> bool:
    """Whether an address is on the internet; also one inside another, as in ::ffff:127.0.0.1."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if address in NAT64:
            inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if not all(is_public(each) for each in inner if each is not None):
            return False
        if address.ipv4_mapped is not None:
            return True
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)
