"""A service in this process, a client per role, and requests to it."""

import asyncio
import re

import httpx

from askance.service.api.app import application
from askance.service.api.guard import ServerOptions
from askance.service.service import Service
from askance.service.settings import Asking, Budget, Hashing, Labelling, TaskSettings
from askance.service.state import snapshots
from askance.service.store import open_store

ROLES = ("admin", "labeller", "ingest", "read")
SPAM = TaskSettings(name="spam", classes=["ham", "spam"], algorithm="PA-II", hashing=Hashing(bits=8))
RECORDS = TaskSettings(
    name="records",
    classes=["no", "yes"],
    item="record",
    hashing=Hashing(bits=8),
    budget=Budget(total=1),
    questions=Asking("arrival"),
)
VOTES = TaskSettings(
    name="votes", classes=["no", "yes"], algorithm="PA-II", hashing=Hashing(bits=8), labels=Labelling(per_item=3)
)
TASK = "/api/tasks/spam"


class Caller:
    """Requests to an application in this process, one at a time."""

    def __init__(self, app):
        self._loop = asyncio.new_event_loop()
        self._client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://testserver", timeout=60
        )

    def request(self, method, path, **options):
        return self._loop.run_until_complete(self._client.request(method, path, **options))

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, **options):
        return self.request("POST", path, **options)

    def close(self):
        self._loop.run_until_complete(self._client.aclose())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()


class World:
    """A service in this process, and a client for each role."""

    def __init__(self, path, limits=None, **options):
        self.store = open_store(str(path))
        self.service = Service(self.store, **options)
        for task in (SPAM, RECORDS, VOTES):
            self.service.add_task(task)
        self.app = application(self.service, limits or ServerOptions())
        made = {role: self.service.tokens.create(role, role) for role in ROLES}
        self.tokens = {role: token.token for role, token in made.items()}
        self.client = Caller(self.app)

    def call(self, method, path, body=None, role="admin", **options):
        token = self.tokens.get(role, role)
        headers = {"authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            options["json"] = body
        return self.client.request(method, path, headers=headers | options.pop("headers", {}), **options)

    def post(self, path, body, role="admin"):
        answer = self.call("POST", path, body, role)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def state(self):
        return [snapshots.content(writer.task.fold) for writer in self.service.writers.values()]

    def close(self):
        self.client.close()
        self.service.stop()


def items(*texts):
    return {"items": [{"text": text} for text in texts]}


PLACES = {"task": "spam", "item": "1", "name": "ingest", "number": "1", "rollback": "1", "digest": "0"}


def address(route):
    return re.sub(r"{(\w+)}", lambda name: PLACES[name[1]], route.path)
