"""The parameters of second-order rules and names: what reaches the rules, and what is refused."""

import math
from typing import Any

import pytest

import askance
from askance import queries, updates
from askance.algorithms import parts_of
from askance.cli.contest.methods import parse_parameters
from askance.rules.update.confidence_weighted import PHI
from refusals import refused


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("AROW", {"r": 0}, ["r", "greater than 0"]),
        ("AROW-diag", {"r": -1.0}, ["r", "-1.0"]),
        ("AROW-diag", {"mode": "both"}, ["mode", "'inv'", "'drop'", "'both'"]),
        ("AROW-diag", {"mode": 1.0}, ["mode", "1.0"]),
        ("PAM-II-diag", {"mode": None}, ["mode", "None"]),
        ("NHERD-diag", {"mode": "inv"}, ["mode", "'exact'", "'project'", "'inv'"]),
        ("NHERD", {"C": 0}, ["C", "greater than 0"]),
        ("NAROW", {"b": 0}, ["b", "greater than 0"]),
        ("IELLIP", {"c": 1.0}, ["c", "less than 1", "1.0"]),
        ("IELLIP", {"b": 0}, ["b", "greater than 0", "not 0"]),
        ("IELLIP-diag", {"b": 1.5}, ["b", "at most 1", "1.5"]),
        ("PAM-I", {"C": 0}, ["C", "greater than 0"]),
        ("PAM", {"C": -1}, ["C"]),
        ("CW", {"eta": 0.5}, ["eta", "greater than 0.5", "less than 1", "not 0.5"]),
        ("CW", {"eta": 1.0}, ["eta", "less than 1", "not 1.0"]),
        ("CW-diag", {"eta": 0.2}, ["eta", "0.2"]),
        ("CW-stdev", {"eta": math.nan}, ["eta", "nan"]),
        ("CW", {"eta": "x"}, ["eta", "number", "'x'"]),
        ("CW", {"form": "sd"}, ["form", "'var'", "'stdev'", "'sd'"]),
        ("CW-stdev", {"form": "var"}, ["CW-stdev", "'form'"]),
        ("CW", {"mode": "inv"}, ["CW", "'mode'"]),
        ("SCW-I", {"eta": 0.5}, ["eta", "greater than 0.5", "not 0.5"]),
        ("SCW-II-diag", {"C": 0}, ["C", "greater than 0"]),
        ("SCW-I-diag", {"mode": "both"}, ["mode", "'inv'", "'drop'", "'both'"]),
        ("SOP-diag", {"rule": "rank2"}, ["rule", "'entry'", "'rank1'", "'rank2'"]),
        ("SEL-2ND", {"b": 0}, ["b", "greater than 0"]),
        ("SOAL", {"delta": 0}, ["greater than 0"]),
        ("SOAL", {"eta": 0}, ["eta", "greater than 0"]),
        ("SOAL-diag", {"gamma": math.inf}, ["gamma", "finite"]),
    ],
)
def test_parameters_of_names(name: str, parameters: dict[str, Any], words: list[str]) -> None:
    with refused(*words):
        askance.make(name, **parameters)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (updates.AROW(1.0, full="yes"), ["full", "True or False", "'yes'"]),
        (updates.AROW(1.0, inverse=1), ["inverse", "True or False", "not 1"]),
        (updates.AROW(True), ["r", "number", "True"]),
        (updates.NHERD(exact=1), ["exact", "True or False", "not 1"]),
        (updates.IELLIP(0.0), ["c", "greater than 0"]),
        (updates.IELLIP(decay=-1), ["decay", "0 or more", "-1"]),
        (updates.PAM(None), ["full", "None"]),
        (updates.PAM1(0.0), ["C", "not 0.0"]),
        (updates.PAM2(math.inf), ["C", "finite"]),
        (updates.ConfidenceWeighted(0), ["phi", "greater than 0"]),
        (updates.ConfidenceWeightedStdev(-1), ["phi", "-1"]),
        (updates.SoftConfidence1(0), ["C", "greater than 0"]),
        (updates.SoftConfidence2(1.0, -1.0), ["phi", "-1.0"]),
        (updates.SecondOrderPerceptron(rank1="rank1"), ["rank1", "True or False"]),
        (updates.SOAL(0), ["eta", "not 0"]),
        (updates.SOAL(1, 0), ["gamma", "not 0"]),
    ],
    ids=str,
)
def test_parameters_of_rules(rule: Any, words: list[str]) -> None:
    with refused(type(rule).__name__, *words):
        askance.Learner(rule)


def test_parameters_of_the_query_rule() -> None:
    for parameters, word in (((0,), "b"), ((1, 0), "eta"), ((1, 1, -1), "gamma")):
        with refused("SpreadMargin", word):
            askance.Learner(updates.SOAL(), queries.SpreadMargin(*parameters))


# ---------------------------------------------------------------------- names and what they mean


@pytest.mark.parametrize(
    ("name", "parameters", "update"),
    [
        ("AROW", {"r": 2}, updates.AROW(2, full=True)),
        ("AROW-diag", {}, updates.AROW(1.0)),
        ("AROW-diag", {"mode": "inv"}, updates.AROW(1.0, inverse=True)),
        ("PAM-II-diag", {"C": 3, "mode": "drop"}, updates.PAM2(3, inverse=False)),
        ("NHERD", {"C": 2}, updates.NHERD(2, full=True)),
        ("NHERD-diag", {}, updates.NHERD()),
        ("NHERD-diag", {"mode": "exact"}, updates.NHERD(exact=True)),
        ("NAROW-diag", {"b": 2}, updates.NAROW(2)),
        ("IELLIP", {}, updates.IELLIP(full=True)),
        ("IELLIP-diag", {"c": 0.5, "b": 1, "mode": "inv"}, updates.IELLIP(0.5, 0.0, inverse=True)),
        ("PAM-I", {}, updates.PAM1(1.0, full=True)),
        ("SOP-diag", {"rule": "rank1"}, updates.SecondOrderPerceptron(rank1=True)),
        ("CW", {"form": "stdev"}, updates.ConfidenceWeightedStdev(PHI, full=True)),
        (
            "CW-diag",
            {"eta": 0.75, "mode": "drop"},
            updates.ConfidenceWeighted(updates.deviations(0.75), inverse=False),
        ),
        ("SCW-I", {"C": 3}, updates.SoftConfidence1(3, PHI, full=True)),
        (
            "SCW-II-diag",
            {"eta": 0.75, "mode": "drop"},
            updates.SoftConfidence2(1.0, updates.deviations(0.75), inverse=False),
        ),
        ("SOAL", {"eta": 0.1, "gamma": 5}, updates.SOAL(0.1, 5, full=True)),
    ],
)
def test_words_reach_the_rules(name: str, parameters: dict[str, Any], update: Any) -> None:
    made = askance.make(name, **parameters).update
    assert type(made) is type(update)
    assert made == update
    given = [f"{key}={value}" for key, value in parameters.items()]
    assert parts_of(name, parse_parameters(given)).update == update


def test_soal_asks_with_what_it_learns_with() -> None:
    learner = askance.make("SOAL-diag", delta=0.5, eta=0.1, gamma=5.0)
    assert learner.query == queries.SpreadMargin(0.5, 0.1, 5.0)
    assert learner.update == updates.SOAL(0.1, 5.0)


def test_the_confidence_that_deviations_give() -> None:
    assert updates.deviations(0.9) == PHI
    for eta in (0.51, 0.75, 0.999):
        assert 0.5 * (1 + math.erf(updates.deviations(eta) / math.sqrt(2))) == pytest.approx(eta, abs=1e-14)
