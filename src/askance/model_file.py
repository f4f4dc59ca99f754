"""Model files: safetensors with a typed header. Reading one runs no code of the file's.

The header is JSON in the file's metadata. It carries the SHA-256 of the whole file, taken with the digest's own
place blanked, so that a single changed or missing byte is noticed before anything is made of the rest.
"""

import hashlib
import json
import os
import pathlib
import secrets
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from askance.engine.passes import arrays_of
from askance.rules import known_rules

if TYPE_CHECKING:
    from askance.learner import Learner

FORMAT = 1
BLANK = "0" * 64


class ModelFault(ValueError):
    """A file that is not a whole, unchanged model of askance."""


def save(learner: "Learner", path: str | os.PathLike[str]) -> None:
    """Write `learner` to `path`: all of it or nothing, also if the machine stops half-way."""
    content = to_bytes(learner)
    target = pathlib.Path(path)
    if target.exists() and not target.is_file():
        raise ValueError(f"{target} is no file that a model could be written to: give another name")
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


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
    core, width = learner._machine.core, learner._machine.width
    header = {
        "format": FORMAT,
        "sha256": BLANK,
        "update": _described(core.update),
        "query": _described(core.query),
        "seed": int(learner.seed),
        "dtype": learner.dtype,
        "sgn0": int(learner.sgn0),
        "width": width,
        "classes": None if learner.classes is None else _listed(np.asarray(learner.classes)),
        "observed": _listed(learner._observed),
    }
    content = to_safetensors(arrays_of(core), {"askance": json.dumps(header)})
    return content.replace(BLANK.encode(), _digest(content).encode(), 1)


def from_bytes(content: bytes, rules: tuple[type, ...] = ()) -> "Learner":
    """The learner in the content of a model file."""
    header, arrays = _read(content)
    found = known_rules(rules)
    from askance.learner import Learner

    learner = Learner(
        update=_made(header["update"], found),
        query=_made(header["query"], found),
        seed=header["seed"],
        dtype=header["dtype"],
        sgn0=header["sgn0"],
        classes=None if header["classes"] is None else _unlisted(header["classes"]).tolist(),
    )
    learner._begin_once()
    learner._observe(_unlisted(header["observed"]))
    if header["width"] is not None:
        learner._machine.make_room(header["width"])
        learner.n_features_in_ = header["width"]
    for name, array in arrays_of(learner._machine.core).items():
        array[:] = arrays[name]
    return learner


def _read(content: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header and arrays, once the digest has shown that every byte is as it was written."""
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or size > len(content) - 8:
        raise ModelFault("is no model of askance, or only the beginning of one")
    try:
        header = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["askance"])
        digest = header["sha256"]
        version = header["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelFault("is no model of askance, or a damaged one") from None
    if not isinstance(digest, str) or _digest(content.replace(digest.encode(), BLANK.encode(), 1)) != digest:
        raise ModelFault("is damaged: its checksum does not fit; use a backup or train anew")
    if version != FORMAT:
        raise ModelFault(f"has format {version}, and this askance reads format {FORMAT}: upgrade askance")
    from safetensors.numpy import load as from_safetensors

    return header, from_safetensors(content)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _described(rule: Any) -> dict[str, Any]:
    parameters = {
        name: _described(value) if hasattr(value, "_fields") else value for name, value in rule._asdict().items()
    }
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
