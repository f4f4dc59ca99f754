"""`askance run --multilabel`: rows that carry several labels each."""

import time
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from askance.cli.commands.run.request import RunRequest
from askance.cli.contest.report import NAMES
from askance.cli.output.compiling import AUTO, compilation_announced
from askance.cli.output.console import print_json, stdout
from askance.cli.targets import draft
from askance.data.kinds import described
from askance.data.model_rows import add_reading
from askance.data.multilabel import MultiLabelRows, read_multilabel
from askance.metrics.multilabel import MULTILABEL_METRICS, TITLES
from askance.multilabel.learner import MultiLabelLearner
from askance.multilabel.trace import MultiLabelTrace

SHOWN = 10  # labels in the heading
OURS, RANDOM, FULL = "multilabel", "random", "full"
RATE = 0.1


class Method(NamedTuple):
    """A method that was run, and what it did."""

    name: str
    learner: MultiLabelLearner
    trace: MultiLabelTrace
    seconds: float

    @property
    def share_asked(self) -> float:
        """The share of pairs that were asked about."""
        return float(self.trace.asked.mean())


class SeveralLabels(NamedTuple):
    """The results of a run with several labels per row."""

    request: RunRequest
    rows: MultiLabelRows
    methods: list[Method]


def simulate(request: RunRequest) -> SeveralLabels:
    """Read the file, and run the learner and what it is compared with. The model is written at the end."""
    with ExitStack() as stack:
        path = None if request.save is None else stack.enter_context(draft(request.save, request.file))
        stack.enter_context(compilation_announced(AUTO))
        rows = _read(request)
        others = [word for word in (request.against or "").split(",") if word]
        methods = [_run(name, request, rows) for name in (OURS, *others)]
        if path is not None:
            methods[0].learner.save(path)
            add_reading(path, rows.stream)
        return SeveralLabels(request, rows, methods)


def _run(name: str, request: RunRequest, rows: MultiLabelRows) -> Method:
    settings: dict[str, Any] = {
        "rate": 1.0 if name == FULL else request.rate or RATE,
        "questions": request.questions or "pairs",
        "limit": None if name == FULL else request.limit,
        "random_state": request.seed or 0,
    }
    if name == RANDOM:
        settings["audit"] = 1.0
    begun = time.perf_counter()
    learner = MultiLabelLearner(**settings)
    trace = learner.run(rows.X, rows.Y)
    return Method(name, learner, trace, time.perf_counter() - begun)


def _read(request: RunRequest) -> MultiLabelRows:
    reading = request.reading
    options: dict[str, Any] = {
        "text": reading.text or (),
        "categories": reading.category or (),
        "numbers": reading.number or (),
        "dates": reading.date or (),
        "drop": reading.drop or (),
        "pairs": reading.pairs,
        "delimiter": reading.delimiter,
    }
    return read_multilabel(
        request.file,
        label=reading.label,
        separator=request.separator,
        format=reading.format,
        zero_based=reading.zero_based,
        shuffle=reading.shuffle is not None,
        random_state=reading.shuffle,
        **options,
    )


def show(result: SeveralLabels, *, as_json: bool) -> None:
    """Print the results, as text or as JSON."""
    if as_json:
        print_json(_as_dict(result))
        return
    console, trace = stdout(), result.methods[0].trace
    names = trace.classes.tolist()
    more = ", …" if len(names) > SHOWN else ""
    per_row = trace.metric("cardinality")
    console.print(
        f"{result.request.name}: {len(trace):,} rows with {per_row:.2f} of {len(names)} labels each: "
        f"{', '.join(names[:SHOWN])}{more}"
    )
    if result.rows.columns:
        console.print(f"Columns: {described(result.rows.columns)}.")
    console.print()
    console.print(_table(result.methods))
    console.print(f"\n{_sentence(result)}")
    console.print("Estimated from asked pairs alone:")
    for metric in MULTILABEL_METRICS:
        found = trace.estimate(metric)
        said = f"{found}. {found.note}".rstrip(". ") if found.enough else found.note
        console.print(f"  {TITLES[metric]}: {said}", soft_wrap=True)
    if result.request.save is not None:
        console.print(f"Wrote the model to {result.request.save}.", soft_wrap=True)


def _table(methods: list[Method]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("")
    for heading in ("pairs\nasked", "", *(title.replace(" ", "\n") for title in TITLES.values()), "time"):
        table.add_column(heading, justify="right")
    for method in methods:
        asked = int(np.count_nonzero(method.trace.asked))
        values = [f"{method.trace.metric(metric):.3f}" for metric in MULTILABEL_METRICS]
        name = NAMES.get(method.name, method.name)
        table.add_row(name, f"{asked:,}", f"{method.share_asked:.1%}", *values, f"{method.seconds:.1f} s")
    return table


def _sentence(result: SeveralLabels) -> str:
    first, *others = result.methods
    asked = f"It asked about {first.share_asked:.1%} of the pairs of a row and a label"
    words = [f"{asked}, and reached a micro-F of {_f(first)}"]
    for other in others:
        how = "asking about all" if other.name == FULL else f"asking about {other.share_asked:.1%} at random"
        words.append(f"{how} reached {_f(other)}")
    return "; ".join(words) + "."


def _f(method: Method) -> str:
    return f"{method.trace.metric('micro_f'):.3f}"


def _as_dict(result: SeveralLabels) -> dict[str, Any]:
    trace = result.methods[0].trace
    return {
        "file": str(result.request.file),
        "rows": len(trace),
        "labels": trace.classes.tolist(),
        "questions": result.request.questions or "pairs",
        "methods": [
            {
                "name": method.name,
                "pairs": int(method.trace.asked.size),
                "asked": int(np.count_nonzero(method.trace.asked)),
                "share_asked": method.share_asked,
                "refused": method.trace.refused,
                "metrics": {metric: method.trace.metric(metric) for metric in MULTILABEL_METRICS},
                "estimates": {metric: method.trace.estimate(metric).as_dict() for metric in MULTILABEL_METRICS},
            }
            for method in result.methods
        ],
        "sentence": _sentence(result),
        "written": {} if result.request.save is None else {"model": str(result.request.save)},
        "seconds": {method.name: method.seconds for method in result.methods},
    }
