"""The labelling loop without scikit-learn: the same loop as a learner's, to the last bit of its model file."""

import pathlib

import numpy as np
import pytest
import scipy.sparse as sp

import askance
import streams
from askance import Learner, queries, updates
from askance.algorithms import parts_of
from askance.learners.codec import decode
from askance.learners.core import LearnerCore
from askance.learners.files import from_bytes, to_bytes
from askance.learners.from_rules import with_rules
from askance.learners.omcsl import OMCSL
from askance.learners.settings import Settings
from paths import SUPPORT
from processes import run_code
from thinning import also_compiled

MADE = streams.noisy(rows=60, width=5)
NAMES = ("PAA-II", "MPAA-II", "AROW-diag", "OMCSL-F-h", "K-PAA-I")


def both(name: str) -> tuple[LearnerCore, Learner]:
    """A loop and a learner of the same name, both before the first row."""
    parts = parts_of(name, {})
    settings = Settings(3, "float64", parts.sgn0, [-1, 1], parts.multiclass)
    core = LearnerCore(parts.update, parts.query, settings)
    return core, with_rules(parts.update, parts.query, **settings._asdict())


def go_on(loop: LearnerCore, start: int, stop: int) -> list[askance.Decision]:
    """Its decisions about some rows, each of which is told if it was asked for."""
    decisions = []
    for x, y in zip(MADE.X[start:stop], MADE.y[start:stop], strict=True):
        decisions.append(loop.ask(x))
        if decisions[-1].ask:
            loop.tell(x, y, decisions[-1].ask_probability)
    return decisions


@pytest.mark.plain
@pytest.mark.parametrize("name", also_compiled(NAMES, {"PAA-II"}))
def test_a_loop_and_a_learner_are_the_same_bytes_and_load_each_other(name: str, tmp_path: pathlib.Path) -> None:
    loop, learner = both(name)
    assert to_bytes(loop) == to_bytes(learner)
    assert go_on(loop, 0, 30) == go_on(learner, 0, 30)
    assert loop.spending == learner.spending_
    content = to_bytes(loop)
    assert content == to_bytes(learner)

    light, whole = decode(content), from_bytes(content)
    assert type(light) is LearnerCore
    assert type(whole) is (OMCSL if name.startswith("OMCSL") else Learner)
    assert to_bytes(light) == to_bytes(whole) == content
    assert go_on(light, 30, 60) == go_on(whole, 30, 60) == go_on(loop, 30, 60)
    assert to_bytes(light) == to_bytes(whole) == to_bytes(loop)

    whole.save(tmp_path / "model")
    assert type(askance.load(tmp_path / "model")) is type(whole)
    for X in (MADE.X, sp.csr_array(MADE.X)):
        np.testing.assert_array_equal(light.predict(X), whole.predict(X))
        np.testing.assert_array_equal(light.decision_function(X), whole.decision_function(X))


def test_a_loop_takes_plain_rows_and_refuses_others_in_one_sentence() -> None:
    loop = LearnerCore(updates.PassiveAggressive2(), queries.Margin(), Settings(classes=[-1, 1]))
    with pytest.raises(ValueError, match="no labels yet"):
        loop.predict(MADE.X)
    loop.resize(5)
    with pytest.raises(ValueError, match=r"floats with 5 columns, not ndarray of shape \(60, 4\)"):
        loop.predict(MADE.X[:, :4])
    with pytest.raises(ValueError, match=r"not list of shape \(60, 5\)"):
        loop.predict(MADE.X.tolist())
    with pytest.raises(ValueError, match=r"not ndarray of shape \(0, 5\)"):
        loop.predict(MADE.X[:0])
    assert loop.predict(MADE.X).tolist() == [1] * 60


@pytest.mark.slow
def test_a_service_does_its_work_without_scikit_learn_and_what_it_brings(tmp_path: pathlib.Path) -> None:
    told = run_code(
        f"""
        import os, pathlib, sys, urllib.request
        sys.path.insert(0, {str(SUPPORT)!r})
        import askance.cli.app
        from askance import Client
        from askance.service.settings import TaskSettings
        from service_server import real_service

        ALGORITHMS = {{"auto": 2, "PAA-II": 2, "MPAA-II": 3, "AROW-diag": 2}}
        TASKS = [
            TaskSettings(name.lower(), list("abc"[:count]), algorithm=name) for name, count in ALGORITHMS.items()
        ]
        WHERE = pathlib.Path(os.environ["WHERE"])
        TEXTS = [f"word{{i % 3}} and word{{i % 7}}" for i in range(20)]

        def work(client):
            client.decide(TEXTS)
            client.import_items(["old"], ["a"])
            first, *_ = asked = client.questions(3)
            for question in asked:
                client.label(question, "b", question.lease)
            client.label(client.questions(1)[0], "a")
            client.undo()
            client.correct(first, "a")
            client.predict(TEXTS)
            assert client.figures().labelled >= 3
            assert len(list(client.labels())) >= 3 and len(list(client.decisions())) == 20
            client.save_model(WHERE / "model")
            client.compact(1)

        def serve():
            with real_service(WHERE, *TASKS) as (url, code):
                with Client(url) as client:
                    token = client.first_token(code).token
                for task in TASKS:
                    with Client(url, token, task=task.name) as client:
                        yield client
                guarded = {{"Authorization": f"Bearer {{token}}"}}
                urllib.request.urlopen(urllib.request.Request(url + "/metrics", headers=guarded)).close()

        for client in serve():
            work(client)
        for client in serve():
            assert client.figures().labelled >= 3
        print([name for name in ("sklearn", "pandas", "scipy.stats") if name in sys.modules])
        """,
        WHERE=tmp_path,
        NUMBA_DISABLE_JIT=1,
    )
    assert told == "[]\n"
