"""The core of the learner of several labels: corrections, columns that appear, and files without scikit-learn."""

import numpy as np
import pytest

from askance import load
from askance._util.saving import sealed
from askance.auto.rows import part, plain
from askance.errors import ModelFileError
from askance.jit.kernels import pairs
from askance.multilabel.codec import decode, encode
from askance.multilabel.core import MultiLabelCore
from askance.multilabel.settings import ITEMS, MultiLabelSettings

LABELS = ["east", "north"]


def taught(X, Y, columns=None):
    """A core that was told all labels of rows, one after the other; the first ones may have fewer columns."""
    core = MultiLabelCore(MultiLabelSettings(questions=ITEMS, classes=LABELS))
    core.add_labels(LABELS)
    rows = plain(X)
    for place in range(len(X)):
        row = part(rows, place, place + 1)
        if columns is not None and place < 5:
            row = row._replace(dense=row.dense[:, :columns])
        elif columns is not None and place == 5:
            core = core.with_columns(X.shape[1])
        core.ask(row, granted=False)
        core.tell(row, Y[place], np.ones(len(LABELS)), whole=True)
    return core


@pytest.fixture
def world():
    X = np.random.default_rng(0).normal(size=(60, 2)) + 0.1
    return X, np.where(X > 0, 1, -1).astype(np.int8)


def test_a_corrected_row_is_learned_as_it_is_now(world):
    X, Y = world
    wrong = Y.copy()
    wrong[7] = -Y[7]
    core, right = taught(X, wrong), taught(X, Y)
    before = core.margins(plain(X))
    core.relabel(7, wrong[7])
    assert np.array_equal(core.margins(plain(X)), before)  # nothing was to be corrected
    core.relabel(7, Y[7])
    for one in (core, right):  # until weights are those of the labels alone, whatever came before
        pairs.retrain(one.models, False, 500)
    assert np.allclose(core.scores(plain(X)), right.scores(plain(X)), atol=1e-6)
    assert not np.allclose(core.margins(plain(X)), before, atol=0.1)


def test_only_remembered_rows_can_be_corrected(world):
    core = taught(*world)
    with pytest.raises(IndexError, match="there is no remembered row 60: there are 60, from 0"):
        core.relabel(60, np.array([1, 1], np.int8))


def test_columns_that_appear_were_0_before(world):
    X, Y = world
    X = np.hstack([X, np.random.default_rng(1).normal(size=(60, 1))])
    X[:5, 2] = 0.0
    late, early = taught(X, Y, columns=2), taught(X, Y)
    assert np.allclose(late.scores(plain(X)), early.scores(plain(X)), atol=0.02)
    assert np.array_equal(late.models.counts, early.models.counts)


def test_a_core_and_a_learner_read_the_same_file(world, tmp_path):
    X, Y = world
    core = taught(X, Y)
    content = encode(core, {"columns": []}, str.upper)
    again = decode(encode(core))
    assert again.names == LABELS
    assert np.array_equal(again.margins(plain(X)), core.margins(plain(X)))
    assert encode(again) == encode(core)
    (tmp_path / "task.model").write_bytes(content)
    learner = load(tmp_path / "task.model")
    assert learner.classes_.tolist() == ["EAST", "NORTH"]
    assert np.array_equal(learner.decision_function(X), core.margins(plain(X)))
    with pytest.raises(ModelFileError, match="holds another kind of model"):
        decode(sealed({"kind": "auto_learner"}, {}))
