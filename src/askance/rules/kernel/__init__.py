"""Kernel rules, which learn support vectors instead of weights. `RULES` and `KERNELS` are the registers.

>>> from askance import Learner, kernels, updates
>>> learner = Learner(kernels.Kernelized(updates.PassiveAggressive2(C=1.0), kernel=kernels.RBF(0.5)))
"""

from askance.rules.kernel.kernelized import Kernelized
from askance.rules.kernel.kernels import KERNELS as KERNELS
from askance.rules.kernel.kernels import RBF, Linear, Polynomial
from askance.rules.kernel.second_order import SecondOrder

RULES: tuple[type, ...] = (Kernelized, SecondOrder)

__all__ = ["Kernelized", "Linear", "Polynomial", "RBF", "SecondOrder"]  # noqa: RUF022 - RBF is not a constant
