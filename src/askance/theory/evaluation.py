"""Evaluating a theorem on a stream."""

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance.algorithms import catalog
from askance.learners.trace import Trace
from askance.theory.hindsight import best_comparator, plain_comparator
from askance.theory.inputs import Draw, Labelled, checked, drawn, in_sorted_order, labelled
from askance.theory.register import find
from askance.theory.result import Bound
from askance.theory.theorem import Problem, Terms, Theorem, trace_conditions


def evaluate(
    name: str,
    X: Any,
    y: ArrayLike,
    *,
    trace: Trace | Iterable[Trace] | None = None,
    comparator: ArrayLike | None = None,
    theorem: int | str | None = None,
    **parameters: float,
) -> Bound:
    """The mistake bound of the algorithm that the catalog calls `name`, on the rows `X` with the labels `y`.

    `trace` is what a run of it decided, or several runs with different seeds; expectations in the bound and the
    observed value are means over them. `comparator` is the linear classifier to compare with, of the shape of
    `coef_`; unless it is given, one is found in hindsight. `theorem` chooses where a name has several.
    `parameters` are those of the algorithm; left out, they have the catalog's defaults.
    """
    chosen = find(name, theorem)
    parameters_of(chosen, name, parameters)
    traces = _listed(trace)
    return evaluate_on(labelled(X, y, traces, many=chosen.many), name, chosen, traces, comparator, parameters)


def evaluate_on(
    rows: Labelled,
    name: str,
    chosen: Theorem,
    traces: Sequence[Trace],
    comparator: ArrayLike | None,
    parameters: Mapping[str, float],
) -> Bound:
    """The same of rows that have been checked, and may be used for several algorithms."""
    values = parameters_of(chosen, name, parameters)
    compared = (
        best_comparator(chosen, rows, values) if comparator is None else rows.compared(checked(comparator, rows))
    )
    problem = Problem(rows, compared, values)
    chosen.check_comparator(problem)
    draws = [drawn(one, rows) for one in traces]
    return _bound(name, chosen, problem, [(draw, chosen.replay(problem, draw)) for draw in draws])


def comparator(X: Any, y: ArrayLike, name: str | None = None, **parameters: float) -> NDArray[Any]:
    """A good linear classifier without an intercept, found in hindsight, of the shape of `coef_`.

    With the `name` of an algorithm, the one that makes its bound small. Else a support vector machine, scaled to a
    margin of 1 if it separates the rows; of more than two classes, a row a class.
    """
    if name is None:
        rows = labelled(X, y, (), many=len(np.unique(np.asarray(y))) > 2)
        return in_sorted_order(plain_comparator(rows).u, rows)
    theorem = find(name)
    rows = labelled(X, y, (), many=theorem.many)
    return in_sorted_order(best_comparator(theorem, rows, parameters_of(theorem, name, parameters)).u, rows)


def parameters_of(theorem: Theorem, name: str, given: Mapping[str, Any]) -> dict[str, float]:
    """What the theorem has to know of the algorithm, each a number that it can take; ValueError if one is not."""
    defaults = catalog[name].defaults if name in catalog else {}
    takes = (*theorem.parameters, *theorem.options)
    unknown = [parameter for parameter in given if parameter not in (*takes, *defaults)]
    if unknown:
        raise ValueError(f"{name} has no parameter {unknown[0]!r}: its theorem takes {', '.join(takes) or 'none'}")
    known = {**theorem.options, **defaults, **given}
    values = {parameter: _positive(parameter, known.get(parameter)) for parameter in takes}
    theorem.check_parameters(values)
    return values


def _positive(parameter: str, value: Any) -> float:
    if value is None:
        raise ValueError(f"the theorem needs the parameter {parameter} of the run: give {parameter}=...")
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{parameter} must be a number, not {value!r}")
    if not 0 < float(value) < math.inf:
        raise ValueError(f"{parameter} must be greater than 0 and finite, not {value!r}")
    return float(value)


def _listed(trace: Any) -> list[Trace]:
    traces = [] if trace is None else [trace] if isinstance(trace, Trace) else trace
    if not isinstance(traces, Iterable):
        raise TypeError(f"trace must be a Trace or a list of them, not {trace!r}")
    traces = list(traces)
    for one in traces:
        if not isinstance(one, Trace):
            raise TypeError(f"trace must be a Trace or a list of them, not {one!r}")
    return traces


def _bound(name: str, theorem: Theorem, problem: Problem, draws: Sequence[tuple[Draw, Any]]) -> Bound:
    terms = {**theorem.terms(problem), **_drawn_terms(name, theorem, problem, draws)}
    return Bound(
        name=name,
        theorem=f"{theorem.where} of {theorem.paper}",
        remark=theorem.remark,
        quantity=f"expected {theorem.quantity}" if theorem.random else theorem.quantity,
        value=theorem.value(terms, problem),
        from_below=theorem.from_below,
        observed=float(np.mean([theorem.observed(problem, draw) for draw, _ in draws])) if draws else None,
        traces=len(draws),
        rows=len(problem.rows),
        conditions=(*theorem.conditions(problem), *trace_conditions(theorem, problem, draws)),
        ingredients=terms,
        expectations=_expectations(theorem, len(draws)),
        parameters=problem.parameters,
        best=theorem.best(terms, problem),
        comparator=in_sorted_order(problem.compared.u, problem.rows),
    )


def _drawn_terms(name: str, theorem: Theorem, problem: Problem, draws: Sequence[tuple[Draw, Any]]) -> Terms:
    """Means over the draws; without one, what they cannot exceed."""
    if draws:
        seen = [theorem.seen(problem, draw, replayed) for draw, replayed in draws]
        return {term: float(np.mean([each[term] for each in seen])) for term in seen[0]}
    unseen = theorem.unseen(problem)
    if unseen is None:
        raise ValueError(f"{theorem.where} needs the trace of a run of {name}: give trace=learner.run(X, y)")
    return unseen


def _expectations(theorem: Theorem, draws: int) -> str:
    if not theorem.expected:
        return ""
    which = ", ".join(theorem.expected)
    if not draws:
        return f"{which}: as large as they can get, because no trace was given"
    return f"{which}: of one trace, a single draw" if draws == 1 else f"{which}: means over {draws} traces"
