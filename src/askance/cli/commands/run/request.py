"""What `askance run` was asked to do, checked before the slow imports of the work."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from askance.cli.commands.run.until import Until
from askance.cli.options import Reading
from askance.cli.targets import LABELS, PICTURES, TRACES, check_apart, check_ending, require_extra
from askance.data.files import INPUT_NAME, is_pipe

if TYPE_CHECKING:
    from askance.annotators import Oracle

NOT_WITH_ORACLES = (
    *("algorithm", "parameters", "dtype", "intercept", "scaling", "rate", "limit", "burst", "certify"),
    *("against", "bound", "costs", "positive", "classes", "save", "resume", "labels_out", "plot"),
)
NOT_WITH_SEVERAL_LABELS = (
    *("algorithm", "parameters", "dtype", "intercept", "scaling", "burst", "certify", "until", "bound", "costs"),
    *("positive", "classes", "resume", "trace", "labels_out", "plot", "oracles", "budget", "task"),
)
OPTIONS = {"parameters": "param", "oracles": "oracle"}  # fields that are named otherwise
OF_COLUMNS = ("text", "drop", "category", "number", "date", "pairs")
NOT_WITH_REGRESSION = (
    *("dtype", "intercept", "scaling", "burst", "certify", "until", "bound", "costs", "positive", "classes"),
    *("resume", "trace", "labels_out", "plot", "oracles", "budget", "task", "multilabel"),
)


def metric_with_costs(given: str) -> tuple[str, tuple[float, float] | None]:
    """A metric, and what a missed positive and a false alarm cost if that is said, as in `cost=200:1`."""
    name, sign, costs = given.partition("=")
    if not sign:
        return given, None
    try:
        missed, alarm = map(float, costs.split(":"))
    except ValueError:
        missed = alarm = math.nan
    if name != "cost" or not (0 <= missed < math.inf and 0 <= alarm < math.inf):
        raise ValueError(
            f"--metric {given}: only cost has numbers: what a missed positive and a false alarm cost, as in "
            "--metric cost=200:1"
        )
    return name, (missed, alarm)


class RunRequest(NamedTuple):
    """The arguments and options of `askance run`."""

    file: Path
    reading: Reading
    algorithm: str | None
    parameters: list[str]
    seed: int | None
    dtype: str | None
    intercept: float | None
    scaling: str | None
    rate: float | None
    limit: int | None
    burst: int | None
    certify: float | None
    until: Until | None
    against: str | None
    bound: bool
    costs: bool
    metric: str
    positive: str | None
    classes: str | None
    save: Path | None
    resume: Path | None
    trace: Path | None
    labels_out: Path | None
    plot: Path | None
    oracles: list[str] | None = None
    budget: str | None = None
    regression: bool = False
    multilabel: bool = False
    separator: str | None = None
    questions: str | None = None
    task: Path | None = None
    mistake_costs: tuple[float, float] | None = None  # of a missed positive and of a false alarm

    @property
    def card(self) -> Path | None:
        """The data card of the labels."""
        return None if self.labels_out is None else self.labels_out.with_suffix(".card.md")

    @property
    def targets(self) -> dict[str, Path]:
        """The files to write, by what they hold."""
        named = {
            "model": self.save,
            "trace": self.trace,
            "labels": self.labels_out,
            "data card": self.card,
            "plot": self.plot,
        }
        return {what: path for what, path in named.items() if path is not None}

    @property
    def is_automatic(self) -> bool:
        """Whether the automatic learner is wanted."""
        return self.resume is None and self.algorithm in (None, "auto")

    @property
    def screens(self) -> bool:
        """Whether the rows are a pool in which to find positives, rather than a stream."""
        return self.until is not None and self.until.recall is not None

    @property
    def buys(self) -> bool:
        """Whether labels are bought from oracles."""
        return bool(self.oracles) or self.budget is not None or self.task is not None

    def paid(self) -> tuple["list[Oracle]", Any]:
        """The oracles and their budget, from the options or from the settings of a task."""
        from askance.cli.commands.run.oracle_words import oracles_of_task, parse_oracles  # slow modules

        return (
            (parse_oracles(self.oracles or []), self.budget) if self.task is None else oracles_of_task(self.task)
        )

    @property
    def wanted_accuracy(self) -> float | None:
        """The share of right predictions that is enough, if oracles answer for money."""
        return None if self.until is None else self.until.accuracy

    @property
    def allowed_error(self) -> float | None:
        """The share of mistakes that confident predictions may have, if that is to be certified."""
        return self.certify if self.until is None else self.until.error

    @property
    def is_pipe(self) -> bool:
        """Whether the rows can be read only once."""
        return is_pipe(self.file)

    @property
    def place(self) -> str:
        """The file in messages."""
        return str(INPUT_NAME if self.is_pipe else self.file)

    @property
    def name(self) -> str:
        """The file in reports."""
        return Path(self.place).name

    def check(self) -> None:
        """Raise ValueError or ImportError for problems that show before the file is opened."""
        if self.regression:
            self._check_regression()
        self._check_several_labels()
        if self.buys:
            self._check_oracles()
        if self.rate is not None and not 0 < self.rate <= 1:
            raise ValueError(f"--rate must be a share of the rows, more than 0 and at most 1, not {self.rate:g}")
        if self.burst is not None and self.rate is None:
            raise ValueError("--burst limits how far questions may run ahead of --rate: give --rate too")
        if self.is_pipe and self.reading.shuffle is not None:
            raise ValueError("--shuffle needs all rows before the first: save the pipe to a file")
        if self.resume is not None:
            self._check_resumed()
        if self.until is not None and self.until.accuracy is not None and not self.buys:
            raise ValueError(
                "--until accuracy saves money for oracles: give --oracle and --budget, or use --limit"
            )
        if self.until is not None and self.certify is not None:
            raise ValueError("--until says itself what is to be certain: remove --certify")
        if self.screens:
            self._check_screening()
        if self.is_automatic or self.regression:
            self._check_automatic()
        else:
            self._check_kinds()
        if self.bound:
            self._check_bound()
        if self.costs:
            self._check_costs()
        check_ending(self.trace, "--trace", TRACES)
        check_ending(self.plot, "--plot", PICTURES)
        check_ending(self.labels_out, "--labels-out", LABELS)
        check_apart(
            {
                "--save": self.save,
                "--trace": self.trace,
                "--labels-out": self.labels_out,
                "the data card of --labels-out": self.card,
                "--plot": self.plot,
            }
        )
        if self.labels_out is not None and self.reading.id in ("label", "probability", "weight"):
            raise ValueError(
                f"--id {self.reading.id}: the labels have a column of this name: rename it in the file"
            )
        if ".parquet" in {path.suffix.lower() for path in (self.trace, self.labels_out) if path is not None}:
            require_extra("pyarrow")
        if self.plot is not None:
            require_extra("matplotlib")

    @property
    def shaping(self) -> dict[str, Any]:
        """What learners of the catalog make of rows, as their parameters."""
        return {"intercept": self.intercept or 0.0, "scaling": self.scaling}

    def check_needed(self, words: list[str]) -> None:
        """Raise ValueError if no algorithm in `words`, beside the automatic learner, has what the options set."""
        for name in ("intercept", "scaling"):
            if getattr(self, name) is not None and not set(words) - {"random", "full"}:
                raise ValueError(
                    f"auto has an intercept and scales of its own: remove --{name}, or choose an algorithm with -a"
                )

    def check_same_columns(self, names: Sequence[str] = OF_COLUMNS) -> None:
        """Raise ValueError if columns are to be read in another way than the model has read them."""
        for name in names:
            if getattr(self.reading, name):
                raise ValueError(f"--resume reads columns as the model has read them before: remove --{name}")

    def _check_kinds(self) -> None:
        if self.resume is not None:
            self.check_same_columns(("number", "date"))  # whatever the model is
        for name in ("number", "date"):
            if getattr(self.reading, name):
                raise ValueError(f"--{name} is for the automatic learner: remove --{name} or --algorithm")
        if self.certify is not None:
            raise ValueError("--certify is for the automatic learner: remove --certify or --algorithm")
        if self.until is not None:
            raise ValueError("--until is for the automatic learner: remove --until or --algorithm")
        if self.reading.is_apart and self.resume is None:
            name = "labels" if self.reading.labels is not None else "id"
            raise ValueError(f"--{name} is for the automatic learner: remove --{name} or --algorithm")

    def _check_automatic(self) -> None:
        if self.bound:
            raise ValueError("--bound needs an algorithm that has a theorem: choose one, for example -a PAA-II")
        if self.burst is not None:
            raise ValueError("--burst needs an algorithm of the catalog: choose one, for example -a PAA-II")
        if self.certify is not None and not 0 < self.certify < 1:
            raise ValueError(
                f"--certify must be a share of the rows, more than 0 and less than 1, not {self.certify:g}"
            )
        if self.dtype is not None:
            raise ValueError("auto always computes in float64: remove --dtype, or choose an algorithm with -a")

    def _check_screening(self) -> None:
        """A screening has one method, which reads row after row until enough is found."""
        if self.is_pipe:
            raise ValueError("--until recall needs all rows: save the pipe to a file")
        for name in ("rate", "against", "costs", "save", "trace", "labels_out"):
            if getattr(self, name):
                option = name.replace("_", "-")
                raise ValueError(f"--until recall reads rows of a pool, in an order of its own: remove --{option}")
        if self.metric != "accuracy":
            raise ValueError("--until recall shows the recall: remove --metric")
        if self.parameters:
            raise ValueError("--until recall has no parameters: remove --param")

    def _check_regression(self) -> None:
        """Regression has rules and scales of its own."""
        for name in NOT_WITH_REGRESSION:
            if getattr(self, name):
                option = OPTIONS.get(name, name.replace("_", "-"))
                raise ValueError(f"--{option} is for classes: remove it, or --regression")
        if self.metric != "accuracy":
            raise ValueError("--metric is for classes: --regression shows MAE, RMSE and R²")

    def _check_several_labels(self) -> None:
        """A run with several labels per row has one method, which may be compared with itself."""
        if not self.multilabel:
            for name in ("separator", "questions"):
                if getattr(self, name) is not None:
                    raise ValueError(f"--{name} is for rows with several labels: give --multilabel too")
            return
        for name in NOT_WITH_SEVERAL_LABELS:
            if getattr(self, name):
                option = OPTIONS.get(name, name.replace("_", "-"))
                raise ValueError(f"--multilabel has one method of its own: remove --{option}")
        if self.metric != "accuracy":
            raise ValueError("--multilabel shows metrics of its own: remove --metric")
        if self.is_pipe:
            raise ValueError("--multilabel needs the names of labels beforehand: save the pipe to a file")
        if self.reading.is_apart:
            raise ValueError("--multilabel takes labels from the file itself: remove --labels and --id")
        if self.questions not in (None, "pairs", "items"):
            raise ValueError(f"--questions must be pairs or items, not {self.questions}")
        for word in (self.against or "").split(","):
            if word and word not in ("random", "full"):
                raise ValueError(f"--multilabel can be compared with random and full, not with {word}")

    def _check_oracles(self) -> None:
        """A run with oracles has one method, whose budget is money."""
        if self.task is not None and (self.oracles or self.budget is not None):
            raise ValueError("--task has the oracles and their budget: remove --oracle and --budget, or --task")
        if self.task is None and self.budget is None:
            raise ValueError("--oracle: what may all oracles cost together? Give --budget too")
        if self.task is None and not self.oracles:
            raise ValueError("--budget is money for oracles: give --oracle too, such as --oracle human:1.00")
        if self.is_pipe:
            raise ValueError("--oracle needs the number of rows before the first: save the pipe to a file")
        for name in NOT_WITH_ORACLES:
            if getattr(self, name):
                option = OPTIONS.get(name, name.replace("_", "-"))
                raise ValueError(f"--oracle has one method of its own, and --budget limits it: remove --{option}")
        if self.metric != "accuracy":
            raise ValueError("--oracle shows the accuracy: remove --metric")
        if self.until is not None and self.until.accuracy is None:
            raise ValueError("--oracle stops at an accuracy: give --until accuracy=0.95, or remove --until")
        if self.reading.is_apart:
            raise ValueError("--oracle takes labels from the file itself: remove --labels and --id")
        self.paid()

    def _check_bound(self) -> None:
        for name in ("rate", "limit", "burst"):
            if getattr(self, name) is not None:
                raise ValueError(f"--bound needs an algorithm that asks as in its paper: remove --{name}")
        for name in ("intercept", "scaling"):
            if getattr(self, name) is not None:
                raise ValueError(f"--bound needs an algorithm that learns as in its paper: remove --{name}")
        if self.resume is not None:
            raise ValueError("--bound needs an algorithm that starts from scratch: remove --resume")

    def _check_costs(self) -> None:
        if self.resume is not None:
            raise ValueError("--costs compares with a run on all labels: remove --resume")
        if self.algorithm is None or not self.algorithm.startswith("OMCSL"):
            raise ValueError("--costs is for OMCSL algorithms: choose one, for example -a OMCSL-F-h")

    def _check_resumed(self) -> None:
        names = (
            "algorithm",
            "seed",
            "dtype",
            "intercept",
            "scaling",
            "rate",
            "limit",
            "burst",
            "certify",
            "until",
            "classes",
        )
        for name in names:
            if getattr(self, name) is not None:
                raise ValueError(f"--resume continues with the model unchanged: remove --{name}")
        if self.parameters:
            raise ValueError("--resume continues with the model unchanged: remove --param")
        if self.against is not None:
            raise ValueError("--against compares methods that start from scratch: remove --resume or --against")
