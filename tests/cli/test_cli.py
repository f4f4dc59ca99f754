"""The program as a whole, and the commands that only look: catalog, data, doctor."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from askance import __version__
from askance.algorithms import catalog
from askance.cli.commands.doctor import command
from command_line import answer, askance, complaint, mails, output, write_csv
from processes import Terminal, interruptible

PROGRAM = [sys.executable, "-m", "askance"]


def start(*words, **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    return interruptible([*PROGRAM, *map(str, words)], **options)


def test_version():
    process = start("--version")
    told, complaints = process.communicate()
    assert (process.returncode, told, complaints) == (0, f"askance {__version__}\n", "")


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("run",),
        ("demo",),
        ("catalog",),
        ("data",),
        ("data", "info"),
        ("data", "list"),
        ("data", "fetch"),
        ("doctor",),
        ("sweep",),
        ("pool",),
        ("push",),
        ("pull",),
        ("connect", "redis"),
        ("label",),
        ("ratings", "fit"),
        ("ratings", "predict"),
        ("ratings", "recommend"),
        ("store", "backup"),
        ("store", "restore"),
        ("store", "check"),
        ("store", "compact"),
        ("reproduce",),
    ],
)
def test_every_command_has_help_with_an_example_that_fits_a_narrow_terminal(words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    told = output(*words, "--help")
    assert all(len(line) <= 80 for line in told.splitlines())
    if words != ("data",):
        assert f"askance {' '.join(words)}" in told.rpartition("─╯")[2]


def test_without_words_it_shows_its_help():
    assert output().strip() == output("--help").strip()
    assert output("data").strip() == output("data", "--help").strip()


def test_help_needs_none_of_the_slow_modules():
    program = (
        "import sys\n"
        "from askance.cli.app import app\n"
        "for words in (['--help'], ['run', '--help'], ['ratings', 'fit', '--help'], ['push', '--help']):\n"
        "    try: app(words)\n"
        "    except SystemExit: pass\n"
        "slow = ('numba', 'scipy', 'sklearn', 'numpy', 'httpx', 'msgspec')\n"
        "print([name for name in slow if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fly"], "No such command 'fly'; see askance --help"),
        (["run"], "Missing argument 'FILE'; see askance run --help"),
        (["run", "f.csv", "--rat", "1"], "No such option: --rat"),
        (["run", "f.csv", "--rate", "much"], "Invalid value for '--rate'"),
        (["data", "fly"], "No such command 'fly'; see askance data --help"),
    ],
)
def test_a_wrong_word_gets_one_line(words, said):
    assert complaint(*words).startswith(said)


def test_a_fault_of_our_own_is_told_as_such_and_can_be_traced(monkeypatch):
    def stumble():
        raise KeyError("shoe")

    monkeypatch.setattr(command, "examine", stumble)
    result = askance("doctor")
    assert result.exit_code == 1
    assert result.stderr == (
        "askance: internal error: KeyError: 'shoe' (please report; ASKANCE_TRACEBACK=1 shows the traceback)\n"
    )
    monkeypatch.setenv("ASKANCE_TRACEBACK", "1")
    with pytest.raises(AssertionError, match="shoe"):
        askance("doctor")


def test_interrupted_it_says_so_and_leaves_nothing_behind(tmp_path):
    data = mails(tmp_path / "mails.csv", 60_000)
    results = tmp_path / "results"
    results.mkdir()
    targets = ("--trace", results / "t.parquet", "--save", results / "m", "--plot", results / "p.png")
    process = start("run", data, "-a", "PAA-II", "--against", "random", *targets)
    while process.poll() is None and len(list(results.iterdir())) < 3:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    told, complaints = process.communicate()
    assert (process.returncode, told, complaints) == (130, "", "askance: interrupted\n")
    assert list(results.iterdir()) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("words", [("catalog",), ("catalog", "--json"), ("--help",)])
def test_a_reader_that_goes_away_is_no_drama(words):
    process = start(*words)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 1


def test_a_terminal_gets_a_progress_bar_and_a_program_gets_json(tmp_path):
    data = mails(tmp_path / "mails.csv", 6000)
    terminal = Terminal()
    told, _ = start("run", data, "-a", "PAA-II", "--json", stderr=terminal.theirs).communicate()
    assert json.loads(told)["methods"][0]["rows"] == 6000
    assert b"mails.csv" in terminal.written()


def test_the_catalog_lists_every_name():
    told = output("catalog")
    for name, entry in catalog.items():
        line = next(line for line in told.splitlines() if line.split()[:1] == [name])
        assert entry.update.__name__ in line
        assert entry.query.__name__ in line
        assert entry.where in line
        assert entry.paper in told
    assert all(len(line) <= 80 for line in told.splitlines())


def test_the_catalog_fits_a_very_narrow_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert all(len(line) <= 40 for line in output("catalog").splitlines())


def test_the_catalog_explains_a_name():
    told = output("catalog", "PAA-II")
    assert "τ = ℓ / (x·x + 1/(2C))" in told
    assert "b / (b + offset + |p|)" in told
    assert "askance run FILE --algorithm PAA-II --param delta=1 --param C=1" in told
    assert "--algorithm 'PAA-II(thm4)'" in output("catalog", "PAA-II(thm4)")
    told = output("catalog", "CPA")
    assert "askance run FILE --algorithm CPA --param C=2 --param rho=2 --param variant=PA-I" in told
    assert "askance.make('CPA', C=2, rho=2, variant='PA-I')" in told


def test_the_catalog_for_programs():
    listed = {entry["name"]: entry for entry in answer("catalog")["algorithms"]}
    assert list(listed) == list(catalog)
    alone = answer("catalog", "SEL-P")
    assert alone["parameters"] == {"b": 1.0, "sgn0": -1}
    assert set(alone["formulas"]) == {"update", "query"}
    assert alone["paper"] == listed["SEL-P"]["paper"]


def test_an_unknown_name_of_the_catalog():
    assert complaint("catalog", "PAA-3").endswith("did you mean PAA-I or PAA or PAA-II?")


def test_data_info(tmp_path):
    data = write_csv(tmp_path / "d.csv", [[3, 4], [0, 1], [1, 0], [2, 2]], "abba")
    told = output("data", "info", data)
    assert "d.csv" in told
    assert "class a              2  50.0 %" in told
    assert "density 75 %" in told
    assert "sorted" not in told
    assert answer("data", "info", data) == {
        "name": "d",
        "rows": 4,
        "features": 2,
        "nonzeros": 6,
        "classes": [{"class": "a", "rows": 2, "share": 0.5}, {"class": "b", "rows": 2, "share": 0.5}],
        "sorted_by_class": False,
        "unit_length": False,
        "smallest": 0.0,
        "largest": 4.0,
        "density": 0.75,
        "nonzeros_per_row": 1.5,
        "notes": [],
    }


def test_data_info_warns_of_sorted_rows_and_sees_shuffled_ones(tmp_path):
    data = write_csv(tmp_path / "d.csv", [[0.6, 0.8]] * 200, [0] * 100 + [1] * 100)
    told = output("data", "info", data)
    assert "--shuffle 7" in told
    assert "All rows have unit length." in told
    assert not answer("data", "info", data, "--shuffle", 7)["sorted_by_class"]


def test_data_info_warns_of_columns_of_very_different_size(tmp_path):
    X = np.random.default_rng(0).uniform(1, 2, (200, 2)) * [1, 4000]
    data = write_csv(tmp_path / "d.csv", X, "ab" * 100)
    (note,) = answer("data", "info", data)["notes"]
    assert note.startswith("Typical values of the columns range from 1.")
    assert note.endswith(
        "askance run scales them itself; with an algorithm of the catalog, pass --scaling standard."
    )
    assert "--scaling standard" in output("data", "info", data)
    assert not answer("data", "info", write_csv(tmp_path / "e.csv", X[:, :1], "ab" * 100))["notes"]


def test_data_info_without_labels(tmp_path):
    data = tmp_path / "d.csv"
    data.write_text("id,x\n1,2\n2,3\n")
    described = answer("data", "info", data, "--unlabelled", "--drop", "id")
    assert (described["features"], described["classes"]) == (1, [])


def test_data_info_of_many_classes(tmp_path):
    data = write_csv(tmp_path / "d.csv", np.ones((20, 1)), range(20))
    assert "and 8 more classes" in output("data", "info", data)


@pytest.mark.soak
@pytest.mark.compiled
def test_the_doctor_finds_all_well():
    told = answer("doctor")
    findings = {finding["what"]: finding for finding in told["findings"]}
    assert told["ok"]
    assert findings["numba"]["ok"]
    assert findings["self-test, freshly compiled"]["ok"]
    assert findings["self-test, from the cache"]["ok"]
    assert findings["cache reused"]["ok"]


@pytest.mark.slow
def test_the_doctor_names_what_is_broken_and_what_to_do(monkeypatch):
    monkeypatch.setattr(command, "_requirements", lambda: {"numpy": "999.0", "no-such-package": "1.0"})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr(command, "_self_tests", lambda: iter(()))
    result = askance("doctor")
    assert result.exit_code == 1
    assert "✗ no-such-package: is missing\n  → pip install 'no-such-package>=1.0'" in result.stdout
    assert "✗ numpy" in result.stdout
    assert "✗ pyarrow (optional): Parquet needs it\n  → pip install 'askance[parquet]'" in result.stdout
    assert result.stdout.endswith("Broken: numpy, no-such-package.\n")


@pytest.mark.slow
def test_the_doctor_without_compiler():
    done = subprocess.run(
        [*PROGRAM, "doctor"], env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "self-test without compiler: float32 and float64 agree" in done.stdout
    assert done.stdout.endswith("Nothing essential is broken.\n")
