"""The public face: these names are promised, and every one of them says what it is."""

import inspect
import math
from collections.abc import Iterator
from typing import Any

import pytest

import askance

ESTIMATORS = {
    *(
        "AutoLearner",
        "Learner",
        "MultiLabelLearner",
        "OMCSL",
        "OracleLearner",
        "StreamRegressor",
        "Fleet",
        "Rossel",
        "SVMPlus",
        "PrivilegedSelector",
        "MaxMarginFactorization",
    ),
}
FUNCTIONS = {"make", "catalog", "load", "sweep"}
OTHERS = {
    *(
        "AsyncClient",
        "Client",
        "Decision",
        "MultiLabelDecision",
        "MultiLabelTrace",
        "RegressionTrace",
        "Row",
        "Trace",
    ),
}
MODULES = {
    *("updates", "queries", "kernels", "regression", "rules", "pool", "ratings", "semi_supervised", "theory"),
    *("annotators", "metrics", "plotting", "data", "datasets", "errors", "export"),
}


def test_the_names_are_those_promised() -> None:
    assert set(askance.__all__) == ESTIMATORS | FUNCTIONS | OTHERS | MODULES
    assert dir(askance) == sorted([*askance.__all__, "__version__"])
    for name in askance.__all__:
        assert getattr(askance, name) is not None


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'teach'"):
        _ = askance.teach


def test_what_a_learner_and_its_answers_have() -> None:
    verbs = (
        "ask",
        "tell",
        "run",
        "iter_run",
        "resize",
        "set_query_rule",
        "fit",
        "partial_fit",
        "predict",
        "decision_function",
        "save",
    )
    assert all(callable(getattr(askance.Learner, verb)) for verb in verbs)
    attributes = ("coef_", "intercept_", "classes_", "spending_")
    assert all(isinstance(getattr(askance.Learner, name), property) for name in attributes)
    assert askance.Decision._fields == ("prediction", "score", "ask_probability", "ask", "coin")
    assert askance.make("PAA-II").spending_._fields == ("rows", "asked", "refused")
    assert askance.Row._fields == ("indices", "values")
    trace = askance.make("PAA-II", C=0.5, delta=1.0, random_state=7, dtype="float64").run([[1.0], [2.0]], [0, 1])
    for name in ("predictions", "scores", "ask_probabilities", "asked", "updated"):
        assert len(getattr(trace, name)) == 2
    entry = askance.catalog["PAA-II"]
    assert {"paper", "where", "update", "query", "kind", "defaults"} <= set(entry._fields)


def test_parameters_are_those_promised() -> None:
    assert list(inspect.signature(askance.Learner).parameters) == [
        "update",
        "query",
        "random_state",
        "dtype",
        "sgn0",
        "classes",
        "multiclass",
        "intercept",
        "scaling",
        "probability",
        "positive",
    ]
    assert {"X", "y", "coins", "classes"} <= set(inspect.signature(askance.Learner.run).parameters)


KERNEL = {"kernel": "linear", "gamma": None, "degree": None, "coef0": None, "budget": None}
# By names that share them.
DEFAULTS: dict[tuple[str, ...], dict[str, Any]] = {
    ("PE",): {"sgn0": 1},
    ("RPE",): {"ratio": 0.5, "sgn0": 1},
    ("PEA", "LEPE"): {"delta": 1, "sgn0": 1},
    ("SEL-P",): {"b": 1, "sgn0": -1},
    ("SEL-P-FIXED",): {"ratio": 0.5, "sgn0": -1},
    ("PA",): {"sgn0": 1},
    ("PA-I", "PA-II"): {"C": 1, "sgn0": 1},
    ("RPA",): {"ratio": 0.5, "sgn0": 1},
    ("RPA-I", "RPA-II"): {"ratio": 0.5, "C": 1, "sgn0": 1},
    ("PAA", "PAA(thm4)"): {"delta": 1, "sgn0": 1},
    ("PAA-I", "PAA-II"): {"delta": 1, "C": 1, "sgn0": 1},
    ("PAA-I-ada",): {"beta": 1, "C": 1, "sgn0": 1},
    ("SEL-ADA",): {"beta": 1, "sgn0": -1},
    ("SEL-WINNOW",): {"b": 0.1, "eta": 0.5, "sgn0": -1},
    ("SEL-PNORM",): {"b": 1, "p": 4, "eta": 1, "sgn0": -1},
    ("CSPA",): {"C": 2, "rho": 2, "sgn0": 1},
    ("CSPAA",): {"delta": 1, "C": 2, "rho": 2, "sgn0": 1},
    ("CSPAA(a)",): {"delta0": 2**14, "C": 2, "rho": 2, "sgn0": 1},
    ("CSD-ADA", "CSD-AMD"): {"delta": 1, "eta": 1, "b": 1, "rho": 2, "sgn0": 1},
    ("CSRND",): {"ratio": 0.5, "C": 2, "rho": 2, "sgn0": 1},
    ("PAUM",): {"tau_pos": 2, "tau_neg": 1, "eta": 1, "sgn0": 1},
    ("CPA",): {"C": 2, "rho": 2, "variant": "PA-I", "sgn0": 1},
    ("DA", "MD"): {"delta": 1, "eta": 1, "sgn0": 1},
    ("R-ADA", "R-AMD"): {"delta": 1, "eta": 1, "ratio": 0.5, "sgn0": 1},
    ("M-ADA", "D-ADA", "D-ADA-I"): {"delta": 1, "eta": 1, "b": 1, "sgn0": 1},
    ("M-AMD", "D-AMD", "D-AMD-I"): {"delta": 1, "eta": 1, "b": 1, "sgn0": 1},
    ("K-SEL-P", "K-SEL-2ND"): {"b": 1, **KERNEL, "sgn0": -1},
    ("K-SEL-ADA",): {"beta": 1, **KERNEL, "sgn0": -1},
    ("K-PAA",): {"delta": 1, **KERNEL, "sgn0": 1},
    ("K-PAA-I", "K-PAA-II"): {"delta": 1, "C": 1, **KERNEL, "sgn0": 1},
    ("PAA-I(thm4)", "PAA-II(thm4)"): {"delta": 1, "C": 1, "sgn0": 1},
    ("SEL-2ND",): {"b": 1, "sgn0": -1},
    ("SEL-2ND-FIXED",): {"ratio": 0.5, "sgn0": -1},
    ("SEL-2ND-diag",): {"b": 1, "rule": "entry", "sgn0": -1},
    ("SOP",): {"sgn0": -1},
    ("SOP-diag",): {"rule": "entry", "sgn0": -1},
    ("CW",): {"eta": 0.9, "form": "var", "sgn0": 1},
    ("CW-diag",): {"eta": 0.9, "form": "var", "mode": "inv", "sgn0": 1},
    ("CW-stdev",): {"eta": 0.9, "sgn0": 1},
    ("SCW-I", "SCW-II"): {"eta": 0.9, "C": 1, "sgn0": 1},
    ("SCW-I-diag", "SCW-II-diag"): {"eta": 0.9, "C": 1, "mode": "inv", "sgn0": 1},
    ("AROW",): {"r": 1, "sgn0": 1},
    ("AROW-diag",): {"r": 1, "mode": "drop", "sgn0": 1},
    ("NHERD",): {"C": 1, "sgn0": 1},
    ("NHERD-diag",): {"C": 1, "mode": "project", "sgn0": 1},
    ("NAROW", "NAROW-diag"): {"b": 1, "sgn0": 1},
    ("IELLIP",): {"c": 0.1, "b": 0.3, "sgn0": 1},
    ("IELLIP-diag",): {"c": 0.1, "b": 0.3, "mode": "drop", "sgn0": 1},
    ("PAM",): {"sgn0": 1},
    ("PAM-I", "PAM-II"): {"C": 1, "sgn0": 1},
    ("PAM-diag",): {"mode": "inv", "sgn0": 1},
    ("PAM-I-diag", "PAM-II-diag"): {"C": 1, "mode": "inv", "sgn0": 1},
    ("SOAL",): {"delta": 1, "eta": 1, "gamma": 1, "sgn0": 1},
    ("SOAL-diag",): {"delta": 1, "eta": 1, "gamma": 1, "mode": "drop", "sgn0": 1},
    ("MAROW-diag",): {"r": 1, "mode": "drop", "k": None},
    ("MPAM-diag",): {"mode": "inv", "k": None},
    ("MPAM-I-diag", "MPAM-II-diag"): {"C": 1, "mode": "inv", "k": None},
    ("MCW-diag",): {"eta": 0.9, "form": "var", "mode": "inv", "k": None},
    ("MSCW-I-diag", "MSCW-II-diag"): {"eta": 0.9, "C": 1, "mode": "inv", "k": None},
    ("MPE",): {"k": None},
    ("MRPE",): {"ratio": 0.5, "k": None},
    ("MPEA",): {"delta": 1, "k": None},
    ("MPA",): {"k": None},
    ("MPA-I", "MPA-II"): {"C": 1, "k": None},
    ("MRPA",): {"ratio": 0.5, "k": None},
    ("MRPA-I", "MRPA-II"): {"ratio": 0.5, "C": 1, "k": None},
    ("MPAA",): {"delta": 1, "k": None},
    ("MPAA-I", "MPAA-II"): {"delta": 1, "C": 1, "k": None},
    ("MDA", "MMD"): {"delta": 1, "eta": 1, "k": None},
    ("MR-ADA", "MR-AMD"): {"delta": 1, "eta": 1, "ratio": 0.5, "k": None},
    ("MM-ADA", "MD-ADA", "MD-ADA-I"): {"delta": 1, "eta": 1, "b": 1, "k": None},
    ("MM-AMD", "MD-AMD", "MD-AMD-I"): {"delta": 1, "eta": 1, "b": 1, "k": None},
    tuple(f"OMCSL-{measure}-{loss}" for measure in ("F", "AUROC", "AUPRC") for loss in "hl"): {
        "K": 9,
        "gamma": 1,
        "eta": 1,
        "schedule": "sqrt",
        "m": 100,
        "sgn0": -1,
    },
    ("OGD-h", "OGD-l"): {"eta": 1, "schedule": "sqrt", "sgn0": -1},
    ("OFO-h", "OFO-l"): {"eta": 1, "schedule": "sqrt", "sgn0": 1},
    ("OCS1-h", "OCS1-l", "OCS2-h", "OCS2-l"): {"rho": 2, "eta": 0.1, "schedule": "const", "sgn0": -1},
    ("iOOB-h", "iOOB-l", "iUOB-h", "iUOB-l"): {"eta": 0.1, "schedule": "const", "members": 5, "sgn0": -1},
    ("ROMMA", "aROMMA"): {"sgn0": 1},
    ("ALMA",): {"alpha": 0.9, "b": 8**0.5, "C": 2**0.5, "sgn0": 1},
    ("Pegasos",): {"lam": 1e-3, "projected": True, "sgn0": 1},
    ("SGD",): {"loss": "hinge", "eta": 1, "schedule": "sqrt", "sgn0": 1},
    ("TG",): {"loss": "hinge", "eta": 0.1, "gravity": 1e-3, "every": 10, "theta": math.inf, "sgn0": 1},
    ("FTRL",): {"loss": "logistic", "alpha": 0.1, "beta": 1, "l1": 1, "l2": 0, "sgn0": 1},
    ("Ada-FOBOS", "Ada-RDA"): {"loss": "hinge", "delta": 1, "eta": 1, "l1": 1e-4, "sgn0": 1},
    ("COCOB",): {"loss": "hinge", "alpha": 100, "sgn0": 1},
    ("RDA",): {"loss": "hinge", "gamma": 1, "l1": 1e-4, "rho": 0, "sgn0": 1},
    ("OPAUC",): {"eta": 0.05, "lam": 0.01, "covariance": "full", "sgn0": -1},
}


def test_the_catalog_has_the_names_and_defaults_of_its_table() -> None:
    wanted = {name: defaults for names, defaults in DEFAULTS.items() for name in names}
    assert {name: dict(askance.catalog[name].defaults) for name in wanted} == wanted
    assert set(askance.catalog) == set(wanted)
    with pytest.raises(TypeError):
        askance.catalog["PE"] = None


def public_things() -> Iterator[Any]:
    """Every public name, of every public module, and what public classes offer, also from askance's own bases."""
    parts = (
        askance.updates,
        askance.queries,
        askance.kernels,
        askance.regression,
        askance.rules.imbalance,
        askance.semi_supervised,
        askance.pool,
        askance.data,
        askance.metrics,
        askance.theory,
        askance.rules.costs,
        askance.rules.api,
        askance.ratings,
        askance.plotting,
        askance.datasets,
        askance.errors,
    )
    for module in (askance, *parts):
        yield pytest.param(module, id=module.__name__)
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.ismodule(thing) or not callable(thing):
                continue
            yield pytest.param(thing, id=f"{module.__name__}.{name}")
            for part, value in offered(thing).items() if inspect.isclass(thing) else ():
                if not part.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    yield pytest.param(value, id=f"{module.__name__}.{name}.{part}")


def offered(kind: type) -> dict[str, Any]:
    """What a class has from itself and from classes of askance."""
    own = [base for base in kind.__mro__ if base.__module__.startswith("askance.")]
    return {part: value for base in reversed(own) for part, value in vars(base).items()}


@pytest.mark.parametrize("thing", list(public_things()))
def test_every_public_name_says_what_it_is(thing: Any) -> None:
    text = inspect.getdoc(thing)
    assert text
    assert not text.startswith(f"{getattr(thing, '__name__', '')}("), "that is what NamedTuple or dataclass wrote"


def test_few_labels_and_pools_have_the_classes_promised() -> None:
    assert {"Rossel"} <= set(askance.semi_supervised.__all__)
    assert {"SVMPlus", "PrivilegedSelector"} <= set(askance.pool.__all__)
    verbs = {
        askance.Rossel: ("fit", "predict", "decision_function", "get_params"),
        askance.pool.SVMPlus: ("fit", "predict", "decision_function", "correcting", "get_params"),
        askance.pool.PrivilegedSelector: ("fit", "select", "get_params"),
    }
    assert all(callable(getattr(kind, verb)) for kind, names in verbs.items() for verb in names)


def test_every_name_of_the_registers_is_public() -> None:
    for module, rules in (
        (askance.updates, askance.updates.RULES),
        (askance.kernels, (*askance.kernels.RULES, *askance.kernels.KERNELS)),
        (askance.rules.imbalance, (*askance.rules.imbalance.RULES, *askance.rules.imbalance.MEASURES.values())),
        (
            askance.regression,
            (*askance.regression.RULES, *askance.regression.QUERIES, *askance.regression.LOSSES.values()),
        ),
        (askance.queries, (*askance.queries.RULES, *askance.queries.WRAPPERS)),
    ):
        assert {rule.__name__ for rule in rules} <= set(module.__all__)
        assert len(module.__all__) == len(set(module.__all__))
