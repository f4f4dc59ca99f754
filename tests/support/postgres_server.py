"""A PostgreSQL server for the tests: its own directory, its own port, gone at the end."""

import glob
import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from needs import missing

SUPERUSER = "askance"
BINARIES = "/usr/lib/postgresql/*/bin"  # where Debian has them
PATIENCE = 60.0  # seconds for the server to start or stop


class PostgresServer:
    """A running server; each test gets a schema of its own, which is much quicker than a database."""

    def __init__(self, port: int) -> None:
        self.url = f"postgresql://{SUPERUSER}@127.0.0.1:{port}/postgres"
        self._numbers = itertools.count(1)

    def new_schema(self) -> str:
        """The URL of an empty place for a store."""
        schema = f"test_{next(self._numbers)}"
        self.run(f"CREATE SCHEMA {schema}")
        return f"{self.url}?options=-csearch_path%3D{schema}"

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a statement as the superuser."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """A server for as long as the block lasts."""
    binaries = _binaries()
    directory = Path(tempfile.mkdtemp(prefix="askance-postgres-"))
    who = _who(directory)
    try:
        _create(binaries, directory, who)
        port = free_port()
        place = ["-D", directory / "data", "-p", str(port), "-k", directory, "-c", "listen_addresses=127.0.0.1"]
        with (directory / "log").open("wb") as log:
            process = subprocess.Popen(
                [binaries / "postgres", *place], stdout=log, stderr=subprocess.STDOUT, cwd=directory, **who
            )
        try:
            server = PostgresServer(port)
            _wait_until_it_answers(server, process, directory / "log")
            yield server
        finally:
            process.send_signal(signal.SIGINT)  # disconnects all clients, and stops in good order
            process.wait(PATIENCE)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _binaries() -> Path:
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).parent
    found = sorted(glob.glob(f"{BINARIES}/initdb"))
    if not found:
        missing("the PostgreSQL store", "postgresql")
    return Path(found[-1]).parent


def _who(directory: Path) -> dict[str, Any]:
    """The server refuses to run as root: Debian's package has a user for it."""
    if os.getuid() != 0:
        return {}
    try:
        import pwd  # which Windows does not have

        user = pwd.getpwnam("postgres")
    except KeyError:
        missing("the PostgreSQL store", "a user postgres, where tests run as root")
    os.chown(directory, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _create(binaries: Path, directory: Path, who: dict[str, Any]) -> None:
    # Only the creation goes unsynced: the server itself waits for the disk, as in earnest.
    manner = ["-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"]
    command = [binaries / "initdb", "-D", directory / "data", *manner]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=directory, **who)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_it_answers(server: PostgresServer, process: "subprocess.Popen[bytes]", log: Path) -> None:
    import psycopg

    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            server.run("SELECT 1")
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start: {log.read_text()}") from None
            time.sleep(0.05)
