"""A service to which files are uploaded, and requests that do it."""

import time

from askance.service.api.app import application
from askance.service.service import Service
from askance.service.settings import Hashing, TaskSettings
from askance.service.state import snapshots
from askance.service.store import open_store
from service_world import Caller, World

PATIENCE = 60
ANYTHING = TaskSettings(name="any", classes=["ham", "spam"], item=["text", "record"], hashing=Hashing(bits=8))
TABLE = TaskSettings(name="table", classes=["stays", "leaves"], item="record", hashing=Hashing(bits=8))
VECTORS = TaskSettings(name="points", classes=["a", "b"], item="vector", vector_length=2, hashing=Hashing(bits=4))
MAILS = "text,label\n" + "".join(f"mail number {row},{'spam' if row % 2 else ''}\n" for row in range(10))


class Clock:
    """A clock that stands still."""

    def __init__(self):
        self.now = 1e9

    def __call__(self):
        return self.now


class Uploading(World):
    """A service with tasks for all kinds of files."""

    def __init__(self, path, **options):
        self.clock = Clock()
        super().__init__(path, clock=self.clock, **options)
        for task in (ANYTHING, TABLE, VECTORS):
            self.service.add_task(task)

    def begin(self, name, size, task="any", role="ingest"):
        return self.call("POST", f"/api/tasks/{task}/uploads", {"name": name, "size": size}, role)

    def part(self, number, start, content, task="any", role="ingest", **headers):
        path = f"/api/tasks/{task}/uploads/{number}/parts?start={start}"
        headers = {"content-type": "application/octet-stream"} | headers
        return self.call("POST", path, role=role, headers=headers, content=content)

    def show(self, number, task="any", role="ingest"):
        return self.call("GET", f"/api/tasks/{task}/uploads/{number}", role=role)

    def checked(self, number, task="any"):
        """An upload after its check."""
        until = time.monotonic() + PATIENCE
        while (found := self.show(number, task).json())["state"] == "checking":
            assert time.monotonic() < until
            time.sleep(0.005)
        return found

    def send(self, content, name="mails.csv", task="any"):
        """Upload a whole file and wait for its check."""
        content = content.encode() if isinstance(content, str) else content
        number = self.begin(name, len(content), task).json()["upload"]
        assert self.part(number, 0, content, task).status_code == 200
        return self.checked(number, task)

    def choose(self, number, task="any", **kinds):
        path = f"/api/tasks/{task}/uploads/{number}/kinds"
        assert self.call("POST", path, {"kinds": kinds}, "ingest").status_code == 200
        return self.checked(number, task)

    def add(self, number, task="any"):
        return self.call("POST", f"/api/tasks/{task}/uploads/{number}/rows", role="ingest")

    def add_all(self, number, task="any"):
        """Add all rows."""
        while (found := self.add(number, task).json())["state"] == "adding":
            pass
        return found

    def fold(self, task="any"):
        return snapshots.content(self.service.writers[task].task.fold)

    def counts(self, task="any"):
        fold = self.service.writers[task].task.fold
        return fold.ledger.rows, fold.counts.imported

    def items(self, task="any"):
        return self.call("GET", f"/api/tasks/{task}/items").json()["items"][::-1]


class Restarted(Uploading):
    """The same service after a restart."""

    def __init__(self, path, before):
        self.store = open_store(str(path))
        self.service = Service(self.store)
        self.client = Caller(application(self.service))
        self.tokens = before.tokens


def kinds_of(found):
    return {column["name"]: column["kind"] for column in found["columns"]}


def files(world):
    directory = world.service.uploads._directory
    return sorted(path.name for path in directory.iterdir()) if directory and directory.exists() else []


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)
