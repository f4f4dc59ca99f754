"""The work of `askance demo`: a stream of tumours, few of which need an expert's label."""

import csv
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from askance.cli.contest import report
from askance.cli.contest.contest import Contestant, LineUp
from askance.cli.contest.methods import FULL, RANDOM, AutoMethod, Budget, auto_opponent, automatic
from askance.cli.contest.source import CHUNK_ROWS, Classes
from askance.cli.output import chart
from askance.cli.output.compiling import AUTO, compilation_announced
from askance.cli.output.console import print_json, stdout
from askance.cli.output.progress import progress
from askance.cli.targets import draft
from askance.data.arrays import read_arrays
from askance.metrics import Tally
from askance.plotting.curves import draw

RATE = 0.1
METRIC = "accuracy"
LOWEST = 0.85  # of the chart
CLASSES = ["benign", "malignant"]
MEASURED = [
    *("radius", "texture", "perimeter", "area", "smoothness"),
    *("compactness", "concavity", "concave points", "symmetry", "fractal dimension"),
]
COLUMNS = [form.format(name) for form in ("mean {}", "{} error", "worst {}") for name in MEASURED]
INTRODUCTION = (
    "569 breast tumours come in one after the other, each in 30 measurements. Is it malignant? Each is first "
    "predicted; then its true label, which costs an expert's time, may be asked for and learned from. "
    "auto takes the measurements as they are, areas up to 4,254 beside ratios below 0.1, and asks when in doubt."
)


def demonstrate(seed: int, data: Path | None, plot: Path | None, *, as_json: bool) -> None:
    """Run three ways of asking over the same tumours and show the result."""
    with ExitStack() as stack:
        data_draft = None if data is None else stack.enter_context(draft(data))
        plot_draft = None if plot is None else stack.enter_context(draft(plot))
        X, y = tumours(seed)
        with progress("learning") as report_progress, compilation_announced(AUTO):
            line_up = line_up_for(X, y, seed)
            line_up.run(report_progress)
        if data_draft is not None:
            _write_csv(data_draft, X, y)
        if plot_draft is not None:
            title = "569 tumours: asking when in doubt"
            draw(report.curves(line_up.contestants, METRIC), METRIC, plot_draft, title=title)
    if as_json:
        print_json(_as_dict(line_up.contestants, seed))
    else:
        _show(line_up.contestants, seed, data, plot)


def tumours(seed: int) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """The tumours as they were measured, in a random order."""
    X, is_benign = _measured()
    y = np.where(is_benign, *CLASSES)
    order = np.random.default_rng(seed).permutation(len(X))
    return X[order], y[order]


def _measured() -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The measurements as scikit-learn ships them, and which tumours are benign.

    This is `sklearn.datasets.load_breast_cancer`, without importing all other data sets for it.
    """
    package = find_spec("sklearn")  # `resources.files` would import it
    assert package is not None
    assert package.origin is not None
    file = Path(package.origin).parent / "datasets" / "data" / "breast_cancer.csv"
    with file.open(encoding="utf-8") as lines:
        table = np.loadtxt(lines, delimiter=",", skiprows=1)  # the first line has sizes and names
    return table[:, :-1], table[:, -1] == 1


def line_up_for(X: NDArray[np.float64], y: NDArray[np.str_], seed: int) -> LineUp:
    """Ask when in doubt, at random and for all labels."""
    main = automatic({}, Budget(rate=RATE))

    def contestant(method: AutoMethod) -> Contestant:
        return Contestant(method.name, method.learner(random_state=seed, classes=CLASSES), many=False)

    stream = read_arrays(X, y, name="tumours", dtype="float64", chunk_rows=CHUNK_ROWS)
    methods = main, auto_opponent(RANDOM, main), auto_opponent(FULL, main)
    return LineUp(stream, Classes(CLASSES), [contestant(method) for method in methods])


def _write_csv(path: Path, X: NDArray[np.float64], y: NDArray[np.str_]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*COLUMNS, "label"])
        writer.writerows([*row, label] for row, label in zip(X.tolist(), y.tolist(), strict=True))


def _show(contestants: list[Contestant], seed: int, data: Path | None, plot: Path | None) -> None:
    console = stdout()
    console.print(f"{INTRODUCTION}\n")
    console.print(report.table(contestants, METRIC))
    _show_charts(console, contestants)
    console.print(f"\n{_saved(contestants)}\n")
    if plot is not None:
        console.print(f"The picture is in {plot}.\n")
    _show_next(console, seed, data)


def _show_next(console: Console, seed: int, data: Path | None) -> None:
    file = data or Path("tumours.csv")
    run = f"askance run {file} --rate {RATE} --against random,full --seed {seed}"
    keep = [] if data else [f"askance demo --data {file}"]
    console.print("What to try next:")
    for command in ("askance demo --seed 1", *keep, run, "askance catalog"):
        console.print(f"  {command}", soft_wrap=True)


def _show_charts(console: Console, contestants: list[Contestant]) -> None:
    along = {name: curve.values for name, curve in report.curves(contestants, METRIC).items()}
    console.print(f"\n{METRIC} so far, from the first tumour to the last (lowest {LOWEST}, highest 1)")
    console.print(chart.lines(console, along, LOWEST, 1.0))
    console.print("\nlabels asked")
    asked = {report.shown_name(each): int(each.recorder.tally.counts.asked) for each in contestants}
    console.print(chart.bars(console, asked))


def _saved(contestants: list[Contestant]) -> str:
    """How many labels were saved, as text."""
    active, random, full = (contestant.recorder.tally for contestant in contestants)
    saved = full.counts.asked - active.counts.asked
    return (
        f"{saved} of {full.counts.asked} labels were saved. With the {active.counts.asked} that were asked for "
        f"when in doubt, {_percent(active)} of the tumours were predicted rightly, against {_percent(full)} with "
        f"all labels; {random.counts.asked} labels asked for at random gave {_percent(random)}."
    )


def _percent(tally: Tally) -> str:
    return f"{100 * tally.value(METRIC):.1f} %"


def _as_dict(contestants: list[Contestant], seed: int) -> dict[str, Any]:
    return {
        "seed": seed,
        "metric": METRIC,
        "methods": [report.as_dict(contestant) for contestant in contestants],
        "sentence": _saved(contestants),
        "seconds": {"learning": report.learning_times(contestants)},
    }
