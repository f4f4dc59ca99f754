"""The bits of all that a learner of a name decides and learns on a stream, to compare runs with each other."""

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

import askance
import streams
from askance import kernels, queries, updates

FORMS = {"dense": np.asarray, "sparse": sp.csr_array}


def patterns(name: str, form: str) -> list[str]:
    """The name, the form of rows, and each array in hexadecimal digits."""
    made = streams.sparse_units(rows=60, width=10, random_state=8)
    X = FORMS[form](made.X)
    learner = askance.make(name, dtype="float64", random_state=4)
    trace = learner.run(X, made.y)
    learner.partial_fit(X[:20], made.y[:20])
    fields = trace.predictions, trace.scores, trace.ask_probabilities, trace.asked, trace.updated
    arrays = *fields, learner.coef_, learner.decision_function(X)
    return [name, form, *(array.tobytes().hex() for array in arrays)]


def kernel_patterns() -> Iterator[str]:
    """The same for rules in dual form, a line each."""
    made = streams.noisy(rows=100)
    for kernel in (kernels.RBF(0.3), kernels.Polynomial(2)):
        for budget in (None, 12):
            soft = kernels.Kernelized(updates.PassiveAggressive2(), kernel, budget)
            for update in (soft, kernels.SecondOrder(kernel, budget)):
                learner = askance.Learner(update, queries.Adaptive(0.5), dtype="float64")
                trace = learner.run(made.X, made.y)
                arrays = trace.scores, trace.ask_probabilities, trace.asked, learner.dual_coef_
                yield " ".join([str(update), *(array.tobytes().hex() for array in arrays)])
