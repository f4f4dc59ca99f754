"""The table of all rules and questions: small runs, and figures worked out by hand."""

import csv
import pathlib
import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from PIL import Image

from paths import ROOT

sys.path.append(str(ROOT))  # the benchmark is not part of the package

from bench.league.outcome import Outcome
from bench.league.tasks import task
from bench.rules import __main__ as program
from bench.rules.__main__ import main, read
from bench.rules.entries import RULES, default_of, has_spread, takes
from bench.rules.figures import AUTO, FOR_ALL, OWN, Figures, Pair
from bench.rules.questions import NAMES, NEED_SPREAD, question
from bench.rules.streams import prepared, reach

from askance import Learner
from askance.rules.query import RULES as QUERIES
from askance.rules.query import CostSensitiveDiscrimination
from askance.rules.registry import check_rules
from askance.rules.update import OGD, CostSensitiveDA, CostSensitiveMD
from askance.rules.update import RULES as UPDATES

FEW = ["PA-II", "AROW-diag"]


def small_sets() -> dict[str, tuple[Any, Any]]:
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    words = sp.csr_array(random.poisson(0.5, (60, 12)).astype(float))
    return {
        "table": (X, (X[:, 0] > 0).astype(np.int64)),
        "words": (words, (words[:, [0]].toarray()[:, 0] > 0).astype(np.int64)),
        "three": (X, np.digitize(X[:, 0], [-0.5, 0.5])),
    }


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiny streams, and an automatic learner that always has the same outcome."""
    monkeypatch.setattr(program, "made_up", small_sets)
    monkeypatch.setattr(program, "automatic", lambda *_: Outcome(0.9, 0.8, 12, 0.0))


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_a_quick_run_goes_on_and_writes_tables_and_diagrams(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without_tables:
        without_tables.setattr(program, "write", lambda *_: [])
        first = main(["--quick", "--orders", "1", "--rules", *FEW, "--sets", "table"], tmp_path)
    assert len(first) == 1 + len(FOR_ALL) + len(NAMES)
    whole = main(["--quick", "--orders", "1", "--rules", *FEW], tmp_path)
    assert whole[: len(first)] == first
    assert whole == read(tmp_path / "quick-rules.jsonl")
    assert len(whole) == 3 * len(first)
    assert all(max(one["labels"]) <= 12 and len(one["stream"]) in (1, 3) for one in whole)
    for kind, sets in {"two-classes": ["table", "words"], "more-classes": ["three"]}.items():
        with (tmp_path / f"{kind}-crossing.csv").open(encoding="utf-8") as file:
            crossing = list(csv.reader(file))
        assert [line[0] for line in crossing] == ["rule", *FEW]
        assert crossing[1][crossing[0].index("SpreadMargin")] == "–"
        with (tmp_path / f"{kind}-sets.csv").open(encoding="utf-8") as file:
            by_set = list(csv.reader(file))
        assert by_set[0] == ["rule", "question", "labels", *sets]
        assert by_set[2] == ["auto", "its own", "10%", *["90.0"] * len(sets)]
        for picture in ("rules", "questions", "questions-held-out", "pairs"):
            with Image.open(tmp_path / f"rules-{kind}-{picture}.png") as image:
                assert image.size[0] == 1400


def results_by_hand() -> list[dict[str, Any]]:
    """PA-II on three sets: the default is 60 % everywhere, 0.1 best on the first set, 10 best on the others."""
    by_set = {"a": [0.6, 0.9, 0.5], "b": [0.6, 0.5, 0.8], "c": [0.6, 0.5, 0.7]}
    about = {"order": 0, "classes": 2, "is_table": True, "budget": "10%"}
    results = []
    for name, stream in by_set.items():
        results.append({**about, "set": name, "rule": AUTO, "question": OWN, "stream": [0.95]})
        results += [
            {**about, "set": name, "rule": "PA-II", "question": asking, "stream": stream} for asking in FOR_ALL
        ]
    return results


def test_parameters_are_chosen_on_other_sets() -> None:
    figures = Figures(results_by_hand(), many=False)
    pair = Pair("PA-II", "Margin")
    # Without a, 10 has the best mean, 75 %. Without b it is 0.1 with 70 %, and so it is without c.
    assert [figures.best_value("PA-II", without=name) for name in "abc"] == [2, 1, 1]
    assert [figures.value(pair, name) for name in "abc"] == [0.5, 0.5, 0.5]
    assert figures.mean(pair) == pytest.approx(50)
    assert figures.default("PA-II") == pytest.approx(60)
    assert figures.hindsight("PA-II") == pytest.approx(80)
    assert figures.behind(pair) == pytest.approx([45, 45, 45])


def test_every_rule_of_the_register_is_in_the_table() -> None:
    ran = {type(rule) for values in RULES.values() for rule in values.values()}
    # The page says why these are left out.
    assert ran == set(UPDATES) - {OGD, CostSensitiveDA, CostSensitiveMD}
    assert {rule.__name__ for rule in set(QUERIES) - {CostSensitiveDiscrimination}} == set(NAMES)


@pytest.mark.parametrize("name", RULES)
def test_rules_and_questions_are_valid_and_fit_together(name: str) -> None:
    for rule in RULES[name].values():
        for asking in NAMES:
            within = question(asking, rule, 20, 100)
            chosen = within.inner[1 + within.inner.number]  # type: ignore[index, attr-defined]
            assert type(getattr(chosen, "inner", chosen)).__name__ == asking
            if has_spread(name) or asking not in NEED_SPREAD:
                check_rules(rule, chosen, many=takes(name, 3))


@pytest.mark.parametrize("asking", ["Margin", "LeastCertain", "IWAL"])
def test_a_run_is_that_of_a_learner(asking: str) -> None:
    one = task("table", *small_sets()["table"], order=1)
    rule = default_of("AROW-diag")
    found = reach(prepared(one), rule, asking, 12, order=1)
    query = question(asking, rule, 12, len(one.y))
    alone = query._replace(inner=query.inner[1 + query.inner.number])  # type: ignore[index, attr-defined]
    learner = Learner(rule, alone, random_state=1, scaling="standard", intercept=0.3, classes=[0, 1])
    trace = learner.run(one.X, one.y)
    assert found.labels == trace.asked.sum() > 0
    assert found.stream == (trace.predictions == one.y).mean()
    assert found.held_out == learner.score(one.X_held, one.y_held)
