"""The core of a regressor: a rule, the questions, and what was learned."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance._util.parameters import SHARE, Interval
from askance.engine.machine import Machine
from askance.errors import ParameterError
from askance.learners.core import Decision, LearnerCore
from askance.learners.regression.targets import TargetEncoder, as_numbers
from askance.learners.regression.trace import RegressionTrace
from askance.learners.settings import Settings
from askance.rules.query import Within
from askance.rules.registry import check_rules, with_floats
from askance.rules.regression import NAMES, ByUncertainty
from askance.rules.regression.targets import MEAN, ScaledTarget
from askance.rules.rows import AnyRows
from askance.rules.update.rule import about

OWNER = "StreamRegressor"
LIMIT = Interval(0, low_closed=True, whole=True)


class RegressorSettings(NamedTuple):
    """The parameters of a regressor."""

    update: Any = None
    rate: float = 0.1
    limit: int | None = None
    audit: float = 0.5
    random_state: int = 0
    intercept: float = 0.3
    scaling: str | None = "standard"
    scale_target: bool = True

    def rule(self) -> Any:
        """The update rule, which may be given by name."""
        if self.update is None:
            return NAMES["AROW"]
        if not isinstance(self.update, str):
            return self.update
        if self.update not in NAMES:
            raise ParameterError(OWNER, "update", self.update, f"a rule or one of {', '.join(NAMES)}")
        return NAMES[self.update]

    def query(self) -> Any:
        """The query rule: by uncertainty if the update rule has one, otherwise at random."""
        audit = self.audit if about(self.rule()).has_spread else 1.0
        query = ByUncertainty(float(self.rate), float(audit))
        return query if self.limit is None else Within(query, limit=float(self.limit))

    def common(self) -> Settings:
        """The parameters that classifiers have as well. Targets of many digits need double precision."""
        return Settings(self.random_state, "float64", intercept=self.intercept, scaling=self.scaling)

    def check(self) -> None:
        """Raise an error for the first parameter that cannot be used."""
        for name, allowed in (("rate", SHARE), ("audit", SHARE)):
            value = getattr(self, name)
            if not allowed.allows(value):
                raise ParameterError(OWNER, name, value, allowed.wanted(value))
        if self.limit is not None and not LIMIT.allows(self.limit):
            raise ParameterError(OWNER, "limit", self.limit, "None or a whole number of at least 0")
        if not isinstance(self.scale_target, bool | np.bool_):
            raise ParameterError(OWNER, "scale_target", self.scale_target, "True or False")
        check_rules(self.rule(), self.query(), regression=True)
        self.common().check(OWNER)


class RegressionMachine(Machine):
    """A machine whose rules weight a label once: `sample_weight` does not count as a probability as well."""

    def learn(
        self,
        rows: AnyRows,
        width: int,
        labels: NDArray[Any],
        lanes: int = 1,
        draws: NDArray[np.float64] | None = None,
        probability: float = 1.0,
        rule: Any = None,
    ) -> tuple[int, int]:
        """Learn every label."""
        return super().learn(rows, width, labels, lanes, draws, 1.0 if rule is not None else probability, rule)


class RegressorCore(LearnerCore):
    """As the core of a learner, but labels are numbers, and the prediction is the score."""

    machine: Machine

    def __init__(self, settings: RegressorSettings) -> None:
        settings.check()
        rule = with_floats(settings.rule())
        update = ScaledTarget(rule) if settings.scale_target else rule
        self.rules = update, settings.query()
        self.parameters = settings
        self.settings = settings.common()
        self.features = self.settings.features()
        self.encoder: Any = TargetEncoder()
        self.machine = RegressionMachine(update, with_floats(settings.query()), np.dtype(np.float64), 1.0)
        self.elastic = True
        self._coins_ahead = (-1, np.empty(0))

    def ask(self, x: Any, *, granted: bool = True) -> Decision:
        """Predict one row and decide whether to ask for its label. See `StreamRegressor.ask`."""
        decision = super().ask(x, granted=granted)
        return decision._replace(prediction=decision.score if self.is_fitted else None)

    def run(  # type: ignore[override]
        self, X: Any, y: ArrayLike, coins: ArrayLike | None = None, width: int | None = None
    ) -> RegressionTrace:
        """Ask, and learn from what was asked for, row by row. If a row is bad, nothing changes."""
        targets, fitted = as_numbers(y, X.shape[0]), self.is_fitted
        outcome, common = self._rounds(X, targets, self.encoder, coins, width)
        predictions = outcome.scores
        if not fitted:  # there is nothing to predict before the first label
            first = int(np.argmax(outcome.asked)) + 1 if outcome.asked.any() else len(targets)
            predictions[:first] = np.nan
        return RegressionTrace(y=targets, predictions=predictions, **common)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The predictions of the rows."""
        return self._scores(X)[:, 0]

    @property
    def is_fitted(self) -> bool:
        """Whether a label has been learned."""
        return self.machine.width is not None and bool(self.machine.core.past.labels[0])

    @property
    def offset(self) -> float:
        """The mean of the labels, if the rules see deviations from it; otherwise 0."""
        return float(self.machine.core.state.targets[MEAN]) if self.parameters.scale_target else 0.0
