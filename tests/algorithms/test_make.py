"""Names of the catalog as editors, searches and users meet them."""

import inspect
import math
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import askance
from paths import ROOT

sys.path.append(str(ROOT / "tools"))
import make_stub


def test_the_stub_of_make_is_current() -> None:
    assert make_stub.PATH.read_text(encoding="utf-8") == make_stub.stub(), "run python tools/make_stub.py"


@pytest.mark.parametrize("name", askance.catalog)
def test_an_entry_is_called_as_make_is_and_shows_its_parameters(name: str) -> None:
    entry = askance.catalog[name]
    assert entry.name == name
    assert repr(entry).startswith(f"<{name}(")
    assert repr(entry(random_state=3)) == repr(askance.make(name, random_state=3))
    shown = inspect.signature(entry).parameters
    assert {key: shown[key].default for key in entry.defaults} == dict(entry.defaults)
    common = [key for key in shown if key != "positive"]  # which exists for two classes only
    assert common[-6:] == ["random_state", "dtype", "classes", "intercept", "scaling", "probability"]


def test_the_automatic_learner_has_a_name_too() -> None:
    learner = askance.make("auto", rate=0.05, random_state=3, classes=["ham", "spam"])
    assert repr(learner) == repr(askance.AutoLearner(0.05, random_state=3, classes=["ham", "spam"]))
    with pytest.raises(
        ValueError,
        match="auto has no parameter 'C': its parameters are audit, certify, forget, limit, memory, rate",
    ):
        askance.make("auto", C=1.0)


def test_a_name_takes_only_the_parameters_that_it_uses() -> None:
    for name, entry in askance.catalog.items():
        plain = entry.build()
        for parameter, default in entry.defaults.items():
            if parameter in ("sgn0", "k") or not isinstance(default, float):
                continue
            other = default * 0.9 if 0 < default < math.inf else 0.5
            assert entry.build(**{parameter: other}) != plain, (name, parameter)


def test_defaults_do_not_depend_on_the_door_but_for_one() -> None:
    name, own = askance.make("OMCSL-F-h").get_params(deep=False), askance.OMCSL().get_params(deep=False)
    assert {key for key in own if name[key] != own[key]} == {"gamma", "query"}  # None stands for Always()
    assert (name["gamma"], own["gamma"]) == (1.0, 100.0)  # the paper's, and one that works


@pytest.mark.slow
def test_parameters_of_rules_are_searched() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] > 0).astype(int)
    grid = {"update__C": [0.01, 1.0], "query__b": [1.0, 2.0]}
    search = GridSearchCV(askance.make("PAA-II"), grid, cv=2).fit(X, y)
    best = search.best_estimator_
    assert (best.update.C, best.query.b) == (search.best_params_["update__C"], search.best_params_["query__b"])


def test_parameters_of_rules_are_set_by_a_copy() -> None:
    rule = askance.updates.PassiveAggressive2(C=1.0)
    learner = askance.Learner(rule)
    assert learner.set_params(update__C=0.25).get_params()["update__C"] == 0.25
    assert rule.C == 1.0
    assert askance.Learner().set_params(query__b=2.0).query == askance.queries.Margin(2.0)
    steered = askance.Learner(query=askance.queries.AtRate(askance.queries.Margin(), 0.1))
    assert steered.set_params(query__inner__b=3.0).query.inner.b == 3.0
    assert clone(steered).query == steered.query
    with pytest.raises(ValueError, match="'update__D' is not a parameter"):
        learner.set_params(update__D=1)


def test_rules_answer_as_estimators_do() -> None:
    rule = askance.queries.AtRate(askance.queries.Margin(), 0.1)
    assert rule.get_params(deep=False) == {"inner": askance.queries.Margin(), "rate": 0.1}
    assert rule.get_params()["inner__b"] == 1.0
    assert rule.set_params(inner__b=2.0, rate=0.2) == askance.queries.AtRate(askance.queries.Margin(2.0), 0.2)
