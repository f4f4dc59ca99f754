"""What people try first in Python and get wrong: each gets one sentence that says what to do, or works."""

import numpy as np
import pandas
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score

import askance
from askance.errors import ScaleWarning

X = np.random.default_rng(0).normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)


def said(work, kind=ValueError):
    with pytest.raises(kind) as caught:
        work()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# A target with decimals is regression.
@pytest.mark.parametrize("name", ["PAA-II", "MPAA-II", "auto"])
@pytest.mark.parametrize("verb", ["fit", "partial_fit", "run"])
def test_numbers_to_predict_are_recognised(name, verb):
    learner = askance.make(name)
    message = said(lambda: getattr(learner, verb)(X, X[:, 0]))
    assert "y looks like numbers to predict (" in message
    assert "as in regression" in message
    assert not hasattr(learner, "classes_")


def test_a_few_numbers_with_decimals_are_classes():
    trace = askance.make("MPAA-II").run(X, np.tile([0.5, 1.0, 1.5], 20))
    assert trace.classes.tolist() == [0.5, 1.0, 1.5]


# A data frame with text needs a reader.
@pytest.mark.parametrize("name", ["PAA-II", "auto"])
def test_a_data_frame_with_text_says_which_reader_takes_it(name):
    frame = pandas.DataFrame({"day": ["2024-07-04"] * 4, "n": [1.0, 2.0, 3.0, 4.0]})
    message = said(lambda: askance.make(name).run(frame, [0, 1, 0, 1]))
    assert message.startswith("could not convert string to float: '2024-07-04'")
    assert message.endswith("askance.data.read_table, or encode the table with askance.data.TableEncoder")


# Rows, not texts or records.
@pytest.mark.parametrize("x", ["free money", {"age": 3}])
def test_a_text_or_a_record_is_not_a_row_but_can_become_one(x):
    learner = askance.make("PAA-II").partial_fit(X, Y)
    message = said(lambda: learner.ask(x))
    hashing = "hash_texts" if isinstance(x, str) else "hash_records"
    assert f"askance.data.{hashing}([" in message
    rows = getattr(askance.data, hashing)([x])
    assert askance.make("PAA-II", classes=[0, 1]).ask(rows).prediction in (0, 1)


def test_a_rate_that_cannot_be_is_refused_before_the_first_row():
    query = askance.queries.AtRate(askance.queries.Margin(), rate=-0.1)
    assert said(lambda: askance.Learner(query=query)).startswith("AtRate: rate must be greater than 0")


def test_three_classes_say_how_to_learn_them():
    with pytest.warns(ScaleWarning):
        message = said(lambda: askance.Learner().fit(*load_wine(return_X_y=True)))
    assert "use Learner(multiclass=True) or a multiclass name such as MPAA-II" in message


def test_parameters_of_rules_can_be_searched():
    found = GridSearchCV(askance.make("PAA-II"), {"update__C": [0.1, 1.0]}, cv=2).fit(X, Y)
    assert found.best_params_["update__C"] in (0.1, 1.0)


def test_log_loss_needs_probabilities_and_they_exist():
    scores = cross_val_score(askance.make("PAA-II", probability=True), X, Y, scoring="neg_log_loss", cv=3)
    assert np.isfinite(scores).all()
    assert not hasattr(askance.make("PAA-II"), "predict_proba")
    decision = askance.make("PAA-II").partial_fit(X, Y).ask(X[0])
    assert not hasattr(decision, "probability")  # it is the probability of asking, and is called so
    assert 0 <= decision.ask_probability <= 1


def test_streams_are_predicted_like_rows():
    learner = askance.make("PAA-II").partial_fit(X, Y)
    stream = askance.data.read(X, y=Y, chunk_rows=7)
    assert learner.predict(stream).tolist() == learner.predict(X).tolist()
