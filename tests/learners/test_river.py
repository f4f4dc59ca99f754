import pytest

import askance

river = pytest.importorskip("river")

from river import evaluate, metrics  # noqa: E402

from askance.learners.river import RiverClassifier  # noqa: E402


def stream(rows: int = 400):
    """Whether a number exceeds another, with a category that says nothing."""
    for t in range(rows):
        left, right = (t * 37 % 101) / 101, (t * 53 % 103) / 103
        yield {"left": left - 0.5, "right": right - 0.5, "day": f"d{t % 7}"}, left > right


def test_river_evaluates_a_learner() -> None:
    model = RiverClassifier(askance.make("PA-II", classes=[False, True]), bits=12)
    score = evaluate.progressive_val_score(stream(), model, metrics.Accuracy())
    assert score.get() > 0.9


def test_it_learns_what_the_learner_would() -> None:
    model = RiverClassifier(askance.make("PAA-II", dtype="float64", classes=[False, True]), bits=10)
    plain = askance.make("PAA-II", dtype="float64", classes=[False, True])
    for x, y in stream(100):
        row = askance.data.hash_records([x], 10, dtype="float64")
        model.learn_one(x, y)
        plain.partial_fit(row, [y])
        assert model.predict_one(x) == plain.predict(row)[0]
    assert (model.learner.coef_ == plain.coef_).all()


def test_before_the_first_label_there_is_no_prediction() -> None:
    assert RiverClassifier(askance.make("PE"), bits=8).predict_one({"a": 1.0}) is None


def test_the_labelling_loop_works_on_its_rows() -> None:
    model = RiverClassifier(askance.make("PAA-II", classes=[False, True]), bits=12)
    asked = 0
    for x, y in stream():
        row = model.row(x)
        if model.learner.ask(row).ask:
            model.learner.tell(row, y)
            asked += 1
    assert 0 < asked < 400
    assert model.learner.spending_.asked == asked
