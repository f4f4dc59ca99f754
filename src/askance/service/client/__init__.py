"""Clients of the service. Every request takes effect once, however often it has to be sent."""

try:
    import httpx  # noqa: F401 - imported here, so that a missing package gets a clear message
    import msgspec  # noqa: F401
except ImportError as missing:
    raise ImportError(f"the client needs {missing.name}: pip install 'askance[service]'") from missing

from askance.errors import ServiceError
from askance.service.client.asynchronous import AsyncClient
from askance.service.client.synchronous import Client
from askance.service.messages import Item, Label

__all__ = ["AsyncClient", "Client", "Item", "Label", "ServiceError"]
