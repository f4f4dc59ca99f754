"""The core of a learner as bytes, and back: numbers, a header in JSON, and a checksum. No code is stored."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance._util.sealed_file import arrays_of, own_header, seal
from askance.engine.passes import arrays_of as arrays_in
from askance.engine.passes import learned
from askance.errors import ModelFileError
from askance.learners.classes import ClassEncoder, MulticlassEncoder
from askance.learners.core import LearnerCore
from askance.learners.labels import as_labels, distinct
from askance.learners.settings import Settings
from askance.rules.query.rule import check_memory
from askance.rules.registry import known_rules

IMPOSSIBLE = "is damaged: no learner can hold what it holds"


def encode(core: LearnerCore) -> bytes:
    """The content of a model file."""
    return seal(_arrays(core), _header(core))


def decode(content: bytes, rules: tuple[type, ...] = ()) -> LearnerCore:
    """The core in the content of a model file. `rules` are rules of your own that it uses."""
    known = known_rules(rules)
    header = own_header(content)
    try:
        return _rebuilt(header, content, known)
    except ModelFileError:
        raise
    except Exception as error:
        # The checksum matches, so the header was forged. Whatever it makes Python do must end here.
        raise ModelFileError(f"{IMPOSSIBLE} ({' '.join(str(error).split())[:100]})") from None


def _arrays(core: LearnerCore) -> dict[str, NDArray[Any]]:
    found = learned(core.machine.core)
    if core.features is not None:
        core.features.make_room(core.width or 0)  # a label may have brought a wider row that was not observed
        found |= core.features.learned()
    if core.settings.probability:
        found |= arrays_in(core.machine.recent, "recent")
    return found


def _header(core: LearnerCore) -> dict[str, Any]:
    machine, settings = core.machine, core.settings
    options: dict[str, Any] = {"intercept": float(settings.intercept), "scaling": settings.scaling}
    options["probability"] = bool(settings.probability)
    if settings.positive is not None:
        options["positive"] = classes_to_dict(np.array([settings.positive]))
    return {
        "update": rule_to_dict(machine.core.update),
        "query": rule_to_dict(machine.core.query),
        "random_state": int(settings.random_state),
        "dtype": machine.dtype.name,
        "sgn0": int(machine.core.at_zero),
        "width": core.width,
        "elastic": core.elastic,
        "multiclass": bool(settings.multiclass),
        "classes": None if settings.classes is None else classes_to_dict(np.asarray(settings.classes)),
        "observed": classes_to_dict(core.encoder.observed),
        **{name: value for name, value in options.items() if value},
    }


def _rebuilt(header: dict[str, Any], content: bytes, known: dict[str, type]) -> LearnerCore:
    width, classes, positive = header["width"], header["classes"], header.get("positive")
    settings = Settings(
        header["random_state"],
        header["dtype"],
        header["sgn0"],
        None if classes is None else classes_from_dict(classes).tolist(),
        header["multiclass"],
        header.get("intercept", 0.0),
        header.get("scaling"),
        header.get("probability", False),
        None if positive is None else classes_from_dict(positive).tolist()[0],
    )
    update, query = (rule_from_dict(header[part], known) for part in ("update", "query"))
    core = LearnerCore(update, query, settings)
    if width is not None and not 0 <= width <= core.machine.most_features(len(content)):
        raise ModelFileError(f"{IMPOSSIBLE}: {width} features in a file of {len(content)} bytes")
    core.encoder = _encoder(header["observed"], core.encoder)
    if width is not None:
        if settings.multiclass and width * core.encoder.lanes > len(content):
            raise ModelFileError(f"{IMPOSSIBLE}: more classes and features than the file has bytes")
        core.make_room(width, core.encoder.lanes)
        core.elastic = header["elastic"]
    if json.dumps(_header(core), sort_keys=True) != json.dumps(header, sort_keys=True):
        raise ModelFileError("has a header that this version does not write: use a backup or train again")
    found = arrays_of(content)
    core.machine.expect(found)
    if hasattr(core.machine.core.state, "restored"):
        found = core.machine.core.state.restored(found)
    take_arrays(_arrays(core), found)
    if hasattr(core.machine.core.state, "check"):
        core.machine.core.state.check()
    check_memory(core.machine.core.memory)
    if core.features is not None:
        core.features.check()
    if settings.probability:
        core.machine.recent.check(many=settings.multiclass)
    return core


def _encoder(listing: dict[str, Any], given: ClassEncoder) -> ClassEncoder:
    """The encoder of the observed classes, which begin with those `given`. Two classes are sorted."""
    observed = classes_from_dict(listing)
    labels = as_labels(observed, len(observed))
    if isinstance(given, MulticlassEncoder):
        sound = len(np.unique(labels)) == len(labels)
    else:
        sound = np.array_equal(distinct(labels, given.observed), labels)
    if labels.dtype.kind not in "biufU" or not sound:
        raise ModelFileError(f"has the classes {observed.tolist()}, which no learner can have observed")
    if not np.isin(given.observed, labels).all():
        raise ModelFileError(f"has the classes {observed.tolist()}, which do not match its parameter classes")
    return given.having(labels)


def take_arrays(arrays: dict[str, NDArray[Any]], found: dict[str, NDArray[Any]]) -> None:
    """Copy what was found into the arrays of a core, if it has the same form and could have been learned."""
    if arrays.keys() != found.keys():
        raise ModelFileError(f"has the arrays {', '.join(sorted(found))} instead of {', '.join(sorted(arrays))}")
    for name, array in arrays.items():
        if (found[name].dtype, found[name].shape) != (array.dtype, array.shape):
            raise ModelFileError(
                f"has an array {name} of {found[name].dtype}{found[name].shape}, which does not fit"
            )
        counts = array.dtype.kind == "i"
        if (found[name] < 0).any() if counts else not np.isfinite(found[name]).all():
            raise ModelFileError(f"has an array {name} with {'negative counts' if counts else 'NaN or infinity'}")
        array[:] = found[name]


def rule_to_dict(rule: Any) -> dict[str, Any]:
    """A rule as its name and its parameters."""
    parameters = {
        name: rule_to_dict(value) if hasattr(value, "_fields") else value for name, value in rule._asdict().items()
    }
    code = next((name for name, value in parameters.items() if callable(value)), None)
    if code is not None:
        raise ValueError(f"a model file holds no code, so a learner whose {code} is a function cannot be saved")
    return {"rule": type(rule).__name__, "parameters": parameters}


def rule_from_dict(description: dict[str, Any], rules: dict[str, type]) -> Any:
    """The rule that `rule_to_dict` described."""
    name = description["rule"]
    if name not in rules:
        raise ModelFileError(f"uses the rule {name}, which askance does not have: pass rules=({name},) to load")
    parameters = {
        key: rule_from_dict(value, rules) if isinstance(value, dict) else value
        for key, value in description["parameters"].items()
    }
    return rules[name](**parameters)


def classes_to_dict(classes: NDArray[Any]) -> dict[str, Any]:
    """Classes as JSON can hold them."""
    return {"dtype": classes.dtype.str, "values": classes.tolist()}


def classes_from_dict(classes: dict[str, Any]) -> NDArray[Any]:
    """The classes that `classes_to_dict` described."""
    return np.array(classes["values"], classes["dtype"])
