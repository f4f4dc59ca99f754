"""`askance demo`: an honest story."""

import errno
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import askance
from askance.cli.commands.demo import work
from askance.cli.commands.demo.command import TYPICAL_SEED
from askance.cli.output.compiling import AT_EVERY_START, LINE, compilation_announced
from askance.jit import interop
from askance.jit.interop import cache_place, compiled
from command_line import answer, complaint, output, without_compiling

# The forest and the linear models are too slow without machine code.
pytestmark = pytest.mark.compiled
PACKAGE = pathlib.Path(askance.__file__).parent


def accuracies(random_state):
    line_up = work.line_up_for(*work.tumours(random_state), random_state)
    line_up.run(lambda *progress: None)
    return [contestant.recorder.tally.value("accuracy") for contestant in line_up.contestants]


def test_the_story_fits_a_narrow_terminal():
    told = output("demo")
    assert all(len(line) <= 80 for line in told.splitlines())
    assert "569 breast tumours" in told
    assert "of 569 labels were saved" in told
    assert "█" in told
    assert f"askance run tumours.csv --rate 0.1 --against random,full --seed {TYPICAL_SEED}" in told
    flowing = " ".join(told.split())
    assert "auto takes the measurements as they are" in flowing
    shown = answer("demo")
    assert shown["sentence"] in flowing
    assert [method["name"] for method in shown["methods"]] == ["auto", "random", "full"]


def test_few_labels_do_nearly_as_well_as_all_and_better_than_random_ones():
    told = answer("demo")
    active, random, full = told["methods"]
    assert active["asked"] <= 30 + 0.1 * 569
    assert abs(random["asked"] - active["asked"]) <= 10
    assert (active["rate"], random["rate"], random["audit"]) == (0.1, 0.1, 1)
    assert full["asked"] == 569
    accuracy = [method["metrics"]["accuracy"] for method in told["methods"]]
    assert accuracy[1] < accuracy[0] < accuracy[2] < accuracy[0] + 0.01


@pytest.mark.soak
def test_the_fixed_seed_is_a_typical_one():
    low, high = np.quantile([accuracies(random_state) for random_state in range(60)], [0.25, 0.75], axis=0)
    assert (low <= accuracies(TYPICAL_SEED)).all()
    assert (accuracies(TYPICAL_SEED) <= high).all()


def test_the_data_can_be_kept_and_run(tmp_path):
    data, picture = tmp_path / "tumours.csv", tmp_path / "demo.svg"
    told = output("demo", "--data", data, "--plot", picture)
    assert f"askance run {data}" in told
    assert b"<svg" in picture.read_bytes()
    shown = answer("demo")["methods"]
    again = answer("run", data, "--rate", 0.1, "--against", "random,full", "--seed", TYPICAL_SEED)
    assert [method["metrics"] for method in again["methods"]] == [method["metrics"] for method in shown]
    assert {column["kind"] for column in again["columns"]} == {"number"}
    assert sorted(file.name for file in tmp_path.iterdir()) == ["demo.svg", "tumours.csv"]


def test_the_tumours_are_those_of_scikit_learn():
    bunch = load_breast_cancer()
    X, is_benign = work._measured()
    assert np.array_equal(X, bunch.data)
    assert np.array_equal(is_benign, bunch.target_names[bunch.target] == "benign")
    assert bunch.feature_names.tolist() == work.COLUMNS
    shuffled, labels = work.tumours(3)
    assert {(*row, label) for row, label in zip(shuffled.tolist(), labels, strict=True)} == {
        (*row, "benign" if benign else "malignant") for row, benign in zip(X.tolist(), is_benign, strict=True)
    }


@pytest.mark.slow
def test_slow_imports_are_left_out(tmp_path):
    """What takes most of a second to import and is of no use here; a second call would find it imported."""
    code = """if True:
        import sys
        from askance.cli import main
        sys.argv = ["askance", *sys.argv[1:]]
        try:
            main()
        finally:
            slow = {"sklearn", "scipy.stats", "scipy.optimize", "pandas", "joblib", "matplotlib"}
            slow |= {"numpy.f2py.crackfortran", "yaml.loader", "askance.theory", "askance.fleet"}
            print(sorted(slow & set(sys.modules)), "rich" in sys.modules, file=sys.stderr)
    """
    data, model = tmp_path / "tumours.csv", tmp_path / "tumours.model"
    work._write_csv(data, *work.tumours(1))
    run = ["run", str(data)]
    for words, rich in (
        (["demo"], True),
        (run, True),
        ([*run, "--against", "random,full,PAA-II", "--json"], True),
        ([*run, "-a", "PAA-II", "--rate", "0.2", "--save", str(model)], True),
        (["--version"], False),
    ):
        done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
        assert without_compiling(done.stderr) == f"[] {rich}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "duration"),
    [
        (["demo", "--json"], "about half a minute"),
        (["run", "tumours.csv", "-a", "PAA-II", "--json"], "some seconds"),
    ],
)
def test_compiling_is_told_once(tmp_path, words, duration):
    """On stderr, before the work, with nothing in the cache; with all of it there, nothing is told."""
    work._write_csv(tmp_path / "tumours.csv", *work.tumours(1))
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "askance", *words]
    cold, warm = (
        subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path)
        for _ in range(2)
    )
    assert cold.stderr == (
        f"askance: compiling for this machine, which takes {duration}. Later runs start at once.\n"
    )
    assert warm.stderr == ""
    methods = [json.loads(done.stdout)["methods"] for done in (cold, warm)]
    assert methods[0] == methods[1]


@pytest.mark.slow
def test_compiled_code_that_cannot_be_kept_is_reported_once(tmp_path):
    """In a read-only home and installation: here, files stand where the folders would be made."""
    package = shutil.copytree(PACKAGE, tmp_path / "askance", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (package, *package.rglob("*/")):
        (folder / "__pycache__").touch()
    file = tmp_path / "file"
    file.touch()
    work._write_csv(tmp_path / "tumours.csv", *work.tumours(1))
    nowhere = {"PYTHONPATH": tmp_path, "HOME": file, "XDG_CACHE_HOME": file, "NUMBA_CACHE_DIR": file / "below"}
    environment = os.environ | {name: str(place) for name, place in nowhere.items()}
    command = [sys.executable, "-m", "askance", "run", "tumours.csv", "-a", "PAA-II", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path)
    assert json.loads(done.stdout)["methods"]
    line = AT_EVERY_START.format(duration="some seconds", trouble="no directory is writable")
    assert done.stderr == f"{line}\n"


def test_a_folder_that_takes_no_files_is_reported(monkeypatch):
    def full(**_):
        raise OSError(errno.ENOSPC, "No space left on device")

    assert cache_place().trouble is None
    monkeypatch.setattr(interop, "TemporaryFile", full)
    folder, trouble = cache_place()
    assert trouble == f"{folder}: No space left on device"
    told = io.StringIO()
    monkeypatch.setattr(sys, "stderr", told)
    with compilation_announced("a moment"):
        compiled(lambda a: a + 2, exact=True, cache=False)(1)
    assert told.getvalue() == f"{AT_EVERY_START.format(duration='a moment', trouble=trouble)}\n"


def test_the_line_about_compiling_goes_through_what_stands_for_stderr(monkeypatch):
    """A progress bar replaces stderr to keep lines above itself, and has the buffer of the original."""
    replaced = io.StringIO()
    replaced.buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", replaced)
    with compilation_announced("a moment"):
        compiled(lambda a: a + 1, exact=True, cache=False)(1)
    assert replaced.getvalue() == f"{LINE.format(duration='a moment')}\n"
    assert replaced.buffer.getvalue() == b""


def test_mistakes():
    assert complaint("demo", "--plot", "demo.gif").startswith("--plot demo.gif: the name must end in .png")
    assert complaint("demo", "--data", "d.txt").startswith("--data d.txt: the name must end in .csv")
    assert complaint("demo", "--seed", "-1").startswith("Invalid value for '--seed'")
