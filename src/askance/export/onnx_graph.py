"""Graphs of ONNX, node by node."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance._util.optional import require

OPSET, TREE_OPSET, IR_VERSION = 17, 3, 8  # of 2022: old enough for any runtime in use


class Graph:
    """A graph that takes rows `X` in one precision. Methods add a node and return the name of its result."""

    def __init__(self, dtype: type) -> None:
        self.onnx: Any = require("onnx", "onnx", "ONNX")
        self.dtype = np.dtype(dtype)
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._has_trees = False

    def constant(self, value: Any, dtype: Any = None) -> str:
        """A constant. By default it is in the precision of the rows."""
        name = f"constant_{len(self._constants)}"
        array = np.asarray(value, self.dtype if dtype is None else dtype)
        self._constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """The result of an operator."""
        name = f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def times(self, name: str, value: Any) -> str:
        """A result multiplied by a constant."""
        return self.node("Mul", name, self.constant(value))

    def plus(self, name: str, value: Any) -> str:
        """A result plus a constant."""
        return self.node("Add", name, self.constant(value))

    def limited(self, name: str, furthest: float) -> str:
        """A result that is at most this far from 0."""
        return self.node("Clip", name, self.constant(-furthest), self.constant(furthest))

    def normalized(self, name: str) -> str:
        """Rows that add up to 1."""
        return self.node("Div", name, self.node("ReduceSum", name, self.constant([1], np.int64), keepdims=1))

    def votes(self, nodes: dict[str, Any], n_classes: int) -> str:
        """How many trees vote for each class. `nodes` are the attributes of the nodes of all trees."""
        self._has_trees = True
        name = f"votes_{len(self._nodes)}"
        made = self.onnx.helper.make_node(
            "TreeEnsembleRegressor",
            ["X"],
            [name],
            domain="ai.onnx.ml",
            n_targets=n_classes,
            aggregate_function="SUM",
            post_transform="NONE",
            **nodes,
        )
        self._nodes.append(made)
        return self.node("Cast", name, to=self._type_of(self.dtype))

    def tensor(self, values: Any) -> Any:
        """Numbers in the precision of the rows, for an attribute."""
        return self.onnx.numpy_helper.from_array(np.asarray(values, self.dtype), "values")

    def classes(self, places: str, classes: NDArray[Any]) -> str:
        """The classes at these places. Whole numbers are integers, even if a reader has made floats of them."""
        whole = classes.dtype.kind == "f" and bool((classes % 1 == 0).all())
        values = classes.astype(np.int64) if whole or classes.dtype.kind in "iu" else classes
        values = values.astype(object) if values.dtype.kind == "U" else values
        return self.node("Gather", self.constant(values, values.dtype), places, axis=0)

    def model(self, width: int, results: dict[str, str], classes: NDArray[Any], columns: list[str]) -> Any:
        """The model with this many columns whose outputs are these results, by name."""
        helper = self.onnx.helper
        kinds = {"label": self._label_type(classes)}
        nodes = [*self._nodes]
        nodes += [helper.make_node("Identity", [result], [name]) for name, result in results.items()]
        outputs = [
            helper.make_tensor_value_info(
                name, kinds.get(name, self._type_of(self.dtype)), [None] if name == "label" else [None, None]
            )
            for name in results
        ]
        rows = helper.make_tensor_value_info("X", self._type_of(self.dtype), [None, width])
        graph = helper.make_graph(nodes, "askance", [rows], outputs, self._constants)
        opsets = [helper.make_opsetid("", OPSET)]
        if self._has_trees:
            opsets.append(helper.make_opsetid("ai.onnx.ml", TREE_OPSET))
        made = helper.make_model(graph, opset_imports=opsets, producer_name="askance", ir_version=IR_VERSION)
        about = {"classes": json.dumps(classes.tolist()), "columns": json.dumps(columns)}
        helper.set_model_props(made, about)
        self.onnx.checker.check_model(made)
        return made

    def _label_type(self, classes: NDArray[Any]) -> int:
        if classes.dtype.kind == "U":
            return int(self.onnx.TensorProto.STRING)
        whole = classes.dtype.kind in "iu" or (classes.dtype.kind == "f" and bool((classes % 1 == 0).all()))
        return self._type_of(np.dtype(np.int64) if whole else classes.dtype)

    def _type_of(self, dtype: np.dtype[Any]) -> int:
        return int(self.onnx.helper.np_dtype_to_tensor_dtype(dtype))
