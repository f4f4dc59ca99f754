"""Model files of `StreamRegressor`: what they hold."""

from typing import Any

from askance._util.saving import Arrays, Header
from askance.engine.passes import learned
from askance.learners.codec import rule_from_dict, rule_to_dict, take_arrays
from askance.learners.regression.core import RegressorCore, RegressorSettings
from askance.rules.registry import known_rules

KIND = "regressor"


def contents(core: RegressorCore) -> tuple[Header, Arrays]:
    """The header and the arrays of a file."""
    settings = core.parameters
    parameters: dict[str, Any] = {
        "rate": float(settings.rate),
        "limit": None if settings.limit is None else int(settings.limit),
        "audit": float(settings.audit),
        "random_state": int(settings.random_state),
        "intercept": float(settings.intercept),
        "scaling": settings.scaling,
        "scale_target": bool(settings.scale_target),
    }
    update = settings.update if isinstance(settings.update, str) else rule_to_dict(settings.rule())
    header = {"kind": KIND, "update": update, "parameters": parameters, "n_features": core.width}
    return header, _arrays(core)


def parameters_of(header: Header) -> dict[str, Any]:
    """The parameters of the regressor in a file, by name."""
    update = header["update"]
    rule = update if isinstance(update, str) else rule_from_dict(update, known_rules())
    return {**RegressorSettings(rule, **header["parameters"])._asdict()}


def fill(core: RegressorCore, arrays: Arrays, width: int) -> None:
    """Put what a file holds into a new core for rows with this many features."""
    core.make_room(width)
    core.elastic = False
    take_arrays(_arrays(core), arrays)
    if hasattr(core.machine.core.state, "check"):
        core.machine.core.state.check()
    if core.features is not None:
        core.features.check()


def _arrays(core: RegressorCore) -> Arrays:
    found = learned(core.machine.core)
    if core.features is not None:
        core.features.make_room(core.width or 0)
        found |= core.features.learned()
    return found
