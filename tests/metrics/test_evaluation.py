"""Figures of predictions with all labels known, beside scikit-learn and plain loops, and the positive class."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from sklearn import metrics as judge

from askance.metrics import AskedTally, CurveRecorder, Evaluation, Tally
from askance.metrics.positive import default_positive, place_of_class

LEVEL = 0.95


def made(rows, classes, random_state=0):
    """True codes, and probabilities of a model that knows something."""
    rng = np.random.default_rng(random_state)
    y = rng.choice(classes, rows, p=np.arange(1, classes + 1) / (classes * (classes + 1) / 2))
    odds = rng.normal(size=(rows, classes))
    odds[np.arange(rows), y] += 1.5
    probabilities = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    return y, probabilities


def evaluated(y, probabilities, parts=3, **options):
    evaluation = Evaluation(range(probabilities.shape[1]))
    for rows in np.array_split(np.arange(len(y)), parts):
        some = probabilities[rows]
        scores = np.log(some[:, 1] / some[:, 0]) if some.shape[1] == 2 else None
        evaluation.add(y[rows], some.argmax(axis=1), some, scores)
    return evaluation.estimates(**options)


def test_two_classes_beside_scikit_learn():
    y, p = made(2000, 2)
    guess = p.argmax(axis=1)
    found = {name: estimate.value for name, estimate in evaluated(y, p, positive=1).items()}
    assert found == pytest.approx(
        {
            "accuracy": judge.accuracy_score(y, guess),
            "f": judge.f1_score(y, guess),
            "precision": judge.precision_score(y, guess),
            "recall": judge.recall_score(y, guess),
            "auroc": judge.roc_auc_score(y, p[:, 1]),
            "log_loss": judge.log_loss(y, p),
            "calibration_error": naive_calibration_error(y, p),
        },
        rel=1e-3,
    )
    other = evaluated(y, p, positive=0)
    assert other["f"].value == pytest.approx(judge.f1_score(y, guess, pos_label=0))
    assert other["auroc"].value == pytest.approx(judge.roc_auc_score(y, p[:, 1]), rel=1e-3)


def naive_calibration_error(y, probabilities, bins=10):
    total = 0.0
    for place in range(bins):
        inside = []
        for label, row in zip(y, probabilities, strict=True):
            confidence = max(row)
            if min(int(confidence * bins), bins - 1) == place:
                inside.append((confidence, float(np.argmax(row) == label)))
        if inside:
            confidences, right = zip(*inside, strict=True)
            total += len(inside) / len(y) * abs(np.mean(confidences) - np.mean(right))
    return total


def test_many_classes():
    y, p = made(900, 4)
    found = evaluated(y, p)
    assert set(found) == {"accuracy", "log_loss", "calibration_error"}
    assert found["log_loss"].value == pytest.approx(judge.log_loss(y, p))
    assert found["calibration_error"].value == pytest.approx(naive_calibration_error(y, p))
    of_one = evaluated(y, p, positive=2)
    assert of_one["f"].value == pytest.approx(judge.f1_score(y, p.argmax(axis=1), labels=[2], average=None)[0])


def test_the_figures_of_each_class():
    y, p = made(300, 3)
    evaluation = Evaluation(["a", "b", "c"])
    evaluation.add(y, p.argmax(axis=1))
    expected = judge.precision_recall_fscore_support(y, p.argmax(axis=1))
    for place, figures in enumerate(evaluation.figures().values()):
        assert figures == pytest.approx((expected[3][place], *(column[place] for column in expected[:3])))
    assert np.array_equal(evaluation.confusion, judge.confusion_matrix(y, p.argmax(axis=1)))


def test_classes_that_the_model_does_not_know_are_mistakes():
    evaluation = Evaluation(["a", "b"])
    evaluation.add([0, 1, -1, 0], [0, 1, 0, 0], np.full((4, 2), 0.5), np.zeros(4))
    assert (evaluation.rows, evaluation.unknown) == (4, 1)
    assert evaluation.estimate("accuracy").value == 0.75
    assert evaluation.estimate("log_loss").value == pytest.approx(np.log(2))


def test_rows_of_classes_that_the_model_does_not_know_count_for_the_class_they_were_called():
    rng = np.random.default_rng(0)
    y, guess = rng.integers(-1, 3, 400), rng.integers(0, 3, 400)
    evaluation = Evaluation(["a", "b", "c"])
    for rows in np.array_split(np.arange(400), 3):
        evaluation.add(y[rows], guess[rows])
    precision, recall, f, support = judge.precision_recall_fscore_support(y, guess, labels=[0, 1, 2])
    for place, figures in enumerate(evaluation.figures().values()):
        assert figures == pytest.approx((support[place], precision[place], recall[place], f[place]))
    for metric, expected in (("precision", precision), ("recall", recall), ("f", f)):
        found = evaluation.estimate(metric, positive="b")
        assert found.value == pytest.approx(expected[1])
        assert found.low < found.value < found.high
    by_both = judge.confusion_matrix(y, guess, labels=[-1, 0, 1, 2])
    assert evaluation.confusion_of_unknown.tolist() == by_both[0, 1:].tolist()
    assert evaluation.confusion.tolist() == by_both[1:, 1:].tolist()
    assert (evaluation.rows, evaluation.unknown) == (400, (y == -1).sum())


@pytest.mark.parametrize(
    ("y", "positive"),
    [([0] + [1] * 9, "a"), ([1] * 9, "a"), ([1] * 9 + [-1] * 5, "a"), ([0] * 9, "b"), ([-1] * 9, "b")],
)
def test_a_class_without_rows_is_the_rarer_one(y, positive):
    evaluation = Evaluation(["a", "b"])
    evaluation.add(y, [0] * len(y))
    assert evaluation.positive() == positive


def test_nothing_that_a_metric_is_about():
    evaluation = Evaluation(["a", "b"])
    evaluation.add([0, 0], [0, 0])
    assert evaluation.estimate("recall", "b").value is None
    assert set(evaluation.estimates()) == {"accuracy", "f", "precision", "recall"}
    with pytest.raises(ValueError, match="there is no metric 'beauty' of an evaluation"):
        evaluation.estimate("beauty")
    assert Evaluation(["a", "b"]).estimate("auroc").value is None


def test_perfect_order_is_not_certain():
    evaluation = Evaluation([0, 1])
    evaluation.add([0] * 30 + [1] * 30, [0] * 30 + [1] * 30, scores=[-1.0] * 30 + [1.0] * 30)
    found = evaluation.estimate("auroc")
    assert (found.value, found.high) == (1, 1)
    assert 0.85 < found.low < 0.9


@pytest.mark.parametrize(("positives", "negatives"), [(1, 299), (5, 295), (20, 1980)])
def test_with_few_rows_of_a_class_the_area_is_not_certain(positives, negatives):
    """95 % of the intervals contain the true area of two normal distributions; 35 to 82 % did."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [positives, negatives])
    distance, inside = 3.0, 0
    truth = float(special.ndtr(distance / np.sqrt(2)))
    for _ in range(60):
        scores = rng.normal(size=len(y)) + distance * (y - 0.5)
        evaluation = Evaluation(["ok", "fraud"])
        evaluation.add(y, scores > 0, scores=scores)
        found = evaluation.estimate("auroc")
        assert found.low < found.value <= found.high
        inside += found.low <= truth <= found.high
    assert inside >= 56


@pytest.mark.parametrize(("rows", "share"), [(300, 1 / 300), (100, 0.02), (1000, 0.01)])
def test_the_log_loss_allows_for_rows_of_a_rare_class_that_are_not_here(rows, share):
    """The probabilities are true: with 2 to 10 rows of the rare class, 60 to 91 % of the intervals held."""
    rng = np.random.default_rng(0)

    def drawn(count):
        y = (rng.random(count) < share).astype(int)
        odds = 2 * rng.normal(loc=2 * y) - 2 + np.log(share / (1 - share))
        p = special.expit(odds)
        return y, np.column_stack([1 - p, p])

    y, p = drawn(300_000)
    truth, inside = judge.log_loss(y, p), 0
    for _ in range(100):
        y, p = drawn(rows)
        evaluation = Evaluation([0, 1])
        evaluation.add(y, p.argmax(axis=1), p)
        found = evaluation.estimate("log_loss")
        inside += found.low <= truth <= found.high
    assert inside >= 92


def test_the_log_loss_of_few_rows_has_no_interval():
    evaluation = Evaluation([0, 1])
    evaluation.add([0] * 19, [0] * 19, np.full((19, 2), 0.5))
    found = evaluation.estimate("log_loss")
    assert (found.value, found.low, found.high) == (pytest.approx(np.log(2)), None, None)
    assert found.note == "An interval takes 20 rows."
    evaluation.add([0], [0], np.full((1, 2), 0.5))
    assert evaluation.estimate("log_loss").high is not None


@pytest.mark.parametrize("rows", [20, 100, 1000])
def test_the_calibration_error_says_what_chance_gives(rows):
    rng = np.random.default_rng(0)
    values, said = [], []
    for _ in range(100):
        p = special.expit(2 * rng.normal(size=rows))
        y = (rng.random(rows) < p).astype(int)
        evaluation = Evaluation([0, 1])
        evaluation.add(y, p > 0.5, np.column_stack([1 - p, p]))
        found = evaluation.estimate("calibration_error")
        values.append(found.value)
        head, _, number = found.note.rpartition(" about ")
        assert head == f"On {rows:,} rows, chance alone gives a perfectly calibrated model"
        said.append(float(number.rstrip(".")))
    assert np.mean(said) == pytest.approx(np.mean(values), rel=0.1)


def test_intervals_contain_the_truth_as_often_as_they_say():
    """The truth is that of very many rows. Of 400 samples, 95 % ± 3.5 % should contain it."""
    y, p = made(200_000, 2, random_state=1)
    truth = evaluated(y, p, positive=0)
    metrics = [metric for metric in truth if metric != "calibration_error"]
    inside = dict.fromkeys(metrics, 0)
    rng = np.random.default_rng(2)
    for _ in range(400):
        rows = rng.integers(0, len(y), 250)
        found = evaluated(y[rows], p[rows], parts=1, positive=0)
        for metric in metrics:
            inside[metric] += found[metric].low <= truth[metric].value <= found[metric].high
    assert len(inside) == 6
    assert all(0.915 * 400 <= number <= 0.985 * 400 for number in inside.values()), inside


# ---------------------------------------------------------------------- the positive class


@pytest.mark.parametrize(
    ("counts", "place"),
    [([1, 9], 0), ([9, 1], 1), ([33, 67], 0), ([34, 66], 1), ([5, 5], 1), ([0, 9], 1), ([0, 0], 1)],
)
def test_the_rarer_class_is_positive_if_it_is_clearly_rarer(counts, place):
    assert default_positive(counts) == place


def test_classes_are_found_as_users_write_them():
    assert place_of_class("fraud", ["fraud", "ok"]) == 0
    assert place_of_class("1", [0, 1]) == 1
    assert place_of_class("1", [0.0, 1.0]) == 1
    assert place_of_class(1, [0.0, 1.0]) == 1
    assert place_of_class("true", [False, True]) == 1
    with pytest.raises(ValueError, match="positive must be one of 'fraud', 'ok', not 'fruad'"):
        place_of_class("fruad", ["fraud", "ok"])


ROW = st.tuples(
    st.sampled_from([-1, 0, 1]), st.sampled_from([-1, 1]), st.booleans(), st.floats(0.05, 1), st.floats(-3, 3)
)


@given(st.lists(ROW, min_size=1, max_size=60))
def test_flipped_counts_are_those_of_flipped_labels(rows):
    truth, guess, asked, probabilities, scores = (np.array(column) for column in zip(*rows, strict=True))
    scores[np.abs(scores) < 0.01] = 0.5  # a score of 0 is on the edge of two bins
    tallies, recorders, estimates = [], [], []
    for sign in (1, -1):
        tally, recorder, asked_tally = Tally(), CurveRecorder(points=7), AskedTally()
        tally.add(sign * truth, sign * guess, asked, asked, sign * scores)
        recorder.add(sign * truth, sign * guess, asked, asked, sign * scores)
        asked_tally.add(sign * truth, sign * guess, asked, probabilities, sign * scores)
        tallies.append(tally)
        recorders.append(recorder)
        estimates.append(asked_tally)
    assert tallies[0].flipped() == tallies[1]
    for metric in ("f", "auprc"):
        assert np.allclose(recorders[0].flipped().curve(metric).values, recorders[1].curve(metric).values)
    flipped, expected = estimates[0].flipped().arrays(), estimates[1].arrays()
    assert all(np.allclose(flipped[name], expected[name]) for name in expected)
