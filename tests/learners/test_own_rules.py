"""Rules of the users' own: what they return is limited, and their mistakes are told in one sentence."""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import askance
from askance import kernels, queries, updates
from askance.rules.api import NoMemory, maximum, zero_weights
from thinning import also_compiled

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
Y = np.where(X @ np.array([1.0, -2.0, 0.5, 1.0]) + 0.3 * RNG.normal(size=120) > 0, 1, -1)
WRAPPED = [
    lambda rule: rule,
    lambda rule: queries.Within(rule, rate=0.5),
    lambda rule: queries.AtRate(rule, rate=0.3),
    lambda rule: queries.LocalDensity(rule),
    lambda rule: queries.CognitiveWindow(rule),
]


class Line(NamedTuple):
    """`height - fall |p|`, which can be any number."""

    height: float = 1.0
    fall: float = 0.0

    def start(self) -> NoMemory:
        return NoMemory()

    def ask(self, memory: Any, seen: Any, coin: float) -> Any:
        return self.height - self.fall * abs(seen.score)

    def scaled(self, factor: float) -> "Line":
        return Line(self.height * factor, self.fall)

    def constraints(self) -> dict[str, Any]:
        return {}


class Clipped(Line):
    """The same, within bounds."""

    def ask(self, memory: Any, seen: Any, coin: float) -> Any:
        return 1.0 - maximum(0.0, 1.0 - maximum(0.0, self.height - self.fall * abs(seen.score)))

    def scaled(self, factor: float) -> "Clipped":
        return Clipped(self.height * factor, self.fall)


def learner(query: Any, update: Any = None, **settings: Any) -> Any:
    return askance.Learner(update or updates.PassiveAggressive2(), query, classes=[-1, 1], **settings)


@pytest.mark.parametrize("wrap", also_compiled(WRAPPED, {WRAPPED[0], WRAPPED[2]}))
@pytest.mark.parametrize(
    "update", [updates.PassiveAggressive2(), kernels.Kernelized(updates.PassiveAggressive2())]
)
def test_probabilities_are_limited_to_0_and_1(wrap: Any, update: Any) -> None:
    found = learner(wrap(Line(1.5, 3.0)), update, dtype="float64").run(X, Y)
    known = learner(wrap(Clipped(1.5, 3.0)), update, dtype="float64").run(X, Y)
    assert found.ask_probabilities.min() >= 0
    assert found.ask_probabilities.max() <= 1
    np.testing.assert_allclose(found.ask_probabilities, known.ask_probabilities, atol=1e-12)
    np.testing.assert_array_equal(found.asked, known.asked)


def test_what_a_rule_above_1_asks_can_be_learned_and_estimated() -> None:
    made = learner(Line(2.0))
    decision = made.ask(X[0])
    assert (decision.ask_probability, decision.ask) == (1.0, True)
    made.tell(X[0], Y[0], decision.ask_probability)
    assert 0 < made.run(X, Y).estimate("accuracy").value <= 1


@pytest.mark.parametrize(
    "update", [updates.PassiveAggressive2(), kernels.Kernelized(updates.PassiveAggressive2())]
)
@pytest.mark.parametrize("wrap", also_compiled(WRAPPED[:3], {WRAPPED[0]}))
def test_nan_is_refused_and_changes_nothing(wrap: Any, update: Any) -> None:
    made = learner(wrap(Line(math.nan)), update, scaling="standard")
    made.partial_fit(X[:5], Y[:5])
    before = made.decision_function(X)
    with pytest.raises(ValueError, match=r"^Line\.ask returned nan for row 0: it must return"):
        made.run(X, Y)
    with pytest.raises(ValueError, match=r"^Line\.ask returned nan: it must return a probability, from 0 to 1$"):
        made.ask(X[0])
    assert made.spending_ == (0, 0, 0)
    np.testing.assert_array_equal(made.decision_function(X), before)


def test_nan_is_refused_in_the_first_row_of_all() -> None:
    made = learner(Line(math.nan))
    with pytest.raises(ValueError, match=r"Line\.ask returned nan"):
        made.ask(X[0])
    assert made.set_query_rule(queries.Margin()).ask(X[0]).ask


def test_nan_is_refused_by_a_fleet() -> None:
    fleet = askance.Fleet("PAA-II", classes=[-1, 1], query=Line(math.nan), bits=4)
    with pytest.raises(ValueError, match=r"Line\.ask returned nan for row 0"):
        fleet.decide(["a", "b"], X[:2])


# ---------------------------------------------------------------------- what cannot be compiled


class Misspelt(Line):
    def ask(self, memory: Any, seen: Any, coin: float) -> Any:
        return self.height - seen.scor


class NotImported(Line):
    def ask(self, memory: Any, seen: Any, coin: float) -> Any:
        return where(seen.score > 0, 1.0, 0.5)  # type: ignore[name-defined]  # noqa: F821


class Replacing(Line):
    def scaled(self, factor: float) -> Any:
        return self._replace(height=self.height * factor)


class Importing(Line):
    def ask(self, memory: Any, seen: Any, coin: float) -> Any:
        import json

        return json.loads("1")


class Nothing(Line):
    def ask(self, memory: Any, seen: Any, coin: float) -> Any:
        pass


class AddsText(Line):
    def ask(self, memory: Any, seen: Any, coin: float) -> Any:
        return "1" + seen.score


class NamedAsAMethod(NamedTuple):
    slope: float = 1.0

    def start(self) -> NoMemory:
        return NoMemory()

    def ask(self, memory: Any, seen: Any, coin: float) -> Any:
        return 1.0 - self.slope * abs(seen.score)

    def constraints(self) -> dict[str, Any]:
        return {}


class MisspeltStep(NamedTuple):
    eta: float = 0.1

    def start(self, width: int, dtype: Any) -> Any:
        return zero_weights(width, dtype)

    def step(self, seen: Any, label: float) -> Any:
        return label * seen.score < 1.0, label * self.eat  # type: ignore[attr-defined]

    def constraints(self) -> dict[str, Any]:
        return {}


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("update", "query", "says"),
    [
        (None, Misspelt(), "Misspelt.ask could not be compiled: 'scor' is not an attribute of Seen"),
        (
            None,
            NotImported(),
            "NotImported.ask could not be compiled: the name 'where' is not defined: import or define it",
        ),
        (
            None,
            queries.AtRate(Replacing()),
            "Replacing.scaled could not be compiled: '_replace' is not an attribute of Replacing",
        ),
        (None, Importing(), "Importing could not be compiled: Use of unsupported opcode"),
        (None, Nothing(), "Nothing could not be compiled: see"),
        (None, AddsText(), "AddsText.ask could not be compiled: see line "),
        (
            None,
            NamedAsAMethod(),
            "NamedAsAMethod.slope could not be compiled: a method of askance's rules has the same name: rename it",
        ),
        (
            MisspeltStep(),
            queries.Margin(),
            "MisspeltStep.step could not be compiled: 'eat' is not an attribute of MisspeltStep",
        ),
    ],
)
def test_a_rule_that_cannot_be_compiled_gets_a_sentence(update: Any, query: Any, says: str) -> None:
    with pytest.raises(TypeError) as caught:
        learner(query, update).run(X, Y)
    assert str(caught.value).startswith(says)
    assert "\n" not in str(caught.value)
    assert "numba" in type(caught.value.__cause__).__module__


class OtherName(Line):
    def scaled(self, eagerness: float) -> Any:  # type: ignore[override]
        return OtherName(self.height * eagerness, self.fall)


def test_the_parameter_of_scaled_has_a_name() -> None:
    with pytest.raises(TypeError, match=r"^OtherName\.scaled must take the parameters \(self, factor\)$"):
        askance.Learner(updates.PassiveAggressive2(), queries.AtRate(OtherName()))
