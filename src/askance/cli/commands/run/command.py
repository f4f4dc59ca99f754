"""`askance run`: simulate the labelling loop on a file, beside other methods."""

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from askance.cli import options
from askance.cli.options import option
from askance.cli.targets import PICTURES, TRACES, check_ending, require

EXAMPLE = "Example:   askance run mails.csv --rate 0.1 --against random,full"

ASKING = "Asking"
COMPARING = "Comparing"
KEEPING = "Keeping"

METRIC_NAMES = (
    "accuracy, error, mistakes, f, precision, recall, sensitivity, specificity, sum, balanced_accuracy, g_mean, "
    "auroc, auprc, cost or query_ratio"
)


Algorithm = Annotated[
    str | None,
    option(
        "A name of `askance catalog`; unless said PAA-II, or MPAA-II for many classes.",
        "NAME",
        None,
        "--algorithm",
        "-a",
    ),
]
Param = Annotated[list[str] | None, option("A parameter of it; may be repeated.", "NAME=VALUE")]
Seed = Annotated[int | None, option("Of the coins that decide about asking; 0 unless said.", "N")]
Dtype = Annotated[str | None, option("float32, which is fast, or float64, exact to the last bit.", "TYPE")]
Rate = Annotated[float | None, option("The share of labels to ask for.", "SHARE", ASKING)]
Limit = Annotated[int | None, option("Never ask for more labels.", "N", ASKING, min=1)]
Burst = Annotated[int | None, option("Never be more labels ahead of the rate.", "N", ASKING, min=1)]
Against = Annotated[
    str | None,
    option(
        "What else to try, with commas: random (the same rule, asking at random), full (asking for all labels), "
        "or names of the catalog.",
        "NAMES",
        COMPARING,
    ),
]
Bound = Annotated[
    bool,
    typer.Option(
        "--bound",
        rich_help_panel=COMPARING,
        help="Also say what the algorithm's theorem promises beside the best linear classifier in hindsight, and "
        "what came of it; keeps all rows in memory.",
    ),
]
Costs = Annotated[
    bool,
    typer.Option(
        "--costs",
        rich_help_panel=COMPARING,
        help="Also say which costs an OMCSL algorithm settled on, beside those that all labels show to be best.",
    ),
]
Metric = Annotated[str, option(f"{METRIC_NAMES}; accuracy unless said.", "NAME", COMPARING)]
Classes = Annotated[
    str | None,
    option("The classes; unless said, those that the file shows.", "A,B", options.READING),
]
Save = Annotated[Path | None, option("Keep what was learned.", "MODEL", KEEPING)]
Resume = Annotated[Path | None, option("Go on with a model kept before, as it is.", "MODEL", KEEPING)]
TraceFile = Annotated[Path | None, option("Keep every decision, as .parquet.", "PARQUET", KEEPING)]


class Wish(NamedTuple):
    """What the user asked for, in the user's words."""

    file: Path
    reading: options.Reading
    algorithm: str | None
    parameters: list[str]
    seed: int | None
    dtype: str | None
    rate: float | None
    limit: int | None
    burst: int | None
    against: str | None
    bound: bool
    costs: bool
    metric: str
    classes: str | None
    save: Path | None
    resume: Path | None
    trace: Path | None
    plot: Path | None

    def check(self) -> None:
        """ValueError or ImportError for what can be seen before anything slow begins."""
        if self.rate is not None and not 0 < self.rate <= 1:
            raise ValueError(f"--rate must be a share of the rows, more than 0 and at most 1, not {self.rate:g}")
        if self.burst is not None and self.rate is None:
            raise ValueError("--burst is how far questions may run ahead of the rate: give --rate too")
        if self.resume is not None:
            self._check_resumed()
        if self.bound:
            self._check_bound()
        if self.costs:
            self._check_costs()
        check_ending(self.trace, "--trace", TRACES)
        check_ending(self.plot, "--plot", PICTURES)
        if self.trace is not None:
            require("pyarrow")
        if self.plot is not None:
            require("matplotlib")

    def _check_bound(self) -> None:
        for name in ("rate", "limit", "burst"):
            if getattr(self, name) is not None:
                raise ValueError(f"--bound is about algorithms that ask as their papers say: leave --{name} out")
        if self.resume is not None:
            raise ValueError("--bound is about algorithms that start from nothing: leave --resume out")

    def _check_costs(self) -> None:
        if self.resume is not None:
            raise ValueError("--costs compares with what every label would have given: leave --resume out")
        if self.algorithm is None or not self.algorithm.startswith("OMCSL"):
            raise ValueError(
                "--costs is about algorithms that learn with many costs: take -a OMCSL-F-h or its kin"
            )

    def _check_resumed(self) -> None:
        for name in ("algorithm", "seed", "dtype", "rate", "limit", "burst", "classes"):
            if getattr(self, name) is not None:
                raise ValueError(f"--resume goes on with a model as it is: leave --{name} out")
        if self.parameters:
            raise ValueError("--resume goes on with a model as it is: leave --param out")
        if self.against is not None:
            raise ValueError("--against compares methods that start from nothing: leave --resume or --against out")


def run(
    file: options.File,
    algorithm: Algorithm = None,
    param: Param = None,
    seed: Seed = None,
    dtype: Dtype = None,
    json: options.Json = False,
    rate: Rate = None,
    limit: Limit = None,
    burst: Burst = None,
    against: Against = None,
    bound: Bound = False,
    costs: Costs = False,
    metric: Metric = "accuracy",
    plot: options.Plot = None,
    label: options.Label = None,
    text: options.Text = None,
    drop: options.Drop = None,
    category: options.Category = None,
    format: options.Format = None,  # noqa: A002 - the word that users expect
    delimiter: options.Delimiter = None,
    zero_based: options.ZeroBased = False,
    shuffle: options.Shuffle = None,
    classes: Classes = None,
    save: Save = None,
    resume: Resume = None,
    trace: TraceFile = None,
) -> None:
    """Simulate: learn from the rows of FILE one by one, asking for few of the labels.

    Every row is predicted before its label may be asked for. The file is read as a stream, in constant memory.
    """
    wish = Wish(
        file=file,
        reading=options.Reading(label, text, drop, category, format, delimiter, zero_based, shuffle),
        algorithm=algorithm,
        parameters=param or [],
        seed=seed,
        dtype=dtype,
        rate=rate,
        limit=limit,
        burst=burst,
        against=against,
        bound=bound,
        costs=costs,
        metric=metric,
        classes=classes,
        save=save,
        resume=resume,
        trace=trace,
        plot=plot,
    )
    wish.check()
    from askance.cli.commands.run import work

    outcome = work.simulate(wish)
    work.show(outcome, as_json=json)
