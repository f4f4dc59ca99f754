"""Parameters of rules as parameters of the learner, such as `update__C`."""

from collections.abc import Mapping
from typing import Any, Self

from sklearn.base import BaseEstimator

from askance.rules.registry import parameters_of, with_parameters


class NestedParameters(BaseEstimator):  # type: ignore[misc]
    """An estimator with rules, whose parameters can be set through it."""

    def _nested_rules(self) -> Mapping[str, Any]:
        """The rules whose parameters can be set through the learner."""
        raise NotImplementedError

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; with `deep`, also those of the rules, such as `update__C`."""
        found: dict[str, Any] = super().get_params(deep=False)
        if deep:
            for part, rule in self._nested_rules().items():
                found |= {f"{part}__{name}": value for name, value in parameters_of(rule).items()}
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also those of the rules: `set_params(update__C=0.5)`."""
        nested = {name: value for name, value in params.items() if "__" in name}
        super().set_params(**{name: value for name, value in params.items() if name not in nested})
        for name, value in nested.items():
            part, _, rest = name.partition("__")
            rules = self._nested_rules()
            if part not in rules or rest not in parameters_of(rules[part]):
                raise ValueError(f"{name!r} is not a parameter of {self}: get_params() lists them all")
            setattr(self, part, with_parameters(rules[part], {rest: value}))
        return self
