"""Parameters that cannot be used are refused in one sentence, when a learner is made or at its first use."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import askance
import streams
from askance import Learner, queries, updates
from refusals import refused

MIRROR = updates.MirrorDescent()
X, Y, _ = streams.noisy(rows=30, width=4, random_state=8)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Learner(updates.PassiveAggressive1(0)), ["C", "greater than 0", "not 0"]),
        (lambda: Learner(updates.PassiveAggressive2(-1.5)), ["C", "greater than 0", "-1.5"]),
        (lambda: Learner(updates.PassiveAggressive2(math.nan)), ["C", "nan"]),
        (lambda: Learner(updates.PassiveAggressive2(math.inf)), ["C", "finite", "inf"]),
        (lambda: Learner(updates.PassiveAggressive2("x")), ["C", "number", "'x'"]),
        (lambda: Learner(updates.PassiveAggressive2(None)), ["C", "number", "None"]),
        (lambda: Learner(updates.PassiveAggressive2(True)), ["C", "number", "True"]),
        (lambda: Learner(updates.PassiveAggressive2(10**400)), ["C"]),
        (lambda: Learner(None, queries.Margin(0)), ["b", "greater than 0"]),
        (lambda: Learner(None, queries.Margin(-1)), ["b", "greater than 0", "-1"]),
        (lambda: Learner(None, queries.Margin(1, -1)), ["offset", "0 or more", "-1"]),
        (lambda: Learner(None, queries.Random(0)), ["ratio", "not 0"]),
        (lambda: Learner(None, queries.Random(1.01)), ["ratio", "at most 1", "1.01"]),
        (lambda: Learner(None, queries.AtRate(queries.Margin(), 0)), ["rate", "not 0"]),
        (lambda: Learner(None, queries.AtRate(queries.Margin(), 2)), ["rate", "at most 1"]),
        (lambda: Learner(None, queries.AtRate(queries.Always())), ["AtRate", "Always"]),
        (lambda: Learner(None, queries.AtRate(queries.Within(queries.Margin()))), ["AtRate", "Within"]),
        (lambda: Learner(None, queries.Within(queries.Margin(), rate=1.5)), ["rate", "1.5"]),
        (lambda: Learner(None, queries.Within(queries.Margin(), rate=-0.1)), ["rate", "-0.1"]),
        (lambda: Learner(None, queries.Within(queries.Margin(), burst=-1)), ["burst", "-1"]),
        (lambda: Learner(None, queries.Within(queries.Margin(), limit=-1)), ["limit", "-1"]),
        (lambda: Learner(None, queries.Within(queries.Margin(), limit=math.nan)), ["limit", "nan"]),
        (lambda: Learner(None, queries.Within(queries.Margin(0))), ["Margin", "b"]),
        (lambda: Learner(updates.DualAveraging(delta=0)), ["delta", "not 0"]),
        (lambda: Learner(updates.MirrorDescent(delta=1e-40)), ["delta", "1e-30 or more", "1e-40"]),
        (lambda: Learner(updates.MirrorDescent(eta=-1)), ["eta", "greater than 0", "-1"]),
        (lambda: Learner(MIRROR, queries.Discrimination(b=0)), ["b", "greater than 0"]),
        (lambda: Learner(MIRROR, queries.Discrimination(eta=-0.5)), ["eta", "0 or more", "-0.5"]),
        (lambda: Learner(MIRROR, queries.Discrimination(damped=1)), ["damped", "True or False", "not 1"]),
        (
            lambda: Learner(None, queries.Discrimination()),
            ["Discrimination", "PassiveAggressive2", "MirrorDescent"],
        ),
        (lambda: Learner(None, queries.Within(queries.Discrimination())), ["spread", "PassiveAggressive2"]),
        (lambda: askance.make("D-AMD", eta=0), ["eta", "not 0"]),
        (lambda: askance.make("D-ADA", C=1), ["D-ADA", "'C'", "delta, eta, b, sgn0"]),
        (lambda: Learner(updates.Winnow(0)), ["eta", "greater than 0", "not 0"]),
        (lambda: Learner(updates.Winnow(math.inf)), ["eta", "finite", "inf"]),
        (lambda: Learner(updates.PNorm(p=1.5)), ["p", "2 or more", "1.5"]),
        (lambda: Learner(updates.PNorm(p=math.inf)), ["p", "finite", "inf"]),
        (lambda: Learner(updates.PNorm(eta=-1)), ["eta", "-1"]),
        (lambda: Learner(None, queries.Adaptive(0)), ["beta", "greater than 0"]),
        (lambda: Learner(None, queries.Adaptive("x")), ["beta", "number", "'x'"]),
        (lambda: askance.make("SEL-ADA", b=1), ["SEL-ADA", "'b'", "beta, sgn0"]),
        (lambda: askance.make("SEL-PNORM", p=1), ["p", "2 or more"]),
        (lambda: Learner(updates.CostSensitivePA1(C=0)), ["C", "greater than 0", "not 0"]),
        (lambda: Learner(updates.CostSensitivePA1(rho=-2)), ["rho", "greater than 0", "-2"]),
        (lambda: Learner(updates.CostSensitivePA1(rho=math.inf)), ["rho", "finite", "inf"]),
        (lambda: Learner(updates.CostSensitivePA1(literal="yes")), ["literal", "True or False", "'yes'"]),
        (lambda: Learner(updates.PAUM(tau_pos=-1)), ["tau_pos", "0 or more", "-1"]),
        (lambda: Learner(updates.PAUM(tau_neg=math.inf)), ["tau_neg", "finite", "inf"]),
        (lambda: Learner(updates.PAUM(eta=0)), ["eta", "not 0"]),
        (lambda: Learner(updates.CPA(C=-1)), ["C", "greater than 0", "-1"]),
        (lambda: Learner(updates.CPA(rho=0)), ["rho", "not 0"]),
        (lambda: Learner(None, queries.Decaying(0)), ["delta0", "greater than 0", "not 0"]),
        (lambda: Learner(None, queries.Decaying(1, "no")), ["after", "True or False", "'no'"]),
        (lambda: askance.make("CSPAA", rho=0), ["rho", "not 0"]),
        (lambda: askance.make("CPA", variant="PA-III"), ["variant", "'PA-I'", "'PA-III'"]),
        (lambda: askance.make("CPA", variant=2), ["variant", "'PA-II'", "not 2"]),
        (lambda: askance.make("CPA", variant="PA", C=-1), ["C", "-1"]),
        (lambda: askance.rules.costs.rho_for_sum(0, 10), ["positives", "greater than 0", "not 0"]),
        (lambda: askance.rules.costs.rho_for_sum(10, -1), ["negatives", "greater than 0", "-1"]),
        (lambda: askance.rules.costs.rho_for_sum(10, 10, eta_p=1, eta_n=0), ["eta_n", "not 0"]),
        (lambda: askance.rules.costs.rho_for_sum("10", 10), ["positives", "number", "'10'"]),
        (lambda: askance.rules.costs.rho_for_cost(1, 0), ["c_n", "greater than 0", "not 0"]),
        (lambda: askance.rules.costs.rho_for_cost(-3, 1), ["c_p", "greater than 0", "-3"]),
        (lambda: askance.rules.costs.rho_for_cost(math.nan, 1), ["c_p", "nan"]),
        (lambda: askance.rules.costs.rho_for_cost(1, math.inf), ["c_n", "finite", "inf"]),
        (lambda: Learner(None, queries.Within("x")), ["query rule", "'x'"]),
        (lambda: Learner("x").run(X, Y), ["update rule", "'x'"]),
        (lambda: Learner(updates.Perceptron).run(X, Y), ["update rule", "Perceptron"]),
        (lambda: Learner(queries.Margin()).run(X, Y), ["Margin"]),
        (lambda: Learner(None, updates.Perceptron()).run(X, Y), ["Perceptron"]),
        (lambda: Learner(sgn0=0).run(X, Y), ["sgn0", "not 0"]),
        (lambda: Learner(dtype="int8").run(X, Y), ["dtype", "'float32'", "'int8'"]),
        (lambda: Learner(dtype=np.float64).run(X, Y), ["dtype", "'float64'"]),
        (lambda: Learner(random_state=-1).run(X, Y), ["random_state", "-1"]),
        (lambda: Learner(random_state=2**64).run(X, Y), ["random_state", "18446744073709551616"]),
        (lambda: Learner(random_state=1.5).run(X, Y), ["random_state", "1.5"]),
        (lambda: Learner(random_state=True).run(X, Y), ["random_state", "True"]),
        (lambda: Learner(random_state=None).run(X, Y), ["random_state", "None"]),
        (lambda: Learner(classes=[1]).run(X, Y), ["classes", "[1]"]),
        (lambda: Learner(classes=[1, 2, 3]).run(X, Y), ["classes", "[1, 2, 3]"]),
        (lambda: Learner(classes=[3, 4]).run(X, Y), ["-1, 1", "3, 4"]),
        (lambda: Learner(classes="ab").run(X, Y), ["classes"]),
        (lambda: Learner(classes=5).run(X, Y), ["classes"]),
        (lambda: Learner(classes=[1, None]).run(X, Y), ["classes"]),
        (lambda: Learner(classes=[1, "a"]).run(X, Y), ["classes"]),
        (lambda: Learner().predict(X), ["no labels yet", "fit"]),
        (lambda: Learner().fit(X, np.ones(30)), ["two classes"]),
        (lambda: Learner().fit(X, None), ["y"]),
        (lambda: Learner().partial_fit(X, Y, classes=[1, 2, 3]), ["classes", "[1, 2, 3]"]),
        (lambda: askance.make("PAA-III"), ["'PAA-III'", "PAA-II"]),
        (lambda: askance.make("paa-ii"), ["'paa-ii'", "PAA-II"]),
        (lambda: askance.make(5), ["5", "catalog"]),
        (lambda: askance.make("PAA-II", b=1), ["PAA-II", "'b'", "delta, C, sgn0"]),
        (lambda: askance.make("PAA-II", delta=0), ["not 0"]),
        (lambda: askance.make("PAA-II", C="x"), ["C", "'x'"]),
        (lambda: askance.make("PAA-II", sgn0=0), ["sgn0"]),
        (lambda: askance.make("PAA-II", dtype="int8"), ["dtype"]),
        (lambda: askance.make("PAA-II", random_state=-1), ["random_state"]),
        (lambda: askance.make("PA", C=-1), ["C"]),
    ],
)
def test_parameters(make: Callable[[], Any], words: list[str]) -> None:
    with refused(*words):
        make()
