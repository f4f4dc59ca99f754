"""The benchmark works: its data are the same everywhere, its text says what its arrays hold, its table builds."""

import json
import pathlib
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import askance

ROOT = pathlib.Path(__file__).parents[2]
sys.path.append(str(ROOT))  # the benchmark is not part of the package

from bench import linear, piped, pushed, recall  # noqa: E402
from bench.__main__ import main  # noqa: E402
from bench.certified import Setting, _in_blocks  # noqa: E402
from bench.clock import Contender, Timing, race, ratio  # noqa: E402
from bench.datasets import Dataset, Shape, make_dataset  # noqa: E402
from bench.files import text_file  # noqa: E402
from bench.hindsight import mistakes_allowed  # noqa: E402
from bench.report import at_least, at_most  # noqa: E402
from bench.uniform import WAYS, labels_needed  # noqa: E402

SPARSE = Shape(rows=300, columns=2000, features=12, random_state=1)
DENSE = Shape(rows=300, columns=7, features=7, random_state=1)


@pytest.fixture(scope="module")
def sparse() -> Dataset:
    return make_dataset("sparse", SPARSE)


@pytest.mark.parametrize(
    ("shape", "digest"),
    [(SPARSE, "9c6b9bb7a92993cf"), (DENSE, "99fffff052e44e4f")],
)
def test_data_are_the_same_everywhere(shape: Shape, digest: str) -> None:
    assert make_dataset("", shape).digest()[:16] == digest
    assert make_dataset("", shape._replace(random_state=2)).digest()[:16] != digest


def test_sparse_rows_are_as_promised(sparse: Dataset) -> None:
    X = sparse.X
    assert X.dtype == np.float32
    assert X.has_canonical_format
    assert (np.diff(X.indptr) == SPARSE.features).all()
    np.testing.assert_allclose(X.power(2).sum(axis=1), 1, atol=1e-5)
    assert set(sparse.y.tolist()) == {-1, 1}
    counts = np.sort(np.bincount(X.indices, minlength=SPARSE.columns))
    assert counts[-20:].sum() > 20 * counts.mean() * 5  # a few columns have many of the features


def test_text_holds_the_same_numbers(sparse: Dataset, tmp_path: pathlib.Path) -> None:
    chunks = list(askance.data.read(text_file(sparse, "svm", tmp_path).path))
    np.testing.assert_array_equal(np.concatenate([chunk.y for chunk in chunks]), sparse.y)
    whole = sp.vstack([sp.csr_array(chunk.X) for chunk in chunks])
    np.testing.assert_array_equal(whole.data, sparse.X.data)
    np.testing.assert_array_equal(whole.indices, sparse.X.indices)
    np.testing.assert_array_equal(whole.indptr, sparse.X.indptr)


def test_a_block_of_a_pipe_has_the_same_rows_for_all_programs(tmp_path: pathlib.Path) -> None:
    ours, theirs = piped.block(" ", 50), piped.block(" | ", 50)
    assert theirs.text.replace(b" |", b"") == ours.text
    (tmp_path / "a.svm").write_bytes(ours.text)
    (chunk,) = askance.data.read(tmp_path / "a.svm")
    assert len(chunk.y) == ours.rows == 50
    assert set(chunk.y.tolist()) == {-1, 1}


def test_a_pipe_is_measured_to_its_end() -> None:
    program = "import sys; print(len(sys.stdin.buffer.read()))"
    rows = piped.Block(3, b"1 1:1\n" * 3)
    found = piped.measure("a program", [sys.executable, "-c", program], rows, 20)
    assert found.said.strip() == str(20 * len(rows.text))
    assert (found.rows, found.megabytes) == (60, 20 * len(rows.text) / 1e6)
    assert len(found.in_use) == 3
    assert found.processor > 0
    with pytest.raises(RuntimeError, match="a program ended with 3"):
        piped.measure("a program", [sys.executable, "-c", "import sys; sys.stdin.read(); sys.exit(3)"], rows, 1)


@pytest.mark.plain
def test_texts_that_are_pushed_at_once_are_learned_from() -> None:
    texts = [f"{'win cash' if number % 3 == 0 else 'see you'} {number % 7} {number}" for number in range(100)]
    data = pushed.Texts(texts, ["spam" if number % 3 == 0 else "ham" for number in range(100)], 80)
    by_rule = {"algorithm": "PA-II", "hashing": {"bits": 10}, "questions": {"chosen": "lease"}}
    ours, peer = pushed.pushed(data, [10, 20], **by_rule), pushed.fitted_again(data, [10, 20], 0)
    assert list(ours) == list(peer) == [10, 20]
    assert ours[20] == peer[20] == (1.0, 1.0)
    assert pushed.shown("made up", [20], [(ours, peer)]).row_count == 1


def test_both_texts_have_equal_content(sparse: Dataset, tmp_path: pathlib.Path) -> None:
    svmlight, vowpal = (text_file(sparse, ending, tmp_path).path.read_text() for ending in ("svm", "vw"))
    assert vowpal.replace(" | ", " ") == svmlight


def test_a_text_file_is_reused_until_it_changes(sparse: Dataset, tmp_path: pathlib.Path) -> None:
    path = text_file(sparse, "svm", tmp_path).path
    whole, written = path.read_bytes(), path.stat().st_mtime_ns
    assert text_file(sparse, "svm", tmp_path).path.stat().st_mtime_ns == written
    path.write_bytes(whole[:-1] + b"!")
    assert text_file(sparse, "svm", tmp_path).path.read_bytes() == whole


@pytest.mark.slow
def test_contenders_take_turns() -> None:
    order: list[str] = []
    found = race([Contender("a", lambda _: order.append("a")), Contender("b", lambda _: order.append("b"))], 0.0)
    assert "".join(order) == "ab" * 4  # one turn to warm up and the fewest that count
    assert len(found.wall["a"].turns) == len(found.processor["b"].turns) == 3


def test_noise_is_seen() -> None:
    calm, restless = Timing([1.0, 1.1, 1.05]), Timing([1.0, 2.0, 3.0])
    assert not ratio(calm, calm).noisy
    assert ratio(restless, calm).noisy
    assert ratio(calm, restless).best == 1.0
    assert ratio(calm, restless).median == pytest.approx(1.05 / 2.0)


def test_goals() -> None:
    assert at_most(1.2).met(1.2)
    assert not at_most(1.2).met(1.3)
    assert at_least(7).met(8)
    assert not at_least(7).met(6)


@pytest.mark.soak
def test_a_quick_run_of_rules_with_two_numbers_a_feature(tmp_path: pathlib.Path) -> None:
    report = main(["--quick", "subgradient"], tmp_path)
    assert [line.group for line in report.lines] == ["subgradient A"] * 2 + ["subgradient B"] * 2
    assert all(line.best > 0 for line in report.lines)


@pytest.mark.soak
def test_a_quick_run_of_rules_of_linear_cost(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "rules", lambda *_: {"PA": askance.updates.PassiveAggressive()})
    report = main(["--quick", "linear"], tmp_path)
    assert [line.what for line in report.lines] == ["PA / X @ w"] * 2
    (tmp_path / "speed.csv").write_text("rule,A,B\nPA,9.00,9.00\nGONE,1.00,1.00\n")
    linear.write(report, tmp_path / "speed.csv")
    head, line = (tmp_path / "speed.csv").read_text().splitlines()
    assert head == "rule,A,B"
    assert line.startswith("PA,")
    assert line != "PA,9.00,9.00"


def test_rules_of_linear_cost_are_told_apart() -> None:
    found = linear.rules()
    assert {"PE", "PA", "PA-II", "AROW-diag", "COCOB", "Pegasos"} <= set(found)
    assert not {"AROW", "K-PAA", "MPA", "OPAUC", "iOOB-h"} & set(found)
    assert len({(type(rule), rule) for rule in found.values()}) == len(found)


@pytest.mark.soak
def test_a_quick_run_makes_table_and_file(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = main(["--quick", "memory"], tmp_path)
    assert {line.group for line in report.lines} == {"memory A"}
    shown = capsys.readouterr().out
    saved = json.loads((tmp_path / "quick-results.json").read_text())
    for line, written in zip(report.lines, saved["lines"], strict=True):
        assert line.what in shown
        assert written["best"] == line.best > 0
    assert saved["seconds"]["memory A"]["public run"]


@pytest.mark.soak
def test_a_quick_run_with_one_and_two_threads(tmp_path: pathlib.Path) -> None:
    report = main(["--quick", "threads"], tmp_path)
    assert len({line.group for line in report.lines}) == len(report.lines) == 5
    assert all(line.best > 0 for line in report.lines)


@pytest.mark.soak
def test_a_quick_run_of_ratings(tmp_path: pathlib.Path) -> None:
    report = main(["--quick", "ratings"], tmp_path)
    groups = {line.group for line in report.lines}
    assert groups == {"ratings, synthetic", "ratings, growth", "ratings, folding"}
    errors = [line.best for line in report.lines if line.unit == "RMSE"]
    assert all(0.5 < error < 1.5 for error in errors)


@pytest.mark.parametrize(
    ("way", "bets", "needed"), [("as in confseq", 0.5, 40), ("upper limit only, bolder", 0.75, 20)]
)
def test_betting_without_mistakes_takes_as_many_labels_as_its_largest_bets(
    way: str, bets: float, needed: int
) -> None:
    expected = np.ceil(np.log(needed) / np.log1p(bets / 0.98 * 0.02))
    assert labels_needed(np.zeros(1000), 0.02, 0.95, WAYS[way]) == expected


def test_betting_seldom_rejects_what_is_true() -> None:
    losses = np.random.default_rng(0).random((200, 1000)) < 0.1
    for way in WAYS.values():
        found = [labels_needed(one.astype(float), 0.1, 0.95, way) for one in losses]
        assert sum(one is not None for one in found) <= 15  # 10 are expected at most


def test_late_labels_come_once_and_in_time() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(1000, 3)), random.integers(2, size=1000)
    learner = askance.make("PAA-II", classes=[0, 1])
    came: dict[int, int] = {}
    asked = []
    for number, row in enumerate(_in_blocks(learner, X, y, Setting("", 0, 0.05, 0.1, 200, 0.0, True))):
        assert not came.keys() & set(row.told)
        came |= dict.fromkeys(row.told, number)
        asked += [number] if row.asked else []
    assert set(came) <= set(asked)
    assert all(0 < when - row <= 200 for row, when in came.items())
    assert {row for row in asked if row < 750} <= set(came)


def test_in_hindsight_no_fewer_labels_are_enough_than_any_method_needs() -> None:
    best = np.log(20) / 0.02
    assert [mistakes_allowed(int(best * times), 1e-6) for times in (0.99, 1.01, 3.0)] == [-1, 0, 2]


@pytest.mark.parametrize(("hidden", "like_others", "rare"), [(0.0, 0, 40), (0.5, 30, 30)])
def test_hidden_positives_are_like_others(
    hidden: float, like_others: int, rare: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_rare = np.arange(900) < 40
    monkeypatch.setattr(recall, "load", lambda *_: (np.arange(900)[:, np.newaxis], is_rare.astype(int)))
    X, positive = recall.pool("any", 0, hidden)
    assert len(X) == len(positive) == recall.ROWS
    assert positive.sum() == rare + like_others
    assert np.count_nonzero(positive & (X[:, 0] < 40)) == rare
    assert not (~positive & (X[:, 0] < 40)).any()
