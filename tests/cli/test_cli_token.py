"""`askance token`: tokens are made, changed and ended from the command line."""

import re

import pytest

from askance.cli.commands.token.report import rights_of
from askance.service.client import Client
from askance.service.settings import Hashing, TaskSettings
from command_line import answer, complaint, output
from service_server import real_service

TASKS = [
    TaskSettings(name=name, classes=["a", "b"], algorithm="PA-II", hashing=Hashing(bits=8))
    for name in ("spam", "mails")
]


@pytest.fixture(scope="module")
def admin(tmp_path_factory):
    """The address of a service and an admin token."""
    with real_service(tmp_path_factory.mktemp("a"), *TASKS) as (url, code), Client(url) as client:
        yield url, client.first_token(code).token


@pytest.fixture
def service(admin, monkeypatch):
    url, token = admin
    monkeypatch.setenv("ASKANCE_URL", url)
    monkeypatch.setenv("ASKANCE_TOKEN", token)
    monkeypatch.setenv("COLUMNS", "120")
    return url


def test_a_token_lives_and_ends(service):
    told = output(
        "token", "create", "ann", "--role", "labeller", "--task", "spam", "--task", "mails=read", "--expires", 90
    )
    assert re.match(
        r"The token of ann: labeller in spam; read in mails, until 20\d\d-\d\d-\d\d .*only now:\n", told
    )
    secret = told.splitlines()[1]
    with Client(service, secret) as ann:
        assert {task.name: task.role for task in ann.tasks()} == {"spam": "labeller", "mails": "read"}
    assert "labeller in spam; read in mails" in output("token", "list")
    told = output("token", "change", "ann", "--role", "read", "--expires", "never")
    assert "read in all tasks" in told
    new = output("token", "rotate", "ann", "--overlap", 1, "-q").strip()
    for each in (secret, new):
        with Client(service, each) as ann:
            assert [task.role for task in ann.tasks()] == ["read", "read"]
    link = output("token", "link", "ann", "--hours", 2, "-q").strip()
    assert link.startswith(f"{service}/enter?code=")
    assert output("token", "revoke", "ann") == "the token of ann is revoked\n"
    assert "ann" not in output("token", "list")


def test_answers_for_programs(service):
    made = answer("token", "create", "bob", "--role", "read", "--expires", "2040-01-31")
    assert (made["name"], made["role"], made["tasks"], made["expires"]) == ("bob", "read", None, 2211580800.0)
    assert answer("token", "change", "bob", "--task", "spam=ingest")["tasks"] == {"spam": "ingest"}
    assert answer("token", "rotate", "bob")["token"] != made["token"]
    assert answer("token", "link", "bob")["name"] == "bob"
    known = {one["name"]: one for one in answer("token", "list")["tokens"]}
    assert known["bob"]["expires"] == 2211580800.0
    assert "2040-01-31 00:00 UTC" in output("token", "list")
    assert answer("token", "revoke", "bob")["revoked"] > 1e9


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("create", "x"), "no rights are given: give --role ROLE"),
        (
            ("create", "x", "--role", "boss"),
            "--role: boss is not a role: give one of admin, labeller, ingest, read",
        ),
        (("create", "x", "--task", "spam"), "--task spam: there is no role"),
        (("create", "x", "--task", "spam=boss"), "--task spam=boss: boss is not a role"),
        (("create", "x", "--role", "read", "--task", "spma"), "there is no task 'spma'"),
        (
            ("create", "x", "--role", "read", "--expires", "soon"),
            "--expires soon: give a number of days, or a date",
        ),
        (("create", "x", "--role", "read", "--expires", "2001-01-01"), "not in the future"),
        (("create", "x", "--role", "read", "--expires", "-1"), "must be a number, more than 0"),
        (("change", "x"), "nothing is given: give --role, --task or --expires"),
        (("rotate", "nobody"), "there is no token 'nobody'"),
        (("revoke", "admin"), "the last admin token"),
    ],
)
def test_what_is_refused(service, words, told):
    assert told in complaint("token", *words)


def test_rights_in_words():
    assert rights_of("admin", None) == "admin in all tasks"
    assert rights_of(None, {"b": "read", "c": "labeller", "a": "read"}) == "labeller in c; read in a, b"
