"""Items that are like another one."""

import numpy as np
import pytest

from askance.service import messages
from askance.service.errors import RequestError
from askance.service.settings import Asking
from askance.service.state.ranking import likeness
from askance.service.state.rows import rows_of
from askance.service.views import similar as similar_view
from service_task import TaskRunner, settings


def similar(runner, item, **wish):
    return similar_view.similar(runner.store, runner.task, item, messages.SimilarRequest(**wish))


def numbers(found):
    return [one.item.item for one in found.items]


@pytest.fixture(params=["PA-I", "auto"])
def runner(request, store_url):
    made = settings(request.param, bits=12, questions=Asking("lease"))
    with TaskRunner(store_url, made) as runner:
        yield runner


TEXTS = ("red green blue", "red green blue", "red green stone", "red water stone", "car wheel road")


def test_the_nearest_come_first(runner):
    first, same, near, far, other = (decision.item for decision in runner.decide(*TEXTS))
    found = similar(runner, first)
    assert numbers(found) == [same, near, far]
    assert other not in numbers(found)
    assert found.compared == 4
    likes = [one.similarity for one in found.items]
    assert likes[0] == pytest.approx(1)
    assert likes == sorted(likes, reverse=True)
    assert numbers(similar(runner, first, count=2)) == [same, near]


def test_likeness_to_the_first_is_a_row_of_the_likeness_of_all(runner):
    runner.decide(*TEXTS)
    rows = rows_of(runner.settings, [messages.Item(text=text) for text in (*TEXTS, "")])
    model = runner.task.fold.model.learner
    np.testing.assert_allclose(likeness(model, rows, first=1)[0], likeness(model, rows)[0], atol=1e-12)


def test_open_ones_have_the_same_prediction_and_are_no_random_sample(runner):
    runner.import_items(*[("red green blue", "ham"), ("car wheel road", "spam")] * 8)
    texts = [f"red green blue w{place}" for place in range(40)] + ["car wheel road red"] * 5
    items = [decision.item for decision in runner.decide(*texts)]
    kept = runner.task.fold.audits.kept
    first = next(item for item in items if item not in kept)
    found = similar(runner, first, open=True, count=100)
    assert {one.prediction for one in found.items} == {found.prediction} == {"ham"}
    expected = {item for item in items[:40] if item not in kept} - {first}
    assert set(numbers(found)) == expected
    assert not found.set_aside
    assert similar(runner, min(kept), open=True).set_aside
    labelled = sorted(expected)[:5]
    runner.label_group(labelled, "ham")
    assert set(numbers(similar(runner, first, open=True, count=100))) == expected - set(labelled)


def test_a_limited_number_of_items_is_compared(runner, monkeypatch):
    monkeypatch.setattr(similar_view, "COMPARED", 3)
    items = [decision.item for decision in runner.decide(*["red green blue"] * 6)]
    found = similar(runner, items[0])
    assert found.compared == 3
    assert sorted(numbers(found)) == items[3:]


def test_an_item_that_is_not_there(runner):
    with pytest.raises(RequestError, match="there is no item 7"):
        similar(runner, 7)


def test_an_item_alone_has_nothing_like_it(runner):
    (one,) = runner.decide("red")
    for wish in ({}, {"open": True}):
        found = similar(runner, one.item, **wish)
        assert (found.items, found.compared) == ([], 0)
