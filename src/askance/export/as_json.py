"""What a learner has learned, as plain JSON that a person can read."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance import __version__
from askance.auto.calibration import sharpness
from askance.auto.core import AutoCore
from askance.auto.learner import AutoLearner
from askance.auto.models import penalty, takes_roots
from askance.export.linear import LinearModel, StandardColumns, WeightedTerms, linear_model
from askance.export.source import ModelSource, model_source
from askance.jit.kernels.columns import FURTHEST
from askance.jit.kernels.labelling import GROWN_AT, PLACES
from askance.jit.kernels.mixture import SCORE_TEMPERATURES, VOTE_TEMPERATURES

Json = dict[str, Any]


def to_json(model: Any) -> dict[str, Any]:
    """Return what a learner has learned as numbers, strings, lists and dictionaries, for `json.dump`.

    The guide on exporting describes the fields and the formulas that use them.

    Parameters
    ----------
    model : Learner, AutoLearner, str or os.PathLike
        The learner, or its model file. A file knows the names of columns.

    Returns
    -------
    dict
        For a linear learner the weights of columns and how columns are scaled. For an automatic learner the same
        for each of its models, its trees, and how far it trusts each.

    Raises
    ------
    askance.errors.ExportError
        If weights alone do not decide the predictions of a learner, as with kernels.

    Examples
    --------
    >>> import askance
    >>> from askance import export
    >>> learner = askance.make("PA-II", C=1.0, classes=["ham", "spam"])
    >>> _ = learner.partial_fit([[1.0, 0.0], [0.0, 2.0]], ["spam", "ham"])
    >>> found = export.to_json(learner)
    >>> found["classes"]
    ['ham', 'spam']
    >>> {name: round(weight, 2) for name, weight in found["scores"][0]["weights"].items()}
    {'column 0': 0.67, 'column 1': -0.44}
    """
    source = model_source(model)
    if isinstance(source.learner, AutoLearner):
        return _automatic(source, source.automatic("this needs labels"))
    linear = linear_model(source.learner)
    return {
        **_heading("linear", linear.classes, linear.width),
        "algorithm": linear.algorithm,
        "scaling": _scaling(linear, source),
        "scores": [
            {"class": name, "intercept": float(intercept), "weights": _weights(weights, source)}
            for name, intercept, weights in zip(
                _scored(linear.classes), linear.intercepts, linear.weights, strict=True
            )
        ],
        "class_at_zero": linear.classes.tolist()[linear.at_zero],
        "temperature": linear.temperature,
    }


def _heading(kind: str, classes: NDArray[Any], width: int) -> Json:
    return {"askance": __version__, "kind": kind, "classes": classes.tolist(), "n_columns": width}


def _scored(classes: NDArray[Any]) -> list[Any]:
    """The classes that have a score: the second of two, or all."""
    return classes.tolist()[1:] if len(classes) == 2 else classes.tolist()


def _weights(weights: Any, source: ModelSource, columns: Any = None) -> Json:
    """The weights that are not 0, by column."""
    places = np.flatnonzero(weights)
    numbers = places if columns is None else np.asarray(columns)[places]
    values = np.asarray(weights, np.float64)[places].tolist()
    return {source.name_of(number): value for number, value in zip(numbers.tolist(), values, strict=True)}


def _scaling(linear: LinearModel, source: ModelSource) -> Json | None:
    if isinstance(linear.scaling, StandardColumns):
        return _standard(linear.scaling.means, linear.scaling.factors, source)
    if isinstance(linear.scaling, WeightedTerms):
        return _tfidf(linear.scaling.rarities, source)
    return None


def _standard(means: Any, factors: Any, source: ModelSource, furthest: float = FURTHEST) -> Json:
    columns = {
        source.name_of(number): {"mean": mean, "deviation": 1.0 / factor if factor > 0.0 else None}
        for number, (mean, factor) in enumerate(zip(means.tolist(), factors.tolist(), strict=True))
    }
    return {"kind": "standard", "furthest": furthest, "columns": columns}


def _tfidf(rarities: Any, source: ModelSource, first: int = 0) -> Json:
    """How rare terms are. Most of them may never have occurred: these have the highest value in common."""
    highest = float(rarities.max())
    known = np.flatnonzero(rarities != highest)
    values = rarities[known].tolist()
    named = {source.name_of(first + place): value for place, value in zip(known.tolist(), values, strict=True)}
    return {"kind": "tfidf", "rarities": named, "other_rarities": highest}


# ---------------------------------------------------------------------- automatic learners


def _automatic(source: ModelSource, learner: AutoLearner) -> Json:
    core = learner._core
    scales, mixture = core.models.scales, core.models.mixture
    assert core.widths is not None
    columns, terms = core.widths
    scaling = []
    if columns:
        scaling.append(_standard(scales.centres, scales.factors, source, float(scales.furthest[0])))
    if terms:
        scaling.append(_tfidf(scales.weights, source, columns))
    models = [_linear(core, place, source) for place in range(len(core.models.lanes.dampings))]
    if columns:
        models.append(_forest(core, source))
    for model, trust in zip(models, mixture.trust.tolist(), strict=True):
        model["trust"] = trust
    return {
        **_heading("auto", learner.classes_, columns + terms),
        "labels": core.remembered,
        "scaling": scaling,
        "models": models,
        "sharpness": sharpness(core.remembered, core.classes),
    }


def _linear(core: AutoCore, place: int, source: ModelSource) -> Json:
    """One of the linear models. The scores of two classes are one, that of the second."""
    lanes, scales = core.models.lanes, core.models.scales
    assert core.widths is not None
    columns, width = core.widths[0], lanes.width
    observed = core.encoder.observed
    order = np.argsort(observed)
    numbers = np.arange(columns).tolist()
    numbers += (columns + core.models.vocabulary[1 : core.models.counts[PLACES]]).tolist()
    scores = []
    for name, code in zip(_scored(observed[order]), [0] if width == 1 else order.tolist(), strict=True):
        lane = place * width + code
        sign = -1.0 if width == 1 and order[1] == 0 else 1.0  # the lane is for the class that came second
        dense = sign * lanes.dense_weights[:, lane]
        terms = sign * lanes.weights[1 : core.models.counts[PLACES], lane]
        weights = np.concatenate([dense[:columns] / max(1.0, np.sqrt(columns)), terms])
        intercept = float(dense[columns] * scales.intercept)
        scores.append({"class": name, "intercept": intercept, "weights": _weights(weights, source, numbers)})
    temperature = float(SCORE_TEMPERATURES[core.models.mixture.chosen[place]])
    about: Json = {"kind": "linear", "penalty": penalty(core.models, place), "temperature": temperature}
    if core.widths[1]:
        about["terms"] = "roots" if takes_roots(core.models, place) else "tfidf"
    return {**about, "scores": scores}


def _forest(core: AutoCore, source: ModelSource) -> Json:
    trees = core.models.trees
    grown = len(trees.used) if core.models.counts[GROWN_AT] else 0
    temperature = float(VOTE_TEMPERATURES[core.models.mixture.chosen[-1]])
    return {
        "kind": "forest",
        "temperature": temperature,
        "trees": [_tree(core, number, source) for number in range(grown)],
    }


def _tree(core: AutoCore, number: int, source: ModelSource) -> list[Json]:
    """The nodes of a tree, of which the first is the root."""
    trees, nodes = core.models.trees, []
    classes = core.encoder.observed.tolist()
    for place in range(int(trees.used[number])):
        child = int(trees.children[number, place])
        if child == place:
            nodes.append({"class": classes[trees.classes[number, place]]})
            continue
        column = source.name_of(int(trees.features[number, place]))
        threshold = float(trees.thresholds[number, place])
        nodes.append({"column": column, "at_most": threshold, "then": child, "otherwise": child + 1})
    return nodes
