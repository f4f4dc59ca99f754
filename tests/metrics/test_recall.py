"""Recall certificates: the martingale, and how often the limit is too high."""

import itertools
import math

import numpy as np
import pytest

from askance.errors import ParameterError
from askance.metrics import RecallCertifier
from askance.metrics.recall import BOLDNESS, LOG_SHARES


def test_the_martingale_of_the_true_number_has_mean_one() -> None:
    pool = (True, False, False, True, False, False, False)
    found = []
    for order in itertools.permutations(range(len(pool))):  # every random order of reading all rows
        certifier = RecallCertifier(len(pool))
        for place, row in enumerate(order[:4]):
            certifier.add(positive=pool[row], random=place != 1)  # one reading tells nothing
        evidence = np.exp(certifier._logs[:, sum(pool)])
        found.append(np.exp(LOG_SHARES) @ evidence)
    assert np.mean(found) == pytest.approx(1)


def test_the_limit_is_that_of_a_naive_twin() -> None:
    random = np.random.default_rng(0)
    rows, draws = 60, []
    certifier = RecallCertifier(rows, level=0.9)
    for read in range(50):
        positive, is_random = bool(random.random() < 0.15), bool(random.random() < 0.7)
        draws.append((read, certifier.found, positive, is_random))
        certifier.add(positive=positive, random=is_random)
        possible = [total for total in range(certifier.found, certifier.found + rows - read) if fits(total, draws)]
        assert certifier.most == max(possible, default=certifier.found)
        assert certifier.recall == (certifier.found / certifier.most if certifier.found else 0)


def fits(total: int, draws: list[tuple[int, int, bool, bool]]) -> bool:
    """Whether the evidence against this number of positives among 60 rows is too small for level 0.9."""
    products = np.ones(len(BOLDNESS))
    for read, found, positive, is_random in draws:
        chance = (total - found) / (60 - read)
        if is_random:
            products *= 1 - BOLDNESS if positive else 1 + BOLDNESS * chance / (1 - chance or 1e-300)
    return float(np.exp(LOG_SHARES) @ products) < 10


@pytest.mark.slow
def test_the_limit_is_rarely_too_high_whenever_one_looks() -> None:
    """The other rows are read by a ranking that finds the easy positives and misses the others."""
    violated = 0
    for seed in range(200):
        random = np.random.default_rng(seed)
        positives = random.random(400) < 0.1
        scores = positives * (random.random(400) < 0.7) + random.random(400) * 0.5
        ranking, order = np.argsort(-scores).tolist(), random.permutation(400).tolist()
        unread = dict.fromkeys(ranking), dict.fromkeys(order)
        certifier, too_high = RecallCertifier(400), False
        for read in range(390):
            is_random = bool(read >= 40 or read % 4 == 0)
            row = next(iter(unread[is_random]))
            for rows in unread:
                del rows[row]
            certifier.add(positive=bool(positives[row]), random=is_random)
            if read % 5 == 0 and certifier.found:
                too_high |= certifier.recall > certifier.found / positives.sum()
        violated += too_high
    assert violated <= 17  # 5 % of 200, and more than two standard deviations


def test_reading_everything_certifies_everything() -> None:
    certifier = RecallCertifier(20)
    for row in range(20):
        certifier.add(positive=row % 5 == 0, random=False)
    assert (certifier.recall, certifier.most) == (1.0, 4)
    with pytest.raises(ValueError, match="all 20 rows have been read"):
        certifier.add(positive=False, random=False)


def test_nothing_is_found_in_the_beginning() -> None:
    certifier = RecallCertifier(20)
    assert (certifier.recall, certifier.most) == (0.0, 20)


@pytest.mark.parametrize(("rows", "level"), [(0, 0.95), (5, 0.0), (5, 1.0)])
def test_wrong_parameters_are_refused(rows: int, level: float) -> None:
    with pytest.raises(ParameterError, match="RecallCertifier"):
        RecallCertifier(rows, level)


def test_few_draws_are_enough_if_many_positives_are_known() -> None:
    """Any valid test needs as many draws without a positive as make it unlikely to miss the other positives."""
    certifier, rows, known = RecallCertifier(10_000), 10_000, 500
    for _ in range(known):
        certifier.add(positive=True, random=False)
    while certifier.recall < 0.95:
        certifier.add(positive=False, random=True)
    missing = math.floor(known / 0.95) + 1 - known
    best = (rows - known) * (1 - 0.05 ** (1 / missing))
    assert certifier.read - known < 1.3 * best
