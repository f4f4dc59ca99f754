"""Cost-sensitive learning: passive-aggressive, by adaptive subgradients, and what they are compared with."""

import math
from collections.abc import Mapping

from askance._util.parameters import check_parameters
from askance.algorithms.entry import (
    ACTIVE,
    DISCRIMINATION,
    OURS,
    PASSIVE_AGGRESSIVE,
    UNEVEN_MARGINS,
    Build,
    Entry,
    entry,
)
from askance.rules.query import Always, CostSensitiveDiscrimination, Decaying, Margin, Random
from askance.rules.update import CPA, PAUM, CostSensitiveDA, CostSensitiveMD, CostSensitivePA1


def _prediction_based(variant: str, C: float, rho: float) -> CPA:
    variants = {"PA": CPA(math.inf, rho), "PA-I": CPA(C, rho), "PA-II": CPA(C, rho, squared=True)}
    if variant not in variants:
        raise ValueError(f"CPA: variant must be {' or '.join(map(repr, variants))}, not {variant!r}")
    check_parameters(CPA(C, rho), CPA().constraints())
    return variants[variant]


def _discrimination(rule: type) -> Build:
    return lambda delta=1.0, eta=1.0, b=1.0, rho=2.0: (
        rule(delta, eta, rho),
        CostSensitiveDiscrimination(b, eta, rho),
    )


ENTRIES: Mapping[str, Entry] = {
    "CSPA": entry(ACTIVE, "algorithm 4", lambda C=2.0, rho=2.0: (CostSensitivePA1(C, rho), Always())),
    "CSPAA": entry(
        ACTIVE, "algorithm 4", lambda delta=1.0, C=2.0, rho=2.0: (CostSensitivePA1(C, rho), Margin(delta))
    ),
    "CSPAA(a)": entry(
        ACTIVE, "section 5.2", lambda delta0=2.0**14, C=2.0, rho=2.0: (CostSensitivePA1(C, rho), Decaying(delta0))
    ),
    "CSRND": entry(
        ACTIVE, "section 6.3", lambda ratio=0.5, C=2.0, rho=2.0: (CostSensitivePA1(C, rho), Random(ratio))
    ),
    "CSD-ADA": entry(f"after {DISCRIMINATION}", OURS, _discrimination(CostSensitiveDA)),
    "CSD-AMD": entry(f"after {DISCRIMINATION}", OURS, _discrimination(CostSensitiveMD)),
    "PAUM": entry(
        UNEVEN_MARGINS,
        "",
        lambda tau_pos=2.0, tau_neg=1.0, eta=1.0: (PAUM(tau_pos, tau_neg, eta), Always()),
    ),
    "CPA": entry(
        PASSIVE_AGGRESSIVE,
        "section 8",
        lambda C=2.0, rho=2.0, variant="PA-I": (_prediction_based(variant, C, rho), Always()),
    ),
}
