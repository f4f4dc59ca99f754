"""The web server: the application behind uvicorn, with a graceful stop."""

import contextlib
import ipaddress
import logging
import socket
import sys
from collections.abc import Iterator
from typing import Any

import uvicorn

from askance.service.api.app import application
from askance.service.api.guard import LOOPBACK, ServerOptions
from askance.service.api.refusals import Refusals
from askance.service.connections import Connections, protocol
from askance.service.service import Service

log = logging.getLogger("askance.service")
GRACE = 10  # seconds for open requests when the server stops
SWITCH = 0.001  # seconds: the event loop must not wait long for a writer thread


class Server(uvicorn.Server):
    """Announces the stop to the service first, so that event streams end."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Handle Ctrl-C or SIGTERM."""
        self._service.stopping.set()
        super().handle_exit(sig, frame)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do not raise the signal again after a graceful stop."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listening_socket(host: str, port: int) -> socket.socket:
    """A bound socket; ValueError if the port is in use or the address is not of this machine."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise ValueError(
            f"cannot listen on {host}, port {port} ({reason}): choose another host or port"
        ) from error
    return listener


def make_server(service: Service, host: str, options: ServerOptions) -> Server:
    """A server that does not listen yet."""
    if is_loopback(host) or options.hosts:
        options = options._replace(hosts=(*LOOPBACK, *(name.lower() for name in options.hosts)))
    sys.setswitchinterval(SWITCH)
    refusals = Refusals()
    config = uvicorn.Config(
        application(service, options, refusals=refusals),
        http=protocol(Connections(options, refusals)),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE,
        lifespan="off",
    )
    return Server(config, service)
