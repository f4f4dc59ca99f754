"""An entry of the catalog: a paper's algorithm, its rules and its parameters."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from askance.rules.query import QueryRule
from askance.rules.registry import BINARY, MULTICLASS
from askance.rules.update import UpdateRule

if TYPE_CHECKING:
    from askance.learners.learner import Learner

PERCEPTRON = "Rosenblatt 1958"
PASSIVE_AGGRESSIVE = "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer 2006"
SELECTIVE = "Cesa-Bianchi, Gentile, Zaniboni 2006"
ACTIVE = "Lu, Zhao, Hoi 2016"
UNEVEN_MARGINS = "Li, Zaragoza, Herbrich, Shawe-Taylor, Kandola 2002"
ADAPTIVE = "Duchi, Hazan, Singer 2011"
DISCRIMINATION = "Zhai, Koriche, Gao, Zhu, Li 2022"
MANY_COSTS = "Yan 2017"
GRADIENT = "Zinkevich 2003"
COST_GRADIENT = "Wang, Zhao, Hoi 2014"
F_OPTIMISATION = "Busa-Fekete, Szörényi, Dembczyński, Hüllermeier 2015"
ONE_PASS = "Gao, Jin, Zhu, Zhou 2013"
RESAMPLING = "Wang, Minku, Yao 2015"
RELAXED_MARGIN = "Li, Long 2002"
LARGE_MARGIN = "Gentile 2001"
LOSSES_OF_SGD = "Zhang 2004"
TRUNCATED = "Langford, Li, Zhang 2009"
CLICKS = "McMahan et al. 2013"
COIN_BETTING = "Orabona, Tommasi 2017"
DUAL_AVERAGING = "Xiao 2010"
OURS = "decision 75"  # what these papers name as future work
PRIMAL_SVM = "Shalev-Shwartz, Singer, Srebro 2007"

Build = Callable[..., tuple[UpdateRule, QueryRule]]


class Parts(NamedTuple):
    """What a name with its parameters stands for. `classes` are 0 to k - 1 if `k` was given."""

    update: UpdateRule
    query: QueryRule
    sgn0: int
    multiclass: bool
    classes: Sequence[Any] | None


class Entry(NamedTuple):
    """An algorithm of the catalog. Call it to make a learner, with the paper's parameters as keywords."""

    paper: str
    where: str
    update: type
    query: type
    kind: str
    defaults: Mapping[str, Any]
    build: Build
    name: str = ""

    def __call__(
        self,
        *,
        random_state: int = 0,
        dtype: str = "float32",
        classes: Sequence[Any] | None = None,
        intercept: float = 0.0,
        scaling: str | None = None,
        probability: bool = False,
        positive: Any = None,
        **parameters: Any,
    ) -> "Learner":
        """Make the learner; see `askance.make`."""
        from askance.learners.from_rules import with_rules  # brings scikit-learn, which a listing does not need

        update, query, sgn0, multiclass, numbered = self.parts(parameters)
        if classes is not None and numbered is not None:
            raise ValueError("k means that the classes are 0 to k - 1: pass k or classes, not both")
        learner = with_rules(
            update,
            query,
            random_state=random_state,
            dtype=dtype,
            sgn0=sgn0,
            classes=classes if numbered is None else list(numbered),
            multiclass=multiclass,
            intercept=intercept,
            scaling=scaling,
            probability=probability,
            positive=positive,
        )
        learner.check_parameters()
        return learner

    def parts(self, parameters: Mapping[str, Any]) -> Parts:
        """The rules and settings, with some parameters given."""
        unknown = [parameter for parameter in parameters if parameter not in self.defaults]
        if unknown:
            takes = ", ".join(self.defaults)
            raise ValueError(f"{self.name} has no parameter {unknown[0]!r}: its parameters are {takes}")
        given = {**self.defaults, **parameters}
        sgn0, k = given.pop("sgn0", 1), given.pop("k", None)
        update, query = self.build(**given)
        return Parts(update, query, sgn0, self.kind == MULTICLASS, None if k is None else _numbered(k))

    def __getattr__(self, attribute: str) -> Any:
        # On the instance alone, so that editors and `help` see the parameters of this very algorithm.
        if attribute != "__signature__":
            raise AttributeError(f"an entry of the catalog has no attribute {attribute!r}")
        common = {"random_state": 0, "dtype": "float32", "classes": None, "intercept": 0.0, "scaling": None}
        common["probability"] = False
        if self.kind == BINARY:
            common["positive"] = None
        keyword = inspect.Parameter.KEYWORD_ONLY
        return inspect.Signature(
            [
                inspect.Parameter(name, keyword, default=value)
                for name, value in {**self.defaults, **common}.items()
            ]
        )

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.defaults.items())
        where = f", {self.where}" if self.where else ""
        return f"<{self.name}({shown}): {self.update.__name__} × {self.query.__name__}; {self.paper}{where}>"


def entry(paper: str, where: str, build: Build, *, sgn0: int = 1) -> Entry:
    """An algorithm for two classes. Its parameters and defaults are those of `build`."""
    return _entry(paper, where, build, BINARY, {"sgn0": sgn0})


def many(paper: str, where: str, build: Build) -> Entry:
    """An algorithm for more classes. If `k` is given, they are 0 to k - 1."""
    return _entry(paper, where, build, MULTICLASS, {"k": None})


def _entry(paper: str, where: str, build: Build, kind: str, common: Mapping[str, Any]) -> Entry:
    parameters = inspect.signature(build).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    update, query = build()
    return Entry(paper, where, type(update), type(query), kind, MappingProxyType({**defaults, **common}), build)


def _numbered(k: Any) -> Sequence[int]:
    """The classes 0 to k - 1."""
    whole = not isinstance(k, bool) and isinstance(k, Real) and float(k).is_integer()
    if not whole or k < 2:
        raise ValueError(f"k must be a whole number of classes, 2 or more, not {k!r}")
    return range(int(k))
