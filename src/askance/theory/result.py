"""What the evaluation of a theorem found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from askance.theory.theorem import MISTAKES, Condition


@dataclass(frozen=True, eq=False, repr=False)
class Bound:
    """A theorem's bound on a stream, beside what was observed.

    It says something only if it `applies`: if all `conditions` hold. A bound on an expectation need not hold in
    every single run. `comparator` has the shape of `coef_`, of many classes in their sorted order.
    """

    name: str
    theorem: str
    remark: str  # where it departs from what is printed
    quantity: str
    value: float
    from_below: bool  # whether the quantity is at least `value`, and not at most
    observed: float | None  # of the same quantity: the mean over the traces
    traces: int
    rows: int
    conditions: Sequence[Condition]
    ingredients: Mapping[str, float]
    expectations: str  # how those among the ingredients were taken
    parameters: Mapping[str, float]
    best: Mapping[str, float]  # a parameter that would make the bound smallest, and the bound it gives
    comparator: NDArray[Any]

    @property
    def applies(self) -> bool:
        """Whether all conditions hold."""
        return not self.failing

    @property
    def failing(self) -> list[Condition]:
        """The conditions that do not hold."""
        return [condition for condition in self.conditions if not condition.holds]

    @property
    def is_vacuous(self) -> bool:
        """Whether it says only that there are no more mistakes than rows."""
        return self.quantity.endswith(MISTAKES) and self.value >= self.rows

    @property
    def holds(self) -> bool | None:
        """Whether what was observed is within the bound; None without a trace."""
        if self.observed is None:
            return None
        return self.observed >= self.value if self.from_below else self.observed <= self.value

    @property
    def sentence(self) -> str:
        """The bound, what was observed, and conditions that fail, in plain words."""
        counts = MISTAKES in self.quantity
        verb = ("are" if counts else "is") if self.applies else "would be"
        relation = "at least" if self.from_below else "at most"
        words = f"By {self.theorem}, {self.name}'s {self.quantity} {verb} {relation} {_number(self.value)}"
        if self.observed is not None:
            mean = f" on average over {self.traces} traces" if self.traces > 1 else ""
            words += f"; {_number(self.observed)} {'were made' if counts else 'was seen'}{mean}"
        if self.applies and self.is_vacuous:
            return f"{words}. That says nothing: there are only {self.rows:,} rows."
        if self.applies:
            return f"{words}."
        faults = ", and ".join(f"“{fault.demand}” is not so here ({fault.found})" for fault in self.failing)
        return f"{words}. But the theorem does not apply: {faults}."

    def as_dict(self) -> dict[str, Any]:
        """All but the comparator by name, for programs."""
        return {
            "name": self.name,
            "theorem": self.theorem,
            "remark": self.remark,
            "quantity": self.quantity,
            "value": self.value,
            "from_below": self.from_below,
            "observed": self.observed,
            "traces": self.traces,
            "rows": self.rows,
            "applies": self.applies,
            "holds": self.holds,
            "conditions": [condition._asdict() for condition in self.conditions],
            "ingredients": dict(self.ingredients),
            "expectations": self.expectations,
            "parameters": dict(self.parameters),
            "best": dict(self.best),
        }

    def __repr__(self) -> str:
        sign = "≥" if self.from_below else "≤"
        doubt = "" if self.applies else ", if all its conditions held"
        lines = [f"{self.name}: {self.quantity} {sign} {_number(self.value)}  ({self.theorem}{doubt})"]
        if self.observed is not None:
            lines.append(
                f"  observed     {_number(self.observed)} in {self.traces} trace{'s' * (self.traces > 1)}"
            )
        tables = {"parameters": self.parameters, "ingredients": self.ingredients, "best": self.best}
        lines += [f"  {title:<11}  {_listed(table)}" for title, table in tables.items() if table]
        lines += [f"  {said}" for said in (self.expectations, self.remark) if said]
        lines += [
            f"  {'holds' if condition.holds else 'FAILS'}        {condition.demand}: {condition.found}"
            for condition in self.conditions
        ]
        return "\n".join(lines)


def _listed(table: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {_number(value)}" for name, value in table.items())


def _number(value: float) -> str:
    if abs(value) >= 1e12:
        return f"{value:.3g}"
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1e4 else f"{value:,.4g}"
