"""The trace of a pass: class values, summary, joining, tables and files."""

import dataclasses
import itertools
import json
import pathlib
import sys
from typing import Any

import numpy as np
import polars
import pytest
from matplotlib.figure import Figure
from PIL import Image
from pyarrow import parquet
from sklearn import metrics as judge

from askance.errors import ParameterError
from askance.learners.trace import PER_ROUND, Trace

CLASSES = [[3, 7], ["ham", "spam"], [False, True], [-0.5, 2.5]]


def make_trace(rows: int = 500, classes: Any = (0, 1), unknown: float = 0.0, **changes: Any) -> Trace:
    rng = np.random.default_rng(rows)
    guesses, truth = rng.choice(np.array([-1, 1], dtype=np.int8), (2, rows))
    truth[rng.random(rows) < unknown] = 0
    asked = rng.random(rows) < 0.3
    trace = Trace(
        true_codes=truth,
        predicted_codes=guesses,
        scores=guesses * rng.random(rows),
        ask_probabilities=rng.random(rows),
        asked=asked,
        updated=asked & (rng.random(rows) < 0.5),
        classes=np.array(classes),
        first_round=0,
        mode="float64 exact",
        algorithm="PAA-II",
        spent=int(asked.sum()),
        refused=2,
    )
    return dataclasses.replace(trace, **changes)


def pieces_of(trace: Trace, *edges: int) -> list[Trace]:
    """The trace cut at the edges; the budget's figures stand in the first piece."""
    bounds = [0, *edges, len(trace)]
    return [
        dataclasses.replace(
            trace,
            **{name: getattr(trace, name)[start:end] for name in PER_ROUND},
            first_round=trace.first_round + start,
            spent=int(trace.asked[start:end].sum()),
            refused=0 if start else trace.refused,
        )
        for start, end in itertools.pairwise(bounds)
    ]


@pytest.mark.parametrize("classes", CLASSES)
def test_labels_and_y_are_class_values(classes: list[Any]) -> None:
    trace = make_trace(classes=classes)
    assert trace.predictions.tolist() == [classes[(sign + 1) // 2] for sign in trace.predicted_codes.tolist()]
    assert trace.y.tolist() == [classes[(sign + 1) // 2] for sign in trace.true_codes.tolist()]
    assert trace.predictions.dtype == trace.y.dtype == trace.classes.dtype


@pytest.mark.parametrize("classes", CLASSES)
def test_unknown_labels_are_none(classes: list[Any]) -> None:
    trace = make_trace(classes=classes, unknown=0.5)
    expected = [classes[(sign + 1) // 2] if sign else None for sign in trace.true_codes.tolist()]
    assert trace.y.tolist() == expected


def test_length_and_repr_of_one_line() -> None:
    trace = make_trace(40)
    assert len(trace) == 40
    asked = np.count_nonzero(trace.asked)
    assert repr(trace) == f"<Trace: PAA-II, float64 exact, 40 rounds, {asked} labels asked>"
    assert "40 rounds from round 9," in repr(dataclasses.replace(trace, first_round=9))


def test_arrays_of_different_length_and_odd_classes_are_refused() -> None:
    with pytest.raises(ValueError, match="must have the same length"):
        make_trace(asked=np.zeros(3, dtype=bool))
    with pytest.raises(ValueError, match="two classes, not 3"):
        make_trace(classes=[1, 2, 3])


def test_summary_counts() -> None:
    trace = make_trace(unknown=0.2)
    summary = trace.summary()
    known = trace.true_codes != 0
    wrong = known & (trace.true_codes != trace.predicted_codes)
    assert set(summary.as_dict()) == {field.name for field in dataclasses.fields(summary)}
    assert (summary.rows, summary.known, summary.refused) == (500, known.sum(), 2)
    assert (summary.asked, summary.updates) == (trace.asked.sum(), trace.updated.sum())
    assert (summary.mistakes, summary.accuracy) == (wrong.sum(), (known & ~wrong).sum() / known.sum())
    assert json.loads(json.dumps(summary.as_dict())) == summary.as_dict()


def test_summary_reads_as_a_table() -> None:
    signs = np.array([1, 1, -1, -1], dtype=np.int8)
    trace = make_trace(
        4,
        true_codes=np.array([1, -1, -1, 0], dtype=np.int8),
        predicted_codes=signs,
        scores=np.array([1.0, 2.0, -1.0, -2.0]),
        asked=signs > 0,
        updated=np.array([True, False, False, False]),
        ask_probabilities=np.array([1.0, 1.0, 0.0, 0.0]),  # a budget of two labels
    )
    assert repr(trace.summary()).splitlines() == [
        "PAA-II (float64 exact), positive class 1",
        "rows               4",
        "labels asked       2  50.00% of the rows",
        "refused            2",
        "updates            1",
        "mistakes           1  among 3 rows with a known label",
        "                      from asked labels",
        "accuracy      0.6667  0.5000 (0.5000 to 0.5000)",
        "precision     0.5000  cannot tell yet",
        "recall        1.0000  cannot tell yet",
        "F             0.6667  cannot tell yet",
        "AUROC         0.5000  cannot tell yet",
        "AUPRC         0.2500  cannot tell yet",
        "2 rows could not be asked for: the estimate is of the others.",
    ]
    assert "2 rows could not be asked for" in trace.summary()._repr_html_()
    note = "2 rows could not be asked for: the estimate is of the others."
    assert str(trace.estimate("accuracy")) == f"0.5000 (0.5000 to 0.5000). {note}"


def test_the_rarer_class_is_positive_unless_another_one_is_named() -> None:
    rng = np.random.default_rng(0)
    truth = np.where(rng.random(500) < 0.9, 1, -1).astype(np.int8)
    trace = make_trace(classes=["fraud", "ok"], true_codes=truth)
    guesses, y = trace.predictions, trace.y
    assert trace.summary().positive == trace.positive_class() == "fraud"
    assert "positive class 'fraud'" in repr(trace.summary())
    for positive, given in (("fraud", None), ("fraud", "fraud"), ("ok", "ok")):
        expected = judge.f1_score(y, guesses, pos_label=positive)
        assert trace.summary(given).f == trace.tally(given).value("f") == pytest.approx(expected)
        assert trace.curve("f", positive=given).values[-1] == trace.summary(given).f
        assert trace.estimate("recall", positive=given) == trace.asked_tally(given).estimate("recall")
    assert trace.summary("ok").auroc == pytest.approx(trace.summary("fraud").auroc)
    assert trace.estimate("f", positive="ok") != trace.estimate("f", positive="fraud")
    with pytest.raises(ParameterError, match="positive must be one of 'fraud', 'ok', not 'fruad'"):
        trace.tally("fruad")
    many = dataclasses.replace(trace, classes=np.arange(3), kind="multiclass")
    assert many.positive_class() is None
    with pytest.raises(ValueError, match="positive=2 has no effect for more than two classes"):
        many.summary(2)


def test_summary_of_no_rounds() -> None:
    assert "accuracy         nan" in repr(make_trace(0).summary()).splitlines()


@pytest.mark.parametrize("metric", ["accuracy", "precision", "recall", "f", "auroc", "auprc", "mistakes"])
def test_a_curve_ends_at_the_summary(metric: str) -> None:
    trace = make_trace(777, unknown=0.1)
    curve, summary = trace.curve(metric, points=50), trace.summary().as_dict()
    assert len(curve.rows) <= 50
    assert (curve.rows[-1], curve.labels[-1]) == (summary["rows"], summary["asked"])
    assert curve.values[-1] == summary[metric]


def test_joined_pieces_are_the_whole() -> None:
    whole = make_trace(100, first_round=30)
    joined = Trace.join(pieces_of(whole, 10, 10, 77))
    for field in dataclasses.fields(Trace):
        np.testing.assert_array_equal(getattr(joined, field.name), getattr(whole, field.name))


def test_pieces_that_do_not_belong_together_are_refused() -> None:
    first, second, third = pieces_of(make_trace(90), 30, 60)
    with pytest.raises(ValueError, match="expected round 30, got 60"):
        Trace.join([first, third])
    with pytest.raises(ValueError, match="expected round 60, got 0"):
        Trace.join([second, first])
    for name, value in {"mode": "float32 relaxed", "algorithm": "PA"}.items():
        with pytest.raises(ValueError, match=f"the same {name}"):
            Trace.join([first, dataclasses.replace(second, **{name: value})])
    with pytest.raises(ValueError, match="no trace"):
        Trace.join([])


def test_the_last_piece_knows_the_classes_best() -> None:
    first, second = pieces_of(make_trace(60, classes=(0, 1)), 30)
    presumed = dataclasses.replace(first, classes=np.array([-1, 1]))
    assert Trace.join([presumed, second]).classes.tolist() == [0, 1]


@pytest.mark.parametrize("unknown", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("classes", CLASSES)
def test_parquet_holds_the_trace(tmp_path: pathlib.Path, classes: list[Any], unknown: float) -> None:
    trace = make_trace(60, classes, unknown, first_round=5)
    trace.save(tmp_path / "trace.parquet")
    table = parquet.read_table(tmp_path / "trace.parquet")
    assert table.to_pydict() == {name: column.tolist() for name, column in trace.to_dict().items()}
    assert table.column_names == ["round", "prediction", "y", "score", "ask_probability", "asked", "updated"]
    assert table["round"].to_pylist() == list(range(5, 65))
    assert table["y"].type == table["prediction"].type
    assert json.loads(table.schema.metadata[b"askance"]) == {
        "algorithm": "PAA-II",
        "mode": "float64 exact",
        "kind": "binary",
        "widest": 1.0,
        "classes": classes,
        "spent": trace.spent,
        "refused": 2,
    }


def test_other_readers_take_the_file(tmp_path: pathlib.Path) -> None:
    trace = make_trace(20, ["ham", "spam"], 0.5)
    trace.save(tmp_path / "trace.parquet")
    frame = polars.read_parquet(tmp_path / "trace.parquet")
    assert frame["y"].to_list() == trace.y.tolist()
    assert frame["asked"].to_list() == trace.asked.tolist()


def test_save_says_what_it_writes(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match=r"end in \.parquet, not .*trace\.csv"):
        make_trace().save(tmp_path / "trace.csv")


def test_missing_pyarrow_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"^Parquet needs pyarrow: pip install 'askance\[parquet\]'$"):
        make_trace().save(tmp_path / "trace.parquet")


@pytest.mark.parametrize("against", ["rows", "labels"])
def test_plot_draws_the_curve(against: str, tmp_path: pathlib.Path) -> None:
    trace = make_trace()
    curve = trace.curve("f")
    (line,) = trace.plot("f", against, tmp_path / "picture.png").lines
    np.testing.assert_array_equal(line.get_xdata(), getattr(curve, against))
    np.testing.assert_array_equal(line.get_ydata(), curve.values)
    with Image.open(tmp_path / "picture.png") as image:
        assert image.format == "PNG"


def test_traces_share_given_axes_in_different_colours(tmp_path: pathlib.Path) -> None:
    one, other = make_trace(300), make_trace(400, algorithm="RPA-II")
    ax = Figure(figsize=(4, 3), dpi=100).subplots()
    assert one.plot(ax=ax) is ax
    other.plot(ax=ax, path=tmp_path / "picture.png")
    for line, trace in zip(ax.lines, (one, other), strict=True):
        assert line.get_label() == trace.algorithm
        np.testing.assert_array_equal(line.get_ydata(), trace.curve().values)
    assert ax.lines[0].get_color() != ax.lines[1].get_color()
    with Image.open(tmp_path / "picture.png") as image:
        assert image.size == (400, 300)
