"""Fetching, from a server on this machine: going on, starting again, and everything that can go wrong."""

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
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from askance.datasets import REGISTER, Entry, File, cache_directory, fetch, find, load, look_for
from askance.errors import DataError
from command_line import answer, complaint, output

ROWS = 20_000
CONTENT = b"".join(b"%d 1:%d 7:1\n" % (1 if row % 3 else -1, row) for row in range(ROWS))
SHA256 = hashlib.sha256(CONTENT).hexdigest()
HALF = len(CONTENT) // 2


class Home(BaseHTTPRequestHandler):
    """A public home that does as the attributes of its server say."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        how = self.server.how
        asked_range = self.headers.get("Range", "")
        self.server.requests.append((asked_range, self.headers.get("If-Range", "")))
        content = how.get("content", CONTENT)
        if "status" in how:
            return self.respond(how["status"], b"", {})
        headers = {key: how[key] for key in ("ETag", "Last-Modified", "Content-Type") if key in how}
        is_same = self.headers.get("If-Range", how.get("ETag")) in (how.get("ETag"), how.get("Last-Modified"))
        is_same = is_same or how.get("careless", False)
        if not asked_range or not how.get("ranges", True) or not is_same:
            return self.respond(200, content, headers)
        start = int(asked_range.removeprefix("bytes=").removesuffix("-")) + how.get("shift", 0)
        if start >= len(content):
            return self.respond(416, b"", {"Content-Range": f"bytes */{len(content)}"})
        span = {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"}
        return self.respond(206, content[start:], headers | span)

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
        with contextlib.suppress(OSError):  # whoever asked may have gone
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
    with serving(Home, how={"ETag": '"1"'}, requests=[]) as server:
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
    assert look_for("toy") is None  # nothing half-done is found as done
    with pytest.raises(DataError, match="toy is not on this machine"):
        load("toy")
    return text


def fetch_half(home):
    home.how["cut"] = HALF
    text = fault_of_fetching()
    assert f"ended after {HALF:,} of {len(CONTENT):,} bytes: fetch it again, which goes on from there" in text
    assert here("toy.svm.part").stat().st_size == HALF
    del home.how["cut"]
    home.requests.clear()


def test_a_file_is_fetched_and_its_checksum_kept(home):
    shares = []
    (fetched,) = fetch("toy", shares.append)
    assert fetched == (here(), len(CONTENT), SHA256, 0, False, False)
    assert here().read_bytes() == CONTENT
    assert left() == ["toy.svm", "toy.svm.sha256"]
    assert here("toy.svm.sha256").read_text() == f"{SHA256}  toy.svm\n"
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) > 3
    X, y = load("toy")
    assert X.shape == (ROWS, 7)
    assert X[:, [0]].toarray().ravel().tolist() == list(range(ROWS))
    assert np.count_nonzero(y == -1) == -(-ROWS // 3)


def test_what_is_here_is_checked_and_not_fetched_again(home):
    fetch("toy")
    home.requests.clear()
    (fetched,) = fetch("toy")
    assert fetched.was_here
    assert fetched.sha256 == SHA256
    assert home.requests == []
    here().write_bytes(CONTENT[:-1])
    for look in (fetch, find):
        with pytest.raises(DataError, match="is not what was fetched"):
            look("toy")


def test_a_checksum_that_is_published_later_is_checked_too(home, monkeypatch):
    fetch("toy")
    move_to(monkeypatch, REGISTER["toy"].files[0].url, sha256=SHA256)
    assert fetch("toy")[0].published
    load("toy")
    move_to(monkeypatch, REGISTER["toy"].files[0].url, sha256="0" * 64)
    for look in (fetch, find):
        with pytest.raises(DataError, match="is not the public file"):
            look("toy")


def test_an_interrupted_fetch_goes_on_from_where_it_was(home):
    fetch_half(home)
    shares = []
    (fetched,) = fetch("toy", shares.append)
    assert home.requests == [(f"bytes={HALF}-", '"1"')]
    assert fetched.resumed == HALF
    assert shares[0] > 0.5
    assert here().read_bytes() == CONTENT
    assert left() == ["toy.svm", "toy.svm.sha256"]


def test_going_on_by_date_where_there_is_no_strong_tag(home):
    home.how.update({"ETag": 'W/"1"', "Last-Modified": "Sun, 15 Nov 2026 09:00:00 GMT"})
    fetch_half(home)
    assert fetch("toy")[0].resumed == HALF
    assert home.requests == [(f"bytes={HALF}-", "Sun, 15 Nov 2026 09:00:00 GMT")]
    assert here().read_bytes() == CONTENT


def test_a_file_that_has_changed_at_home_is_fetched_from_its_start(home):
    fetch_half(home)
    home.how.update({"ETag": '"2"', "content": CONTENT[::-1]})
    (fetched,) = fetch("toy")
    assert fetched.resumed == 0
    assert here().read_bytes() == CONTENT[::-1]


def test_a_server_that_goes_on_with_another_version_is_asked_for_all(home):
    fetch_half(home)
    home.how.update({"ETag": '"2"', "content": CONTENT[::-1], "careless": True})
    assert fetch("toy")[0].resumed == 0
    assert [asked for asked, _ in home.requests] == [f"bytes={HALF}-", ""]
    assert here().read_bytes() == CONTENT[::-1]


def test_without_a_version_two_halves_are_never_joined(home):
    del home.how["ETag"]
    fetch_half(home)
    home.how["content"] = CONTENT[::-1]
    assert fetch("toy")[0].resumed == 0
    assert home.requests == [("", "")]
    assert here().read_bytes() == CONTENT[::-1]


def test_without_a_version_a_published_checksum_lets_it_go_on(home, monkeypatch):
    del home.how["ETag"]
    move_to(monkeypatch, REGISTER["toy"].files[0].url, sha256=SHA256)
    fetch_half(home)
    (fetched,) = fetch("toy")
    assert (fetched.resumed, fetched.published) == (HALF, True)
    assert here().read_bytes() == CONTENT


def test_a_server_that_cannot_go_on_starts_again(home):
    fetch_half(home)
    home.how["ranges"] = False
    assert fetch("toy")[0].resumed == 0
    assert home.requests == [(f"bytes={HALF}-", '"1"')]
    assert here().read_bytes() == CONTENT


def test_a_server_that_goes_on_elsewhere_is_asked_for_all(home):
    fetch_half(home)
    home.how["shift"] = 5
    assert fetch("toy")[0].resumed == 0
    assert [asked for asked, _ in home.requests] == [f"bytes={HALF}-", ""]
    assert here().read_bytes() == CONTENT


def test_a_part_that_is_all_of_it_needs_only_its_name(home):
    fetch_half(home)
    here("toy.svm.part").write_bytes(CONTENT)
    (fetched,) = fetch("toy")
    assert fetched.resumed == len(CONTENT)
    assert home.requests == [(f"bytes={len(CONTENT)}-", '"1"')]
    assert here().read_bytes() == CONTENT


def test_a_part_that_is_longer_than_the_file_is_thrown_away(home):
    fetch_half(home)
    here("toy.svm.part").write_bytes(CONTENT + b"more")
    assert fetch("toy")[0].resumed == 0
    assert here().read_bytes() == CONTENT


def test_pythons_own_server_which_knows_no_ranges(home, tmp_path, monkeypatch):
    (tmp_path / "toy.svm").write_bytes(CONTENT)

    class Quiet(SimpleHTTPRequestHandler):
        def __init__(self, *words):
            super().__init__(*words, directory=str(tmp_path))

        def log_message(self, *words):
            pass

    fetch_half(home)
    with serving(Quiet) as other:
        move_to(monkeypatch, f"http://127.0.0.1:{other.server_port}/toy.svm")
        assert fetch("toy")[0].resumed == 0
    assert here().read_bytes() == CONTENT


def test_a_wrong_checksum_is_refused_and_nothing_of_it_stays(home, monkeypatch):
    move_to(monkeypatch, REGISTER["toy"].files[0].url, sha256="0" * 64)
    text = fault_of_fetching()
    assert f"what came has the sha256 {SHA256[:12]}…, not 000000000000…, and was thrown away" in text
    assert left() == []


def test_a_half_of_another_file_is_found_by_the_published_checksum(home, monkeypatch):
    move_to(monkeypatch, REGISTER["toy"].files[0].url, sha256=SHA256)
    fetch_half(home)
    here("toy.svm.part").write_bytes(b"x" * HALF)
    assert "thrown away" in fault_of_fetching()
    assert fetch("toy")[0].resumed == 0
    assert here().read_bytes() == CONTENT


@pytest.mark.parametrize(("wanted", "said"), [(1, "ended after"), (-1, "bytes came, not")])
def test_a_published_size_is_checked_where_the_server_says_none(home, monkeypatch, wanted, said):
    home.how["length"] = False
    move_to(monkeypatch, REGISTER["toy"].files[0].url, size=len(CONTENT) + wanted)
    assert said in fault_of_fetching()
    move_to(monkeypatch, REGISTER["toy"].files[0].url, size=len(CONTENT))
    fetch("toy")
    assert here().read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"status": 404}, "the server says 404 Not Found: look there, or get the file by other means"),
        ({"status": 503}, "the server says 503 Service Unavailable"),
        ({"status": 416}, "the server says 416"),
        ({"Content-Type": "text/html; charset=utf-8"}, "a web page came in place of the file"),
        ({"content": b""}, "is empty"),
    ],
)
def test_a_server_that_has_something_else(home, how, said):
    home.how.update(how)
    text = fault_of_fetching()
    assert text.startswith(REGISTER["toy"].files[0].url)
    assert said in text
    assert not here("toy.svm.part").exists() or here("toy.svm.part").stat().st_size == 0


def test_a_refused_connection(home, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    fetch_half(home)
    move_to(monkeypatch, f"http://127.0.0.1:{port}/toy.svm")
    assert "cannot be reached (Connection refused): check the network, or get the file" in fault_of_fetching()
    assert here("toy.svm.part").stat().st_size == HALF


def test_a_name_that_no_network_knows(home, monkeypatch):
    def unknown(*words, **options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert "cannot be reached (Name or service not known): check the network" in fault_of_fetching()


def test_a_server_that_falls_silent(home, monkeypatch):
    monkeypatch.setattr("askance.datasets.serving.SECONDS", 0.2)
    home.how["delay"] = 1.0
    assert "the connection broke (timed out): fetch it again" in fault_of_fetching()
    assert 0 < here("toy.svm.part").stat().st_size < len(CONTENT)
    home.how["delay"] = 0
    assert fetch("toy")[0].resumed > 0
    assert here().read_bytes() == CONTENT


@pytest.mark.parametrize(
    "url", ["ftp://example.org/toy.svm", "toy.svm", "http://[::1/toy.svm", "http://127.0.0.1:x/toy.svm"]
)
def test_addresses_that_are_none(home, monkeypatch, url):
    move_to(monkeypatch, url)
    assert fault_of_fetching().startswith(url)


def test_a_file_of_this_machine(home, tmp_path, monkeypatch):
    (tmp_path / "toy.svm").write_bytes(CONTENT)
    move_to(monkeypatch, (tmp_path / "toy.svm").as_uri())
    fetch("toy")
    assert here().read_bytes() == CONTENT
    move_to(monkeypatch, (tmp_path / "other.svm").as_uri())
    assert "cannot be reached" in fault_of_fetching()


def test_several_files_are_one_data_set(home, monkeypatch):
    url = REGISTER["toy"].files[0].url
    move_to(monkeypatch, url, f"{url}.t")
    shares = []
    assert [file.path.name for file in fetch("toy", shares.append)] == ["toy.svm", "toy.svm.t"]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    here("toy.svm.t").unlink()
    assert look_for("toy") is None


def test_ctrl_c_keeps_what_has_come(home):
    def stop(share):
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch("toy", stop)
    size = here("toy.svm.part").stat().st_size
    assert 0.5 < size / len(CONTENT) < 1
    assert look_for("toy") is None
    assert fetch("toy")[0].resumed == size
    assert here().read_bytes() == CONTENT


def test_two_processes_do_not_write_into_one_file(home):
    fcntl = pytest.importorskip("fcntl")
    fetch_half(home)
    with here("toy.svm.part").open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert "is being fetched by another process" in fault_of_fetching()
    assert fetch("toy")[0].resumed == HALF


def test_a_cache_that_cannot_be_written(home, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ASKANCE_CACHE", str(tmp_path / "file"))
    assert "cannot be written (Not a directory): make room, or set ASKANCE_CACHE" in fault_of_fetching()


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
    with pytest.raises(DataError, match="gisette has no public file that could be fetched, but it is here"):
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
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not (
            here("toy.svm.part").exists() and here("toy.svm.part").stat().st_size
        ):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        told, complaints = process.communicate()
    assert (process.returncode, told, complaints) == (130, "", "askance: interrupted\n")
    size = here("toy.svm.part").stat().st_size
    assert 0 < size < len(CONTENT)
    home.how["delay"] = 0
    assert fetch("toy")[0].resumed == size
    assert here().read_bytes() == CONTENT


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
