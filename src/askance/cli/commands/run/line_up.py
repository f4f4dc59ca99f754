"""The methods of a run, and how each of them reads the file."""

from pathlib import Path
from typing import Any

from askance._util.sealed_file import PLAN, RECIPE, header_of, read
from askance.auto.core import AutoCore
from askance.cli.commands.run.request import RunRequest
from askance.cli.contest.contest import Contestant, LineUp
from askance.cli.contest.methods import (
    AUTO,
    FULL,
    RANDOM,
    AutoMethod,
    Budget,
    Method,
    algorithm,
    auto_opponent,
    automatic,
    beside_auto,
    is_one_sided,
    opponent,
    parse_opponents,
    parse_parameters,
)
from askance.cli.contest.source import (
    AsLearned,
    Classes,
    InParts,
    Once,
    check_are_two,
    count_rows,
    find_classes,
    open_file,
    open_typed,
    origin_of,
    survey,
    survey_further,
    survey_pipe,
)
from askance.data.saved_recipes import saved_recipe
from askance.data.stream import Stream
from askance.data.typed import TypedTable
from askance.errors import ModelFileError
from askance.learners.core import LearnerCore
from askance.metrics.certificate import EVERY
from askance.metrics.measures import check_kind
from askance.metrics.positive import default_positive, place_of_class
from askance.rules.query import Always


def line_up_for(request: RunRequest) -> LineUp:
    """The methods of a request, which have not learned anything yet or continue with a model."""
    if request.resume is not None:
        return _resumed(request, request.resume)
    if request.is_automatic:
        return _automatic(request)
    return _named(request, request.algorithm or AUTO)


def _automatic(request: RunRequest) -> LineUp:
    budget = Budget(request.rate, request.limit)
    certify = {} if request.allowed_error is None else {"certify": request.allowed_error}
    main = automatic({**parse_parameters(request.parameters), **certify}, budget)
    words = parse_opponents(request.against, AUTO)
    request.check_needed(words)
    seed = request.seed or 0
    rate = main.learner(random_state=seed).settings.rate  # wrong parameters show before the file is opened
    stream = open_typed(request.file, request.reading)
    if request.is_pipe:
        stream, classes = survey_pipe(stream, request.classes, request.place, automatic=True)
    else:
        stream, classes = survey(stream, request.classes, request.place)
    if request.until is not None:
        stream = InParts(stream, EVERY)
    many = len(classes.values) > 2
    check_kind(request.metric, many=many)
    _check_positive(request, classes, many=many)

    def contestant(method: AutoMethod) -> Contestant:
        return Contestant(method.name, method.learner(random_state=seed, classes=classes.values), many)

    def other(word: str) -> Contestant:
        if word in (RANDOM, FULL):
            return contestant(auto_opponent(word, main))
        if request.reading.labels is not None:
            raise ValueError(f"--against {word} reads the labels of the file itself: remove it, or --labels")
        if request.is_pipe:
            raise ValueError(f"--against {word} reads the rows in another way, and a pipe can be read only once")
        method = beside_auto(word, rate, budget, many=many)
        common = {"random_state": seed, **request.shaping}
        positive = _learned_positive([method], request, stream, classes)
        learner = method.learner(classes=classes.values, positive=positive, **common)
        return Contestant(word, learner, many, open_file(request.file, request.reading, "float32"))

    return LineUp(stream, classes, [contestant(main), *map(other, words)])


def _check_positive(request: RunRequest, classes: Classes, *, many: bool) -> None:
    """Raise an error before the run if the positive class does not exist."""
    if request.positive is None:
        return
    if many:
        raise ValueError(
            f"--positive is for two classes, and {request.place} has {len(classes.values)}: remove it"
        )
    place_of_class(request.positive, classes.values)


def _learned_positive(methods: list[Method], request: RunRequest, stream: Stream, classes: Classes) -> Any:
    """The class that methods are to take for +1, if it matters to one of them; None means the last.

    It is the one that is named, or the rarer one if it is clearly rarer, which only a file can show beforehand.
    """
    values = classes.values
    if len(values) != 2 or not any(is_one_sided(method.update) for method in methods):
        return None
    if request.positive is not None:
        return values[place_of_class(request.positive, values)]
    return None if request.is_pipe else values[default_positive(count_rows(stream, values, request.place))]


def _named(request: RunRequest, name: str) -> LineUp:
    parameters = parse_parameters(request.parameters)
    budget = Budget(request.rate, request.limit, request.burst)
    main = algorithm(name, parameters, budget)
    if request.bound:
        from askance.theory.register import find as find_theorem  # imports all theorems

        find_theorem(main.name)
    check_kind(request.metric, many=main.many)
    words = parse_opponents(request.against, main.name)
    if request.costs and FULL not in words and not isinstance(main.query, Always):
        words.append(FULL)  # which knows the best costs
    waits = RANDOM in words and budget.rate is None
    if waits and request.is_pipe:
        raise ValueError(
            "--against random reads the rows a second time, but a pipe can be read only once: give --rate"
        )
    others = [opponent(word, main, parameters, budget) for word in words if not (waits and word == RANDOM)]
    dtype = request.dtype or "float32"
    common = {"random_state": request.seed or 0, "dtype": dtype, **request.shaping}
    for method in (main, *others):
        method.learner(**common)  # wrong parameters show before the file is opened
    stream = open_file(request.file, request.reading, dtype)
    if request.is_pipe:
        stream, classes = survey_pipe(stream, request.classes, request.place, automatic=False)
        if not main.many:
            check_are_two(classes.values, request.place)
    else:
        classes = find_classes(stream, request.classes, request.place, many=main.many)
    _check_positive(request, classes, many=main.many)
    positive = _learned_positive([main, *others], request, stream, classes)

    def contestant(method: Method) -> Contestant:
        learner = method.learner(classes=classes.values, positive=positive, **common)
        return Contestant(method.name, learner, main.many)

    def at_random(rate: float) -> Contestant:
        return contestant(opponent(RANDOM, main, parameters, budget._replace(rate=rate)))

    return LineUp(
        stream, classes, [contestant(method) for method in (main, *others)], at_random if waits else None
    )


def _resumed(request: RunRequest, model: Path) -> LineUp:
    from askance.cli.predicting import load_model  # imports all kinds of models, and scikit-learn

    learner: Any = load_model(model).learner
    core: LearnerCore | AutoCore = learner._core
    header = header_of(read(model))
    if isinstance(core, AutoCore):
        request.check_same_columns()
        try:
            stream = open_typed(request.file, request.reading, header.get(PLAN))
        except ModelFileError as error:
            raise ModelFileError(f"{model} {error}") from None
        if not isinstance(stream, TypedTable):  # of which the model says how it is read
            stream = AsLearned(stream, learner.n_features_in_)
    else:
        if request.reading.is_apart:
            raise ValueError(
                "--labels and --id are for the automatic learner, but the model is another: remove them"
            )
        stream = open_file(request.file, request.reading, learner.dtype)
    if RECIPE in header and not request.is_pipe:
        _check_same_reading(header[RECIPE], stream, model)
    stream, classes = _further_classes(request, core, stream, learner.classes_.tolist())
    many = len(classes.values) > 2 if isinstance(core, AutoCore) else core.settings.multiclass
    check_kind(request.metric, many=many)
    _check_positive(request, classes, many=many)
    return LineUp(stream, classes, [Contestant(model.name, core, many)])


def _further_classes(
    request: RunRequest, core: LearnerCore | AutoCore, stream: Stream, known: list[Any]
) -> tuple[Stream, Classes]:
    """The classes of a model and of the rows with which it goes on.

    A pipe does not show beforehand what is new, so that it may have those of the model alone.
    """
    if isinstance(core, LearnerCore) and not core.settings.multiclass:
        return stream, Classes(known)  # it refuses others itself
    if request.is_pipe:
        return Once(stream, request.place, known, goes_on=True), Classes(known)
    return stream, survey_further(stream, known, request.place)


def _check_same_reading(saved: dict[str, Any], stream: Stream, model: Path) -> None:
    """Raise ValueError if the rows of a file would mean something else than those that the model has seen."""
    for _ in stream:  # the first rows show what the columns are
        break
    found = saved_recipe(origin_of(stream))
    if not hasattr(origin_of(stream), "zero_based"):
        found.pop("zero_based", None)  # arrays have no indices
    differ = [
        name for name in found if name not in ("label", "left_out", "dtype") and found[name] != saved.get(name)
    ]
    if differ:
        raise ValueError(
            f"{stream.name} would be read in another way than the file that {model} has learned from "
            f"({', '.join(differ)}): give the same options as then"
        )
