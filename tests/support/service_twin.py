"""An in-memory twin of the live service's API, which can be set to be busy, to fail, or to lose its answers."""

import json
import re
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import msgspec

from askance.service import messages as m
from askance.service.settings import Budget, TaskSettings

CLASSES = ["billing", "bug", "praise"]
NO_SPEND = m.Spend(asked=0, refused=0, left=None, today=0, left_today=None, total=None, per_day=None, rate=None)
LOSE_REQUEST, LOSE_ANSWER = "the request is lost", "the answer is lost"


class LostAnswerError(Exception):
    """No answer reaches the client."""


class RequestError(Exception):
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class Twin:
    """One task. A text that holds a question mark is asked about; the first class is always the guess."""

    def __init__(self, classes: list[str] = CLASSES, item: str = "text", token: str | None = None) -> None:
        self.settings = TaskSettings("desk", classes, item=item, budget=Budget(rate=0.1))
        self.token = token
        self.troubles: deque[Any] = deque()  # one for each request to come: LOSE_..., or status and headers
        self.requests: list[tuple[str, str, Any]] = []
        self.items: list[m.Item] = []
        self.by_id: dict[str, m.ItemDecision] = {}
        self.leased: dict[int, int] = {}
        self.leases = 0
        self.labels: dict[int, str] = {}
        self.skipped: list[int] = []
        self.flags: list[tuple[int, str | None]] = []
        self.imported: dict[str, str] = {}
        self.keys: dict[tuple[str, str], Any] = {}
        self.tokens: dict[str, m.KnownToken] = {}
        self.created: list[str] = []
        self.broken_off = 0
        self.lock = threading.Lock()

    # ------------------------------------------------------------------ two ways in

    def transport(self) -> httpx.MockTransport:
        def handle(request: httpx.Request) -> httpx.Response:
            try:
                status, headers, content = self.answer(
                    request.method, request.url.path, dict(request.headers), request.read()
                )
            except LostAnswerError as lost:
                if str(lost) == LOSE_REQUEST:
                    raise httpx.ConnectError("refused", request=request) from None
                raise httpx.ReadError("cut", request=request) from None
            return httpx.Response(status, headers=headers, content=content)

        return httpx.MockTransport(handle)

    @contextmanager
    def serving(self) -> Iterator[str]:
        """The address of this twin behind a real socket."""
        twin = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                try:
                    headers = {name.lower(): value for name, value in self.headers.items()}
                    status, more, content = twin.answer(self.command, self.path, headers, body)
                except LostAnswerError:
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_DELETE = handle_one  # noqa: N815 - http.server's names

            def log_message(self, *words: Any) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    # ------------------------------------------------------------------ what it does

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict, bytes]:
        with self.lock:
            self.requests.append((method, path, json.loads(body) if body else None))
            trouble = self.troubles.popleft() if self.troubles else None
            if trouble == LOSE_REQUEST:
                raise LostAnswerError(trouble)
            if isinstance(trouble, tuple):
                return trouble[0], trouble[1], trouble[2] if len(trouble) > 2 else refused("busy", "busy now")
            try:
                if self.token is not None and headers.get("authorization") != f"Bearer {self.token}":
                    code = "unknown_token" if "authorization" in headers else "no_token"
                    raise RequestError(401, code, "this token is not known" if headers else "send a token")
                done = self.done(method, path, body)
            except RequestError as refusal:
                return refusal.status, {}, refused(refusal.code, str(refusal))
            if trouble == LOSE_ANSWER:
                raise LostAnswerError(trouble)
            return 200, {}, done if isinstance(done, bytes) else msgspec.json.encode(done)

    def done(self, method: str, path: str, body: bytes) -> Any:
        for (verb, pattern), work in ROUTES.items():
            found = re.fullmatch(pattern, path)
            if verb == method and found:
                kind = work.__annotations__.get("body")
                try:
                    read = [] if kind is None else [msgspec.json.decode(body, type=kind)]
                except msgspec.DecodeError as error:
                    raise RequestError(422, "wrong_value", str(error)) from None
                return work(self, *found.groups(), *read)
        raise RequestError(404, "not_found", f"{path}: there is no such thing")

    def once(self, kind: str, key: Any, work: Any) -> Any:
        """The work, or its outcome if this key was here before."""
        if key is msgspec.UNSET:
            return work()
        if (kind, key) in self.keys:
            return msgspec.structs.replace(self.keys[kind, key], again=True)
        self.keys[kind, key] = done = work()
        return done

    def show_tasks(self) -> m.Tasks:
        return m.Tasks(
            [m.TaskSummary("desk", "running", self.settings.classes, "MPAA-II", len(self.items), 0, 0, NO_SPEND)]
        )

    def create(self, body: TaskSettings) -> m.TaskDetail:
        if body.name in self.created:
            raise RequestError(409, "exists", f"there is a task {body.name} already")
        self.created.append(body.name)
        return m.TaskDetail(body, self.figures())

    def task_detail(self) -> m.TaskDetail:
        return m.TaskDetail(self.settings, self.figures())

    def set_columns(self, body: m.ColumnsRequest) -> m.TaskDetail:
        self.settings = msgspec.structs.replace(self.settings, columns=body.columns)
        return m.TaskDetail(self.settings, self.figures())

    def figures(self) -> m.Figures:
        numbers = dict.fromkeys(m.Figures.__struct_fields__, 0)
        numbers |= {"items": len(self.items), "asked": len(self.open) + len(self.labels), "agreement": None}
        numbers |= {"waiting": len(self.open) - len(self.leased), "labelled": len(self.labels), "positive": None}
        numbers |= {"problem": None, "certificate": None, "drift": None}
        return m.Figures(
            **numbers | {"state": "running", "estimates": {}, "recent": {}, "current": {}, "spend": NO_SPEND}
        )

    def events(self) -> bytes:
        data = msgspec.json.encode(self.figures())
        return b": hello\n\nevent: figures\r\ndata: " + data + b"\r\n\r\nevent: other\ndata: 1\n\n"

    def decide(self, body: m.Items) -> m.Decisions:
        return m.Decisions([self.decided(item) for item in body.items])

    def decided(self, item: m.Item) -> m.ItemDecision:
        assert item.id is not msgspec.UNSET, "an item without an id cannot be sent twice"
        if item.id in self.by_id:
            return msgspec.structs.replace(self.by_id[item.id], again=True)
        self.items.append(item)
        asked = "?" in str(item.text if item.text is not msgspec.UNSET else item.record)
        guess = self.settings.classes[0]
        self.by_id[item.id] = done = m.ItemDecision(len(self.items), guess, 0.125, 0.8, asked, 0, item.id)
        return done

    def predict(self, body: m.Items) -> m.Predictions:
        return m.Predictions([m.Prediction(self.settings.classes[0], 0.5) for _ in body.items], 0)

    def learn(self, body: m.LabelledItems) -> m.Imported:
        again = sum(item.id in self.imported for item in body.items)
        self.imported |= {item.id: item.label for item in body.items}
        return m.Imported(len(body.items) - again, again, len(self.imported))

    @property
    def open(self) -> list[int]:
        asked = [done.item for done in self.by_id.values() if done.ask]
        return [item for item in asked if item not in self.labels and item not in self.skipped]

    def lease(self, body: m.LeaseRequest) -> m.Questions:
        if body.items is msgspec.UNSET:
            free = [item for item in self.open if item not in self.leased][: body.count]
        else:
            free = body.items
            if closed := set(free) - set(self.open):
                raise RequestError(409, "answered", f"item {min(closed)} has its labels already")
        for item in free:
            self.leases += 1
            self.leased[item] = self.leases
        return m.Questions([self.question(item) for item in free], len(self.open) - len(self.leased))

    def question(self, number: int) -> m.Question:
        item = self.items[number - 1]
        text = None if item.text is msgspec.UNSET else item.text
        record = None if item.record is msgspec.UNSET else item.record
        guess = self.settings.classes[0]
        return m.Question(
            number, self.leased[number], 2e9, guess, 0.125, 0.8, 1e9, item.id, text, record, item.note or None
        )

    def return_question(self, item: str) -> m.Questions:
        if int(item) not in self.open:
            raise RequestError(409, "answered", f"item {item} has its labels already")
        self.leased.pop(int(item), None)
        return m.Questions([], len(self.open) - len(self.leased))

    def label(self, body: m.Labels) -> m.Receipts:
        return m.Receipts([self.once("label", one.key, lambda one=one: self.noted(one)) for one in body.labels])

    def noted(self, one: m.Label) -> m.Receipt:
        item = one.item if one.id is msgspec.UNSET else self.by_id[one.id].item
        if one.label not in self.settings.classes:
            raise RequestError(422, "unknown_class", f"{one.label!r} is not a class of this task")
        if item in self.labels:
            raise RequestError(409, "answered", f"item {item} was answered already")
        if one.lease is not msgspec.UNSET and self.leased.get(item) != one.lease:
            raise RequestError(409, "lease_expired", f"the lease of item {item} ran out")
        self.labels[item] = one.label
        self.leased.pop(item, None)
        return m.Receipt(item, "learned", {one.label: 1}, len(self.labels))

    def skip(self, body: m.Skip) -> m.Skipped:
        def skipped() -> m.Skipped:
            self.skipped.append(body.item)
            self.leased.pop(body.item, None)
            return m.Skipped(body.item, "given up")

        return self.once("skip", body.key, skipped)

    def flag(self, body: m.Flag) -> m.Flagged:
        def flagged() -> m.Flagged:
            self.flags.append((body.item, body.note or None))
            return m.Flagged(body.item, len(self.flags))

        return self.once("flag", body.key, flagged)

    def undo_flag(self, body: m.FlagUndo) -> m.Flagged:
        def undone() -> m.Flagged:
            self.flags.pop()
            return m.Flagged(body.item, len(self.flags))

        return self.once("unflag", body.key, undone)

    def undo(self, body: m.Undo) -> m.Amendment:
        def undone() -> m.Amendment:
            item = next(reversed(self.labels)) if body.item is msgspec.UNSET else body.item
            del self.labels[item]
            self.leases += 1
            self.leased[item] = self.leases
            return m.Amendment(item, None, 0, 3)

        return self.once("undo", body.key, undone)

    def correct(self, body: m.Correction) -> m.Amendment:
        def corrected() -> m.Amendment:
            item = body.item if body.id is msgspec.UNSET else self.by_id[body.id].item
            self.labels[item] = body.label
            return m.Amendment(item, body.label, 0, 3)

        return self.once("correction", body.key, corrected)

    def item_detail(self, item: str) -> m.ItemDetail:
        found = self.items[int(item) - 1]
        return m.ItemDetail(int(item), 1e9, "open", self.by_id[found.id], None, [], [], None, found.id, found.text)

    def export(self, what: str) -> bytes:
        lines = [{"item": item, "label": label, "note": "a\u2028b"} for item, label in self.labels.items()]
        ends = [{"error": {"code": "gone", "message": "the journal went away"}}] if self.broken_off else []
        return b"\n".join(json.dumps(line, ensure_ascii=False).encode() for line in lines + ends)

    def model(self) -> bytes:
        from askance.algorithms.make import make
        from askance.learners.files import to_bytes

        learner = make("PAA-II", C=0.5)
        learner.tell([1.0, 2.0], 1)
        content = to_bytes(learner)
        return content[:-1] if self.broken_off else content

    def compact(self, body: m.Compaction) -> m.Compacted:
        return m.Compacted(0, 0)

    def first(self, body: m.FirstTokenRequest) -> m.NewToken:
        return m.NewToken("admin", "admin", "secret")

    def show_tokens(self) -> m.Tokens:
        return m.Tokens(list(self.tokens.values()))

    def create_token(self, body: m.TokenRequest) -> m.NewToken:
        if body.name in self.tokens:
            raise RequestError(409, "exists", f"there is a token {body.name} already")
        role = None if body.role is msgspec.UNSET else body.role
        tasks = None if body.tasks is msgspec.UNSET else body.tasks
        expires = None if body.expires is msgspec.UNSET else body.expires
        self.tokens[body.name] = m.KnownToken(body.name, role, 1e9, None, tasks=tasks, expires=expires)
        return m.NewToken(body.name, role, "secret", tasks, expires)

    def change_token(self, name: str, body: m.TokenChange) -> m.KnownToken:
        changed = {key: value for key, value in msgspec.structs.asdict(body).items() if value is not msgspec.UNSET}
        self.tokens[name] = msgspec.structs.replace(self.tokens[name], **changed)
        return self.tokens[name]

    def rotate_token(self, name: str, body: m.RotationRequest) -> m.NewToken:
        return m.NewToken(name, self.tokens[name].role, f"secret after {body.overlap:g} hours")

    def create_link(self, name: str, body: m.LinkRequest) -> m.SignInLink:
        return m.SignInLink(name, "http://twin/enter?code=abc", 1e9 + 3600 * body.hours)

    def revoke_token(self, name: str) -> m.KnownToken:
        self.tokens[name] = msgspec.structs.replace(self.tokens[name], revoked=2e9)
        return self.tokens[name]


def refused(code: str, message: str) -> bytes:
    return msgspec.json.encode(m.ErrorResponse(m.ErrorDetail(code, message)))


DESK = "/api/tasks/desk"
ROUTES = {
    ("GET", "/api/tasks"): Twin.show_tasks,
    ("POST", "/api/tasks"): Twin.create,
    ("GET", DESK): Twin.task_detail,
    ("GET", f"{DESK}/figures"): Twin.figures,
    ("GET", f"{DESK}/events"): Twin.events,
    ("POST", f"{DESK}/columns"): Twin.set_columns,
    ("POST", f"{DESK}/items"): Twin.decide,
    ("POST", f"{DESK}/predict"): Twin.predict,
    ("POST", f"{DESK}/import"): Twin.learn,
    ("POST", f"{DESK}/leases"): Twin.lease,
    ("DELETE", rf"{DESK}/leases/(\d+)"): Twin.return_question,
    ("POST", f"{DESK}/labels"): Twin.label,
    ("POST", f"{DESK}/skips"): Twin.skip,
    ("POST", f"{DESK}/flags"): Twin.flag,
    ("POST", f"{DESK}/flag-undo"): Twin.undo_flag,
    ("POST", f"{DESK}/undo"): Twin.undo,
    ("POST", f"{DESK}/corrections"): Twin.correct,
    ("GET", rf"{DESK}/items/(\d+)"): Twin.item_detail,
    ("GET", rf"{DESK}/export/(labels|decisions)"): Twin.export,
    ("GET", f"{DESK}/export/model"): Twin.model,
    ("POST", f"{DESK}/compact"): Twin.compact,
    ("POST", "/api/first"): Twin.first,
    ("GET", "/api/tokens"): Twin.show_tokens,
    ("POST", "/api/tokens"): Twin.create_token,
    ("PATCH", "/api/tokens/([^/]+)"): Twin.change_token,
    ("POST", "/api/tokens/([^/]+)/rotate"): Twin.rotate_token,
    ("POST", "/api/tokens/([^/]+)/links"): Twin.create_link,
    ("DELETE", "/api/tokens/([^/]+)"): Twin.revoke_token,
}
