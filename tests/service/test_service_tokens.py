"""Tokens in SQLite and in PostgreSQL: the first admin and the last one, also when many come at once."""

import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from askance.errors import StoreError
from askance.service import start
from askance.service.auth.links import SignInLinks
from askance.service.auth.rights import Person
from askance.service.auth.tokens import DAY, FIRST, Tokens, digest
from askance.service.errors import RequestError
from askance.service.store import open_store


def at_once(*works):
    """What each work returned or raised, with all of them started together."""
    barrier = threading.Barrier(len(works))

    def run(work):
        barrier.wait()
        try:
            return work()
        except (RequestError, StoreError) as error:
            return error

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


class SlowStore:
    """A store whose reads are followed by a pause, so that what is read is out of date when it is used."""

    def __init__(self, store):
        self._store = store
        self._pause = threading.Event()

    def __getattr__(self, name):
        found = getattr(self._store, name)
        if name not in ("setting", "tokens"):
            return found

        def slow(*values):
            answer = found(*values)
            self._pause.wait(0.01)
            return answer

        return slow


def test_one_of_many_gets_the_first_token(store_url):
    with open_store(store_url) as store:
        tokens = Tokens(SlowStore(store))
        code = tokens.new_first_code()
        answers = at_once(*[lambda: tokens.redeem_first_code(code)] * 8)
        refused = [answer for answer in answers if isinstance(answer, RequestError)]
        assert [error.status for error in refused] == [403] * 7
        assert [token.name for token in store.tokens()] == ["admin"]
        assert store.setting(FIRST) is None


def test_the_first_token_and_its_code_change_together(store_url, monkeypatch):
    with open_store(store_url) as store:
        tokens = Tokens(store)
        code = tokens.new_first_code()

        def fail(*_):
            raise StoreError("gone")

        with monkeypatch.context() as patch:
            patch.setattr(store._database._writer, "insert", fail)
            with pytest.raises(StoreError):
                tokens.redeem_first_code(code)
        assert store.setting(FIRST) is not None
        assert store.tokens() == []
        assert not tokens.has_admin
        assert tokens.redeem_first_code(code).name == "admin"


def test_one_of_two_last_admins_stays(store_url):
    with open_store(store_url) as store:
        tokens = Tokens(SlowStore(store))
        for name in ("ann", "bob"):
            tokens.create(name, "admin")
        answers = at_once(lambda: tokens.revoke("ann"), lambda: tokens.revoke("bob"))
        assert sorted(type(answer).__name__ for answer in answers) == ["KnownToken", "RequestError"]
        refused = next(answer for answer in answers if isinstance(answer, RequestError))
        assert refused.code == "last_admin"
        assert len([token for token in store.tokens() if token.revoked is None]) == 1
        assert tokens.has_admin


def test_one_of_many_gets_a_name(store_url):
    with open_store(store_url) as store:
        tokens = Tokens(SlowStore(store))
        answers = at_once(*[lambda: tokens.create("ann", "read")] * 4)
        assert [answer.code for answer in answers if isinstance(answer, RequestError)] == ["name_taken"] * 3
        assert len(store.tokens()) == 1


def test_eight_first_visits_at_once_over_http(tmp_path):
    with start(tmp_path / "a.db") as service:
        code = service.admin_code()
        visit = {"url": f"{service.url}/api/first", "json": {"code": code}, "timeout": 60.0}
        answers = at_once(*[lambda: httpx.post(**visit)] * 8)
        assert sorted(answer.status_code for answer in answers) == [200] + [403] * 7


# ---------------------------------------------------------------------- rights, ends and rotation


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now=1e9):
        self.now = now

    def __call__(self):
        return self.now


def test_rights_ends_and_secrets_outlive_a_restart(store_url):
    clock = Clock()
    with open_store(store_url) as store:
        tokens = Tokens(store, clock)
        some = tokens.create("some", None, {"spam": "labeller"}, clock.now + DAY)
        old = tokens.create("ann", "read")
        new = tokens.rotate("ann", overlap=60.0)
    with open_store(store_url) as store:
        tokens = Tokens(store, clock)
        assert tokens.person(some.token) == Person("some", None, {"spam": "labeller"})
        assert tokens.person(old.token) == tokens.person(new.token) == Person("ann", "read")
        clock.now += 60.0
        assert (tokens.person(old.token), tokens.ended(old.token)) == (None, clock.now)
        assert tokens.person(new.token)
        clock.now += DAY
        assert (tokens.person(some.token), tokens.named("some")) == (None, None)
        assert tokens.ended(some.token) == 1e9 + DAY


@pytest.fixture
def tokens(tmp_path):
    with open_store(str(tmp_path / "a.db")) as store:
        yield Tokens(store, Clock())


def test_rotation(tokens):
    first = tokens.create("ann", "read").token
    second = tokens.rotate("ann").token
    assert (tokens.person(first), tokens.ended(first)) == (None, None), "it is not even known"
    third = tokens.rotate("ann", overlap=100.0).token
    fourth = tokens.rotate("ann", overlap=50.0).token
    assert [tokens.person(one) is not None for one in (second, third, fourth)] == [False, True, True]
    assert [one.old_secret_until for one in tokens.known()] == [1e9 + 50]
    tokens._clock.now += 50
    assert [tokens.person(one) is not None for one in (third, fourth)] == [False, True]
    assert [one.old_secret_until for one in tokens.known()] == [None]
    with pytest.raises(RequestError, match="there is no token 'bob'"):
        tokens.rotate("bob")


def test_a_token_that_has_ended_is_renewed_with_a_new_secret(tokens):
    old = tokens.create("ann", "read", None, 1e9 + DAY).token
    tokens._clock.now += DAY
    with pytest.raises(RequestError, match="has ended: give it a later end too"):
        tokens.rotate("ann")
    new = tokens.rotate("ann", overlap=DAY, expires=1e9 + 9 * DAY).token
    assert tokens.person(new)
    assert tokens.person(old) is None, "what had ended does not come back"
    assert tokens.revoke("ann").revoked
    with pytest.raises(RequestError, match="was revoked"):
        tokens.rotate("ann", expires=None)


def test_the_log_warns_once_a_day_before_the_end(tokens, caplog):
    token = tokens.create("ann", "read", None, 1e9 + 30 * DAY).token
    warned = []
    for hour in range(30 * 24):
        tokens._clock.now = 1e9 + 3600 * hour
        caplog.clear()
        assert tokens.person(token)
        warned += [(hour, record.token, record.days) for record in caplog.records]
    assert warned == [(24 * day, "ann", 30.0 - day) for day in range(23, 30)]


def test_admins_with_an_end_or_for_some_tasks_do_not_count_as_the_last(tokens):
    tokens.create("root", "admin")
    tokens.create("guest", "admin", None, 1e9 + DAY)
    tokens.create("some", None, {"spam": "admin"})
    tokens.sign_in("https://id.example carl", "carl", "admin")
    for change in (lambda: tokens.revoke("root"), lambda: tokens.change("root", expires=2e9)):
        with pytest.raises(RequestError, match="'root' is the last admin token that does not end"):
            change()
    tokens.change("guest", expires=None)
    tokens.revoke("root")
    with pytest.raises(RequestError, match="'guest' is the last admin"):
        tokens.change("guest", role="read")
    assert tokens.has_admin


def test_people_of_a_provider_keep_their_name_and_get_the_rights_of_the_day(tokens):
    tokens.create("ann", "admin")
    ann = tokens.sign_in("https://id.example 7", "ann", "read")
    assert ann == Person("ann-2", "read"), "nobody becomes somebody else by a name"
    assert tokens.sign_in("https://id.example 8", "ann", None, {"a": "labeller"}).name == "ann-3"
    assert tokens.sign_in("https://id.example 7", "anna", None, {"a": "read"}) == Person(
        "ann-2", None, {"a": "read"}
    )
    assert [one.provider for one in tokens.known()] == [None, "https://id.example", "https://id.example"]
    for work in (lambda: tokens.rotate("ann-2"), lambda: tokens.change("ann-2", role="admin")):
        with pytest.raises(RequestError, match="signs in with the identity provider"):
            work()
    tokens.revoke("ann-2")
    with pytest.raises(RequestError, match="the access of 'ann-2' was revoked"):
        tokens.sign_in("https://id.example 7", "ann", "admin")


# ---------------------------------------------------------------------- links


@pytest.fixture
def links(tokens):
    tokens.create("ann", "labeller")
    return SignInLinks(tokens._store, tokens, tokens._clock)


def test_a_link_works_once_also_for_many_at_once(store_url):
    clock = Clock()
    with open_store(store_url) as store:
        tokens = Tokens(store, clock)
        tokens.create("ann", "labeller")
        links = SignInLinks(store, tokens, clock)
        code, _ = links.create("ann", 100.0)
        assert links.owner(code).name == "ann", "looking at it does not use it"
        answers = at_once(*[lambda: links.use(code)] * 8)
        assert [answer for answer in answers if not isinstance(answer, RequestError)] == [
            Person("ann", "labeller")
        ]
        with pytest.raises(RequestError, match=r"this link was used on 2001-09-09 01:46 UTC: ask an admin"):
            links.use(code)
        assert SignInLinks(store, Tokens(store), clock)._store.link(digest(code)).used == clock.now


def test_links_end(links, tokens):
    code, link = links.create("ann", 100.0)
    other, _ = links.create("ann", 200.0)
    assert link.until == 1e9 + 100
    tokens._clock.now += 99
    assert links.owner(code)
    tokens._clock.now += 1
    for work in (links.owner, links.use):
        with pytest.raises(RequestError, match="this link ended on 2001-09-09 01:48 UTC"):
            work(code)
    with pytest.raises(RequestError, match="this link is not known"):
        links.use(other + "x")
    links.drop("ann")
    with pytest.raises(RequestError, match="this link is not known"):
        links.use(other)
    last, _ = links.create("ann", 100.0)
    tokens.revoke("ann")
    with pytest.raises(RequestError, match="was revoked or has ended"):
        links.use(last)


def test_whom_a_link_can_be_for(links, tokens):
    tokens.create("brief", "read", None, 1e9 + 5)
    tokens._clock.now += 5
    tokens.create("gone", "read")
    tokens.revoke("gone")
    tokens.sign_in("https://id.example 7", "carl", "read")
    for name, words in (
        ("nobody", "there is no token"),
        ("gone", "was revoked"),
        ("brief", "has ended"),
        ("carl", "identity provider"),
    ):
        with pytest.raises(RequestError, match=words):
            links.create(name, 100.0)
