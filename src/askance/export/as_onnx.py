"""Learners as ONNX graphs that make the same predictions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.auto.calibration import sharpness
from askance.auto.core import AutoCore
from askance.auto.learner import AutoLearner
from askance.errors import ExportError
from askance.export.linear import LinearModel, StandardColumns, WeightedTerms, linear_model
from askance.export.onnx_graph import Graph
from askance.export.source import ModelSource, model_source
from askance.jit.kernels.columns import FURTHEST
from askance.jit.kernels.labelling import GROWN_AT
from askance.jit.kernels.mixture import SCORE_TEMPERATURES, VOTE_TEMPERATURES


def to_onnx(model: Any) -> Any:
    """Return an ONNX model that makes the same predictions, up to rounding.

    Its input `X` has the rows as the learner got them, in its precision. The outputs are `label`, and
    `probabilities` with a column per class if the learner has them, otherwise `scores`. This needs the package
    onnx, which the extra `onnx` installs.

    Parameters
    ----------
    model : Learner, AutoLearner, str or os.PathLike
        The learner, or its model file.

    Returns
    -------
    onnx.ModelProto
        The model. `SerializeToString` gives the content of a file.

    Raises
    ------
    askance.errors.ExportError
        If weights alone do not decide the predictions, as with kernels, or if an automatic learner has learned
        from sparse rows, which ONNX does not have.
    ImportError
        If onnx is not installed.
    """
    source = model_source(model)
    if isinstance(source.learner, AutoLearner):
        return _automatic(source, source.automatic("this needs labels"))
    return _linear(source, linear_model(source.learner))


def _linear(source: ModelSource, linear: LinearModel) -> Any:
    is_double = linear.dtype == "float64" or isinstance(linear.scaling, StandardColumns)
    graph = Graph(np.float64 if is_double else np.float32)
    features = "X"
    if isinstance(linear.scaling, StandardColumns):
        features = _standardized(graph, *linear.scaling)
    elif isinstance(linear.scaling, WeightedTerms):
        features = _weighted(graph, linear.scaling)
    least = float(np.finfo(graph.dtype).tiny)
    intercepts = linear.intercepts if len(linear.classes) == 2 else linear.tipped(least)
    scores = graph.plus(graph.node("MatMul", features, graph.constant(linear.weights.T)), intercepts)
    if len(linear.classes) == 2:
        places = _of_two(graph, scores, linear.at_zero)
    else:
        places = graph.node("ArgMax", scores, axis=1, keepdims=0)
    results = {"label": graph.classes(places, linear.classes)}
    if linear.temperature is None:
        results["scores"] = scores
    else:
        results["probabilities"] = _probabilities(graph, scores, linear.temperature, len(linear.classes))
    return graph.model(linear.width, results, linear.classes, source.names)


def _standardized(graph: Graph, means: Any, factors: Any, furthest: float = FURTHEST) -> str:
    return graph.limited(graph.times(graph.node("Sub", "X", graph.constant(means)), factors), furthest)


def _weighted(graph: Graph, scaling: WeightedTerms) -> str:
    # 1 + log |x| with the sign of x beyond 1, and x up to 1: the part up to 1, and the logarithm of the rest.
    beyond = graph.node("Log", graph.node("Max", graph.node("Abs", "X"), graph.constant(1.0)))
    damped = graph.node("Add", graph.limited("X", 1.0), graph.node("Mul", graph.node("Sign", "X"), beyond))
    weighted = graph.times(damped, scaling.rarities)
    squares = graph.node(
        "ReduceSum", graph.node("Mul", weighted, weighted), graph.constant([1], np.int64), keepdims=1
    )
    least = graph.constant(float(np.finfo(graph.dtype).tiny))
    return graph.node("Div", weighted, graph.node("Max", graph.node("Sqrt", squares), least))


def _of_two(graph: Graph, scores: str, at_zero: int) -> str:
    """The places of the predicted classes."""
    is_second = graph.node("GreaterOrEqual" if at_zero else "Greater", scores, graph.constant(0.0))
    places = graph.node("Cast", is_second, to=graph.onnx.TensorProto.INT64)
    return graph.node("Squeeze", places, graph.constant([1], np.int64))


def _probabilities(graph: Graph, scores: str, temperature: float, n_classes: int) -> str:
    heated = graph.times(scores, temperature)
    if n_classes > 2:
        return graph.node("Softmax", heated, axis=1)
    second = graph.node("Sigmoid", heated)
    return graph.node("Concat", graph.node("Sub", graph.constant(1.0), second), second, axis=1)


# ---------------------------------------------------------------------- automatic learners


def _automatic(source: ModelSource, learner: AutoLearner) -> Any:
    core = learner._core
    assert core.widths is not None
    if core.widths[1]:
        raise ExportError(
            "this learner has learned from sparse rows, such as hashed words, which ONNX does not have: export to "
            "sklearn, or to json"
        )
    graph = Graph(np.float64)
    parts = [_model(graph, core, place) for place in np.flatnonzero(core.models.mixture.trust).tolist()]
    mixed = parts[0] if len(parts) == 1 else graph.node("Sum", *parts)
    order = graph.constant(np.argsort(core.encoder.observed), np.int64)
    power = graph.constant(sharpness(core.remembered, core.classes))
    found = graph.normalized(graph.node("Pow", graph.node("Gather", mixed, order, axis=1), power))
    places = graph.node("ArgMax", found, axis=1, keepdims=0)
    results = {"label": graph.classes(places, learner.classes_), "probabilities": found}
    return graph.model(core.widths[0], results, learner.classes_, source.names)


def _model(graph: Graph, core: AutoCore, place: int) -> str:
    """The probabilities of one model, in the order in which classes came, times how far it is trusted."""
    models = core.models
    trust, chosen = float(models.mixture.trust[place]), int(models.mixture.chosen[place])
    if place == len(models.lanes.dampings):
        votes = graph.plus(_votes(graph, core), 1.0 / core.classes)
        shares = graph.node("Pow", votes, graph.constant(float(VOTE_TEMPERATURES[chosen])))
        return graph.times(graph.normalized(shares), trust)
    columns, width = models.labelled.dense.shape[1], models.lanes.width
    weights = models.lanes.dense_weights[:, place * width : (place + 1) * width]
    scales = models.scales
    features = _standardized(graph, scales.centres, scales.factors, float(scales.furthest[0]))
    summed = graph.node("MatMul", features, graph.constant(weights[:columns] / np.sqrt(columns)))
    scores = graph.plus(summed, weights[columns] * scales.intercept)
    found = _probabilities(graph, scores, float(SCORE_TEMPERATURES[chosen]), core.classes)
    return graph.times(found, trust)


def _votes(graph: Graph, core: AutoCore) -> str:
    """The votes of all trees; none while no tree has grown."""
    trees, grown = core.models.trees, bool(core.models.counts[GROWN_AT])
    if not grown:
        nothing = graph.constant(np.zeros((core.models.labelled.dense.shape[1], core.classes)))
        return graph.node("MatMul", "X", nothing)
    used = [int(count) for count in trees.used]
    numbers = np.repeat(np.arange(len(used)), used)
    places = np.concatenate([np.arange(count) for count in used])

    def of(array: NDArray[Any]) -> NDArray[Any]:
        return array[numbers, places]

    children = of(trees.children)
    leaf = children == places
    nodes: dict[str, Any] = {
        "nodes_treeids": numbers.tolist(),
        "nodes_nodeids": places.tolist(),
        "nodes_featureids": of(trees.features).tolist(),
        "nodes_modes": np.where(leaf, "LEAF", "BRANCH_LEQ").tolist(),
        "nodes_truenodeids": np.where(leaf, 0, children).tolist(),
        "nodes_falsenodeids": np.where(leaf, 0, children + 1).tolist(),
        "nodes_values_as_tensor": graph.tensor(np.where(leaf, 0.0, of(trees.thresholds))),
        "target_treeids": numbers[leaf].tolist(),
        "target_nodeids": places[leaf].tolist(),
        "target_ids": of(trees.classes)[leaf].tolist(),
        "target_weights_as_tensor": graph.tensor(np.ones(int(leaf.sum()))),
    }
    return graph.votes(nodes, core.classes)
