"""A Redis server for the tests: its own directory, its own port, gone at the end."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from needs import missing
from postgres_server import free_port

PATIENCE = 20.0  # seconds
NAMES = ("redis-server", "valkey-server")


class RedisServer:
    """A server that can be killed and started again. What it acknowledged is on disk."""

    def __init__(self, binary: str, directory: Path) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}"
        self._binary = binary
        self._directory = directory
        self.start()

    def start(self) -> None:
        options = ["--port", self.port, "--bind", "127.0.0.1", "--dir", self._directory, "--save", ""]
        safe = ["--appendonly", "yes", "--appendfsync", "always"]
        self._process = subprocess.Popen([self._binary, *map(str, options + safe)], stdout=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with self.client() as client:
                    client.ping()
                return
            except Exception:
                assert time.monotonic() < end, "Redis did not start"
                assert self._process.poll() is None, "Redis ended"
                time.sleep(0.02)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)

    def client(self) -> Any:
        import redis

        return redis.Redis.from_url(self.url)


@contextmanager
def running_redis() -> Iterator[RedisServer]:
    """A server for as long as the block lasts."""
    found = [binary for name in NAMES if (binary := shutil.which(name))]
    if not found:
        missing("Redis Streams", "redis-server")
    directory = Path(tempfile.mkdtemp(prefix="askance-redis-"))
    try:
        server = RedisServer(found[0], directory)
        try:
            yield server
        finally:
            server.kill()
    finally:
        shutil.rmtree(directory, ignore_errors=True)
