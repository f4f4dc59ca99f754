"""Algorithms for imbalanced streams: OMCSL, and the algorithms that it is compared with."""

from collections.abc import Mapping
from typing import Any

from askance.algorithms.entry import (
    COST_GRADIENT,
    F_OPTIMISATION,
    GRADIENT,
    MANY_COSTS,
    ONE_PASS,
    RESAMPLING,
    Build,
    Entry,
    entry,
)
from askance.rules.imbalance import AUPRC, AUROC, OFO, OPAUC, F, ManyCosts, OnlineBagging
from askance.rules.query import Always
from askance.rules.update import OCS1, OCS2, OGD
from askance.rules.update.gradient import SCHEDULES


def _decaying(schedule: str) -> bool:
    """Return whether the learning rate of a schedule decays."""
    if schedule not in SCHEDULES:
        raise ValueError(f"schedule must be {' or '.join(map(repr, SCHEDULES))}, not {schedule!r}")
    return SCHEDULES[schedule]


def _whole(number: Any) -> Any:
    """Convert a whole number given as float or str to int; return anything else unchanged."""
    if isinstance(number, str) and number.isdigit():
        return int(number)
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _many_costs(kind: type, *, logistic: bool) -> Build:
    return lambda K=9, gamma=1.0, eta=1.0, schedule="sqrt", m=100: (
        ManyCosts(kind() if kind is F else kind(_whole(m)), _whole(K), gamma, eta, _decaying(schedule), logistic),
        Always(),
    )


def _descent(kind: type, *, logistic: bool) -> Build:
    return lambda eta=1.0, schedule="sqrt": (kind(eta, logistic, _decaying(schedule)), Always())


def _with_costs(kind: type, *, logistic: bool) -> Build:
    def build(rho: Any = 2.0, eta: float = 0.1, schedule: str = "const") -> Any:
        if isinstance(rho, str) and rho != "running":
            raise ValueError(f"rho must be a number or 'running', not {rho!r}")
        running = isinstance(rho, str)
        return kind(1.0 if running else rho, eta, running, logistic, _decaying(schedule)), Always()

    return build


def _bagging(*, under: bool, logistic: bool) -> Build:
    return lambda eta=0.1, schedule="const", members=5: (
        OnlineBagging(under, _whole(members), eta, logistic, _decaying(schedule)),
        Always(),
    )


def _pairs(eta: float = 0.05, lam: float = 0.01, covariance: Any = "full") -> Any:
    kinds = {"full": OPAUC(eta, lam), "diagonal": OPAUC(eta, lam, diagonal=True)}
    covariance = _whole(covariance)
    if isinstance(covariance, str):
        if covariance not in kinds:
            raise ValueError(f"covariance must be 'full', 'diagonal' or a number of columns, not {covariance!r}")
        return kinds[covariance], Always()
    return OPAUC(eta, lam, rank=covariance), Always()


def _with_losses(name: str, paper: str, where: str, build: Any, sgn0: int = -1) -> dict[str, Entry]:
    """The same with the hinge and with the logistic loss."""
    return {
        f"{name}-{letter}": entry(paper, where, build(logistic=letter == "l"), sgn0=sgn0) for letter in ("h", "l")
    }


ENTRIES: Mapping[str, Entry] = {
    **_with_losses("OMCSL-F", MANY_COSTS, "algorithm 7", lambda logistic: _many_costs(F, logistic=logistic)),
    **_with_losses(
        "OMCSL-AUROC", MANY_COSTS, "section 5.4", lambda logistic: _many_costs(AUROC, logistic=logistic)
    ),
    **_with_losses(
        "OMCSL-AUPRC", MANY_COSTS, "section 5.4", lambda logistic: _many_costs(AUPRC, logistic=logistic)
    ),
    **_with_losses("OGD", GRADIENT, "", lambda logistic: _descent(OGD, logistic=logistic)),
    **_with_losses("OCS1", COST_GRADIENT, "", lambda logistic: _with_costs(OCS1, logistic=logistic)),
    **_with_losses("OCS2", COST_GRADIENT, "", lambda logistic: _with_costs(OCS2, logistic=logistic)),
    **_with_losses("OFO", F_OPTIMISATION, "", lambda logistic: _descent(OFO, logistic=logistic), sgn0=1),
    **_with_losses("iOOB", RESAMPLING, "", lambda logistic: _bagging(under=False, logistic=logistic)),
    **_with_losses("iUOB", RESAMPLING, "", lambda logistic: _bagging(under=True, logistic=logistic)),
    "OPAUC": entry(ONE_PASS, "", _pairs, sgn0=-1),
}
