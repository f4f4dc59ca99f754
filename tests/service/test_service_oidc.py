"""Signing in with an identity provider: who comes in, with which rights, and what is refused."""

import time
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc.jwk import OctKey, RSAKey

from askance.cli.commands.serve import work
from askance.service import start
from askance.service.api.guard import ServerOptions
from askance.service.api.rate_limits import Attempts
from askance.service.auth import provider as provider_module
from askance.service.auth.oidc_settings import Grant, OidcSettings, oidc_settings
from command_line import complaint, output
from oidc_provider import CLIENT, SECRET, OidcProvider, other_key
from service_world import World, items

pytestmark = pytest.mark.slow

SESSION, SIGN_IN = "askance_session", "askance_sign_in"
ROLES = ("admins=admin", "staff=read", "spam team=labeller:spam", "voters=labeller:votes", "spam team=read:votes")


@pytest.fixture(scope="module")
def shared():
    provider = OidcProvider()
    with provider.serving():
        yield provider


@pytest.fixture
def provider(shared):
    """A provider that was never asked for anything wrong."""
    shared.user = {"sub": "7", "preferred_username": "ann", "groups": ["staff"]}
    shared.wrong, shared.header, shared.more, shared.error = {}, {}, {}, None
    shared.signing, shared.published, shared.methods = shared.good, [shared.good], ["client_secret_basic"]
    shared.fetched.clear()
    return shared


class OidcWorld(World):
    """A service that signs people in with a provider."""

    def __init__(self, path, provider, **options):
        self.provider = provider
        chosen = oidc_settings(provider.url, CLIENT, SECRET, **{"roles": ROLES} | options)
        super().__init__(path, ServerOptions(oidc=chosen))

    def browse(self, path, **cookies):
        self.client._client.cookies.clear()
        cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
        return self.client.get(path, headers={"cookie": cookie} if cookie else {})

    def leave(self, path="/sign-in/oidc"):
        """The address at the provider, and the cookie for the way back."""
        answer = self.browse(path)
        assert answer.status_code == 303, answer.text
        return answer.headers["location"], answer.cookies[SIGN_IN]

    def visit(self, address):
        """The way back, as the provider says it."""
        answer = httpx.get(address)
        assert answer.status_code == 302
        assert answer.headers["location"].startswith("http://testserver/sign-in/oidc/back?")
        return answer.headers["location"].removeprefix("http://testserver")

    def sign_in(self, path="/sign-in/oidc"):
        address, cookie = self.leave(path)
        return self.browse(self.visit(address), **{SIGN_IN: cookie})

    def me(self, answer):
        assert answer.status_code == 303, answer.text
        return self.browse("/api/me", **{SESSION: answer.cookies[SESSION]}).json()

    def audit(self):
        return [(one.who, one.action) for one in reversed(self.store.audit_records(99))]


@pytest.fixture
def world(tmp_path, provider):
    world = OidcWorld(tmp_path / "a.db", provider)
    yield world
    world.close()


@pytest.fixture(scope="module")
def one_world(tmp_path_factory, shared):
    world = OidcWorld(tmp_path_factory.mktemp("strict") / "a.db", shared)
    yield world
    world.close()


@pytest.fixture
def strict(one_world, provider):
    """A service into which nobody comes, so that many tests can share it."""
    one_world.app.state.attempts = Attempts()
    return one_world


# ---------------------------------------------------------------------- coming in


def test_the_way_there_and_back(world, provider):
    page = world.browse("/sign-in?next=/tasks/spam").text
    assert 'href="/sign-in/oidc?next=/tasks/spam"' in page
    assert f"Sign in with {urlsplit(provider.url).netloc}" in page
    answer = world.sign_in("/sign-in/oidc?next=/tasks/spam")
    assert (answer.status_code, answer.headers["location"]) == (303, "/tasks/spam")
    me = world.me(answer)
    assert (me["name"], me["role"], me["tasks"]) == ("ann", "read", None)
    assert world.audit() == [("ann", "sign_in")]
    assert provider.fetched == ["/.well-known/openid-configuration", "/authorize", "/token", "/keys"]
    session = world.service.sessions.open("ann")[0]
    assert session.until - session.created == 12 * 3600, "not a week: the provider may take the rights away"


def test_names_are_in_votes_and_in_the_log(world, provider):
    provider.user["groups"] = ["spam team"]
    answer = world.sign_in()
    secret = answer.cookies[SESSION]
    page = world.browse("/tasks/spam/label", **{SESSION: secret}).text
    csrf = page.partition('name="csrf" content="')[2].partition('"')[0]
    world.post("/api/tasks/spam/items", items("win cash"))
    headers = {"cookie": f"{SESSION}={secret}", "x-askance-csrf": csrf}
    label = {"labels": [{"item": 1, "label": "spam"}]}
    assert world.client.post("/api/tasks/spam/labels", json=label, headers=headers).status_code == 200
    votes = world.call("GET", "/api/tasks/spam/items/1").json()["votes"]
    assert [vote["by"] for vote in votes] == ["ann"]


RIGHTS = {
    "all tasks": (["staff"], "read", None),
    "all before some": (["spam team", "staff"], "read", None),
    "the first counts": (["staff", "admins"], "admin", None),
    "some tasks": (["spam team"], None, {"spam": "labeller", "votes": "read"}),
    "the first of a task": (["spam team", "voters"], None, {"spam": "labeller", "votes": "labeller"}),
    "a text": ("voters", None, {"votes": "labeller"}),
    "words": ("openid admins", "admin", None),
}


@pytest.mark.parametrize("name", RIGHTS)
def test_claims_give_rights(world, provider, name):
    provider.user["groups"], role, tasks = RIGHTS[name]
    me = world.me(world.sign_in())
    assert (me["role"], me["tasks"]) == (role, tasks)


@pytest.mark.parametrize("groups", [["others"], [], None, 7, [7], {"staff": True}])
def test_without_a_grant_nobody_comes_in(world, provider, groups):
    provider.user["groups"] = groups
    answer = world.sign_in()
    assert (answer.status_code, SESSION in answer.cookies) == (403, False)
    assert "Ann has no rights in this service: ask an admin." in answer.text
    assert world.audit() == [(None, "sign_in_failed")]
    assert "ann" not in [token.name for token in world.store.tokens()]


def test_a_default_role(tmp_path, provider):
    provider.user["groups"] = None
    world = OidcWorld(tmp_path / "a.db", provider, default_role="labeller")
    try:
        assert world.me(world.sign_in())["role"] == "labeller"
    finally:
        world.close()


def test_rights_follow_the_claims_also_those_of_open_sessions(world, provider):
    provider.user["groups"] = ["admins"]
    first = world.sign_in()
    assert world.me(first)["role"] == "admin"
    provider.user |= {"groups": ["voters"], "preferred_username": "anna"}
    assert world.me(world.sign_in())["name"] == "ann", "the subject counts, and the name stays"
    assert world.me(first)["tasks"] == {"votes": "labeller"}
    provider.user["groups"] = []
    assert world.sign_in().status_code == 403
    answer = world.browse("/api/tasks", **{SESSION: first.cookies[SESSION]})
    assert answer.status_code == 403


def test_nobody_becomes_somebody_else_by_a_name(world, provider):
    provider.user |= {"preferred_username": "admin", "groups": ["staff"]}
    me = world.me(world.sign_in())
    assert (me["name"], me["role"]) == ("admin-2", "read")
    provider.user["sub"] = "8"
    assert world.me(world.sign_in())["name"] == "admin-3"


def test_a_revoked_person_stays_out(world):
    first = world.sign_in()
    world.call("DELETE", "/api/tokens/ann")
    assert world.browse("/api/me", **{SESSION: first.cookies[SESSION]}).status_code == 401
    answer = world.sign_in()
    assert (answer.status_code, "The access of &#39;ann&#39; was revoked: ask an admin." in answer.text) == (
        403,
        True,
    )


@pytest.mark.parametrize("methods", [["client_secret_post"], ["client_secret_basic", "private_key_jwt"]])
def test_ways_to_send_the_secret(world, provider, methods):
    provider.methods = methods
    assert world.me(world.sign_in())["name"] == "ann"


def test_a_new_key_of_the_provider_is_fetched_once_it_is_needed(world, provider, monkeypatch):
    assert world.me(world.sign_in())["name"] == "ann"
    provider.signing = other_key()
    provider.published = [provider.signing]
    refused = world.sign_in()
    assert "The id token is not signed by the provider" in refused.text, "not again within half a minute"
    monkeypatch.setattr(provider_module, "REFRESH", 0.0)
    assert world.me(world.sign_in())["name"] == "ann"
    assert provider.fetched.count("/keys") == 2
    assert provider.fetched.count("/.well-known/openid-configuration") == 1


def test_without_a_provider_there_is_no_way(tmp_path):
    world = World(tmp_path / "a.db")
    try:
        for path in ("/sign-in/oidc", "/sign-in/oidc/back?code=a&state=b"):
            answer = world.client.get(path)
            assert (answer.status_code, "sign in with a token" in answer.text) == (404, True)
        assert "/sign-in/oidc" not in world.client.get("/sign-in").text
    finally:
        world.close()


# ---------------------------------------------------------------------- what is refused

PAST = int(time.time()) - 3600
WRONG = {
    "another nonce": ({"nonce": "another"}, "belongs to another sign-in"),
    "no nonce": ({"nonce": None}, "belongs to another sign-in"),
    "another audience": ({"aud": "another"}, "is for another client"),
    "other audiences": ({"aud": ["another", "askance-2"]}, "is for another client"),
    "no audience": ({"aud": None}, "is for another client"),
    "another party": ({"aud": [CLIENT, "another"], "azp": "another"}, "is for another party"),
    "no party among audiences": ({"aud": [CLIENT, "another"]}, "is for another party"),
    "another party alone": ({"azp": "another"}, "is for another party"),
    "expired": ({"exp": PAST}, "has expired"),
    "no end": ({"exp": None}, "has expired"),
    "an end that is no number": ({"exp": "never"}, "has expired"),
    "from the future": ({"iat": PAST + 10**6}, "is from the future"),
    "not yet": ({"nbf": PAST + 10**6}, "is from the future"),
    "another issuer": ({"iss": "https://evil.example"}, "is from another issuer"),
    "no issuer": ({"iss": None}, "is from another issuer"),
    "no subject": ({"sub": None}, "names nobody"),
    "an empty subject": ({"sub": ""}, "names nobody"),
    "a number as subject": ({"sub": 7}, "names nobody"),
    "a long subject": ({"sub": "x" * 256}, "names nobody"),
}


def refused(world, answer, words):
    assert (answer.status_code, SESSION in answer.cookies) == (403, False)
    assert words in answer.text, answer.text
    assert world.audit()[-1] == (None, "sign_in_failed")
    assert "ann" not in [token.name for token in world.store.tokens()]
    assert world.service.sessions.open() == []


@pytest.mark.parametrize("name", WRONG)
def test_id_tokens_that_are_not_for_this(strict, provider, name):
    provider.wrong, words = WRONG[name]
    refused(strict, strict.sign_in(), f"The id token {words}")


def test_clocks_may_differ_by_a_minute(world, provider):
    now = int(time.time())
    provider.wrong = {"exp": now - 30, "iat": now + 30}
    assert world.me(world.sign_in())["name"] == "ann"


def signatures(provider):
    """Signatures that are not the provider's, and the parts of the header that come with them."""
    public = provider.good.as_pem(private=False)
    return {
        "an unknown key": (other_key(), {}),
        "another key with the same name": (RSAKey.generate_key(2048, {"kid": "one"}), {}),
        "no key": (provider.good, {"alg": "none"}),
        "the public key as a secret": (OctKey.import_key(public.hex()), {"alg": "HS256", "kid": "one"}),
        "a secret that is published": (OctKey.generate_key(256), {"alg": "HS256", "kid": "shared"}),
        "a key of a strange kind": (RSAKey.generate_key(2048), {"kid": "strange"}),
        "another key and no name": (RSAKey.generate_key(2048), {"kid": None}),
    }


@pytest.mark.parametrize("number", range(7))
def test_signatures_of_others(strict, provider, number):
    provider.signing, provider.header = list(signatures(provider).values())[number]
    refused(strict, strict.sign_in(), "The id token is not signed by the provider")


def test_a_state_works_once_and_in_its_browser_alone(world, provider):
    address, cookie = world.leave()
    back = world.visit(address)
    other_address, other = world.leave()
    refused(world, world.browse(back), "was not begun in this browser")
    refused(world, world.browse(back, **{SIGN_IN: other}), "was not begun in this browser")
    refused(world, world.browse(back.replace("state=", "state=a"), **{SIGN_IN: cookie}), "was not begun in")
    assert provider.fetched.count("/token") == 0, "nothing is asked for strangers"
    assert world.me(world.browse(back, **{SIGN_IN: cookie}))["name"] == "ann"
    again = world.browse(back, **{SIGN_IN: cookie})
    assert (again.status_code, "was completed before" in again.text, SESSION in again.cookies) == (
        403,
        True,
        False,
    )
    assert provider.fetched.count("/token") == 1
    state = parse_qs(urlsplit(other_address).query)["state"][0]
    used = back.partition("code=")[2].partition("&")[0]
    replayed = world.browse(f"/sign-in/oidc/back?code={used}&state={state}", **{SIGN_IN: other})
    assert (replayed.status_code, SESSION in replayed.cookies) == (403, False)
    assert "The identity provider refused a request (400)" in replayed.text


def test_a_code_of_another_sign_in_is_refused_by_its_verifier(world):
    stolen = world.visit(world.leave()[0]).partition("code=")[2].partition("&")[0]
    address, cookie = world.leave()
    state = parse_qs(urlsplit(address).query)["state"][0]
    answer = world.browse(f"/sign-in/oidc/back?code={stolen}&state={state}", **{SIGN_IN: cookie})
    refused(world, answer, "The identity provider refused a request (400)")


def test_what_the_provider_refuses(world, provider):
    provider.error = "access_denied<script>"
    refused(world, world.sign_in(), "The provider refused the sign-in (access_denied&lt;script&gt;): try again.")
    address, cookie = world.leave()
    state = parse_qs(urlsplit(address).query)["state"][0]
    for rest, words in (("", "has no code"), ("&code=a&iss=https://evil.example", "comes from another provider")):
        refused(world, world.browse(f"/sign-in/oidc/back?state={state}{rest}", **{SIGN_IN: cookie}), words)


def test_guessing_is_slowed_down(world):
    world.app.state.attempts = Attempts(lambda: 0.0)
    answers = [world.browse("/sign-in/oidc/back?code=a&state=b") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [403] * 5 + [429]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"issuer": "https://evil.example"}, "calls itself &#39;https://evil.example&#39;"),
        ({"token_endpoint": "http://evil.example/token"}, "token_endpoint"),
        ({"jwks_uri": None}, "jwks_uri"),
        ({"authorization_endpoint": "javascript:alert(1)"}, "authorization_endpoint"),
    ],
)
def test_a_provider_that_describes_itself_wrongly(world, provider, more, words):
    provider.more = more
    answer = world.browse("/sign-in/oidc")
    assert (answer.status_code, words in answer.text, SIGN_IN in answer.cookies) == (503, True, False), answer.text


def test_a_provider_that_is_away(tmp_path):
    provider = OidcProvider()
    with provider.serving():
        pass
    world = OidcWorld(tmp_path / "a.db", provider)
    try:
        answer = world.browse("/sign-in/oidc?next=/tasks/spam")
        assert answer.status_code == 503
        assert "The identity provider cannot be reached: try again later." in answer.text
        assert 'name="next" value="/tasks/spam"' in answer.text, "a token works meanwhile"
    finally:
        world.close()


def test_the_way_back_stays_here(world):
    for wanted in ("//evil.example", "https://evil.example", "/%5Cevil.example"):
        answer = world.sign_in(f"/sign-in/oidc?next={wanted}")
        assert answer.headers["location"] == "/tasks"


def test_cookies_are_out_of_reach(world):
    answer = world.browse("/sign-in/oidc")
    cookie = answer.headers["set-cookie"].lower()
    assert all(word in cookie for word in ("httponly", "samesite=lax", "max-age=600", "path=/"))
    assert "no-store" in answer.headers["cache-control"]


def test_in_a_browser_against_a_real_server(tmp_path, provider):
    chosen = oidc_settings(provider.url, CLIENT, SECRET, roles=ROLES)
    with start(tmp_path / "a.db", options=ServerOptions(oidc=chosen)) as service, httpx.Client() as browser:
        answer = browser.get(f"{service.url}/sign-in/oidc?next=/api/me", follow_redirects=True)
        assert (answer.status_code, answer.json()["name"]) == (200, "ann")
        assert [one.url.path for one in answer.history] == ["/sign-in/oidc", "/authorize", "/sign-in/oidc/back"]
        assert SIGN_IN not in browser.cookies, "it is not needed any more"


# ---------------------------------------------------------------------- settings


COMMAND = ("serve", "--oidc-issuer", "https://id.example", "--oidc-client-id", "askance")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (COMMAND[:3], "give --oidc-issuer and --oidc-client-id"),
        (COMMAND, "nobody could sign in: give --oidc-role VALUE=ROLE or --oidc-default-role ROLE"),
        ((*COMMAND, "--oidc-role", "staff"), "--oidc-role staff: give VALUE=ROLE or VALUE=ROLE:TASK"),
        ((*COMMAND, "--oidc-default-role", "read", "--open"), "remove --open or --demo"),
        ((*COMMAND, "--oidc-default-role", "read", "--oidc-secret-file", "empty"), "the file is empty"),
        ((*COMMAND, "--oidc-default-role", "read", "--oidc-secret-file", "nothing"), "nothing"),
    ],
)
def test_what_the_command_refuses(tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").write_text("\n")
    assert told in complaint(*words)


def test_options_and_variables_become_settings(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(work, "run", seen.append)
    file = tmp_path / "secret"
    file.write_text("from a file\n")
    monkeypatch.setenv("ASKANCE_OIDC_SECRET", "from the environment")
    monkeypatch.setenv("ASKANCE_OIDC_ROLE", "staff=read mods=labeller:spam")
    output(*COMMAND)
    output(*COMMAND, "--oidc-secret-file", file, "--oidc-claim", "roles", "--oidc-role", "all staff=ingest")
    assert [work.server_options(request).oidc for request in seen] == [
        OidcSettings(
            "https://id.example",
            "askance",
            "from the environment",
            grants=(Grant("staff", "read"), Grant("mods", "labeller", "spam")),
        ),
        OidcSettings("https://id.example", "askance", "from a file", "roles", (Grant("all staff", "ingest"),)),
    ]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"client_id": None}, "give --oidc-issuer and --oidc-client-id"),
        ({"issuer": None}, "give --oidc-issuer and --oidc-client-id"),
        ({"issuer": "http://id.example"}, "give an https URL"),
        ({"issuer": "id.example"}, "give an https URL"),
        ({"issuer": "https://"}, "give an https URL"),
        ({"roles": ()}, "nobody could sign in"),
        ({"roles": ("staff",)}, "give VALUE=ROLE"),
        ({"roles": ("=read",)}, "give VALUE=ROLE"),
        ({"roles": ("staff=read:Spam team",)}, "'Spam team' cannot be the name of a task"),
        ({"roles": ("staff=boss",)}, "'boss' is not a role"),
        ({"default_role": "boss"}, "'boss' is not a role"),
    ],
)
def test_settings_that_are_refused(given, words):
    options = {"issuer": "https://id.example", "client_id": "askance", "roles": ("staff=read",)} | given
    with pytest.raises(ValueError, match=words):
        oidc_settings(**options)


def test_no_provider():
    assert oidc_settings(None, None) is None


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"preferred_username": "ann", "email": "a@b.example"}, "ann"),
        ({"email": "a.b@c.example"}, "a.b@c.example"),
        ({"name": "Žofie Nováková", "sub": "7"}, "Zofie-Novakova"),
        ({"name": "李雷", "sub": "7"}, "7"),
        ({"preferred_username": "../x\n<b>"}, "x-b"),
        ({"preferred_username": "x" * 99}, "x" * 64),
        ({"preferred_username": 5, "sub": "--"}, "somebody"),
    ],
)
def test_names(claims, name):
    assert OidcSettings("https://id.example", "a").name(claims) == name


def test_the_claim_of_the_name_can_be_chosen():
    settings = OidcSettings("https://id.example", "a", name_claim="nick")
    assert settings.name({"nick": "nn", "email": "x@y.example"}) == "nn"
    assert settings.name({"email": "x@y.example"}) == "x@y.example"
