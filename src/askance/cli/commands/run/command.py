"""`askance run`: simulate active learning on a labelled file and compare methods."""

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

from askance._util.names import METRIC_NAMES
from askance.cli import completion, options
from askance.cli.commands.run.request import RunRequest, metric_with_costs
from askance.cli.commands.run.until import Until, parse_until
from askance.cli.options import flag, option
from askance.cli.quick_start import quick_start

EXAMPLE = "Example:   askance run mails.csv --rate 0.1 --against random,full"

ASKING = "Asking for labels"
COMPARING = "Comparing"
FILES = "Models and traces"

Algorithm = Annotated[
    str | None,
    option(
        "An algorithm of `askance catalog`, or auto, which needs no settings.",
        "NAME",
        None,
        "--algorithm",
        "-a",
        show_default="auto",
        autocompletion=completion.algorithms,
    ),
]
Param = Annotated[list[str] | None, option("A parameter of the algorithm. Can be repeated.", "NAME=VALUE")]
Seed = Annotated[int | None, option("The seed of the coins that decide what to ask.", "N", show_default="0")]
Dtype = Annotated[
    str | None,
    option("float32 (fast) or float64 (exact), for algorithms of the catalog.", "TYPE", show_default="float32"),
]
Intercept = Annotated[
    float | None,
    option(
        "Learn an intercept: the weight of a constant feature with this value, such as 0.3. For algorithms of the "
        "catalog.",
        "VALUE",
        None,
        show_default="none",
    ),
]
Scaling = Annotated[
    str | None,
    option(
        "Scale columns by the rows so far (standard), or weight counts of words (tfidf). For algorithms of the "
        "catalog.",
        "NAME",
        None,
        show_default="none",
    ),
]
Rate = Annotated[
    float | None,
    option("The share of labels to ask for, such as 0.1.", "SHARE", ASKING, parser=options.parse_share),
]
Limit = Annotated[int | None, option("Never ask for more than N labels.", "N", ASKING, min=1)]
Burst = Annotated[int | None, option("Never be more than N labels ahead of --rate.", "N", ASKING, min=1)]
Certify = Annotated[
    float | None,
    option(
        "Find out which predictions may be used without looking: confident ones, of which at most this share is "
        "wrong, such as 0.02. For the automatic learner.",
        "SHARE",
        ASKING,
        parser=options.parse_share,
    ),
]
StopWhen = Annotated[
    Until | None,
    option(
        "Stop when enough is certain. error=0.02,share=0.7: at most 2 % of the confident predictions are wrong, "
        "and 70 % of recent rows are among these. recall=0.95: 95 % of the positives are found, most likely ones "
        "first (without labels: askance label --until). accuracy=0.95: with --oracle, people are asked less once "
        "95 % of the predictions are right.",
        "WHAT",
        ASKING,
        parser=parse_until,
    ),
]
Oracles = Annotated[
    list[str] | None,
    option(
        "Who may be asked, and the price of an answer: human:1.00 for a person, llm=guesses.gpt-4o:0.01 for the "
        "guesses of a machine in the file. Can be repeated.",
        "NAME:PRICE",
        ASKING,
        "--oracle",
    ),
]
Money = Annotated[
    str | None, option("The money for all answers of oracles together, such as 300.", "MONEY", ASKING, "--budget")
]
MultiLabel = Annotated[
    bool,
    flag(
        "--multilabel",
        "Rows carry several labels each: the column of --label holds lists, JSON lists, or labels between "
        "separators; lines of svmlight begin with 1,3.",
        options.READING,
    ),
]
Separator = Annotated[
    str | None,
    option("What separates labels in a cell, such as |, with --multilabel.", "TEXT", options.READING),
]
Questions = Annotated[
    str | None,
    option(
        "With --multilabel, what a question is about: one label of a row (pairs), or all labels of a row (items).",
        "WHAT",
        ASKING,
        show_default="pairs",
    ),
]
Task = Annotated[
    Path | None,
    option(
        "Take the oracles, their prices and the budget from the settings of a task, as `askance serve` does.",
        "FILE.toml",
        ASKING,
        "--task",
    ),
]
Against = Annotated[
    str | None,
    option(
        "Methods to compare with, separated by commas: random (the same algorithm, asking at random), full "
        "(asking for all labels), or names of `askance catalog`.",
        "NAMES",
        COMPARING,
        autocompletion=completion.opponents,
    ),
]
Bound = Annotated[
    bool,
    flag(
        "--bound",
        "Also evaluate the theorem about the algorithm, against the best linear classifier in hindsight. "
        "Keeps all rows in memory.",
        COMPARING,
    ),
]
Costs = Annotated[
    bool,
    flag(
        "--costs",
        "Also show the costs that an OMCSL algorithm has chosen, and the best ones in hindsight.",
        COMPARING,
    ),
]
Metric = Annotated[
    str,
    option(
        f"The metric: {', '.join(METRIC_NAMES)}. cost=200:1 is for a missed positive and a false alarm.",
        "NAME",
        COMPARING,
        autocompletion=completion.metrics,
    ),
]
Positive = Annotated[
    str | None,
    option(
        "The class that F, precision and recall are about, and costs in algorithms such as CSPAA and OMCSL. By "
        "default, of two classes the rarer one if it has less than a third of the rows, otherwise the last.",
        "CLASS",
    ),
]
Regression = Annotated[
    bool,
    flag(
        "--regression",
        "Predict a number, such as a price, rather than a class. -a then takes AROW (the default), AROW-diag, PA, "
        "PA-I, PA-II, SGD, SGD-absolute or SGD-median.",
    ),
]
Classes = Annotated[str | None, option("The classes. By default, those in the file.", "A,B", options.READING)]
Text = Annotated[
    list[str] | None,
    option(
        "A column with text. Can be repeated. An algorithm of the catalog takes one, and ignores all other "
        "columns.",
        "COLUMN",
        options.READING,
    ),
]
Save = Annotated[Path | None, option("Save the model to this file.", "MODEL", FILES)]
Resume = Annotated[Path | None, option("Continue with a saved model.", "MODEL", FILES)]
LabelsOut = Annotated[
    Path | None,
    option(
        "Write the labels that were asked for, with weights, to a .csv, .jsonl or .parquet file, and a data card "
        "beside it.",
        "FILE",
        FILES,
    ),
]
TraceFile = Annotated[Path | None, option("Write every decision to a .parquet file.", "PARQUET", FILES)]


def run(
    file: options.File,
    algorithm: Algorithm = None,
    param: Param = None,
    seed: Seed = None,
    dtype: Dtype = None,
    intercept: Intercept = None,
    scaling: Scaling = None,
    json: options.Json = False,
    regression: Regression = False,
    rate: Rate = None,
    limit: Limit = None,
    burst: Burst = None,
    certify: Certify = None,
    until: StopWhen = None,
    oracle: Oracles = None,
    budget: Money = None,
    questions: Questions = None,
    task: Task = None,
    against: Against = None,
    bound: Bound = False,
    costs: Costs = False,
    metric: Metric = "accuracy",
    positive: Positive = None,
    plot: options.Plot = None,
    label: options.Label = None,
    multilabel: MultiLabel = False,
    separator: Separator = None,
    labels: options.Labels = None,
    id: options.Id = None,  # noqa: A002 - the word that users expect
    text: Text = None,
    drop: options.Drop = None,
    category: options.Category = None,
    number: options.Number = None,
    date: options.Date = None,
    pairs: options.Pairs = False,
    format: options.Format = None,  # noqa: A002 - the word that users expect
    delimiter: options.Delimiter = None,
    zero_based: options.ZeroBased = False,
    shuffle: options.Shuffle = None,
    classes: Classes = None,
    save: Save = None,
    resume: Resume = None,
    trace: TraceFile = None,
    labels_out: LabelsOut = None,
) -> None:
    """Simulate active learning: learn from the rows of FILE one by one, asking for few of their labels.

    Each row is predicted before its label may be asked for. The file is read as
    a stream, in constant memory.
    """
    metric, mistake_costs = metric_with_costs(metric)
    request = RunRequest(
        file=file,
        reading=options.Reading(
            label,
            text,
            drop,
            category,
            format,
            delimiter,
            zero_based,
            shuffle,
            number,
            date,
            pairs,
            labels,
            id,
        ),
        algorithm=algorithm,
        parameters=param or [],
        seed=seed,
        dtype=dtype,
        intercept=intercept,
        scaling=scaling,
        rate=rate,
        limit=limit,
        burst=burst,
        certify=certify,
        until=until,
        against=against,
        bound=bound,
        costs=costs,
        metric=metric,
        mistake_costs=mistake_costs,
        positive=positive,
        classes=classes,
        save=save,
        resume=resume,
        trace=trace,
        labels_out=labels_out,
        plot=plot,
        oracles=oracle,
        budget=budget,
        regression=regression,
        multilabel=multilabel,
        separator=separator,
        questions=questions,
        task=task,
    )
    request.check()
    with quick_start():
        way = _way(request)
    way.show(way.simulate(request), as_json=json)


def _way(request: RunRequest) -> Any:
    """The module that simulates and shows this kind of run. Only that one is imported: some are slow."""
    name = "work"
    if request.regression:
        name = "regression"
    elif request.multilabel:
        name = "multilabel"
    elif request.buys:
        name = "oracles"
    elif request.screens:
        name = "screen"
    return import_module(f"askance.cli.commands.run.{name}")
