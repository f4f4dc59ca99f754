"""Certificates of confident predictions: the martingale, late labels, and how often they are wrong."""

import itertools
import json
import math

import numpy as np
import pytest

from askance.errors import ParameterError
from askance.metrics import Certifier
from askance.metrics.certificate import AMPLE, BOLDNESS, EVERY, FIRST_SHARE, _Set
from askance.metrics.confident import Choices, Mistakes


def product(rows: list[tuple[float, bool, bool]], step: float) -> float:
    """The naive twin: the martingale of rows with their probability, whether they were asked for, and mistakes."""
    found = 1.0
    for chance, asked, wrong in rows:
        if -math.expm1(-step) < chance:
            found *= (1 - (1 - math.exp(-step)) / chance if asked and wrong else 1) * math.exp(step * wrong)
    return found


def test_the_martingale_has_mean_one_whatever_is_wrong() -> None:
    chances, wrong = [0.3, 0.5, 0.3, 0.9, 0.31], [True, False, True, True, False]
    step = -math.log1p(-BOLDNESS * chances[0])
    mean = 0.0
    for coins in itertools.product([False, True], repeat=len(chances)):
        weight = math.prod(chance if asked else 1 - chance for chance, asked in zip(chances, coins, strict=True))
        mean += weight * product(list(zip(chances, coins, wrong, strict=True)), step)
    assert mean == pytest.approx(1)


def test_evidence_is_the_martingale_at_the_smallest_number_of_mistakes_that_is_too_large() -> None:
    random = np.random.default_rng(1)
    counted, rows, error = _Set(0, 3.0), [], 0.1
    for number in range(60):
        chance = 0.2 if number % 2 else 0.25  # the first row decides the step, for which 0.2 is too little
        asked, wrong = bool(random.random() < 0.5), bool(random.random() < 0.2)
        rows.append((chance, asked, wrong))
        counted.add(number, chance, asked)
        if asked:
            counted.tell(number, wrong)
    step = -math.log1p(-BOLDNESS * 0.25)
    kept = [row for row in rows if -math.expm1(-step) < row[0]]
    assert len(kept) == 30
    # As if there were seven mistakes, one more than allowed, and the rows that are left out were among them.
    unseen = 7 - (len(rows) - len(kept)) - sum(wrong for *_, wrong in kept)
    assert counted.members == 60
    assert counted.mistakes == sum(wrong for _, asked, wrong in rows if asked)
    assert counted.evidence(error) == pytest.approx(math.log(product(kept, step)) + step * unseen)


def test_without_mistakes_about_as_many_labels_are_needed_as_for_any_method() -> None:
    counted, labels, error = _Set(0, -math.log(0.05 * FIRST_SHARE)), 0, 0.02
    random = np.random.default_rng(2)
    for number in range(10_000):
        asked = bool(random.random() < 0.1)
        counted.add(number, 0.1, asked)
        if asked:
            counted.tell(number, False)
        if counted.surplus(error) >= 0:
            break
    labels = counted.labels
    assert labels < 1.5 * math.log(1 / 0.05) / error


def stream(
    random: np.random.Generator, rows: int, chance: float, error: float | None, scale: float = 4
) -> np.ndarray:
    """Confidences, coins and mistakes; a given error is the same for all rows, however confident."""
    confidences = random.exponential(scale, rows)
    wrong = random.random(rows) < (1 / (1 + np.exp(confidences)) if error is None else error)
    return np.column_stack([confidences, random.random(rows) < chance, wrong])


def ever_wrong(rows: np.ndarray, chance: float, error: float, delay: int = 0) -> tuple[bool, bool]:
    """Whether there was ever a certificate, and ever one for rows with too many mistakes."""
    certifier, awaited = Certifier(error), []
    members = np.zeros(len(rows), bool)
    wrong_so_far = np.zeros(len(rows) + 1)
    ever = violated = False
    for number, (confidence, asked, wrong) in enumerate(rows):
        while awaited and awaited[0] <= number - delay:
            certifier.tell(awaited[0], bool(rows[awaited.pop(0), 2]))
        members[number] = certifier.includes(confidence)
        certifier.add(confidence, chance, bool(asked))
        wrong_so_far[number + 1] = wrong_so_far[number] + (wrong and members[number])
        if asked:
            awaited.append(number)
        if number % 10 == 0 and certifier.certified:
            found = certifier.certificate()
            inside = members[found.since : found.until].sum()
            assert inside == found.members
            ever = True
            violated |= wrong_so_far[found.until] - wrong_so_far[found.since] > error * inside
    return ever, violated


def test_confident_rows_are_certified_and_the_certificate_is_right() -> None:
    results = [ever_wrong(stream(np.random.default_rng(seed), 3000, 0.3, None), 0.3, 0.05) for seed in range(4)]
    assert all(ever for ever, _ in results)
    assert not any(violated for _, violated in results)


def test_late_labels_delay_the_certificate_and_do_no_harm() -> None:
    results = [
        ever_wrong(stream(np.random.default_rng(seed), 3000, 0.3, None), 0.3, 0.05, delay=500) for seed in range(4)
    ]
    assert all(ever for ever, _ in results)
    assert not any(violated for _, violated in results)


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0, 300])
def test_certificates_are_rarely_wrong_where_there_are_slightly_too_many_mistakes(delay: int) -> None:
    """Confidences tell nothing here, and the models that made them believe otherwise."""
    results = [
        ever_wrong(stream(np.random.default_rng(seed), 1500, 0.3, 0.055), 0.3, 0.05, delay) for seed in range(100)
    ]
    # At most 5 % may be; none is. If mistakes counted for less than half of what they do, there would be 8.
    assert sum(violated for _, violated in results) <= 2


def test_a_change_of_the_stream_ends_the_certificate() -> None:
    random = np.random.default_rng(3)
    certifier = Certifier(0.05)
    certified = []
    for part, error in ((4000, None), (400, 0.5)):
        for confidence, asked, wrong in stream(random, part, 0.3, error):
            row = certifier.add(confidence, 0.3, bool(asked))
            if asked:
                certifier.tell(row, bool(wrong))
        certified.append(certifier.certified)
    assert certified == [True, False]


def certified(certifier: Certifier) -> Certifier:
    """The certifier after 4,000 rows, with which it certifies a set."""
    for confidence, asked, wrong in stream(np.random.default_rng(4), 4000, 0.3, None):
        row = certifier.add(confidence, 0.3, bool(asked))
        if asked:
            certifier.tell(row, bool(wrong))
    assert certifier.certified
    return certifier


def test_rows_that_are_asked_about_too_seldom_count_as_mistakes() -> None:
    certifier = certified(Certifier(0.05))
    for _ in range(2000):
        certifier.add(10.0, 0.01, False)
    assert not certifier.certified


def test_rows_about_which_nobody_can_be_asked_are_not_in_the_set() -> None:
    certifier = certified(Certifier(0.05))
    before = certifier.certificate()
    for _ in range(2000):
        assert not certifier.includes(10.0, 0.0)
        certifier.add(10.0, 0.0, False)
    after = certifier.certificate()
    assert (after.certified, after.members, after.labels) == (True, before.members, before.labels)
    assert after.until == before.until + 2000
    assert before.share > 0.2
    assert after.share == 0, "no recent row is in the set"


def test_the_state_of_an_earlier_version_can_be_restored() -> None:
    certifier = certified(Certifier(0.05))
    state = certifier.state()
    del state["possible"]
    assert Certifier(0.05).restore(state).certificate() == certifier.certificate()


def test_a_set_is_as_narrow_as_wanted_until_there_is_evidence_to_spare() -> None:
    wide, narrow = Certifier(0.05), Certifier(0.05, widest=0.5)
    shares: dict[bool, list[float]] = {False: [], True: []}
    for confidence, asked, wrong in stream(np.random.default_rng(4), 6000, 0.3, None, 30):
        for certifier in (wide, narrow):
            row = certifier.add(confidence, 0.3, bool(asked))
            if asked:
                certifier.tell(row, bool(wrong))
        if narrow.rows % EVERY == 0 and narrow.has_set:
            ample = narrow._current is not None and narrow._current.surplus(0.05) > AMPLE
            shares[ample].append(narrow.certificate().share)
    assert max(shares[False]) <= 0.5 + 1e-9
    assert max(shares[True]) > 0.9
    assert wide.certificate().share > 0.9


def test_what_a_certificate_says() -> None:
    certifier = Certifier(0.05)
    nothing = certifier.certificate()
    assert str(nothing) == "Not certified: no predictions are confident enough for an error of 5.00% yet."
    assert (nothing.members, nothing.share, nothing.missing) == (0, 0.0, 0)
    told = set()
    for confidence, asked, wrong in stream(np.random.default_rng(5), 3000, 0.3, None):
        row = certifier.add(confidence, 0.3, bool(asked))
        if asked:
            certifier.tell(row, bool(wrong))
        if row % 20 == 0:
            now = certifier.certificate()
            assert now.certified == (now.members > 0 and now.missing == 0)
            told.add(str(now).partition(":")[0])
    assert told == {"Not certified", "Certified"}
    certifier.tell(10**9, True)  # nobody asked for it


WRONG = [("error", 0), ("error", 1), ("level", 0.0), ("level", 1.0), ("widest", 0.0), ("widest", 1.1)]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_wrong_parameters_are_refused(name: str, value: float) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be"):
        Certifier(**{name: value})


def test_the_fit_finds_how_mistakes_depend_on_confidence() -> None:
    random = np.random.default_rng(6)
    confidences = random.exponential(3, 20_000)
    wrong = random.random(20_000) < 1 / (1 + np.exp(-(0.5 - 0.6 * confidences)))
    assert Mistakes.of(confidences.tolist(), wrong.tolist()).line == pytest.approx([0.5, -0.6], abs=0.1)


def test_the_fit_stands_huge_confidences_and_labels_of_one_kind() -> None:
    for wrong in (True, False):
        line = Mistakes.of([0.0, 1e300, 27.0] * 30, [wrong] * 90).line
        assert np.isfinite(line).all()


def test_equal_confidences_are_in_the_set_together() -> None:
    choices = Choices(np.array([3.0, 3.0, 0.5, 3.0, 0.0]), Mistakes(), 0.1)
    assert choices.widest(1.0) == 1.75
    assert choices.widest(0.0) == 1.75, "the set is never empty"
    assert choices.widest(100.0) == 0.0
    assert choices.fastest()[0] == 1.75
    assert choices.fastest(0.7)[0] == 1.75
    assert choices.fastest(0.5)[1] == 0.0, "no set is as small"


def test_a_label_that_is_corrected_counts_as_if_it_had_been_right_at_once() -> None:
    random = np.random.default_rng(5)
    right, corrected = _Set(0, 3.0), _Set(0, 3.0)
    truth = {}
    for number in range(400):
        asked, wrong = bool(random.random() < 0.3), bool(random.random() < 0.1)
        for one in (right, corrected):
            one.add(number, 0.3, asked)
        if asked:
            truth[number] = wrong
            right.tell(number, wrong)
            corrected.tell(number, not wrong if number % 3 else wrong)
    assert corrected.mistakes != right.mistakes
    for number, wrong in truth.items():
        corrected.tell(number, wrong)
    assert (corrected.members, corrected.labels, corrected.mistakes) == (400, right.labels, right.mistakes)
    assert corrected.evidence(0.1) == pytest.approx(right.evidence(0.1))


def test_a_certifier_goes_on_from_its_state_to_the_bit() -> None:
    rows = stream(np.random.default_rng(6), 3000, 0.3, None)
    one, awaited = Certifier(0.05), []
    for place, (confidence, asked, wrong) in enumerate(rows):
        if place in (40, 700, 1500, 2900):
            one = Certifier(0.05).restore(json.loads(json.dumps(one.state())))
        number = one.add(confidence, 0.3, bool(asked))
        awaited += [(number, bool(wrong))] if asked else []
        if len(awaited) > 20:
            one.tell(*awaited.pop(0))
    other, awaited = Certifier(0.05), []
    for confidence, asked, wrong in rows:
        number = other.add(confidence, 0.3, bool(asked))
        awaited += [(number, bool(wrong))] if asked else []
        if len(awaited) > 20:
            other.tell(*awaited.pop(0))
    assert one.certified
    assert one.state() == other.state()
    assert one.awaited == [number for number, _ in awaited if one._current and number in one._current.asked]


def test_sets_of_earlier_certifiers_use_up_their_part_of_the_probability() -> None:
    first, later = Certifier(0.05), Certifier(0.05, earlier=1)
    needed = [certifier._new_set().needed for certifier in (first, later)]
    assert needed[0] == pytest.approx(-math.log(0.05 * FIRST_SHARE))
    assert needed[1] == pytest.approx(-math.log(0.05 * (1 - FIRST_SHARE) * 6 / math.pi**2))
