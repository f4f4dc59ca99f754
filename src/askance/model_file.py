"""Model files: safetensors with a typed header. Reading one runs no code of the file's.

The header is JSON in the file's metadata. It carries the SHA-256 of the whole file, taken with the digest's own
place blanked, so that a single changed or missing byte is noticed before anything is made of the rest.
"""

import hashlib
import json
import os
import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from askance.coding import Coding, ManyClasses
from askance.engine.passes import learned
from askance.labels import as_labels, distinct
from askance.rules import known_rules
from askance.whole_file import write_whole

if TYPE_CHECKING:
    from askance.learner import Learner

FORMAT = 1
BLANK = "0" * 64


class ModelFault(ValueError):
    """A file that is not a whole, unchanged model of askance."""


def save(learner: "Learner", path: str | os.PathLike[str]) -> None:
    """Write `learner` to `path`: all of it or nothing, also if the machine stops half-way."""
    write_whole(path, to_bytes(learner))


def load(path: str | os.PathLike[str], rules: tuple[type, ...] = ()) -> "Learner":
    """The learner in a file. `rules` are rules of your own that it uses; those of askance are known.

    A file that is damaged, or no model at all, raises ValueError.
    """
    try:
        content = pathlib.Path(path).read_bytes()
    except OSError as error:
        raise ModelFault(f"{path} cannot be read: {error.strerror or error}") from None
    try:
        return from_bytes(content, rules)
    except ModelFault as fault:
        raise ModelFault(f"{path} {fault}") from None


def to_bytes(learner: "Learner") -> bytes:
    """The content of a model file."""
    from safetensors.numpy import save as to_safetensors

    learner._begin_once()
    content = to_safetensors(learned(learner._machine.core), {"askance": json.dumps(_header(learner))})
    return content.replace(BLANK.encode(), _digest(content).encode(), 1)


def from_bytes(content: bytes, rules: tuple[type, ...] = ()) -> "Learner":
    """The learner in the content of a model file."""
    known = known_rules(rules)
    header = _checked_header(content)
    try:
        learner = _rebuilt(header, content, known)
    except ModelFault:
        raise
    except Exception as error:
        # The checksum fits, so somebody made it so: whatever a header can be made to do, it must not get further.
        raise ModelFault(f"holds what no learner can hold ({' '.join(str(error).split())[:100]})") from None
    return learner


def _header(learner: "Learner") -> dict[str, Any]:
    machine = learner._machine
    return {
        "format": FORMAT,
        "sha256": BLANK,
        "update": _described(machine.core.update),
        "query": _described(machine.core.query),
        "seed": int(learner.seed),
        "dtype": machine.dtype.name,
        "sgn0": int(machine.core.at_zero),
        "width": machine.width,
        "elastic": learner._elastic,
        "many": bool(learner.many),
        "classes": None if learner.classes is None else _listed(np.asarray(learner.classes)),
        "observed": _listed(learner._coding.observed),
    }


def _checked_header(content: bytes) -> dict[str, Any]:
    """The header, once the digest has shown that every byte is as it was written."""
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or size > len(content) - 8:
        raise ModelFault("is no model of askance, or only the beginning of one")
    try:
        header = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["askance"])
        digest, version = header["sha256"].encode("ascii"), header["format"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelFault("is no model of askance, or a damaged one") from None
    if _digest(content.replace(digest, BLANK.encode(), 1)).encode() != digest:
        raise ModelFault("is damaged: its checksum does not fit; use a backup or train anew")
    if version != FORMAT:
        raise ModelFault(f"has format {version}, and this askance reads format {FORMAT}: upgrade askance")
    return {**header, "sha256": BLANK}


def _rebuilt(header: dict[str, Any], content: bytes, known: dict[str, type]) -> "Learner":
    from safetensors.numpy import load as from_safetensors

    from askance.made import with_rules

    width = header["width"]
    learner = with_rules(
        update=_made(header["update"], known),
        query=_made(header["query"], known),
        seed=header["seed"],
        dtype=header["dtype"],
        sgn0=header["sgn0"],
        classes=None if header["classes"] is None else _unlisted(header["classes"]).tolist(),
        many=header["many"],
    )
    learner._begin_once()
    if width is not None and not 0 <= width <= learner._machine.most_features(len(content)):
        raise ModelFault(f"holds what no learner can hold: {width} features in a file of {len(content)} bytes")
    learner._coding = _coding(header["observed"], learner._coding)
    if width is not None:
        if learner.many and width * learner._coding.lanes > len(content):
            raise ModelFault("holds what no learner can hold: more classes and features than the file has bytes")
        learner._machine.make_room(width, learner._coding.lanes)
        learner._has_width(width, elastic=header["elastic"])
    if json.dumps(_header(learner), sort_keys=True) != json.dumps(header, sort_keys=True):
        raise ModelFault("has a header that this askance would not write: use a backup or train anew")
    found = from_safetensors(content)
    learner._machine.expect(found)
    _fill(learned(learner._machine.core), found)
    return learner


def _coding(described: dict[str, Any], given: Coding) -> Coding:
    """The coding of the classes observed, which begin with those `given`; two classes are sorted."""
    observed = _unlisted(described)
    labels = as_labels(observed, len(observed))
    coding = type(given)(labels, given.dtype)
    if isinstance(given, ManyClasses):
        sound = len(np.unique(labels)) == len(labels)
    else:
        sound = np.array_equal(distinct(labels, given.observed), labels)
    if labels.dtype.kind not in "biufU" or not sound:
        raise ModelFault(f"has the classes {observed.tolist()}, which no learner can have observed")
    if not np.isin(given.observed, labels).all():
        raise ModelFault(f"has the classes {observed.tolist()}, which are not those given")
    return coding


def _fill(arrays: dict[str, NDArray[Any]], found: dict[str, NDArray[Any]]) -> None:
    """Put what was found into the learner's arrays, if it is of the same form and could have been learned."""
    if arrays.keys() != found.keys():
        raise ModelFault(f"has the arrays {', '.join(sorted(found))} instead of {', '.join(sorted(arrays))}")
    for name, array in arrays.items():
        if (found[name].dtype, found[name].shape) != (array.dtype, array.shape):
            raise ModelFault(f"has an array {name} of {found[name].dtype}{found[name].shape}, which does not fit")
        counts = array.dtype.kind == "i"
        if (found[name] < 0).any() if counts else not np.isfinite(found[name]).all():
            raise ModelFault(f"has an array {name} with {'negative counts' if counts else 'NaN or infinity'}")
        array[:] = found[name]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _described(rule: Any) -> dict[str, Any]:
    parameters = {
        name: _described(value) if hasattr(value, "_fields") else value for name, value in rule._asdict().items()
    }
    code = next((name for name, value in parameters.items() if callable(value)), None)
    if code is not None:
        raise ValueError(f"a model file holds no code, so a learner whose {code} is a function cannot be saved")
    return {"rule": type(rule).__name__, "parameters": parameters}


def _made(description: dict[str, Any], rules: dict[str, type]) -> Any:
    name = description["rule"]
    if name not in rules:
        raise ModelFault(f"uses the rule {name}, which is not one of askance's: pass rules=({name},) to load")
    parameters = {
        key: _made(value, rules) if isinstance(value, dict) else value
        for key, value in description["parameters"].items()
    }
    return rules[name](**parameters)


def _listed(classes: NDArray[Any]) -> dict[str, Any]:
    return {"dtype": classes.dtype.str, "values": classes.tolist()}


def _unlisted(classes: dict[str, Any]) -> NDArray[Any]:
    return np.array(classes["values"], classes["dtype"])
