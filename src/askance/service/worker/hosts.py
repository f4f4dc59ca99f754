"""Where items may be sent: the hosts that somebody has allowed, and no others."""

import os
from collections.abc import Collection
from urllib.parse import urlsplit

from askance.service.client.connection import LOOPBACK

HOSTS, KEY = "ASKANCE_MODEL_HOSTS", "ASKANCE_MODEL_KEY"
USUAL_URL = "https://api.openai.com/v1"


def allowed_hosts(named: Collection[str]) -> set[str]:
    """The hosts of the command line and of the environment."""
    listed = os.environ.get(HOSTS, "").split(",")
    return {host.strip().lower() for host in (*named, *listed) if host.strip()}


def checked_url(url: str, hosts: Collection[str], *, has_key: bool) -> str:
    """The URL of a model; ValueError with one sentence if items may not be sent there."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise ValueError(f"{url!r} is not a URL ({error})") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError(f"{url!r} is not the URL of a model: give one such as {USUAL_URL}")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError(f"the URL of the model has more than a host and a path: put the key into {KEY}")
    if not {host, f"{host}:{port}"} & set(hosts):
        raise ValueError(
            f"{host} is not an allowed host, and items would be sent there: allow it with {HOSTS} or --allow-host"
        )
    if parts.scheme == "http" and has_key and host not in LOOPBACK:
        raise ValueError(f"the key would be sent to {host} without encryption: give an https:// URL")
    return url.rstrip("/")
