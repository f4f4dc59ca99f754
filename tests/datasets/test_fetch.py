"""Fetching, from a server on this machine, and everything that can go wrong."""

import contextlib
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from askance.datasets import REGISTER, Entry, File, cache_directory, fetch, fetching, find, load, look_for
from askance.errors import DataError
from command_line import answer, complaint, output
from processes import interruptible

ROWS = 20_000
CONTENT = b"".join(b"%d 1:%d 7:1\n" % (1 if row % 3 else -1, row) for row in range(ROWS))
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Home(BaseHTTPRequestHandler):
    """A public home that does as the attributes of its server say."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        how = self.server.how
        self.server.requests.append(self.path)
        if self.path in how.get("moved", {}):
            return self.respond(
                302, b"<p>moved</p>", {"Location": how["moved"][self.path], "Content-Type": "text/html"}
            )
        if self.server.faults:
            return self.respond(self.server.faults.pop(), b"", {})
        headers = {key: how[key] for key in ("Content-Type",) if key in how}
        return self.respond(how.get("status", 200), how.get("content", CONTENT), headers)

    def respond(self, status, body, headers):
        how = self.server.how
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        if how.get("length", True):
            self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        with contextlib.suppress(OSError):  # the client may have gone
            for start in range(0, how.get("cut", len(body)), 1 << 14):
                self.wfile.write(body[start : min(start + (1 << 14), how.get("cut", len(body)))])
                time.sleep(how.get("delay", 0))

    def log_message(self, *words):
        pass


@contextlib.contextmanager
def serving(handler, **attributes):
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    vars(server).update(attributes)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The data set `toy` of the register, at a home on this machine, and an empty cache."""
    monkeypatch.setenv("ASKANCE_DATA", "")
    monkeypatch.setenv("ASKANCE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(fetching, "RETRIES", 0)
    with serving(Home, how={}, faults=[], requests=[]) as server:
        move_to(monkeypatch, f"http://127.0.0.1:{server.server_port}/toy.svm")
        yield server


def move_to(monkeypatch, *urls, **more):
    files = tuple(File(url, **more) for url in urls)
    monkeypatch.setitem(REGISTER, "toy", Entry("made up", ROWS, 7, 2, "https://example.org/", "none", files))


def here(name="toy.svm"):
    return cache_directory() / "toy" / name


def left():
    return sorted(path.name for path in here().parent.iterdir()) if here().parent.is_dir() else []


def fault_of_fetching():
    with pytest.raises(DataError) as fault:
        fetch("toy")
    text = str(fault.value)
    assert "\n" not in text
    assert left() == []
    with pytest.raises(DataError, match="toy is not on this machine"):
        load("toy")
    return text


class Reports(list):
    """What a progress callback was called with."""

    def __call__(self, *report):
        self.append(report)


def test_a_file_is_fetched_and_its_checksum_kept(home):
    reports = Reports()
    (fetched,) = fetch("toy", reports)
    assert fetched == (here(), len(CONTENT), SHA256, False, False)
    assert here().read_bytes() == CONTENT
    assert left() == ["toy.svm", "toy.svm.sha256"]
    assert here("toy.svm.sha256").read_text() == f"{SHA256}  toy.svm\n"
    assert reports == sorted(reports)
    assert reports[-1] == (len(CONTENT), len(CONTENT), "toy.svm")
    assert len(reports) > 3
    X, y = load("toy")
    assert X.shape == (ROWS, 7)
    assert X[:, [0]].toarray().ravel().tolist() == list(range(ROWS))
    assert np.count_nonzero(y == -1) == -(-ROWS // 3)


def test_progress_where_the_server_does_not_say_the_size(home):
    home.how["length"] = False
    reports = Reports()
    fetch("toy", reports)
    assert {total for _, total, _ in reports} == {None}
    assert here().read_bytes() == CONTENT


def test_what_is_here_is_checked_and_not_fetched_again(home):
    fetch("toy")
    home.requests.clear()
    (fetched,) = fetch("toy")
    assert fetched.was_here
    assert fetched.sha256 == SHA256
    assert home.requests == []


def test_what_has_changed_is_not_used_and_fetched_again(home):
    fetch("toy")
    here().write_bytes(CONTENT[:-1])
    with pytest.raises(DataError, match="has changed since it was fetched"):
        find("toy")
    assert not fetch("toy")[0].was_here
    assert here().read_bytes() == CONTENT


def test_another_file_than_the_first_time_is_refused(home):
    fetch("toy")
    here().write_bytes(CONTENT[:-1])
    home.how["content"] = CONTENT[::-1]
    with pytest.raises(DataError, match="does not have the sha256 of the first fetch and was deleted"):
        fetch("toy")
    assert here().read_bytes() == CONTENT[:-1]
    assert left() == ["toy.svm", "toy.svm.sha256"]


def test_what_did_not_come_from_a_complete_fetch_is_fetched(home):
    here().parent.mkdir(parents=True)
    here().write_bytes(CONTENT[:100])
    assert look_for("toy") is None
    assert not fetch("toy")[0].was_here
    assert here().read_bytes() == CONTENT


def test_a_checksum_that_is_published_later_is_checked_too(home, monkeypatch):
    fetch("toy")
    move_to(monkeypatch, REGISTER["toy"].files[0].url, sha256=SHA256)
    assert fetch("toy")[0].published
    load("toy")
    move_to(monkeypatch, REGISTER["toy"].files[0].url, sha256="0" * 64)
    with pytest.raises(DataError, match="is not the public file"):
        find("toy")
    with pytest.raises(DataError, match="does not have the published sha256 and was deleted"):
        fetch("toy")


def test_a_wrong_checksum_is_refused_and_nothing_of_it_stays(home, monkeypatch):
    move_to(monkeypatch, REGISTER["toy"].files[0].url, sha256="0" * 64)
    assert "the download does not have the published sha256 and was deleted" in fault_of_fetching()


def test_a_download_that_fails_is_tried_again(home, monkeypatch):
    monkeypatch.setattr(fetching, "RETRIES", 1)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    home.faults.append(503)
    assert fetch("toy")[0].sha256 == SHA256
    assert len(home.requests) == 2


def test_a_file_that_has_moved(home):
    home.how["moved"] = {"/toy.svm": "/elsewhere"}
    assert fetch("toy")[0].sha256 == SHA256
    assert home.requests == ["/toy.svm", "/elsewhere"]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"status": 404}, "the server answered 404 Not Found: look at it with a browser, or put the file into"),
        ({"status": 404, "Content-Type": "text/html"}, "the server answered 404 Not Found"),
        ({"status": 503}, "the server answered 503 Service Unavailable"),
        ({"Content-Type": "text/html; charset=utf-8"}, "the server answered with a web page"),
        ({"content": b""}, "the file is empty"),
        ({"cut": len(CONTENT) // 2}, "cannot be downloaded (IncompleteRead("),
    ],
)
def test_a_server_that_has_something_else(home, how, said):
    home.how.update(how)
    text = fault_of_fetching()
    assert text.startswith(REGISTER["toy"].files[0].url)
    assert said in text


def test_a_refused_connection(home, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    move_to(monkeypatch, f"http://127.0.0.1:{port}/toy.svm")
    assert "cannot be downloaded (Connection refused): check the network and fetch it" in fault_of_fetching()


def test_a_name_that_no_network_knows(home, monkeypatch):
    def unknown(*words, **options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert "cannot be downloaded (Name or service not known): check the network" in fault_of_fetching()


def test_a_server_that_falls_silent(home, monkeypatch):
    monkeypatch.setattr(fetching, "TIMEOUT", 0.2)
    home.how["delay"] = 1.0
    assert "cannot be downloaded (timed out): check the network and fetch it again" in fault_of_fetching()


@pytest.mark.parametrize(
    "url", ["ftp://example.org/toy.svm", "toy.svm", "http://[::1/toy.svm", "http://127.0.0.1:x/toy.svm"]
)
def test_addresses_that_are_none(home, monkeypatch, url):
    move_to(monkeypatch, url)
    assert fault_of_fetching().startswith(url)


def test_several_files_are_one_data_set(home, monkeypatch):
    url = REGISTER["toy"].files[0].url
    move_to(monkeypatch, url, f"{url}.t")
    reports = Reports()
    assert [file.path.name for file in fetch("toy", reports)] == ["toy.svm", "toy.svm.t"]
    assert list(dict.fromkeys(what for _, _, what in reports)) == ["toy.svm", "toy.svm.t"]
    here("toy.svm.t").unlink()
    assert look_for("toy") is None


def test_ctrl_c_leaves_nothing_behind(home):
    def stop(done, total, what):
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch("toy", stop)
    assert left() == []
    fetch("toy")
    assert here().read_bytes() == CONTENT


def test_two_at_the_same_time(home):
    home.how["delay"] = 0.01
    with ThreadPoolExecutor(2) as pool:
        for fetched in pool.map(fetch, ["toy", "toy"]):
            assert fetched[0].sha256 == SHA256
    assert here().read_bytes() == CONTENT
    assert left() == ["toy.svm", "toy.svm.sha256"]


def test_a_cache_that_cannot_be_written(home, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ASKANCE_CACHE", str(tmp_path / "file"))
    assert "cannot be written (Not a directory): free some space, or set ASKANCE_CACHE" in fault_of_fetching()


def test_without_pooch(home, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r"fetching data sets needs pooch: pip install 'askance\[datasets\]'"):
        fetch("toy")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gisette", "make it from https://archive.ics.uci.edu/dataset/170/gisette"),
        ("covtype_10k", "a part of covtype"),
        ("toyz", "did you mean toy"),
    ],
)
def test_what_has_no_public_file(home, name, said):
    with pytest.raises(DataError) as fault:
        fetch(name)
    assert said in str(fault.value)


def test_what_has_no_public_file_but_is_here(home, tmp_path, monkeypatch):
    monkeypatch.setenv("ASKANCE_DATA", str(tmp_path))
    (tmp_path / "gisette.svm").write_text("1 1:1\n")
    with pytest.raises(DataError, match="gisette has no public file to fetch, but it is on this machine"):
        fetch("gisette")


def test_the_command_says_what_came_and_what_is_not_known(home):
    told = output("data", "fetch", "toy")
    assert str(here()) in told.replace("\n", "")
    assert f"{len(CONTENT):,} bytes, fetched" in told
    assert SHA256 in told
    assert "no checksum is published: this one is stored" in " ".join(told.split())
    assert "already here" in output("data", "fetch", "toy")
    files = answer("data", "fetch", "toy")["fetched"][0]["files"]
    assert files[0] | {"was_here": True, "sha256": SHA256, "path": str(here())} == files[0]


def test_the_command_says_what_went_wrong_in_one_line(home):
    home.how["status"] = 404
    assert "404 Not Found" in complaint("data", "fetch", "toy")
    assert "did you mean toy?" in complaint("data", "fetch", "toyy")
    assert complaint("data", "fetch").startswith("Missing argument 'NAME...'")


def test_the_command_interrupted_by_the_keyboard(home):
    home.how["delay"] = 0.1
    program = (
        "import sys\n"
        "from askance.cli import main\n"
        "from askance.datasets import REGISTER, Entry, File\n"
        f"REGISTER['toy'] = Entry('', 1, 1, 2, '', '', (File({REGISTER['toy'].files[0].url!r}),))\n"
        "sys.argv = ['askance', 'data', 'fetch', 'toy']\n"
        "main()\n"
    )
    words = [sys.executable, "-c", program]
    pipe = subprocess.PIPE
    with interruptible(words, stdout=pipe, stderr=pipe, text=True) as process:
        while process.poll() is None and not any(path.stat().st_size for path in here().parent.glob("*")):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        told, complaints = process.communicate()
    assert (process.returncode, told, complaints) == (130, "", "askance: interrupted\n")
    assert left() == []


def test_the_list_says_where_everything_is(home, tmp_path, monkeypatch):
    def found(name):
        lines = output("data", "list").splitlines()
        return next(line for line in lines if line.split()[:1] == [name]).split()[-1]

    monkeypatch.setenv("COLUMNS", "80")
    assert all(len(line) <= 80 for line in output("data", "list").splitlines())
    assert found("toy") == "fetch"
    assert found("gisette") == "hand"
    fetch("toy")
    assert found("toy") == "cached"
    monkeypatch.setenv("ASKANCE_DATA", str(tmp_path))
    for name in ("toy", "covtype_10k"):
        (tmp_path / f"{name}.npz").write_bytes(b"x")
    assert found("toy") == "here"
    assert found("covtype") == "part"


def test_the_list_for_programs(home):
    fetch("toy")
    told = answer("data", "list")
    assert told["cache"] == os.environ["ASKANCE_CACHE"]
    listed = {entry["name"]: entry for entry in told["data_sets"]}
    assert list(listed) == list(REGISTER)
    assert listed["toy"]["found"] == {"place": "cache", "paths": [str(here())]}
    assert listed["w8a"]["found"] is None
    assert listed["w8a"]["papers"]["yan2017"]["rows"] == 64_700
    assert listed["covtype"]["files"][0]["sha256"].startswith("614360d0")
    assert json.dumps(told)


def test_info_of_a_name_says_what_the_register_and_the_file_say(home):
    told = output("data", "info", "toy")
    assert "register  20,000 rows, 7 features, 2 classes" in told
    assert "toy is not on this machine: get it with `askance data fetch toy`" in told.replace("\n", " ")
    fetch("toy")
    told = output("data", "info", "toy")
    assert f"path      {here()}" in told
    assert "class 1            13,333  66.7 %" in told
    content = answer("data", "info", "toy")
    assert content["register"]["name"] == "toy"
    assert content["rows"]["rows"] == ROWS
    assert content["rows"]["differences"] == []


def test_info_of_a_name_as_a_paper_prepared_it(home, tmp_path, monkeypatch):
    monkeypatch.setenv("ASKANCE_DATA", str(tmp_path))
    (tmp_path / "a8a.svm").write_text("1 1:3 2:4\n-1 2:2\n")
    told = output("data", "info", "a8a", "--paper", "lu2016")
    assert "lu2016: Lu, Zhao, Hoi 2016: rows scaled to length 1 (assumed" in told
    assert "note      a8a has 2 rows here, 22,696 in the register" in told
    assert "All rows have unit length." in told
    assert answer("data", "info", "a8a", "--paper", "lu2016")["rows"]["unit_length"]
    assert not answer("data", "info", "a8a")["rows"]["unit_length"]
    assert "--paper 'hoi'" in complaint("data", "info", "a8a", "--paper", "hoi")
    assert "only --shuffle applies" in complaint("data", "info", "a8a", "--label", "x")
    assert "is not a named data set" in complaint("data", "info", tmp_path / "a8a.svm", "--paper", "lu2016")


def test_info_of_what_only_the_register_or_only_a_file_knows(home, tmp_path, monkeypatch):
    monkeypatch.setenv("ASKANCE_DATA", str(tmp_path))
    np.savez(tmp_path / "ml1m.npz", ratings=np.ones(3))
    assert "1,000,209 ratings of films" in output("data", "info", "ml1m")
    assert answer("data", "info", "ml1m")["rows"] is None
    (tmp_path / "mine.csv").write_text("x,label\n1,a\n2,b\n")
    assert ["rows", "2"] in [line.split() for line in output("data", "info", "mine").splitlines()]
    assert answer("data", "info", "mine")["register"] is None
    assert "there is no such file" in complaint("data", "info", "yours")


def test_a_file_comes_before_a_name(home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a8a").write_text("1 1:3\n-1 1:2\n-1 1:2\n")
    assert answer("data", "info", "a8a", "--format", "svmlight")["rows"] == 3
