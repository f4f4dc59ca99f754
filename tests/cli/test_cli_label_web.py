"""`askance label FILE --web`: the questions of the terminal in a page, for one person on this machine."""

import csv
import re
import signal
import subprocess
import sys
import webbrowser

import pytest

from askance.cli.commands.label.web.access import Access
from askance.cli.commands.label.web.page_session import CONFLICT
from askance.cli.commands.label.web.work import _open
from askance.pool.labelling.files import Places
from askance.pool.labelling.journal import Journal, recorded
from command_line import complaint, output, without_compiling
from label_page import PATIENCE, Visitor, label_page
from processes import interruptible, run_code

pytestmark = pytest.mark.compiled
WORDS = ("cheap prize now", "see you soon", "win cash today", "how are you")
CLASSES = ("--classes", "ham,spam")


def written(path, header, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


@pytest.fixture
def notes(tmp_path):
    """Texts of which every second one is about money."""
    return written(tmp_path / "notes.csv", ["text"], [[f"{WORDS[row % 4]} {row}"] for row in range(60)])


def answers_of(path):
    return recorded(Places.of(path).journal).answers


def labels_of(path):
    return [answer.label for answer in answers_of(path)]


# ---------------------------------------------------------------------- the same as in the terminal


def test_it_writes_the_files_of_the_terminal(notes):
    places = Places.of(notes, notes.with_name("page"))
    with label_page(notes, *CLASSES, "-o", places.journal.parent) as served:
        visitor = served.visitor
        for label in ["ham", "spam"] * 6:
            visitor.answer(label)
        visitor.answer("eggs")
        visitor.answer(None)
        visitor.undo()
        visitor.answer("ham")
        assert visitor.post("/finish").status == 200
        page = served.result
    lines = "ham\nspam\n" * 6 + "+eggs\ns\nu\nham\n"
    terminal = output("label", notes, *CLASSES, "-o", notes.with_name("terminal"), stdin=lines.encode())
    for path in (places.journal, places.labels, places.model):
        assert path.read_bytes() == (notes.with_name("terminal") / path.name).read_bytes()
    assert page.exit_code == 0
    assert without_compiling(page.stderr) == ""
    assert page.stdout.splitlines()[0] == terminal.splitlines()[0]
    assert page.stdout.splitlines()[-3:] == [
        line.replace("/terminal/", "/page/") for line in terminal.splitlines()[-3:]
    ]


def test_either_goes_on_after_the_other(notes):
    with label_page(notes, *CLASSES) as served:
        for label in ("ham", "spam", "ham"):
            served.visitor.answer(label)
    assert "Going on after 3 answers." in output("label", notes, stdin=b"spam\nham\n")
    with label_page(notes) as served:
        visitor = served.visitor
        state = visitor.state
        assert [answer["label"] for answer in state["recent"]] == ["ham", "spam", "ham", "spam", "ham"]
        assert state["progress"] == "5 labels (3 ham, 2 spam), 0 per minute; accuracy not yet known"
        first = answers_of(notes)[0].question.row
        while state["recent"]:
            state = visitor.undo()
        assert state["question"]["row"] == first
        reply = visitor.post("/undo", row=first)
        assert (reply.status, reply.content["message"]) == (CONFLICT, "There is no answer to undo.")
    assert "Going on after 5 answers." in served.result.stdout
    assert "There is no model yet" in served.result.stdout
    assert labels_of(notes) == []


def test_what_is_shown(tmp_path):
    long = "many words " * 500 + "\n\nthe end"
    rows = [[number, number / 7, "", "Rome\x1b", f"{long} {number}"] for number in range(30)]
    path = written(tmp_path / "rows.csv", ["id", "size", "gap", "city", "story"], rows)
    with label_page(path, "--classes", "bug,question,sale") as served:
        state = served.visitor.state
        row = state["question"]["row"]
        assert [name for name, _ in state["question"]["values"]][:2] == ["id", "size"]
        values = dict(state["question"]["values"])
        assert values["story"] == f"{long} {row}"
        assert "gap" not in values
        assert (state["file"], state["end"], state["advice"], state["recent"]) == ("rows.csv", "", "", [])
        assert state["classes"] == [  # q quits and s skips in the terminal
            {"name": "bug", "key": "1"},
            {"name": "question", "key": "2"},
            {"name": "sale", "key": "3"},
        ]
        served.visitor.answer("bug")
        reply = served.visitor.post("/answer", row=served.visitor.state["question"]["row"], label="new")
        assert reply.content["message"].endswith(": new. The model predicted bug.")
        state = reply.content["state"]
        assert state["classes"][-1] == {"name": "new", "key": "n"}
        assert state["recent"][0]["label"] == "new"
        assert state["recent"][0]["prediction"] == "bug"
        assert state["recent"][1]["text"].startswith(f"{row} · ")


def test_the_advice_to_stop(tmp_path):
    path = written(tmp_path / "easy.csv", ["x"], [[row % 2] for row in range(100)])
    with label_page(path, "--classes", "a,b", "--audit", "0.5") as served:
        visitor = served.visitor
        state = visitor.state
        while not state["advice"]:
            assert len(labels_of(path)) < 90
            state = visitor.answer("ab"[int(state["question"]["values"][0][1])])
    assert state["advice"].startswith("You could stop: the last ")
    assert state["advice"].endswith("This is advice, not a guarantee.")


def test_a_screening_ends_in_the_page(tmp_path):
    path = written(tmp_path / "records.csv", ["x"], [[row % 4] for row in range(80)])
    with label_page(path, "--until", "recall=0.5") as served:
        visitor = served.visitor
        state = visitor.state
        assert [one["name"] for one in state["classes"]] == ["relevant", "irrelevant"]
        while state["question"]:
            value = int(state["question"]["values"][0][1])
            state = visitor.answer("irrelevant" if value else "relevant")
        assert state["end"].startswith("Enough is found: recall at least ")
        assert " of 80 rows read, " in state["progress"]
        assert state["recent"][0]["prediction"] is None
        visitor.undo()
        assert visitor.state["question"], "the certificate is again what it was before"
    assert "Reading was not finished" in Places.of(path).statement.read_text()


def test_the_limit_ends_the_questions(notes):
    with label_page(notes, *CLASSES, "--limit", "2") as served:
        visitor = served.visitor
        visitor.answer("ham")
        visitor.answer(None)
        state = visitor.answer("spam")
        assert state["question"] is None
        assert state["end"] == "2 labels are given."
        assert visitor.post("/answer", row=answers_of(notes)[-1].question.row, label="ham").status == CONFLICT
        assert visitor.undo()["question"]["row"] == visitor.state["question"]["row"]
        visitor.answer("spam")
    assert labels_of(notes) == ["ham", None, "spam"]
    assert "2 labels (1 ham, 1 spam), 1 skipped" in served.result.stdout


def test_all_rows_are_answered(tmp_path):
    path = written(tmp_path / "few.csv", ["text"], [["see you"], ["win cash"], ["how are you"]])
    with label_page(path, *CLASSES, "--text", "text") as served:
        for label in ("ham", "spam", "ham"):
            state = served.visitor.answer(label)
        assert state["end"] == "All rows are answered."


# ---------------------------------------------------------------------- answers that are not taken


def test_two_tabs(notes):
    with label_page(notes, *CLASSES) as served:
        visitor = served.visitor
        seen_by_both = visitor.state["question"]["row"]
        current = visitor.answer("ham")
        assert labels_of(notes) == ["ham"], "the answer is in the journal when the reply is there"
        reply = visitor.post("/answer", row=seen_by_both, label="spam")
        assert reply.status == CONFLICT
        assert reply.content["message"].startswith("Another row is asked about now, so nothing was changed.")
        assert reply.content["state"]["question"] == current["question"]
        visitor.answer("spam")
        reply = visitor.post("/undo", row=seen_by_both)
        assert reply.status == CONFLICT
        assert "Another answer is the last one now" in reply.content["message"]
        assert labels_of(notes) == ["ham", "spam"]


@pytest.mark.parametrize("label", ["", "  ", "a\nb", "\ud800", 5, ["ham"], {}])
def test_what_is_not_a_class(notes, label):
    with label_page(notes, *CLASSES) as served:
        reply = served.visitor.post("/answer", row=served.visitor.state["question"]["row"], label=label)
        assert reply.status == 400
        assert reply.content["message"] == "The name of a class is one line of text that is not empty."
    assert labels_of(notes) == []


def test_an_answer_that_cannot_be_stored_ends_the_command(notes, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with label_page(notes, *CLASSES) as served:
        visitor = served.visitor
        visitor.answer("ham")
        monkeypatch.setattr(Journal, "_append", full)
        reply = visitor.post("/answer", row=visitor.state["question"]["row"], label="spam")
        assert reply.status == 500
        assert "No space left on device" in reply.content["message"]
        assert served.result.exit_code == 2
    assert without_compiling(served.result.stderr) == "askance: No space left on device\n"
    assert labels_of(notes) == ["ham"]


def test_ctrl_c(notes):
    words = ["label", str(notes), *CLASSES, "--web", "--no-browser"]
    command = interruptible(
        [sys.executable, "-m", "askance", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        printed = iter(command.stdout.readline, "")
        link = next(found[0] for line in printed if (found := re.search(r"http://127\.0\.0\.1:\S+", line)))
        for _ in range(2):  # the printed link may be used again
            visitor = Visitor(link)
            assert visitor.enter().status == 303
            visitor.answer("ham")
        command.send_signal(signal.SIGINT)
        _, stderr = command.communicate(timeout=PATIENCE)
    finally:
        command.kill()
    assert command.returncode == 130
    said = "askance: interrupted: 2 labels (2 ham); the same command goes on from here\n"
    assert without_compiling(stderr) == said
    assert labels_of(notes) == ["ham", "ham"]
    assert Places.of(notes).labels.read_text().count("ham") == 2


# ---------------------------------------------------------------------- wrong words


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--web"], "give a FILE to label, or --task for a task of the service"),
        (["{notes}", "--web", "--classes", "ham"], "--classes ham: give two or more different classes"),
        (["{notes}", "--web", "--task", "x"], "give either FILE or --task, not both"),
        (
            ["{notes}", "--web", "--answers", "kind"],
            "--web: the answers come from the column 'kind': remove --web",
        ),
        (["{notes}", "--no-browser"], "--no-browser is about the page of --web: give both, or neither"),
        (
            ["--web", "--task", "my mail", "--url", "http://box:8383/"],
            "--web is for a FILE: the service has pages of its own; open http://box:8383/tasks/my%20mail/label",
        ),
        (["nothing.csv", "--web"], "nothing.csv: there is no such file"),
    ],
)
def test_wrong_words(notes, words, said):
    assert said in complaint("label", *(word.format(notes=notes) for word in words))
    assert not Places.of(notes).journal.exists()


def test_a_simulation_is_not_continued_in_a_page(tmp_path):
    rows = [[f"{WORDS[row % 4]} {row}", "ab"[row % 2]] for row in range(60)]
    path = written(tmp_path / "all.csv", ["text", "kind"], rows)
    output("label", path, "--answers", "kind", "--limit", "3")
    assert "the answers come from the column 'kind': remove --web" in complaint("label", path, "--web")
    assert len(labels_of(path)) == 3


# ---------------------------------------------------------------------- who may use the page


LARGE = b'{"row": 1, "label": "%s"}' % (b"x" * 64 * 1024)
POST = ("POST", "/answer", b"{}")
STATE = ("GET", "/state", None)
REFUSED = {
    "no cookie": (STATE, {"Cookie": None}, 403),
    "a wrong cookie": (STATE, {"Cookie": "askance-label=wrong"}, 403),
    "a strange cookie": (STATE, {"Cookie": '="; \\'}, 403),
    "no token": (STATE, {"X_Askance_Token": None}, 403),
    "a wrong token": (STATE, {"X_Askance_Token": "wrong"}, 403),
    "a token with an umlaut": (STATE, {"X_Askance_Token": "\xe4"}, 403),
    "another host": (STATE, {"Host": "elsewhere.test"}, 403),
    "a host like ours": (STATE, {"Host": "127.0.0.1.elsewhere.test:80"}, 403),
    "a host with a line": (STATE, {"Host": "localhost:80x"}, 403),
    "a page without a cookie": (("GET", "/", None), {"Cookie": None}, 403),
    "a style without a cookie": (("GET", "/assets/page.css", None), {"Cookie": None}, 403),
    "a wrong link": (("GET", "/?code=wrong", None), {"Cookie": None}, 403),
    "a link without a code": (("GET", "/?x=1", None), {"Cookie": None}, 403),
    "another page": (("GET", "/other", None), {}, 404),
    "a file outside": (("GET", "/assets/../server.py", None), {}, 404),
    "an address that is none": (("GET", "ftp://[", None), {}, 400),
    "a get that would change something": (("GET", "/answer", None), {}, 404),
    "a post without a cookie": (POST, {"Cookie": None}, 403),
    "a post without a token": (POST, {"X_Askance_Token": None}, 403),
    "a post from another page": (POST, {"Origin": "http://elsewhere.test"}, 403),
    "a post from no page": (POST, {"Origin": "null"}, 403),
    "a form": (POST, {"Content_Type": "application/x-www-form-urlencoded"}, 415),
    "plain text": (POST, {"Content_Type": "text/plain"}, 415),
    "no type": (POST, {"Content_Type": None}, 415),
    "a strange length": (POST, {"Content_Length": "-1"}, 411),
    "chunks": (POST, {"Content_Length": "9" * 5000}, 411),
    "too much": (("POST", "/answer", LARGE), {}, 413),
    "no JSON": (("POST", "/answer", b"{"), {}, 400),
    "a list": (("POST", "/answer", b"[]"), {}, 400),
    "deep lists": (("POST", "/answer", b"[" * 60_000), {}, 400),
    "no text": (("POST", "/answer", b"\xff"), {}, 400),
    "a post to the page": (("POST", "/", b"{}"), {}, 404),
    "a post of the state": (("POST", "/state", b"{}"), {}, 404),
    "another method": (("PUT", "/answer", b"{}"), {}, 501),
}


def test_what_is_refused(notes):
    with label_page(notes, *CLASSES) as served:
        visitor = served.visitor
        shown = visitor.answer("ham")
        for name, (request, headers, status) in REFUSED.items():
            reply = visitor.request(*request, **headers)
            assert (name, reply.status, list(reply.content)) == (name, status, ["message"])
            check_headers(reply)
            assert visitor.state["question"] == shown["question"], name
        assert labels_of(notes) == ["ham"]


def check_headers(reply):
    assert reply.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self';")
    assert reply.headers["Cache-Control"] == "no-store"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert "Python" not in reply.headers["Server"]


def test_what_is_served(notes):
    with label_page(notes, *CLASSES) as served:
        visitor = served.visitor
        for path, media in {"/": "html", "/assets/page.js": "javascript", "/assets/dom.js": "javascript"}.items():
            reply = visitor.request("GET", path, X_Askance_Token=None)
            assert (reply.status, reply.headers.get_content_type()) == (200, f"text/{media}")
            check_headers(reply)
        for host in ("localhost", f"localhost:{visitor.port}", "127.0.0.1:8000"):
            assert visitor.request("GET", "/state", Host=host).status == 200
        answer = b'{"row": %d, "label": "ham"}' % visitor.state["question"]["row"]
        names = {"Host": "localhost:8000", "Origin": "http://localhost:8000"}  # a tunnel
        assert visitor.request("POST", "/answer", answer, **names).status == 200


def test_a_link_is_exchanged(notes):
    with label_page(notes, *CLASSES) as served:
        visitor = served.visitor
        reply = visitor.request("GET", visitor.link, Cookie=None)
        assert reply.status == 403, "the link of the browser works once"
        reply = visitor.request("GET", visitor.link)
        assert (reply.status, reply.headers["Location"]) == (303, "/"), (
            "but a page that is open can be loaded again"
        )
        assert "Set-Cookie" not in reply.headers


def test_codes_cookies_and_tokens():
    access = Access(4321)
    assert access.cookie.startswith("askance-label-4321=")
    assert access.cookie.endswith("; Path=/; HttpOnly; SameSite=Lax")
    assert access.admits_cookie(f"other=1; {access.cookie.partition(';')[0]}")
    assert not access.admits_cookie(Access(4321).cookie)
    assert not access.admits_token(None)
    assert [access.admits_code(access.code) for _ in range(2)] == [True, True]
    assert [access.admits_code(access.code_for_once) for _ in range(2)] == [True, False]
    assert len({access.token, access.code, access.code_for_once, Access(4321).token}) == 4


# ---------------------------------------------------------------------- around it


def test_no_browser_in_the_terminal(monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser.GenericBrowser, "open", lambda *words: opened.append(words))
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("w3m"))
    _open("http://127.0.0.1:1/")

    def none():
        raise webbrowser.Error("no browser")

    monkeypatch.setattr(webbrowser, "get", none)
    _open("http://127.0.0.1:1/")
    assert opened == []


def test_it_needs_no_service():
    run_code("""
        import sys
        for name in ("httpx", "jinja2", "msgspec", "prometheus_client", "starlette", "uvicorn"):
            sys.modules[name] = None
        import askance.cli.commands.label.file_work
        from askance.cli.commands.label.web.assets import PACKAGES, asset
        assert all(asset(name).content for name in PACKAGES)
    """)
