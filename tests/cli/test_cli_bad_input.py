"""What newcomers have tried: each mistake gets one line that says what to do, or is understood."""

import errno
import json
import sys
from types import ModuleType

import pytest

from askance import cli
from askance.cli.commands.run import work
from command_line import answer, askance, complaint, mails, output, saved_model


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return mails(tmp_path_factory.mktemp("data") / "mails.csv", 120)


@pytest.fixture(scope="module")
def model(data):
    return saved_model(data)


def without_file(told):
    return {key: value for key, value in told.items() if key not in ("file", "delimiter", "seconds")}


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_other_delimiters_are_found(data, model, tmp_path, delimiter):
    path = tmp_path / "semi.csv"
    path.write_text(data.read_text().replace(",", delimiter))
    told = answer("run", path, "-a", "PAA-II")
    assert without_file(told) == without_file(answer("run", data, "-a", "PAA-II"))
    assert output("predict", model, path) == output("predict", model, data)
    assert answer("evaluate", model, path)["metrics"] == answer("evaluate", model, data)["metrics"]


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "^"])
def test_a_first_line_of_excel_names_the_delimiter(data, model, tmp_path, delimiter):
    path, text = tmp_path / "excel.csv", data.read_text().replace(",", delimiter)
    for start in (f"sep={delimiter}\n", f'\ufeff"SEP={delimiter}"\r\n'):
        path.write_text(start + text)
        assert without_file(answer("run", path, "-a", "PAA-II")) == without_file(
            answer("run", data, "-a", "PAA-II")
        )
        assert output("predict", model, path) == output("predict", model, data)
        assert output("predict", model, "-", "--format", "csv", stdin=path.read_bytes()) == output(
            "predict", model, data
        )


def test_a_delimiter_of_two_characters(data, model):
    said = "--delimiter ';;': give one character, such as ';'"
    assert complaint("run", data, "-a", "PAA-II", "--delimiter", ";;") == said
    assert complaint("run", data, "--delimiter", ";;") == said
    assert complaint("predict", model, data, "--delimiter", ";;") == said


def test_a_column_that_the_resumed_model_reads_already(data, model):
    said = complaint("run", data, "--resume", model, "--number", "x0")
    assert said == "--resume reads columns as the model has read them before: remove --number"


def test_a_table_with_the_name_of_a_text(data, model, tmp_path):
    path = tmp_path / "data.txt"
    path.write_text(data.read_text())
    told = answer("run", path, "-a", "PAA-II")
    assert without_file(told) == without_file(answer("run", data, "-a", "PAA-II"))
    assert output("predict", model, path) == output("predict", model, data)


@pytest.mark.parametrize("command", ["run", "predict", "evaluate"])
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "x.xlsx",
            b"PK\x03\x04...",
            "x.xlsx: is not an XLSX workbook, or is damaged: save it again, or save it as CSV",
        ),
        (
            "x.json",
            b'[{"x0": 1}]',
            "x.json: is an array of JSON: write one object per line, for example with jq -c",
        ),
        (
            "x.dat",
            b"hello",
            "x.dat: unrecognised file extension: pass --format one of 'csv', 'jsonl', 'nbib', 'npz'",
        ),
    ],
)
def test_files_that_cannot_be_read(model, tmp_path, command, name, content, said):
    (tmp_path / name).write_bytes(content)
    words = ["run", tmp_path / name] if command == "run" else [command, model, tmp_path / name]
    assert said in complaint(*words)


def test_objects_one_per_line_may_have_the_name_json(model, data, tmp_path):
    path = tmp_path / "x.json"
    names, *lines = [line.split(",") for line in data.read_text().splitlines()]
    path.write_text("\n".join(json.dumps(dict(zip(names, line, strict=True))) for line in lines))
    assert output("predict", model, path) == output("predict", model, data)


def test_a_word_far_down_a_column_of_numbers_says_which_option_helps(tmp_path):
    rows = [f"{number % 50},{'ab'[number % 2]}" for number in range(1200)]
    rows[1100] = "old,a"
    path = tmp_path / "ages.csv"
    path.write_text("\n".join(["age,label", *rows]))
    said = complaint("run", path, "-a", "PAA-II")
    assert "line 1102, column 'age': 'old' is not a number" in said
    assert said.endswith("fix it, or make the column categorical with --category")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--metric", "f1"], "there is no metric 'f1': here it is called f"),
        (["--metric", "AUC"], "there is no metric 'AUC': here it is called auroc"),
        (["--metric", "average-precision"], "there is no metric 'average-precision': here it is called auprc"),
        (["--rate", "10%"], "'--rate': '10%' is not a share: for 10 percent, write 0.1"),
        (["--rate", "2.5 %"], "'2.5 %' is not a share: for 2.5 percent, write 0.025"),
        (["--rate", "few"], "'few' is not a share: give a number such as 0.1"),
    ],
)  # fmt: skip
def test_near_misses_are_understood(data, words, said):
    assert said in complaint("run", data, "-a", "PAA-II", *words)


def test_near_misses_of_other_commands(data, tmp_path):
    assert "for 20 percent, write 0.2" in complaint(
        "ratings", "fit", data, "--out", tmp_path / "m", "--test", "20%"
    )
    plan = tmp_path / "plan.toml"
    plan.write_text(f'data = ["{data}"]\nalgorithms = ["PAA-II"]\nmetric = "f1"\n')
    assert complaint("sweep", plan, "--backend", "sequential") == "there is no metric 'f1': here it is called f"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--save", "{tmp}/a.parquet", "--trace", "{tmp}/b/../a.parquet"], "--trace {tmp}/b/../a.parquet: is the"),
        (["--labels-out", "{tmp}/a.parquet", "--trace", "{tmp}/a.parquet"], "is the same file as --trace"),
        (
            ["--labels-out", "{tmp}/a.csv", "--save", "{tmp}/a.card.md"],
            "the data card of --labels-out {tmp}/a.card",
        ),
    ],
)
def test_two_outputs_have_two_files(data, tmp_path, words, said):
    (tmp_path / "b").mkdir()
    found = complaint("run", data, "-a", "PAA-II", *(word.format(tmp=tmp_path) for word in words))
    assert said.format(tmp=tmp_path) in found
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_the_results_are_printed_though_the_disk_is_full(data, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(work, "_save", fail)
    path = tmp_path / "m.model"
    result = askance("run", data, "-a", "PAA-II", "--save", path)
    assert result.exit_code == 2
    assert "PAA-II asked for" in result.stdout
    assert "Wrote" not in result.stdout
    assert result.stderr == f"askance: {path}: No space left on device\n"
    assert not list(tmp_path.iterdir())
    said = askance("run", data, "-a", "PAA-II", "--save", path, "--json")
    assert json.loads(said.stdout)["written"] == {}
    assert said.exit_code == 2


def test_ctrl_c_while_modules_are_imported(monkeypatch, capsys):
    class Unfinished(ModuleType):
        def __getattr__(self, name):
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "askance.cli.app", Unfinished("askance.cli.app"))
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "askance: interrupted\n"


def test_a_pool_is_no_pipe(data):
    said = complaint("pool", "-", stdin=data.read_bytes())
    assert said == "a pool is read more than once, but a pipe can be read only once: save it to a file"


def test_a_model_is_continued_with_rows_of_the_same_meaning(tmp_path):
    """A forgotten --text gave no error: the model went on with other features."""
    path, model = tmp_path / "d.csv", tmp_path / "m"
    path.write_text("body,n,label\n" + "buy now,1,spam\nsee you,2,ham\n" * 20)
    output("run", path, "-a", "PAA-II", "--text", "body", "--save", model)
    assert answer("run", path, "--text", "body", "--resume", model)["methods"][0]["rows"] == 40
    said = complaint("run", path, "--resume", model)
    assert said.startswith("d would be read in another way than the file that ")
    assert said.endswith("has learned from (text, features, numeric): give the same options as then")
    svm, rows = tmp_path / "d.svm", tmp_path / "rows"
    svm.write_text("1 0:1\n-1 1:1\n" * 20)
    output("run", svm, "-a", "PAA-II", "--zero-based", "--save", rows)
    svm.write_text("1 1:1\n-1 2:1\n" * 20)
    assert "(zero_based)" in complaint("run", svm, "--resume", rows)
