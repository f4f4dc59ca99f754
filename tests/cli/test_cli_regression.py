"""`askance run --regression` and `askance predict` with its model."""

import csv
import json
import pathlib
from typing import Any

import numpy as np
import pytest

import askance
from askance import StreamRegressor, regression
from command_line import answer, complaint, output

CITIES = {"Rome": 0.0, "Oslo": 300.0, "Lima": -200.0}


@pytest.fixture
def prices(tmp_path: pathlib.Path) -> pathlib.Path:
    random = np.random.default_rng(0)
    lines: list[list[Any]] = [["area", "city", "notes", "price"]]
    for row in range(500):
        area, city = random.gamma(5, 20), random.choice(list(CITIES))
        price = 20 * area + CITIES[city] + 50 * random.normal()
        lines.append([round(area, 1), city, f"flat {row} with a view of tower {row}", round(price, 2)])
    path = tmp_path / "prices.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(lines)
    return path


def test_a_report(prices: pathlib.Path) -> None:
    said = output("run", prices, "--label", "price", "--regression", "--rate", "0.2", "--against", "random,full")
    assert said.startswith("prices.csv: 500 rows, price from ")
    assert "Columns: 1 number, 1 category." in said
    assert "AROW asked for" in said
    assert "with 95 % confidence" in " ".join(said.split())
    assert "asking at random" in said
    assert "texts and categories of many levels: notes." in " ".join(said.split())


def test_the_figures_are_those_of_the_library(prices: pathlib.Path) -> None:
    words = ("run", prices, "--label", "price", "--regression", "--drop", "notes", "--seed", "3", "--limit", "60")
    found = answer(*words, "-a", "PA-II", "--param", "C=0.5")
    chunks = list(askance.data.read_table(prices, label="price", drop=["notes"]))
    model = StreamRegressor(regression.PA2Regression(C=0.5), limit=60, random_state=3)
    trace = model.run(np.concatenate([chunk.X for chunk in chunks]), np.concatenate([chunk.y for chunk in chunks]))
    (method,) = found["methods"]
    assert method["errors"] == trace.errors()._asdict()
    assert method["asked"] == 60
    assert method["estimates"] == json.loads(json.dumps(trace.summary().as_dict()["estimates"]))
    assert found["target"]["name"] == "price"
    assert [column["name"] for column in found["columns"]] == ["area", "city"]
    assert any("rows could not be asked about" in note for note in found["notes"])


def test_prices_of_a_spreadsheet(prices: pathlib.Path, tmp_path: pathlib.Path) -> None:
    german = tmp_path / "preise.csv"
    with prices.open() as file, german.open("w", newline="") as other:
        writer = csv.writer(other, delimiter=";")
        for area, city, notes, price in csv.reader(file):
            row = (area, price)
            if area != "area":
                row = tuple(f"{float(cell):,.2f}".translate(str.maketrans(",.", ".,")) for cell in row)
            writer.writerow([row[0], city, notes, f"{row[1]} €" if area != "area" else price])
    words = ("--label", "price", "--regression", "--rate", "0.2")
    assert figures(answer("run", german, *words)) == figures(answer("run", prices, *words))
    german.write_text("area;price\n1;2,5\n2;cheap\n3;1,5\n")
    assert "has labels such as" in complaint("run", german, *words)


def figures(said: dict[str, Any]) -> list[dict[str, Any]]:
    return [{name: value for name, value in method.items() if name != "seconds"} for method in said["methods"]]


def test_a_model_predicts_the_next_file(prices: pathlib.Path, tmp_path: pathlib.Path) -> None:
    model, out = tmp_path / "price.model", tmp_path / "predicted.csv"
    output("run", prices, "--label", "price", "--regression", "--rate", "1", "--save", model)
    said = output("predict", model, prices, "--out", out, "--keep", "price")
    assert "500 rows, predicted" in said
    with out.open() as file:
        rows = list(csv.DictReader(file))
    errors = [abs(float(row["price"]) - float(row["prediction"])) for row in rows]
    assert np.mean(errors) < 150
    np.testing.assert_allclose(
        askance.load(model).predict(prices), [float(row["prediction"]) for row in rows], rtol=1e-6
    )
    assert output("predict", model, prices).startswith("row,prediction")
    assert answer("predict", model, prices, "--out", out)["rows"] == 500
    for words in (("evaluate", model, prices), ("run", prices, "--label", "price", "--resume", model)):
        assert "holds a StreamRegressor, which does not predict classes" in complaint(*words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--label", "city", "--regression"], "has labels such as"),
        (["--label", "price", "--regression", "--burst", "3"], "--burst is for classes"),
        (["--label", "price", "--regression", "--metric", "f"], "--metric is for classes"),
        (["--label", "price", "--regression", "-a", "PAA-II"], "choose one of AROW, AROW-diag"),
        (["--label", "price", "--regression", "--param", "D=1"], "AROW has r, full, inverse"),
        (["--label", "price", "--regression", "--against", "PE"], "give random, full or one of"),
        (["--label", "price", "--regression", "--param", "r=-1"], "r must be"),
        (["--label", "price"], "pass --regression to predict a number"),
    ],
)
def test_what_is_refused(prices: pathlib.Path, words: list[str], message: str) -> None:
    assert message in complaint("run", prices, *words)


def test_a_number_that_is_always_the_same(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "same.csv"
    path.write_text("area,price\n" + "".join(f"{area % 7},100\n" for area in range(90)))
    said = complaint("run", path, "--label", "price", "--regression", "--save", tmp_path / "m")
    assert said == f"{path} has only one value to predict, 100: there is nothing to learn"
    assert list(tmp_path.iterdir()) == [path]


def test_labels_in_another_table_that_do_not_match_are_counted(tmp_path: pathlib.Path) -> None:
    (tmp_path / "flats.csv").write_text("id,size\n" + "".join(f"f{row},{row * 7 % 40}\n" for row in range(80)))
    prices = "".join(f"f{row},{row * 7 % 40 + 0.5}\n" for row in range(60)) + "f999,3\n"
    (tmp_path / "prices.csv").write_text("id,price\n" + prices)
    words = ("--labels", tmp_path / "prices.csv", "--id", "id", "--label", "price", "--regression")
    told = answer("run", tmp_path / "flats.csv", *words)
    note = "Rows without a label in prices.csv, which were left out: 20. Labels there without a row: 1."
    assert note in told["notes"]


def test_a_column_of_numbers_with_a_dash(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "dashes.csv"
    lines = [f"{'-' if row % 10 == 3 else row % 7},{row % 7 + row % 3}" for row in range(90)]
    path.write_text("\n".join(["area,price", *lines]))
    words = ("run", path, "--label", "price", "--regression")
    assert answer(*words)["notes"][0] == (
        "Not read as numbers, though most of their first values are: area (90 %, but also '-'). "
        "With --number area, others count as missing."
    )
    assert not any("Not read" in note for note in answer(*words, "--number", "area")["notes"])


def test_a_pipe(prices: pathlib.Path) -> None:
    words = ("run", "-", "--label", "price", "--regression", "--format", "csv")
    assert "give --drop notes" in complaint(*words, stdin=prices.read_bytes())
    assert "AROW asked for" in output(*words, "--drop", "notes", stdin=prices.read_bytes())
