"""The client: whatever is lost on the way is sent again and done once, and every fault is one sentence."""

import asyncio
import inspect
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace

import httpx
import pytest

import askance
from askance.errors import AskanceError, ServiceError
from askance.service.client import (
    AsyncClient,
    Client,
    Item,
    Label,
    asynchronous,
    base,
    naming,
    retrying,
    synchronous,
)
from askance.service.client.connection import connection
from askance.service.messages import MOST_AT_ONCE
from askance.service.settings import TaskSettings
from processes import run_code
from service_server import real_service
from service_twin import CLASSES, LOSE_ANSWER, LOSE_REQUEST, Twin

SETTINGS = TaskSettings("desk", CLASSES, algorithm="MPAA-II")
TEXTS = ["my invoice?", "it crashed", "great work?"]


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """Pauses of the client are written down, not made; other threads of this process may sleep."""
    made = []
    monkeypatch.setattr(synchronous, "time", SimpleNamespace(sleep=made.append))
    monkeypatch.delenv("ASKANCE_URL", raising=False)
    monkeypatch.delenv("ASKANCE_TOKEN", raising=False)
    return made


@pytest.fixture
def twin():
    return Twin()


@pytest.fixture
def client(twin):
    with Client(task="desk", transport=twin.transport()) as client:
        yield client


def fault(work):
    with pytest.raises(ServiceError) as caught:
        work()
    assert "\n" not in str(caught.value)
    return caught.value


def test_every_verb(client, twin, tmp_path):
    assert [task.name for task in client.tasks()] == ["desk"]
    assert client.task_detail().settings.classes == CLASSES
    decided = client.decide(TEXTS)
    assert [one.ask for one in decided] == [True, False, True]
    assert client.decide("one alone").item == 4
    assert client.decide({"amount": 3.5}).item == 5
    assert twin.items[-1].record == {"amount": 3.5}
    assert client.predict("what now").prediction == CLASSES[0]
    assert len(client.predict(["a", {"b": 1}])) == 2
    assert client.import_items(["old", "older"], ["bug", "praise"]).learned == 2
    first, second = client.questions(5)
    assert client.label(first, "bug", first.lease).state == "learned"
    assert client.undo().item == first.item
    client.return_question(first)
    assert client.questions(1, 10.0, items=[first.item])[0].text == TEXTS[0]
    assert client.skip(second).state == "given up"
    assert client.label_all([(first, "bug")])[0].version == 1
    assert client.correct(decided[0].id, "praise").label == "praise"
    assert client.item_detail(decided[0]).text == TEXTS[0]
    assert client.figures().labelled == 1
    assert list(client.labels()) == [{"item": 1, "label": "praise", "note": "a\u2028b"}]
    assert list(client.decisions())
    assert client.compact(30).items == 0
    client.save_model(tmp_path / "m")
    assert askance.load(tmp_path / "m").coef_.tolist() == client.model().coef_.tolist()


def test_tasks_and_tokens_are_made(client, twin, tmp_path):
    path = tmp_path / "task.toml"
    path.write_text('name = "from-file"\nclasses = ["a", "b"]\n')
    client.create({"name": "from-dict", "classes": ["a", "b"]})
    client.create(path)
    client.create(twin.settings)
    assert twin.created == ["from-dict", "from-file", "desk"]
    assert client.create_token("anna", "labeller").token == "secret"
    assert client.first_token("code").role == "admin"
    assert client.revoke_token("anna").revoked
    assert [token.name for token in client.tokens()] == ["anna"]


def test_a_name_is_spelled_safely_in_an_address(client, twin):
    assert fault(lambda: client.revoke_token("../tasks")).status == 404
    assert fault(lambda: client.figures(task="desk/items?x=1")).status == 404
    assert [path for _, path, _ in twin.requests] == ["/api/tokens/../tasks", "/api/tasks/desk/items?x=1/figures"]


@pytest.mark.parametrize("trouble", [LOSE_REQUEST, LOSE_ANSWER, (503, {}), (429, {})])
def test_what_was_lost_is_sent_again_and_done_once(client, twin, trouble):
    def troubled(work):
        twin.troubles.extend([trouble, trouble])
        return work()

    assert len(troubled(lambda: client.decide(TEXTS))) == len(twin.items) == 3
    assert troubled(lambda: client.import_items(["old"], ["bug"])).version == len(twin.imported) == 1
    first = client.questions()[0]
    troubled(lambda: client.label(first, "bug", first.lease))
    assert twin.labels == {1: "bug"}
    troubled(lambda: client.correct(first, "praise"))
    assert twin.labels == {1: "praise"}
    troubled(client.undo)
    assert twin.labels == {}
    troubled(lambda: client.skip(3))
    assert twin.skipped == [3]
    assert not twin.troubles


@pytest.mark.parametrize("verb", ["create", "create_token", "first_token"])
def test_what_has_no_name_is_not_sent_twice_after_a_lost_answer(client, twin, verb):
    words = {"create": (twin.settings,), "create_token": ("anna", "read"), "first_token": ("code",)}[verb]
    twin.troubles.append(LOSE_ANSWER)
    lost = fault(lambda: getattr(client, verb)(*words))
    assert lost.code == "answer_lost"
    assert "check before you retry" in str(lost)
    twin.troubles.append((503, {}, b"<html>a proxy</html>"))
    assert fault(lambda: getattr(client, verb)(*words)).status == 503
    assert len(twin.requests) == 2
    if verb != "create_token":
        twin.created.clear()
        twin.troubles.extend([LOSE_REQUEST, (503, {})])
        getattr(client, verb)(*words)
        assert len(twin.requests) == 5


def test_pauses_grow_and_end(twin, pauses):
    twin.troubles.extend([LOSE_REQUEST] * 99)
    with Client(task="desk", retries=9, transport=twin.transport()) as client:
        nobody = fault(client.figures)
    assert len(twin.requests) == 10
    assert all(0.05 * 2**turn <= pause <= 0.1 * 2**turn for turn, pause in enumerate(pauses[:7]))
    assert max(pauses) <= retrying.LONGEST_PAUSE
    assert len(set(pauses)) == 9
    assert (nobody.status, nobody.code) == (None, "unreachable")
    assert "http://127.0.0.1:8383: there is no answer" in str(nobody)
    assert "`askance serve`" in str(nobody)


def test_the_service_is_obeyed_when_it_asks_for_time(client, twin, pauses):
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    twin.troubles.extend(
        [(503, {"Retry-After": "7"}), (429, {"Retry-After": soon}), (503, {"Retry-After": "soon"})]
    )
    client.figures()
    assert pauses[0] == 7
    assert 15 < pauses[1] <= 20
    assert pauses[2] < 1
    twin.troubles.append((503, {"Retry-After": "3600"}))
    assert fault(client.figures).status == 503


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 500, 507])
def test_a_refusal_is_final_and_keeps_the_services_own_words(client, twin, status, pauses):
    twin.troubles.append((status, {}, b'{"error": {"code": "why", "message": "because"}}'))
    refused = fault(lambda: client.decide("x"))
    assert (refused.status, refused.code, str(refused)) == (status, "why", "because")
    assert isinstance(refused, AskanceError)
    assert not isinstance(refused, ValueError)
    assert not pauses
    assert not twin.items


def test_answers_that_are_none_of_the_services(client, twin):
    twin.troubles.append((301, {"Location": "/elsewhere"}, b"moved"))
    assert "did not come from askance: check the URL" in str(fault(client.figures))
    twin.troubles.append((200, {}, b"<html>welcome</html>"))
    assert "use the same version of askance" in str(fault(client.figures))


def test_long_lists_go_in_batches(client, twin, monkeypatch):
    texts = [f"text {number}" for number in range(MOST_AT_ONCE + 1)]
    decided = client.decide(texts)
    assert [item.text for item in twin.items] == texts
    assert [one.item for one in decided] == list(range(1, len(texts) + 1))
    assert len(twin.requests) == 2
    monkeypatch.setattr(naming, "MOST_BYTES", 250)
    assert client.import_items(["x" * 100] * 5 + ["y" * 1000], ["bug"] * 6).learned == 6
    assert len(twin.requests) == 2 + 6
    assert client.decide([]) == []


def test_a_busy_service_in_the_middle_of_a_long_list_repeats_only_that_batch(client, twin):
    twin.troubles.extend([None, LOSE_ANSWER])
    client.decide([f"text {number}" for number in range(MOST_AT_ONCE + 1)])
    assert len(twin.items) == MOST_AT_ONCE + 1
    assert len(twin.requests) == 3


def test_own_ids_and_keys_are_kept(client, twin):
    assert not client.decide(Item(text="a?", id="mine")).again
    assert client.decide(Item(text="a?", id="mine")).again
    client.label("mine", "bug", key="k")
    assert client.label_all([Label("bug", id="mine", key="k")])[0].again
    assert [body["labels"][0]["key"] for _, path, body in twin.requests if path.endswith("labels")] == ["k", "k"]
    assert client.import_items([Item(text="old", id="o"), "new"], ["bug", "bug"]).learned == 2
    assert client.import_items([Item(text="old", id="o")], ["bug"]).again == 1


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (lambda client: client.decide(3), "a int is not an item"),
        (lambda client: client.decide([None]), "a NoneType is not an item"),
        (lambda client: client.decide({"x": float("nan")}), "the field 'x' of a record is nan"),
        (lambda client: client.import_items(["a", "b"], ["bug"]), "there are 2 items but 1 labels"),
        (lambda client: client.import_items(["a", "b", "c"], "bug"), "there are 3 items but 1 labels"),
        (lambda client: client.import_items([], []), "no items to import"),
        (lambda client: client.item_detail("mine"), "'mine' is not an item"),
        (lambda client: client.skip(True), "True is not an item"),
        (lambda client: client.create({"name": "x"}), "the settings are not valid: .*classes"),
        (lambda client: client.create("nowhere.toml"), "nowhere.toml: cannot be read"),
        (lambda client: Client(transport=httpx.MockTransport(None)).figures(), "no task is given"),
        (lambda client: Client("ftp://here"), "'ftp://here' is not the URL of a service"),
        (lambda client: Client("http://"), "is not the URL"),
        (lambda client: Client("http://[::"), "is not the URL"),
        (lambda client: Client(token="a b"), "the token contains characters"),
        (lambda client: Client(retries=-1), "retries=-1"),
        (lambda client: Client(timeout=0), "timeout=0"),
    ],
)
def test_bad_words_get_a_sentence_before_anything_is_sent(client, twin, work, said):
    with pytest.raises(ValueError, match=said):
        work(client)
    assert not twin.requests


def test_the_environment_says_where_and_who(monkeypatch):
    twin = Twin(token="secret")
    monkeypatch.setenv("ASKANCE_URL", "http://elsewhere:99/")
    with Client(task="desk", transport=twin.transport()) as client:
        assert repr(client) == "Client(url='http://elsewhere:99', task='desk')"
        assert fault(client.figures).status == 401
    monkeypatch.setenv("ASKANCE_TOKEN", "secret")
    with Client(task="desk", transport=twin.transport()) as client:
        assert client.figures().items == 0
        assert "secret" not in repr(vars(client)["_connection"])
    with Client(task="desk", token="wrong", transport=twin.transport()) as client:
        assert fault(client.figures).code == "no_token"


def test_certificates_are_checked_where_there_are_any():
    assert connection("https://there:1", None, None, 0, 1).options()["verify"]
    assert connection("https://there:1", None, None, 0, 1).options()["trust_env"]
    assert not connection("http://127.0.0.1:1", None, None, 0, 1).options()["trust_env"]


def test_watching_goes_on_after_a_lost_connection(client, twin, pauses):
    seen = client.watch()
    assert next(seen).items == 0
    client.decide(TEXTS)
    twin.troubles.extend([LOSE_REQUEST, LOSE_ANSWER, (503, {})])
    assert next(seen).items == 3
    assert pauses[0] == base.RECONNECT_AFTER
    assert len(pauses) == 4
    twin.troubles.append((403, {}))
    assert fault(lambda: next(seen)).status == 403


class CutShort(httpx.SyncByteStream):
    def __iter__(self):
        yield b'{"item": 1}\n{"item"'
        raise httpx.ReadError("cut")


def test_an_export_that_breaks_off_is_no_whole_one(client, twin):
    client.decide(TEXTS)
    client.label(1, "bug")
    twin.broken_off = True
    rows = client.labels()
    assert next(rows)["label"] == "bug"
    assert str(fault(lambda: next(rows))) == "the journal went away"
    transport = httpx.MockTransport(lambda request: httpx.Response(200, stream=CutShort()))
    with Client(task="desk", transport=transport) as other:
        rows = other.labels()
        assert next(rows) == {"item": 1}
        assert "cut off after 1 lines" in str(fault(lambda: next(rows)))


def test_a_damaged_model_replaces_nothing(client, twin, tmp_path):
    twin.broken_off = True
    (tmp_path / "m").write_text("good")
    assert fault(lambda: client.save_model(tmp_path / "m")).code == "unreadable"
    assert fault(client.model).code == "unreadable"
    assert (tmp_path / "m").read_text() == "good"


def test_the_asynchronous_client_has_the_same_verbs():
    def verbs(kind):
        return {
            name: inspect.signature(verb).parameters.keys()
            for name, verb in inspect.getmembers(kind, inspect.isfunction)
            if not name.startswith("_") and name not in ("close", "aclose")
        }

    assert verbs(Client) == verbs(AsyncClient)
    assert len(verbs(Client)) > 20


def test_the_asynchronous_client_does_the_same(monkeypatch, tmp_path):
    pauses = []

    async def pause(seconds):
        pauses.append(seconds)

    monkeypatch.setattr(asynchronous, "asyncio", SimpleNamespace(sleep=pause))
    twin = Twin()

    async def work():
        async with AsyncClient(task="desk", transport=twin.transport()) as client:
            assert [task.name for task in await client.tasks()] == ["desk"]
            await client.create(twin.settings)
            assert (await client.task_detail()).settings == twin.settings
            twin.troubles.extend([LOSE_ANSWER, LOSE_REQUEST, (503, {"Retry-After": "7"})])
            decided = await client.decide(TEXTS)
            assert len(twin.items) == 3
            assert pauses[2] == 7
            assert (await client.decide("alone")).item == 4
            assert (await client.predict("now")).prediction == CLASSES[0]
            assert (await client.import_items(["old"], ["bug"])).learned == 1
            first, second = await client.questions(2)
            twin.troubles.append(LOSE_ANSWER)
            await client.label(first, "bug", first.lease)
            await client.undo(first)
            await client.return_question(first)
            await client.skip(second)
            await client.label_all([(decided[0].id, "bug")])
            assert (await client.correct(1, "praise")).label == "praise"
            assert (await client.item_detail(1)).item == 1
            assert (await client.figures()).labelled == 1
            assert [row["label"] async for row in client.labels()] == ["praise"]
            assert [row async for row in client.decisions()]
            seen = client.watch()
            assert (await anext(seen)).items == (await anext(seen)).items == 4
            await seen.aclose()
            await client.save_model(tmp_path / "m")
            assert (await client.model()).coef_.tolist() == askance.load(tmp_path / "m").coef_.tolist()
            assert (await client.compact(1)).items == 0
            await client.first_token("code")
            await client.create_token("anna", "read")
            assert (await client.revoke_token("anna")).revoked
            assert len(await client.tokens()) == 1
            with pytest.raises(ServiceError, match="no such thing"):
                await client.figures(task="other")

    asyncio.run(work())


def test_over_a_real_socket_answers_get_lost_too():
    twin = Twin(token="secret")
    with twin.serving() as url, Client(url, "secret", "desk") as client:
        twin.troubles.extend([LOSE_ANSWER, LOSE_REQUEST, None, LOSE_ANSWER])
        client.decide(TEXTS)
        client.label(1, "bug")
        assert (len(twin.items), twin.labels) == (3, {1: "bug"})


def test_every_verb_of_the_real_service(tmp_path, monkeypatch):
    monkeypatch.undo()  # pauses are made
    with real_service(tmp_path, SETTINGS) as (url, code):
        with Client(url) as stranger:
            assert fault(lambda: stranger.tasks()).status == 401
            admin = stranger.first_token(code).token
        with Client(url, admin, "desk") as client:
            client.create({"name": "other", "classes": ["a", "b"], "item": "record"})
            assert [task.name for task in client.tasks()] == ["desk", "other"]
            assert client.task_detail().settings == SETTINGS
            labeller = client.create_token("anna", "labeller").token
            decided = client.decide([Item(text=text, id=text) for text in TEXTS])
            assert [one.again for one in client.decide([Item(text=text, id=text) for text in TEXTS])] == [True] * 3
            assert decided[0].ask  # nothing is known yet
            assert client.decide({"amount": 3.5, "tags": ["a"]}, task="other").prediction in "ab"
            assert client.predict("invoice").prediction in CLASSES
            assert client.import_items(["old invoice", "old crash"], ["billing", "bug"]).learned == 2
            with Client(url, labeller, "desk") as anna:
                question = anna.questions(1, 60)[0]
                assert question.text == TEXTS[0]
                assert anna.label(question, "bug", question.lease).state == "learned"
                undone = anna.undo()
                assert undone.item == question.item
                again = anna.questions(items=[question.item])[0]
                anna.return_question(again)
                anna.label(TEXTS[0], "bug", key="k")
                assert anna.label(TEXTS[0], "bug", key="k").again
                assert fault(lambda: anna.label(TEXTS[0], "praise", key="k")).code == "key_reused"
                anna.correct(question, "billing")
                assert fault(anna.tokens).status == 403
            client.decide([f"{word} and {word} again" for word in ("alpha", "beta", "gamma")])
            left = client.questions(5)
            client.skip(left[0])
            client.label_all([(question, "praise") for question in left[1:]])
            story = client.item_detail(decided[0])
            assert (story.label, story.id) == ("billing", TEXTS[0])
            seen = client.watch()
            figures = next(seen)
            seen.close()
            assert figures.labelled == 1 + len(left) - 1
            assert figures.items == client.figures().items
            assert len(list(client.labels())) == figures.labelled + figures.imported
            assert len(list(client.decisions())) == figures.items == 6
            assert (
                client.change(interface={"guidance": "Look twice."}).settings.interface.guidance == "Look twice."
            )
            with pytest.raises(ValueError, match="the change is not valid: Expected `int` >= 0"):
                client.change(budget={"total": -1})
            assert [client.set_state(state).figures.state for state in ("paused", "running")] == [
                "paused",
                "running",
            ]
            assert client.history().classes == client.model_detail().labels
            assert [story.id for story in client.search("CRASHED").items] == [TEXTS[1]]
            assert client.search(count=2, before=client.search(count=2).before).items
            assert client.explain("invoice").pulls[0].feature == "invoice"
            version = client.figures().version
            assert client.roll_back(0).to == 0
            assert client.explain("invoice").pulls == []
            assert client.figures().version > version
            client.save_model(tmp_path / "m")
            assert askance.load(tmp_path / "m").classes_.tolist() == client.model().classes_.tolist() == CLASSES
            assert client.compact(0).items == 6 - figures.asked
            assert client.revoke_token("anna").revoked
            assert {token.name for token in client.tokens()} >= {"anna"}


def test_without_the_extra_the_remedy_is_named():
    told = run_code("""
        import sys
        import askance
        print(any(name in sys.modules for name in ("httpx", "msgspec")))
        sys.modules["httpx"] = None
        try:
            askance.Client
        except ImportError as error:
            print(error)
        """)
    assert told.splitlines() == ["False", "the client needs httpx: pip install 'askance[service]'"]
