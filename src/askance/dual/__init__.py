"""Learning by support vectors instead of weights: the kernel (dual-variable) forms. These lists are the register.

askance.Learner(askance.dual.Kernelized(askance.updates.PassiveAggressive2(C=1.0), kernel=askance.dual.RBF(0.5)))
"""

from askance.dual.kernelized import Kernelized
from askance.dual.kernels import KERNELS as KERNELS
from askance.dual.kernels import RBF, Linear, Polynomial
from askance.dual.second_order import SecondOrder

RULES: tuple[type, ...] = (Kernelized, SecondOrder)

__all__ = ["Kernelized", "Linear", "Polynomial", "RBF", "SecondOrder"]  # noqa: RUF022 - RBF is no constant
