"""Learning by support vectors instead of weights: the kernel (dual-variable) forms. These lists are the register.

askance.Learner(askance.dual.Kernelized(askance.updates.PassiveAggressive2(C=1.0), kernel=askance.dual.RBF(0.5)))
"""

from askance.dual.kernelized import Kernelized
from askance.dual.kernels import KERNELS, RBF, Linear, Polynomial
from askance.dual.second_order import SecondOrder

RULES: tuple[type, ...] = (Kernelized, SecondOrder)

__all__ = ["KERNELS", "RBF", "RULES", "Kernelized", "Linear", "Polynomial", "SecondOrder"]
