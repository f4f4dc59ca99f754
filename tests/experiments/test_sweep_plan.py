"""Plans of sweeps: what they come to, and that bad ones fail before the first pass, in one sentence."""

from typing import Any

import numpy as np
import pytest

from askance.experiments.dataset import Dataset, make_dataset
from askance.experiments.sweep.plan import GRID, as_json, make_plan
from askance.rules.query import Margin
from askance.rules.update import PassiveAggressive2

X = np.random.default_rng(0).normal(size=(30, 4))


def data(classes: int = 2, name: str = "small") -> Dataset:
    return make_dataset(name, X, np.arange(30) % classes, np.dtype("float32"))


def plan(
    algorithms: Any = ("PAA-II",),
    grid: Any = None,
    permutations: Any = 2,
    rates: Any = (0.1,),
    metric: Any = None,
    sets: Any = None,
    **more: Any,
) -> Any:
    options = {"tuning": 1, "dtype": "float32", "points": 1} | more
    sets = [data()] if sets is None else sets
    return make_plan(sets, algorithms, grid, permutations, rates, metric, 0, **options)


def test_a_plan_tries_the_papers_grid() -> None:
    made = plan(["PAA-II", "PEA", "PA-II"])
    assert [method.label for method in made.methods] == ["PAA-II", "PEA", "PA-II"]
    assert [len(method.settings) for method in made.methods] == [len(GRID["C"]), 1, len(GRID["C"])]
    assert [method.asks_for_all for method in made.methods] == [False, False, True]
    assert (made.metric, made.rates) == ("f", (0.1,))


def test_a_grid_is_for_all_that_have_the_parameter_or_for_one() -> None:
    given = {"first": ("PAA-II", {"C": 0.5}), "second": "D-AMD"}
    made = plan(given, grid={"delta": [0.1, 1.0], "second": {"eta": [0.01, 0.1, 1.0]}})
    first, second = (method.settings for method in made.methods)
    assert [as_json(setting) for setting in first] == ['{"C": 0.5, "delta": 0.1}', '{"C": 0.5, "delta": 1.0}']
    assert len(second) == 6
    candidate = made.methods[0].candidate({"C": 2, "delta": 1}, 4.0)
    assert candidate.update == PassiveAggressive2(2.0)
    assert candidate.query == Margin(4.0)


def test_the_papers_grid_is_no_hindrance_where_nobody_has_its_parameter() -> None:
    assert [method.settings for method in plan(["PEA", "RPE"]).methods] == [({},), ({},)]


def test_many_classes_are_judged_by_accuracy() -> None:
    assert plan(["MPAA-II"], sets=[data(3)]).metric == "accuracy"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"algorithms": ["PAA-III"]}, "no algorithm 'PAA-III'"),
        ({"algorithms": []}, "needs at least one algorithm"),
        ({"sets": []}, "needs at least one data set"),
        ({"grid": {"C": []}}, "grid of C must list at least one value"),
        ({"grid": {"C": 1.0}}, "grid of C must list"),
        ({"grid": {"C": "12"}}, "grid of C must list"),
        ({"grid": {"C": [-1.0]}}, "C must be greater than 0"),
        ({"grid": {"Q": [1.0]}}, "'Q', which is not a parameter of any algorithm"),
        ({"grid": {"PAA": {"C": [1.0]}}}, "'PAA', which is not one of the algorithms"),
        ({"grid": {"PAA-II": {"Q": [1.0]}}}, "no parameter 'Q'"),
        ({"rates": (0.0,)}, "greater than 0 and at most 1, not 0.0"),
        ({"rates": (1.5,)}, "not 1.5"),
        ({"rates": (float("nan"),)}, "not nan"),
        ({"rates": ()}, "at least one share"),
        ({"permutations": 0}, "permutations must be a positive integer, not 0"),
        ({"permutations": True}, "permutations must be"),
        ({"tuning": 1.5}, "tuning must be"),
        ({"points": 0}, "points must be"),
        ({"metric": "auroc"}, "'auroc' needs scores, but a sweep stores only counts"),
        ({"metric": "beauty"}, "there is no metric 'beauty'"),
        ({"metric": "f", "algorithms": ["MPAA-II"], "many": 3}, "is for two classes"),
        ({"algorithms": ["MPAA-II"]}, "MPAA-II is for more than two classes, but small has 2"),
        ({"many": 3}, "PAA-II is for two classes, but small has 3"),
    ],
)
def test_bad_plans(change: dict[str, Any], says: str) -> None:
    if "many" in change:
        change = {**change, "sets": [data(change["many"])]}
        change.pop("many")
    with pytest.raises(ValueError, match=says) as caught:
        plan(**change)
    assert "\n" not in str(caught.value)


def test_data_sets_of_both_kinds() -> None:
    with pytest.raises(ValueError, match="sweep them separately"):
        plan(sets=[data(), data(3)])
