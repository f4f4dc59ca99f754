"""The bits of all that a learner of a name decides and learns on a stream, to compare runs with each other."""

import numpy as np
import scipy.sparse as sp

import askance
import streams

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
