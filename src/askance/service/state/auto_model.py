"""The automatic learner as a task uses it: hashed rows, classes that are known, and the budget of the task."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.auto import codec
from askance.auto.contributions import scores_of_parts
from askance.auto.core import AutoCore, AutoSettings
from askance.auto.rows import plain
from askance.jit.kernels.mixed import Mixed
from askance.learners.core import Decision
from askance.rules.rows import Row

PARAMETERS = ("audit", "memory")


class AutoModel:
    """An automatic learner with the methods of `LearnerCore` that a task needs."""

    def __init__(self, core: AutoCore, width: int) -> None:
        self.core = core
        self._width = width
        self._no_columns = np.empty((1, 0))
        core.start(plain(sp.csr_array((0, width))))

    @classmethod
    def of(
        cls, width: int, classes: Sequence[str], random_state: int, parameters: Mapping[str, float | str]
    ) -> Self:
        """The learner before its first row; ValueError if a parameter is not valid."""
        unknown = [name for name in parameters if name not in PARAMETERS]
        if unknown:
            hint = "set budget.rate" if unknown[0] == "rate" else f"its parameters are {', '.join(PARAMETERS)}"
            raise ValueError(f"auto has no parameter {unknown[0]!r} in a task: {hint}")
        own: dict[str, Any] = {name: _number(name, value) for name, value in parameters.items()}
        return cls(AutoCore(AutoSettings(random_state=random_state, classes=sorted(classes), **own)), width)

    @classmethod
    def decode(cls, content: bytes, width: int) -> Self:
        """The learner that `encode` wrote, apart from the burst of its budget."""
        return cls(codec.decode(content), width)

    def encode(self) -> bytes:
        """The content of a model file of `AutoLearner`."""
        return codec.encode(self.core)

    def keep_to(self, rate: float | None, burst: int) -> Self:
        """Ask for at most `burst` + `rate` × rows labels from now on. Without a rate, for a tenth of the rows."""
        if rate is None:
            self.core.steer(AutoSettings().rate)
        else:
            self.core.steer(rate, burst)
        return self

    # ------------------------------------------------------------------ the labelling loop

    def ask(self, row: Row, *, granted: bool = True) -> Decision:
        """Predict a row and decide whether to ask for its label. Before any label, predict the first class."""
        decision = self.core.ask(self._mixed(row), granted=granted)
        known = decision.prediction is not None
        return decision if known else decision._replace(prediction=self.core.encoder.label(0))

    def tell(self, row: Row, label: str, ask_probability: float = 1.0) -> Self:
        """Learn the label of a row."""
        self.core.tell(self._mixed(row), np.array([label]), ask_probability)
        return self

    # ------------------------------------------------------------------ predictions

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        return np.sort(self.core.encoder.observed)

    def predict(self, X: sp.csr_array) -> NDArray[Any]:
        """The predicted classes of the rows."""
        return self.core.encoder.observed[self.core.probabilities(plain(X)).argmax(axis=1)]

    def decision_function(self, X: sp.csr_array) -> NDArray[np.float64]:
        """Log-odds of the larger of two classes, or the probability of every class."""
        return self.core.decision_function(plain(X))

    def scores_of_parts(self, row: sp.csr_array, kept: NDArray[np.bool_]) -> NDArray[np.float64]:
        """What `decision_function` would be if only some entries of one row counted, at its full length."""
        return scores_of_parts(self.core, plain(row), kept)

    def _mixed(self, row: Row) -> Mixed:
        count = len(row.indices)
        return Mixed(self._no_columns, np.array([0, count]), row.indices, row.values, self._width, count)


def _number(name: str, value: float | str) -> float:
    """A parameter as a number. Settings do not tell whole numbers from others."""
    if isinstance(value, str):
        raise ValueError(f"auto: {name} must be a number, not {value!r}")
    return int(value) if float(value).is_integer() else value
