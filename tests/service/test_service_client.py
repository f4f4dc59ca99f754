"""The client: whatever is lost on the way is sent again and done once, and every fault is one sentence."""

import asyncio
import inspect
import re
from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import format_datetime
from types import SimpleNamespace

import httpx
import numpy as np
import pytest

import askance
from askance.errors import AskanceError, ServiceError
from askance.service.client import (
    AsyncClient,
    Client,
    Item,
    Label,
    asynchronous,
    asynchronous_requests,
    base,
    naming,
    retrying,
    synchronous,
    synchronous_requests,
)
from askance.service.client.connection import connection
from askance.service.messages import MOST_AT_ONCE
from processes import run_code
from service_errors import fault
from service_twin import CLASSES, LOSE_ANSWER, LOSE_REQUEST, Twin

TEXTS = ["my invoice?", "it crashed", "great work?"]


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """Pauses of the client are written down, not made; other threads of this process may sleep."""
    made = []
    for module in (synchronous, synchronous_requests):
        monkeypatch.setattr(module, "time", SimpleNamespace(sleep=made.append))
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


def test_rights_and_ends_of_tokens(client, twin):
    client.create_token("anna", tasks={"desk": "labeller", "mail": "read"}, expires_in=30)
    client.create_token("bob", "read", tasks=["desk", "mail"], expires=date(2030, 1, 2))
    client.change_token("anna", "read")
    client.change_token("anna", tasks=iter(["desk"]), role="ingest", expires=2e9)
    assert client.change_token("anna", without_end=True).expires is None
    moment = datetime(2030, 1, 2, 3, tzinfo=timezone(timedelta(hours=3)))
    assert client.rotate_token("anna", 2, expires=moment).token == "secret after 2 hours"
    assert client.rotate_token("anna").token == "secret after 0 hours"
    assert client.sign_in_link("anna").until == 1e9 + 86_400
    assert client.sign_in_link("anna", 0.5).until == 1e9 + 1800
    sent = [body for _, _, body in twin.requests]
    assert sent == [
        {"name": "anna", "tasks": {"desk": "labeller", "mail": "read"}, "expires_in": 30.0},
        {"name": "bob", "tasks": {"desk": "read", "mail": "read"}, "expires": 1893542400.0},
        {"role": "read"},
        {"tasks": {"desk": "ingest"}, "expires": 2e9},
        {"expires": None},
        {"overlap": 2.0, "expires": 1893542400.0},
        {"overlap": 0.0},
        {"hours": 24.0},
        {"hours": 0.5},
    ]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tasks": "desk"}, "give ['desk']"),
        ({"tasks": ["desk"]}, "no role for these tasks"),
        ({"tasks": {"desk": "read"}, "role": "read"}, "has the roles already"),
        ({"role": "boss"}, "role"),
        ({"role": "read", "expires_in": -1}, "expires_in must be a number, more than 0"),
        ({"role": "read", "expires_in": 1, "expires": 2e9}, "either expires_in or expires"),
    ],
)
def test_rights_and_ends_that_are_not_sent(client, twin, given, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        client.create_token("anna", **given)
    assert twin.requests == []


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
    troubled(lambda: client.flag(3, "which class?"))
    troubled(lambda: client.flag(first))
    assert twin.flags == [(3, "which class?"), (1, None)]
    troubled(lambda: client.undo_flag(first))
    assert twin.flags == [(3, "which class?")]
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
        said = fault(client.figures)
        assert said.status == 401
        assert str(said).endswith("set the environment variable ASKANCE_TOKEN, or pass token=")
    monkeypatch.setenv("ASKANCE_TOKEN", "secret")
    with Client(task="desk", transport=twin.transport()) as client:
        assert client.figures().items == 0
        assert "secret" not in repr(vars(client)["_connection"])
    with Client(task="desk", token="wrong", transport=twin.transport()) as client:
        assert fault(client.figures).code == "unknown_token"


def test_values_of_numpy_are_sent_as_those_of_python(client, twin):
    """Labels and records come out of arrays."""
    words, number = np.array(["bug", "praise"]), np.int64(2)
    client.import_items([{"size": np.float32(1.5), "tags": np.array(["a"]), "n": number}], words[:1])
    assert twin.requests[-1][2]["items"][0]["record"] == {"size": 1.5, "tags": ["a"], "n": 2}
    assert twin.requests[-1][2]["items"][0]["label"] == "bug"
    assert naming.number_of(number) == 2
    with pytest.raises(TypeError, match="a value of type object cannot be sent"):
        client.import_items([{"size": object()}], ["bug"])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"name": "Churn 1"}, "name must be lower-case letters, digits, - and _, such as churn-1"),
        ({"classes": ["a"]}, "classes must be a list of at least 2 values"),
        ({"classes": ["a", "b\n"]}, "must be text without line breaks"),
        ({"budget": {"rate": "10%"}}, "budget.rate must be a number or null, not text"),
        ({"budget": {"rate": 10}}, "budget.rate must be a number, at most 1"),
        ({"rate": 0.1}, "there is no field rate"),
        ({"item": "image"}, "item: Invalid enum value 'image'"),
    ],
)
def test_wrong_settings_get_a_sentence(client, twin, settings, said, tmp_path):
    content = {"name": "desk", "classes": ["a", "b"], **settings}
    with pytest.raises(ValueError, match="the settings are not valid: ") as caught:
        client.create(content)
    assert said in str(caught.value)
    assert not twin.requests
    if "budget" in settings:
        (tmp_path / "t.toml").write_text(
            f"name = 'a'\nclasses = ['a', 'b']\n[budget]\nrate = {settings['budget']['rate']!r}"
        )
        with pytest.raises(ValueError, match=re.escape(f"t.toml: {said.partition(',')[0]}")):
            client.create(tmp_path / "t.toml")


def test_a_name_that_is_missing_is_said(client):
    with pytest.raises(ValueError, match="the field name is missing"):
        client.create({"classes": ["a", "b"]})


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

    for module in (asynchronous, asynchronous_requests):
        monkeypatch.setattr(module, "asyncio", SimpleNamespace(sleep=pause))
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
