"""The result of evaluating a theorem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from askance.theory.theorem import MISTAKES, Condition


@dataclass(frozen=True, eq=False, repr=False)
class Bound:
    """The bound of a theorem on a stream, with the observed value.

    The bound is valid only if it `applies`, that is if all `conditions` hold. A bound on an expectation need not
    hold in every single run.

    Attributes
    ----------
    name, theorem : str
        The algorithm, and the theorem with its paper.
    remark : str
        Where the theorem differs from what is printed.
    quantity : str
        What is bounded.
    value : float
        The bound.
    from_below : bool
        Whether the quantity is at least `value`; otherwise it is at most `value`.
    observed : float or None
        The mean of the quantity over the traces; None without a trace.
    traces, rows : int
        Numbers of traces and of rows.
    conditions : sequence of Condition
        The conditions of the theorem.
    ingredients : mapping of str to float
        The terms of the bound, by their symbols in the paper.
    expectations : str
        How the expectations among the ingredients were computed.
    parameters : mapping of str to float
        The parameters of the algorithm.
    best : mapping of str to float
        The parameter with the smallest bound, and that `bound`.
    comparator : ndarray
        The comparator, in the shape of `coef_`; many classes are in sorted order.
    """

    name: str
    theorem: str
    remark: str
    quantity: str
    value: float
    from_below: bool
    observed: float | None
    traces: int
    rows: int
    conditions: Sequence[Condition]
    ingredients: Mapping[str, float]
    expectations: str
    parameters: Mapping[str, float]
    best: Mapping[str, float]
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
        """Whether the bound only says that there are at most as many mistakes as rows."""
        return self.quantity.endswith(MISTAKES) and self.value >= self.rows

    @property
    def holds(self) -> bool | None:
        """Whether the observed value is within the bound; None without a trace."""
        if self.observed is None:
            return None
        return self.observed >= self.value if self.from_below else self.observed <= self.value

    @property
    def sentence(self) -> str:
        """The bound, the observed value, and the conditions that fail, in words."""
        counts = MISTAKES in self.quantity
        verb = ("are" if counts else "is") if self.applies else "would be"
        relation = "at least" if self.from_below else "at most"
        words = f"By {self.theorem}, {self.name}'s {self.quantity} {verb} {relation} {_number(self.value)}"
        if self.observed is not None:
            mean = f" on average over {self.traces} traces" if self.traces > 1 else ""
            words += f"; {_number(self.observed)} {'were made' if counts else 'was observed'}{mean}"
        if self.applies and self.is_vacuous:
            return f"{words}. This bound is vacuous: there are only {self.rows:,} rows."
        if self.applies:
            return f"{words}."
        failing = ", and ".join(f"“{one.demand}” does not hold ({one.found})" for one in self.failing)
        return f"{words}. But the theorem does not apply: {failing}."

    def as_dict(self) -> dict[str, Any]:
        """Return all fields except the comparator by name, for programs."""
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
