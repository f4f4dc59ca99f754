"""Model files made to deceive: the checksum fits, the content does not. Each is refused like a damaged one."""

import struct
from collections.abc import Callable
from typing import Any

import pytest

from askance.learners.files import from_bytes, to_bytes
from model_files import forge, is_refused, trained


def test_a_forgery_that_changes_nothing_loads() -> None:
    assert to_bytes(from_bytes(forge())) == to_bytes(trained())


def put(*path: Any) -> Callable[[dict[str, Any]], None]:
    """Set the value that stands last at the place that the others lead to."""
    *keys, last, value = path

    def change(header: dict[str, Any]) -> None:
        place: Any = header
        for key in keys:
            place = place[key]
        place[last] = value

    return change


def drop(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(header: dict[str, Any]) -> None:
        place: Any = header
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]

    return change


def nested(depth: int) -> Any:
    value: Any = {"rule": "Margin", "parameters": {}}
    for _ in range(depth):
        value = {"rule": "Within", "parameters": {"inner": value}}
    return value


NONSENSE: list[Any] = [None, True, -1, 2**70, 0.5, "x", [], [1, 2], {}, {"rule": "Margin"}]
HEADERS = {
    "no update": drop("update"),
    "no query": drop("query"),
    "no random_state": drop("random_state"),
    "no dtype": drop("dtype"),
    "no sgn0": drop("sgn0"),
    "no width": drop("width"),
    "no classes": drop("classes"),
    "no observed": drop("observed"),
    "no format": drop("format"),
    "no checksum": drop("sha256"),
    "no name of a rule": drop("update", "rule"),
    "no parameters": drop("update", "parameters"),
    "no inner rule": drop("query", "parameters", "inner"),
    "a list for a header": lambda header: [header],
    "a later format": put("format", 2),
    "a format of text": put("format", "1"),
    "an unknown rule": put("update", "rule", "Oracle"),
    "a rule that is a list": put("update", "rule", ["Margin"]),
    "a module for a rule": put("update", "rule", "os.system"),
    "a query rule to update with": put("update", {"rule": "Margin", "parameters": {}}),
    "an update rule to query with": put("query", {"rule": "Perceptron", "parameters": {}}),
    "an update rule inside a budget": put(
        "query", "parameters", "inner", {"rule": "Perceptron", "parameters": {}}
    ),
    "an unknown parameter": put("update", "parameters", "D", 1.0),
    "a parameter out of its limits": put("update", "parameters", "C", -1.0),
    "a parameter that is no number": put("update", "parameters", "C", "x"),
    "a parameter that is a list": put("update", "parameters", "C", [1.0]),
    "a parameter of 400 digits": put("update", "parameters", "C", 10**400),
    "a parameter that is a rule": put("update", "parameters", "C", {"rule": "Margin", "parameters": {}}),
    "rules nested far": put("query", nested(30)),
    "rules nested too far": put("query", nested(300)),
    "a width too small": put("width", 4),
    "a width too large": put("width", 6),
    "a huge width": put("width", 2**55),
    "a huge width of few bits": put("width", 2**40),
    "a negative width": put("width", -1),
    "a width of text": put("width", "5"),
    "a width of a fraction": put("width", 5.0),
    "no width but weights": put("width", None),
    "a negative random_state": put("random_state", -1),
    "a huge random_state": put("random_state", 2**64),
    "a random_state of text": put("random_state", "9"),
    "another dtype": put("dtype", "int8"),
    "a dtype that does not fit the arrays": put("dtype", "float32"),
    "objects for a dtype": put("dtype", "O"),
    "sgn0 of 0": put("sgn0", 0),
    "sgn0 of text": put("sgn0", "1"),
    "three classes": put("classes", {"dtype": "<i8", "values": [1, 2, 3]}),
    "one class given": put("classes", {"dtype": "<i8", "values": [1]}),
    "three observed classes": put("observed", {"dtype": "<i8", "values": [-1, 0, 1]}),
    "observed classes out of order": put("observed", {"dtype": "<i8", "values": [1, -1]}),
    "the same class twice": put("observed", {"dtype": "<i8", "values": [1, 1]}),
    "one observed class without a usual partner": put("observed", {"dtype": "<i8", "values": [7]}),
    "observed classes beside the given": put("classes", {"dtype": "<i8", "values": [5, 6]}),
    "classes of NaN": put("observed", {"dtype": "<f8", "values": [float("nan"), 1.0]}),
    "classes of records": put("observed", {"dtype": "<i8,<i8", "values": [1, 2]}),
    "classes of objects": put("observed", {"dtype": "|O", "values": [{"a": 1}, [2]]}),
    "classes of an unknown type": put("observed", {"dtype": "nonsense", "values": [0, 1]}),
    "classes of a number for a type": put("observed", {"dtype": 5, "values": [0, 1]}),
    "classes of a huge type": put("observed", {"dtype": "<U1000000000", "values": ["a", "b"]}),
    "classes in two dimensions": put("observed", {"dtype": "<i8", "values": [[0, 1]]}),
    "classes that do not fit their type": put("observed", {"dtype": "<i8", "values": ["a", "b"]}),
    "classes without values": put("observed", {"dtype": "<i8"}),
    "classes as a list": put("observed", [0, 1]),
    **{f"update {value!r}": put("update", value) for value in NONSENSE},
    **{f"query {value!r}": put("query", value) for value in NONSENSE},
    **{f"parameters {value!r}": put("update", "parameters", value) for value in NONSENSE if value != {}},
    **{f"observed {value!r}": put("observed", value) for value in NONSENSE},
    **{f"classes {value!r}": put("classes", value) for value in NONSENSE if value is not None},
    **{f"random_state {value!r}": put("random_state", value) for value in NONSENSE},
    **{f"dtype {value!r}": put("dtype", value) for value in NONSENSE},
    **{f"sgn0 {value!r}": put("sgn0", value) for value in NONSENSE if value not in (-1, True)},
    **{f"width {value!r}": put("width", value) for value in NONSENSE},
}
WEIGHTS = "state/weights"
ARRAYS = {
    "weights missing": drop(WEIGHTS),
    "rounds missing": drop("past/rounds"),
    "weights of one number": put(WEIGHTS, "shape", [1]),
    "weights in two dimensions": put(WEIGHTS, "shape", [1, 5]),
    "weights of whole numbers": put(WEIGHTS, "dtype", "I64"),
    "weights of an unknown type": put(WEIGHTS, "dtype", "F65"),
    "rounds of floats": put("past/rounds", "dtype", "F64"),
    "a huge shape": put(WEIGHTS, "shape", [2**62]),
    "a negative shape": put(WEIGHTS, "shape", [-5]),
    "a shape of text": put(WEIGHTS, "shape", ["5"]),
    "offsets beyond the data": put(WEIGHTS, "data_offsets", [0, 2**40]),
    "offsets backwards": put(WEIGHTS, "data_offsets", [40, 0]),
    "no offsets": drop(WEIGHTS, "data_offsets"),
}
ENDS = {
    "data cut": lambda data: data[:-8],
    "no data": lambda data: b"",
    "data too long": lambda data: data + bytes(8),
}


@pytest.mark.parametrize("change", HEADERS)
def test_a_forged_header_is_refused(change: str) -> None:
    is_refused(forge(header=HEADERS[change]))


@pytest.mark.parametrize("change", ARRAYS)
def test_forged_arrays_are_refused(change: str) -> None:
    is_refused(forge(outer=ARRAYS[change]))


@pytest.mark.parametrize("change", ENDS)
def test_forged_data_are_refused(change: str) -> None:
    is_refused(forge(data=ENDS[change]))


@pytest.mark.parametrize("counter", ["past/rounds", "past/asked", "memory/rows", "memory/spent", "memory/refused"])
def test_negative_counters_are_refused(counter: str) -> None:
    places: dict[str, list[int]] = {}

    def spoil(data: bytes) -> bytes:
        start, end = places["at"]
        return data[:start] + struct.pack("<q", -1) + data[end:]

    is_refused(forge(outer=lambda outer: places.update(at=outer[counter]["data_offsets"]), data=spoil))


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"__metadata__": {"askance": 5}}',
        b'{"__metadata__": {"askance": "{}"}}',
        b'{"__metadata__": {"askance": "[]"}}',
        b'{"__metadata__": {"askance": "null"}}',
        b'{"__metadata__": {"askance": "' + b"[" * 100_000 + b'"}}',
        b'{"__metadata__": {"askance": "{\\"sha256\\": \\"\\", \\"format\\": 1}"}}',
        b'{"__metadata__": {"askance": "{\\"sha256\\": \\"\\ud800\\", \\"format\\": 1}"}}',
        b'{"__metadata__": {"askance": "{\\"sha256\\": [], \\"format\\": 1}"}}',
        b'{"__metadata__": {"askance": "' + b"9" * 10_000 + b'"}}',
        b"\xff\xfe",
    ],
)
def test_hostile_heads_are_refused(head: bytes) -> None:
    is_refused(struct.pack("<Q", len(head)) + head)
