"""Lanes of a bank decide, to the last bit, as learners alone do."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import askance
from askance import queries, updates
from askance.engine import bank as banks
from askance.engine.bank import Bank, can_share, kind_of
from askance.jit.interop import COMPILING
from askance.learners.inputs import as_rows
from thinning import rest_in_soak

pytestmark = pytest.mark.skipif(not COMPILING, reason="there are banks in compiled code only")

SCALES = 2.0 ** np.arange(-4, 3)
UPDATES = {
    "Perceptron": [updates.Perceptron()] * 7,
    "PA": [updates.PassiveAggressive()] * 7,
    "PA-I": [updates.PassiveAggressive1(s) for s in SCALES],
    "PA-II": [updates.PassiveAggressive2(s) for s in SCALES],
    "AROW": [updates.AROW(s) for s in SCALES],
    "AROW inverse": [updates.AROW(s, inverse=True) for s in SCALES],
    "CW": [updates.ConfidenceWeighted(s) for s in SCALES],
    "CW stdev": [updates.ConfidenceWeightedStdev(s) for s in SCALES],
    "SCW-I": [updates.SoftConfidence1(s, 1 / s) for s in SCALES],
    "SCW-II": [updates.SoftConfidence2(s, 1 / s) for s in SCALES],
    "NHERD": [updates.NHERD(s) for s in SCALES],
    "NHERD exact": [updates.NHERD(s, exact=True) for s in SCALES],
    "NAROW": [updates.NAROW(s) for s in SCALES],
    "IELLIP": [updates.IELLIP(s / 5, s) for s in SCALES],
    "PAM": [updates.PAM(inverse=True)] * 7,
    "PAM-I": [updates.PAM1(s) for s in SCALES],
    "PAM-II": [updates.PAM2(s) for s in SCALES],
    "SOAL": [updates.SOAL(s, 1 / s) for s in SCALES],
    "SOP": [updates.SecondOrderPerceptron()] * 7,
    "SOP rank one": [updates.SecondOrderPerceptron(rank1=True)] * 7,
    "DA": [updates.DualAveraging(s, 1 / s) for s in SCALES],
    "MD": [updates.MirrorDescent(s, 1 / s) for s in SCALES],
    "CSPA": [updates.CostSensitivePA1(s, 1 + s) for s in SCALES],
    "CSDA": [updates.CostSensitiveDA(s, 1 / s, 1 + s) for s in SCALES],
    "CSMD": [updates.CostSensitiveMD(s, 1 / s, 1 + s) for s in SCALES],
    "PAUM": [updates.PAUM(s, 2 * s) for s in SCALES],
    "CPA": [updates.CPA(s, 1 + s) for s in SCALES],
    "OGD": [updates.OGD(s) for s in SCALES],
    "OGD logistic": [updates.OGD(s, logistic=True) for s in SCALES],
    "OCS1": [updates.OCS1(1 + s, s) for s in SCALES],
    "OCS2": [updates.OCS2(1 + s, s, running=True, decaying=True) for s in SCALES],
}
QUERIES = {
    "margin": [queries.Margin(s, 0.5 * s) for s in SCALES],
    "always": [queries.Always()] * 7,
    "random": [queries.Random(min(1.0, 0.2 * s)) for s in SCALES],
    "adaptive": [queries.Adaptive(0.01 * s) for s in SCALES],
    "decaying": [queries.Decaying(2.0**14 * s) for s in SCALES],
    "adaptive, without lengths": [queries.Adaptive(0.01 * s, by_length=False) for s in SCALES],
    "discrimination by cost": [queries.CostSensitiveDiscrimination(s, 1 / s, 1 + s) for s in SCALES],
    "discrimination": [queries.Discrimination(s, 1 / s) for s in SCALES],
    "spread margin": [queries.SpreadMargin(s, 1 / s, s) for s in SCALES],
}
PAIRS = [(name, "margin") for name in UPDATES] + [
    ("AROW" if "discr" in name or "spread" in name else "PA-II", name) for name in QUERIES if name != "margin"
]


def stream(rows: int = 400, width: int = 13, random_state: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(rows, width)) * (rng.random((rows, width)) < 0.4)
    y = np.where(X @ rng.normal(size=width) + rng.normal(size=rows) > 0, 1.0, -1.0)
    return X, y, rng.random(rows)


def alone(update: Any, query: Any, X: Any, y: Any, coins: Any, dtype: str = "float64") -> tuple[Any, list[int]]:
    learner = askance.Learner(update, query, dtype=dtype, classes=(-1, 1))
    trace = learner.run(X, y, coins=coins)
    wrong = trace.predictions != y
    counts = (trace.asked, trace.updated, wrong & (y > 0), wrong & (y < 0))
    return learner.coef_[0], [int(count.sum()) for count in counts]


def in_bank(rules: Any, X: Any, y: Any, coins: Any, dtype: str = "float64", parts: int = 1) -> Bank:
    precision = np.dtype(dtype)
    bank = Bank(rules, X.shape[1], precision, 1.0)
    for part in np.array_split(np.arange(len(y)), parts):
        bank.run(as_rows(X[part], precision), y[part], coins[part])
    return bank


def check_exact(rules: Any, X: Any, y: Any, coins: Any, parts: int = 1) -> None:
    bank = in_bank(rules, X, y, coins, parts=parts)
    dense = X.toarray() if sp.issparse(X) else X  # whose passes are compiled for other tests too
    own = coins if coins.ndim == 2 else np.tile(coins[:, np.newaxis], len(rules))
    for lane, (update, query) in enumerate(rules):
        weights, counts = alone(update, query, dense, y, own[:, lane])
        assert [int(count[lane]) for count in bank.counts()] == counts
        assert np.array_equal(bank.weights()[lane], weights)
        assert counts[0] > 0


# One in every run; the others wait for the soak.
SOME = {("AROW", "spread margin")}


@pytest.mark.parametrize(("update", "query"), rest_in_soak(PAIRS, SOME))
def test_lanes_are_learners_to_the_last_bit(update: str, query: str) -> None:
    rules = list(zip(UPDATES[update], QUERIES[query], strict=True))
    assert all(can_share(*pair) for pair in rules)
    X, y, coins = stream()
    check_exact(rules, sp.csr_array(X), y, coins, parts=3)


def test_dense_rows_and_coins_of_ones_own() -> None:
    rules = [(updates.PassiveAggressive2(c), queries.Margin(b)) for c in SCALES[:4] for b in SCALES[:4]]
    X, y, _ = stream()
    coins = np.random.default_rng(1).random((len(y), len(rules)))
    check_exact(rules, X, y, coins)
    check_exact(rules[:5], X, y, coins[:, :5])


@pytest.mark.slow
def test_single_precision_stays_close() -> None:
    X, y, coins = stream(rows=200)
    rules = list(zip(UPDATES["PA-II"], QUERIES["margin"], strict=True))
    bank = in_bank(rules, X.astype("float32"), y, coins, "float32")
    for lane, pair in enumerate(rules):
        weights, counts = alone(*pair, X.astype("float32"), y, coins, "float32")
        assert np.abs(np.array([count[lane] for count in bank.counts()]) - counts).max() <= 4
        np.testing.assert_allclose(bank.weights()[lane], weights, atol=0.2)


def test_a_coin_just_below_one_still_asks() -> None:
    X, y, _ = stream(rows=50)
    coins = np.full(50, np.nextafter(1.0, 0.0))
    bank = in_bank([(updates.PassiveAggressive2(), queries.Always())], X.astype("float32"), y, coins, "float32")
    assert bank.counts().asked.tolist() == [50]


@pytest.mark.slow
def test_long_streams_are_counted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, coins = stream()
    monkeypatch.setattr(banks, "ROUNDS_AT_A_TIME", 37)
    check_exact(list(zip(UPDATES["PA-II"], QUERIES["margin"], strict=True)), sp.csr_array(X), y, coins)


@pytest.mark.parametrize(
    ("update", "query"),
    [
        (updates.AROW(full=True), queries.Margin()),
        (updates.Winnow(), queries.Margin()),
        (updates.PassiveAggressive2(), queries.Within(queries.Margin())),
        (updates.PassiveAggressive2(), queries.AtRate(queries.Margin())),
        (askance.kernels.Kernelized(updates.Perceptron()), queries.Margin()),
    ],
)
def test_what_cannot_share_a_bank(update: Any, query: Any) -> None:
    assert not can_share(update, query)


def test_what_lanes_have_in_common() -> None:
    one, other = kind_of(updates.AROW(1.0), queries.Margin(2.0)), kind_of(updates.AROW(3.0), queries.Margin(0.1))
    assert one == other
    assert one != kind_of(updates.AROW(1.0, inverse=True), queries.Margin(2.0))
    assert one != kind_of(updates.AROW(1.0), queries.Adaptive())
