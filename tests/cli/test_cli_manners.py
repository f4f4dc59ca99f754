"""What people expect of every command: -h, --quiet, completion, tables that fit, and packages that are named."""

import io
import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from rich.console import Console

from askance import algorithms, datasets
from askance.cli import completion, options
from askance.cli.app import app
from askance.cli.contest.source import delimiter_of, open_typed
from askance.cli.every_command import ALWAYS_PRINT
from askance.cli.output import compiling, console
from askance.cli.output.markdown import narrowed, print_markdown
from askance.cli.output.progress import progress
from askance.experiments.papers import PAPERS
from command_line import answer, askance, complaint, mails, output, write_csv


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return mails(tmp_path_factory.mktemp("data") / "mails.csv", 300)


def commands(command=None, words=()):
    """The words of every command of the program."""
    if command is None:
        import typer.main

        command = typer.main.get_command(app)
    inside = getattr(command, "commands", {})
    yield words
    for name, each in inside.items():
        yield from commands(each, (*words, name))


ALL = list(commands())
LEAVES = [words for words in ALL if words and words not in {other[:-1] for other in ALL if other}]


# ---------------------------------------------------------------------- help


@pytest.mark.sampled(4)
@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_h_is_help_and_shows_no_value_of_options_without_one(words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    told = output(*words, "-h")
    assert "<bool>" not in told
    assert all(len(line) <= 80 for line in told.splitlines())
    options = re.findall(r"^│ +(--json|--quiet|--help|--install-completion)(?: +-\w)? +(\w+)", told, re.MULTILINE)
    assert "--help" in dict(options)
    assert all(word in ("Print", "Show", "Install") for _, word in options)
    assert ("--quiet" in told) == (words in LEAVES and words[-1] not in ALWAYS_PRINT)


# ---------------------------------------------------------------------- --quiet


def test_a_quiet_run_prints_nothing_and_does_the_same(data, tmp_path):
    output("run", data, "-a", "PAA-II", "--save", tmp_path / "loud")
    assert output("run", data, "-a", "PAA-II", "--save", tmp_path / "quiet", "--quiet") == ""
    assert output("evaluate", tmp_path / "quiet", data) == output("evaluate", tmp_path / "loud", data)
    assert output("run", data, "-a", "PAA-II") != ""  # the next command is as before


def test_data_that_were_asked_for_are_printed_quietly_too(data, tmp_path):
    model = tmp_path / "m"
    output("run", data, "-a", "PAA-II", "--save", model, "-q")
    assert answer("run", data, "-a", "PAA-II", "-q")["methods"][0]["rows"] == 300
    assert output("predict", model, data, "-q") == output("predict", model, data)
    assert output("predict", model, data, "-q", "--out", tmp_path / "p.csv") == ""
    assert (tmp_path / "p.csv").exists()


def test_errors_are_printed_quietly_too(data):
    assert "here it is called f" in complaint("run", data, "-a", "PAA-II", "--metric", "f1", "--quiet")


@pytest.mark.parametrize("quiet", [False, True])
def test_quiet_has_no_progress_bar_on_a_terminal_and_no_word_about_compiling(quiet, monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(console, "_quiet", quiet)
    with progress("mails") as report:
        report(1, 2, "")
    assert ("mails" in terminal.getvalue()) != quiet
    compiling._write("compiling")
    assert ("compiling" in terminal.getvalue()) != quiet


# ---------------------------------------------------------------------- completion


def completed(*words):
    """What a shell would be offered for the last of these words."""
    environment = {
        "_ASKANCE_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["askance", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        [sys.executable, "-m", "askance"], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_commands_options_and_names_are_completed():
    assert completed("ru") == ["run"]
    assert completed("run", "f.csv", "--met") == ["--metric"]
    assert completed("run", "f.csv", "-a", "PAA-I") == [
        "PAA-I",
        "PAA-II",
        "PAA-I-ada",
        "PAA-I(thm4)",
        "PAA-II(thm4)",
    ]


def test_the_names_are_those_of_the_library():
    assert completion.algorithm_names() == ["auto", *algorithms.catalog]
    assert completion.papers("") == list(PAPERS)
    assert completion.data_sets("") == list(datasets.REGISTER)
    assert completion.metrics("au") == ["auroc", "auprc"]
    assert completion.pool_strategies("co") == ["correcting", "co-testing", "co-testing-conservative", "core-set"]
    assert completion.opponents("random,fu") == ["random,full"]
    assert completion.opponents("")[:2] == ["random", "full"]


def test_completing_a_name_needs_none_of_the_slow_modules():
    program = (
        "import sys\n"
        "from askance.cli import app, completion\n"
        "completion.algorithms('P'), completion.metrics(''), completion.papers('')\n"
        "completion.pool_strategies('')\n"
        "print([name for name in ('numba', 'scipy', 'sklearn', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_the_script_for_bash_is_one():
    # Typer has no public way to name the shell where it can find out which one it runs in.
    named = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    command = [sys.executable, "-c", "from askance.cli import main; main()", "--show-completion", "bash"]
    script = subprocess.run(command, env=named, text=True, capture_output=True, check=True).stdout
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    assert "_ASKANCE_COMPLETE=complete_bash" in script


# ---------------------------------------------------------------------- tables


def wide_table(columns):
    heads = [f"data set {number}, 10 %" for number in range(columns)]
    rows = [["algorithm", *heads], [":---", *["---:"] * columns]]
    rows += [[name, *[f"**{number}.5 ± 1.25**" for number in range(columns)]] for name in ("PAA-II", r"a \| b")]
    return "\n".join(["**F in %**", "", *[f"| {' | '.join(row)} |" for row in rows], "", "A note."])


@pytest.mark.parametrize("columns", [1, 2, 12])
@pytest.mark.parametrize("width", [40, 80])
def test_tables_that_are_too_wide_become_several_with_every_cell(columns, width):
    terminal = Console(width=width, file=io.StringIO())
    print_markdown(terminal, wide_table(columns))
    told = terminal.file.getvalue()
    assert "…" not in told
    for number in range(columns):
        assert told.count(f"data set {number}, 10 %") == 1
        assert told.count(f" {number}.5 ± 1.25") == 2
    assert told.count("PAA-II") == told.count("a | b") == told.count("algorithm")
    assert told.count("A note.") == 1


def test_tables_that_fit_stay_as_they_are():
    assert narrowed(wide_table(2), 80).count("algorithm") == 1
    assert narrowed("no table\n\n- at all", 10) == "no table\n\n- at all"


@pytest.mark.slow
def test_a_comparison_fits_80_columns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    names = [f"customers-of-{city}" for city in ("oslo", "rome", "lima")]
    for name in names:
        write_csv(tmp_path / f"{name}.csv", rng.normal(size=(40, 2)), rng.integers(2, size=40))
    plan = {"data": [f"{name}.csv" for name in names], "algorithms": ["PAA-II"], "permutations": 2, "tuning": 1}
    (tmp_path / "plan.toml").write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in plan.items()))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    told = output("sweep", "plan.toml", "--backend", "sequential")
    assert "Left out: a plot needs matplotlib: pip install 'askance[plots]'" in told
    assert "…" not in told
    assert all(len(line) <= 80 for line in told.splitlines())
    assert all(told.count(f"{name}, ") >= 1 for name in names)


# ---------------------------------------------------------------------- what a file is


def test_a_delimiter_that_was_guessed_is_said(data, tmp_path):
    path = tmp_path / "semi.csv"
    few = data.read_text().splitlines()[:41]
    path.write_text("\n".join(few).replace(",", ";"))
    assert output("run", path, "-a", "PAA-II").startswith("semi.csv (cells separated by ';'): ")
    assert delimiter_of(open_typed(path, options.Reading(*[None] * 6, False, None))) == ";"
    assert output("run", path, "-a", "PAA-II", "--delimiter", ";").startswith("semi.csv: ")
    assert output("run", data, "-a", "PAA-II").startswith("mails.csv: ")
    assert answer("run", path, "-a", "PAA-II")["delimiter"] == ";"
    piped = output("run", "-", "-a", "PAA-II", stdin=path.read_bytes())
    assert piped.startswith("standard input (cells separated by ';'): ")


@pytest.mark.parametrize("words", [(), ("-a", "PAA-II"), ("-a", "MPAA-II")])
@pytest.mark.parametrize("rows", [40, 3000])
def test_numbers_to_predict_are_recognised(tmp_path, words, rows):
    rng = np.random.default_rng(0)
    path = write_csv(tmp_path / "prices.csv", rng.normal(size=(rows, 2)), rng.normal(size=rows).round(3))
    said = complaint("run", path, *words)
    assert " different labels (-" in said
    assert "as if the label was a number to predict (regression)" in said
    assert said.endswith("pass --regression to predict a number, or name the column of a class with --label")
    piped = complaint("run", "-", *words, stdin=path.read_bytes())
    assert "(regression)" in piped


def test_whole_numbers_to_predict_are_recognised(tmp_path):
    rng = np.random.default_rng(0)
    path = write_csv(tmp_path / "prices.csv", rng.normal(size=(500, 2)), rng.integers(10**6, size=500))
    said = complaint("run", path)
    assert "has more than 250 different labels" in said
    assert "as if the label was a number or an id: pass --regression to predict a number" in said


def test_a_few_classes_with_decimals_are_classes(tmp_path):
    path = write_csv(tmp_path / "sizes.csv", np.random.default_rng(0).normal(size=(30, 2)), [0.5, 1.0, 1.5] * 10)
    assert answer("run", path, "-a", "MPAA-II")["classes"] == [0.5, 1.0, 1.5]


# ---------------------------------------------------------------------- packages that are missing

NEEDED = [
    ("msgspec", ("push", "{data}", "--task", "a"), "askance[service]"),
    ("httpx", ("push", "{data}", "--task", "a"), "askance[service]"),
    ("httpx", ("pull", "l.csv", "--task", "a"), "askance[service]"),
    ("redis", ("connect", "redis", "--task", "a", "--items", "s"), "askance[redis]"),
    ("httpx", ("label", "--task", "a"), "askance[service]"),
    ("starlette", ("serve",), "askance[service]"),
    ("uvicorn", ("serve", "--demo"), "askance[service]"),
    ("joserfc", ("serve", "--oidc-issuer", "https://id.example"), "askance[oidc]"),
    ("psycopg", ("store", "check", "postgresql://me@localhost/there"), "askance[postgres]"),
    ("pyarrow", ("run", "{data}.parquet"), "askance[parquet]"),
    ("pyarrow", ("run", "{data}", "--trace", "t.parquet"), "askance[parquet]"),
    ("pyarrow", ("data", "info", "{data}.parquet"), "askance[parquet]"),
    ("pyarrow", ("pool", "{data}.parquet"), "askance[parquet]"),
    ("pyarrow", ("predict", "{model}", "{data}", "--out", "p.parquet"), "askance[parquet]"),
    ("pyarrow", ("evaluate", "{model}", "{data}.parquet"), "askance[parquet]"),
    ("pyarrow", ("ratings", "fit", "{data}.parquet", "--out", "m"), "askance[parquet]"),
    ("matplotlib", ("run", "{data}", "--plot", "p.png"), "askance[plots]"),
    ("matplotlib", ("demo", "--plot", "p.png"), "askance[plots]"),
    ("onnx", ("export", "{model}", "--to", "onnx", "--out", "m.onnx"), "askance[onnx]"),
    ("pooch", ("data", "fetch", "a8a"), "askance[datasets]"),
    ("distributed", ("sweep", "{plan}", "--backend", "dask"), "askance[dask]"),
    ("ray", ("sweep", "{plan}", "--backend", "ray"), "askance[ray]"),
    ("pyspark", ("sweep", "{plan}", "--backend", "spark"), "askance[spark]"),
]  # fmt: skip


@pytest.fixture(scope="module")
def places(data):
    """A model, a plan of a sweep, and a file with the name of a Parquet file."""
    model, plan = data.with_name("m.model"), data.with_name("plan.toml")
    output("run", data, "-a", "PAA-II", "--save", model)
    plan.write_text('data = ["mails.csv"]\nalgorithms = ["PAA-II"]\n')
    data.with_name("mails.csv.parquet").write_bytes(b"PAR1")
    return {"data": str(data), "model": str(model), "plan": str(plan)}


@pytest.mark.parametrize(("package", "words", "extra"), NEEDED)
def test_a_missing_package_is_named_with_the_extra_that_brings_it(
    places, package, words, extra, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "askance.service.store.postgres", raising=False)  # imports its package once
    said = complaint(*(word.format_map(places) for word in words))
    assert said.endswith(f"needs {package}: pip install '{extra}'")


def test_every_extra_has_a_command_that_names_it():
    """Notebooks and scikit-activeml have no command, and workbooks need a service: see their tests."""
    elsewhere = {"all", "notebook", "activeml", "excel"}
    assert {extra.partition("[")[2].rstrip("]") for *_, extra in NEEDED} == extras() - elsewhere


def extras():
    import tomllib

    from paths import ROOT

    return set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])


def test_wrong_words_on_the_command_line_say_where_help_is():
    result = askance("run", "--nonsense")
    assert result.exit_code == 2
    assert "see askance run --help" in result.stderr
