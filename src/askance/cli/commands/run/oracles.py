"""`askance run --oracle`: people and machines answer for money, under one budget."""

import time
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from askance._util.class_names import shown_class
from askance.annotators import Oracle
from askance.auto.oracle_learner import OracleLearner
from askance.auto.oracle_trace import OracleTrace
from askance.cli.commands.run.request import RunRequest
from askance.cli.output.compiling import AUTO, compilation_announced
from askance.cli.output.console import print_json, stdout
from askance.cli.output.progress import progress
from askance.cli.targets import draft
from askance.data.guessed_rows import GuessedRows, read_guesses
from askance.data.kinds import described


class Bought(NamedTuple):
    """The results of a run with oracles."""

    request: RunRequest
    rows: GuessedRows
    trace: OracleTrace
    seconds: float


def simulate(request: RunRequest) -> Bought:
    """Read the file, and buy labels and guesses until it ends."""
    begun = time.perf_counter()
    oracles, budget = request.paid()
    learner = OracleLearner(oracles, budget, random_state=request.seed or 0, accuracy=request.wanted_accuracy)
    with ExitStack() as stack:
        target = None if request.trace is None else stack.enter_context(draft(request.trace, request.file))
        stack.enter_context(compilation_announced(AUTO))
        rows = _read(request, oracles)
        with progress(request.name) as report:
            trace = learner.run(rows.X, rows.y, rows.guesses, progress=report)
        if target is not None:
            from pyarrow import parquet

            parquet.write_table(trace.to_arrow(), target)
    return Bought(request, rows, trace, time.perf_counter() - begun)


def _read(request: RunRequest, oracles: list[Oracle]) -> GuessedRows:
    reading = request.reading
    options: dict[str, Any] = {
        "format": reading.format,
        "label": reading.label,
        "text": reading.text or (),
        "categories": reading.category or (),
        "numbers": reading.number or (),
        "dates": reading.date or (),
        "drop": reading.drop or (),
        "pairs": reading.pairs,
        "delimiter": reading.delimiter,
        "shuffle": reading.shuffle is not None,
        "random_state": reading.shuffle,
    }
    return read_guesses(request.file, [str(one.guess) for one in oracles if not one.is_person], **options)


def show(result: Bought, *, as_json: bool) -> None:
    """Print what was bought, what it cost and the result, as text or as JSON."""
    if as_json:
        print_json(_as_dict(result))
        return
    console, trace = stdout(), result.trace
    classes = ", ".join(shown_class(value) for value in trace.classes.tolist())
    console.print(f"{result.request.name}: {len(trace):,} rows of the classes {classes}")
    console.print(f"Columns: {described(result.rows.columns)}.\n")
    console.print(_table(trace))
    ledger = trace.ledger
    console.print(f"\nSpent {ledger.spent} of {ledger.budget}. {_reached(trace)}")
    for oracle in trace.oracles:
        for note in _notes(trace, oracle):
            console.print(note)
    if result.request.trace is not None:
        console.print(f"Wrote the trace to {result.request.trace}.", soft_wrap=True)


def _table(trace: OracleTrace) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("")
    for heading in ("answers\nbought", "price", "paid", "right, by\npeople"):
        table.add_column(heading, justify="right")
    for oracle in trace.oracles:
        right = trace.right.get(oracle.name, np.nan)
        table.add_row(
            oracle.name,
            f"{trace.ledger.bought[oracle.name]:,}",
            str(oracle.price),
            str(trace.ledger.paid[oracle.name]),
            "" if np.isnan(right) else f"{right:.2f}",
        )
    return table


def _reached(trace: OracleTrace) -> str:
    return (
        f"{trace.accuracy:.1%} of the predictions were right; with the labels of people in their place, "
        f"{trace.answers_accuracy:.1%} of the answers."
    )


def _notes(trace: OracleTrace, oracle: Oracle) -> list[str]:
    """When a machine was given up or trusted again; only the last change, if there were many."""
    changes = trace.changes(oracle.name)
    if not changes:
        return []
    trusted = bool(trace.trusted[-1, [one.name for one in trace.oracles].index(oracle.name)])
    times = f" ({len(changes)} changes in all)" if len(changes) > 1 else ""
    now = (
        "for all rows again" if trusted else "only for rows that people label, because it was not worth its price"
    )
    return [f"From row {changes[-1]:,} on, {oracle.name} was bought {now}{times}."]


def _as_dict(result: Bought) -> dict[str, Any]:
    request, trace = result.request, result.trace
    ledger = trace.ledger
    return {
        "file": str(request.file),
        "rows": len(trace),
        "classes": trace.classes.tolist(),
        "accuracy": trace.accuracy,
        "answers_accuracy": trace.answers_accuracy,
        "budget": str(ledger.budget),
        "spent": str(ledger.spent),
        "oracles": [
            {
                "name": oracle.name,
                "guess": oracle.guess,
                "price": str(oracle.price),
                "bought": ledger.bought[oracle.name],
                "paid": str(ledger.paid[oracle.name]),
                "right": _known(trace.right.get(oracle.name)),
                "changes": trace.changes(oracle.name),
            }
            for oracle in trace.oracles
        ],
        "written": {} if request.trace is None else {"trace": str(request.trace)},
        "seconds": result.seconds,
    }


def _known(share: float | None) -> float | None:
    return None if share is None or np.isnan(share) else share
