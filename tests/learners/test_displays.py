"""What a notebook shows: learners, traces, summaries, fleets and the catalog as tables, plots as pictures."""

import re

import numpy as np
import pytest

import askance
from askance._util.html import html_line, html_table
from askance.learners.trace import Summary

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def trace():
    X = np.random.default_rng(0).normal(size=(120, 2))
    return askance.make("PAA-II").run(X, np.where(X[:, 0] > 1, "fraud", "ok"))


def cells(html):
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in rows]


def test_a_plot_is_a_picture_in_a_notebook(trace):
    """Axes of a figure that pyplot does not know were shown as text."""
    ax = trace.plot("f")
    assert ax._repr_png_().startswith(PNG)
    assert ax.figure._repr_png_() == ax._repr_png_()
    before = ax._repr_png_()
    trace.plot("accuracy", ax=ax)
    assert ax._repr_png_() != before


def test_plots_leave_nothing_behind_in_pyplot(trace):
    from matplotlib import pyplot

    trace.plot()
    assert pyplot.get_fignums() == []


def test_a_trace_shows_the_figures_of_its_summary(trace):
    summary = trace.summary()
    shown = {row[0]: row[1:] for row in cells(trace._repr_html_())}
    assert shown["rows"] == ["120", ""]
    assert shown["labels asked"][0] == str(summary.asked)
    assert shown["accuracy"] == [f"{summary.accuracy:.4f}", summary.estimates["accuracy"].interval]
    assert shown["F of &#x27;fraud&#x27;"][0] == f"{summary.f:.4f}"
    assert "AUROC" in shown  # which is the same for both classes
    assert "<svg" in trace._repr_html_()
    assert cells(summary._repr_html_()) == cells(trace._repr_html_())


def test_a_trace_of_many_classes_and_an_empty_one(trace):
    X = np.eye(3).repeat(5, axis=0)
    many = askance.make("MPAA-II").run(X, ["a"] * 5 + ["b"] * 5 + ["c"] * 5)
    assert [row[0] for row in cells(many._repr_html_())[1:]] == ["rows", "labels asked", "accuracy"]
    assert isinstance(many.summary(), Summary)
    empty = askance.Trace.join([trace])
    assert cells(empty._repr_html_()) == cells(trace._repr_html_())


def test_names_in_displays_cannot_be_html():
    told = html_table("<b>", [("<script>alert(1)</script>", 3)], ("a & b",))
    assert "<script>" not in told
    assert "<b>" not in told
    assert "a &amp; b" in told
    X = np.random.default_rng(0).normal(size=(60, 2))
    trace = askance.make("PAA-II").run(X, np.where(X[:, 0] > 1, "<img src=x>", "ok"))
    assert "<img" not in trace._repr_html_()


def test_a_line_goes_from_corner_to_corner():
    points = re.search(r"points='(.*?)'", html_line([0.0, 0.5, 1.0], 0.0, 1.0, (100, 40)))[1]
    assert points == "0.0,40.0 50.0,20.0 100.0,0.0"
    assert "points='0.0,40.0'" in html_line([0.7], 0.7, 0.7, (100, 40))


def test_decisions_as_a_data_frame(trace):
    frame = trace.to_pandas()
    assert list(frame) == ["round", "prediction", "y", "score", "ask_probability", "asked", "updated"]
    assert frame.asked.sum() == trace.asked.sum()
    assert frame.prediction.tolist() == trace.predictions.tolist()


def test_the_catalog_is_a_short_line_or_a_table():
    assert repr(askance.catalog).startswith(f"<catalog of {len(askance.catalog)} algorithms: PE, ")
    assert len(repr(askance.catalog)) < 100
    shown = cells(askance.catalog._repr_html_())[1:]
    assert [row[0] for row in shown] == list(askance.catalog)
    with pytest.raises(TypeError):
        askance.catalog["PE"] = None


def test_a_fleet_shows_what_it_is():
    with askance.Fleet("PAA-II", {"delta": 0.5}, classes=["a<", "b"], bits=4) as fleet:
        fleet.partial_fit(["ann", "bob"], [[1.0, 0.0], [0.0, 1.0]], ["a<", "b"])
        assert cells(fleet._repr_html_()) == [
            ["models", "2"], ["classes", "a&lt;, b"], ["parameters", "delta=0.5"], ["columns", "16"],
        ]  # fmt: skip


@pytest.mark.parametrize("learner", [askance.Learner(), askance.AutoLearner(), askance.make("OMCSL-F-h")])
def test_learners_have_the_display_of_scikit_learn(learner):
    shown = learner._repr_mimebundle_()
    assert "<style>" in shown["text/html"]
    assert type(learner).__name__ in shown["text/html"]
