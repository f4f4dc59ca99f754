"""Plans of sweeps: what they come to, and that bad ones fail before the first pass, in one sentence."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import askance
from askance.experiments.dataset import Dataset, make_dataset
from askance.experiments.sweep.plan import GRID, as_json, make_plan
from askance.rules.kernel import Kernelized
from askance.rules.query import AtRate, Margin
from askance.rules.update import AROW, PassiveAggressive2
from own_rules import Near

X = np.random.default_rng(0).normal(size=(30, 4))


def data(classes: int = 2, name: str = "small") -> Dataset:
    return make_dataset(name, X, np.arange(30) % classes, np.dtype("float32"))


def sparse() -> Dataset:
    return make_dataset("counts", sp.csr_array(np.eye(30)), np.arange(30) % 2, np.dtype("float32"))


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


def test_a_pair_of_rules_takes_values_of_the_grid_by_the_names_of_its_parameters() -> None:
    given = {"mine": (PassiveAggressive2(C=3.0), Near(floor=0.2)), "AROW": (AROW(), Margin(b=2))}
    mine, arow = plan(given, grid={"far": [1.0, 2.0], "C": [0.5]}).methods
    assert [as_json(setting) for setting in mine.settings] == ['{"C": 0.5, "far": 1.0}', '{"C": 0.5, "far": 2.0}']
    assert mine.candidate(mine.settings[1], 2.0) == (PassiveAggressive2(0.5), Near(4.0, 0.4), 1)
    assert arow.settings == ({},)
    assert arow.candidate({}) == (AROW(), Margin(2.0), 1)


def test_only_rules_of_askance_are_told_apart_by_their_text() -> None:
    def key(update: Any, query: Any) -> str | None:
        return plan({"mine": (update, query)}).methods[0].key

    assert key(AROW(), Margin(b=1)) == key(AROW(), Margin(b=1.0)) != key(AROW(), Margin(b=2.0))
    assert key(AROW(), Near()) is None
    assert key(Kernelized(PassiveAggressive2(), kernel=lambda a, b: a @ b), Margin()) is None


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
        ({"algorithms": {"mine": askance.Learner()}}, "mine must be a name of the catalog, a pair .*not Learner"),
        ({"algorithms": {"mine": AROW()}}, r"mine must be .* not AROW\("),
        ({"algorithms": [(AROW(), Margin())]}, "mapping of labels to names or pairs of rules"),
        ({"algorithms": askance.Learner()}, "mapping of labels to names or pairs of rules"),
        ({"algorithms": {"mine": (AROW(), AtRate(Margin()))}}, "mine: AtRate cannot be adjusted to a rate"),
        (
            {"algorithms": {"mine": (AROW(), Margin())}, "grid": {"mine": {"Q": [1]}}},
            "neither AROW nor Margin",
        ),
        ({"algorithms": {"mine": (AROW(), Margin(b=-2.0))}}, "b must be"),
        ({"scaling": "robust"}, "scaling must be None, 'standard' or 'tfidf', not 'robust'"),
        ({"intercept": -1.0}, "intercept must be"),
        ({"sets": [sparse()], "scaling": "standard"}, "counts: scaling='standard' is for dense rows"),
        (
            {"algorithms": {"k": (Kernelized(PassiveAggressive2()), Margin())}, "intercept": 1.0},
            "Kernelized has no intercept",
        ),
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
