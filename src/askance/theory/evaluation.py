"""Evaluate a theorem on a stream."""

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance.algorithms import catalog
from askance.learners.trace import Trace
from askance.theory.hindsight import best_comparator, plain_comparator
from askance.theory.inputs import Draw, LabelledRows, checked, drawn, in_sorted_order, labelled
from askance.theory.register import find
from askance.theory.result import Bound
from askance.theory.theorem import BoundProblem, Terms, Theorem, trace_conditions


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
    """Compute the mistake bound of an algorithm on a stream.

    Parameters
    ----------
    name : str
        Name of the algorithm in the catalog.
    X : array-like or sparse matrix of shape (n_rows, n_features)
        The rows of the stream.
    y : array-like of shape (n_rows,)
        Their labels.
    trace : Trace, iterable of Trace or None, default: None
        The decisions of a run, or of several runs with different `random_state`. Expectations in the bound and the
        observed value are means over them.
    comparator : array-like or None, default: None
        The linear classifier to compare with, in the shape of `coef_`. None means one that is found in hindsight.
    theorem : int, str or None, default: None
        Which theorem to use if the algorithm has several. None means the first.
    **parameters : float
        Parameters of the algorithm. The default of each is that of the catalog.

    Returns
    -------
    bound : Bound

    Raises
    ------
    ValueError
        If there is no bound for this algorithm, or the rows, traces, comparator or parameters cannot be used. The
        trace of a learner with an intercept or scaling is refused, because its update rule saw other rows than X.

    Examples
    --------
    >>> import numpy as np
    >>> import askance
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]] * 20)
    >>> y = [1, -1] * 20
    >>> bound = askance.theory.evaluate("PE", X, y)
    >>> bound.applies, bound.value < len(y)
    (True, True)
    """
    chosen = find(name, theorem)
    parameters_of(chosen, name, parameters)
    traces = _listed(trace)
    return evaluate_on(labelled(X, y, traces, many=chosen.many), name, chosen, traces, comparator, parameters)


def evaluate_on(
    rows: LabelledRows,
    name: str,
    chosen: Theorem,
    traces: Sequence[Trace],
    comparator: ArrayLike | None,
    parameters: Mapping[str, float],
) -> Bound:
    """Compute a bound for rows that have been checked. They may be used for several algorithms."""
    values = parameters_of(chosen, name, parameters)
    compared = (
        best_comparator(chosen, rows, values) if comparator is None else rows.compared(checked(comparator, rows))
    )
    problem = BoundProblem(rows, compared, values)
    chosen.check_comparator(problem)
    draws = [drawn(one, rows) for one in traces]
    return _bound(name, chosen, problem, [(draw, chosen.replay(problem, draw)) for draw in draws])


def comparator(X: Any, y: ArrayLike, name: str | None = None, **parameters: float) -> NDArray[Any]:
    """Find a good linear classifier without an intercept in hindsight.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_features)
        The rows of the stream.
    y : array-like of shape (n_rows,)
        Their labels.
    name : str or None, default: None
        An algorithm whose bound should be small. None means a support vector machine, scaled to a margin of 1 if
        it separates the rows.
    **parameters : float
        Parameters of the algorithm.

    Returns
    -------
    comparator : ndarray of shape (n_features,) or (n_classes, n_features)
        In the shape of `coef_`.

    Examples
    --------
    >>> import askance
    >>> askance.theory.comparator([[1.0, 0.0], [0.0, 1.0]] * 5, [1, -1] * 5).round(3).tolist()
    [1.0, -1.0]
    """
    if name is None:
        rows = labelled(X, y, (), many=len(np.unique(np.asarray(y))) > 2)
        return in_sorted_order(plain_comparator(rows).u, rows)
    theorem = find(name)
    rows = labelled(X, y, (), many=theorem.many)
    return in_sorted_order(best_comparator(theorem, rows, parameters_of(theorem, name, parameters)).u, rows)


def parameters_of(theorem: Theorem, name: str, given: Mapping[str, Any]) -> dict[str, float]:
    """The parameters that the theorem needs; raises ValueError if one is missing or not allowed."""
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
        raise ValueError(f"the theorem needs the parameter {parameter} of the run: pass {parameter}=...")
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


def _bound(name: str, theorem: Theorem, problem: BoundProblem, draws: Sequence[tuple[Draw, Any]]) -> Bound:
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


def _drawn_terms(name: str, theorem: Theorem, problem: BoundProblem, draws: Sequence[tuple[Draw, Any]]) -> Terms:
    """Means over the runs; without a run, upper bounds."""
    if draws:
        seen = [theorem.seen(problem, draw, replayed) for draw, replayed in draws]
        return {term: float(np.mean([each[term] for each in seen])) for term in seen[0]}
    unseen = theorem.unseen(problem)
    if unseen is None:
        raise ValueError(f"{theorem.where} needs the trace of a run of {name}: pass trace=learner.run(X, y)")
    return unseen


def _expectations(theorem: Theorem, draws: int) -> str:
    if not theorem.expected:
        return ""
    which = ", ".join(theorem.expected)
    if not draws:
        return f"{which}: upper bounds, because no trace was given"
    return f"{which}: from a single trace" if draws == 1 else f"{which}: means over {draws} traces"
