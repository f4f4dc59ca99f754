"""Rules for rare positive rows: as their twins, in any chunks, saved and resumed, on streams that lack a class."""

import itertools
import pathlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import askance
import naive
import streams
from askance import queries
from askance._util.sealed_file import arrays_of, own_header, seal
from askance.engine.passes import learned
from askance.errors import ModelFileError
from askance.jit.coins import coins as toss
from askance.jit.interop import COMPILING
from askance.learners.core import LEARNING_STREAM
from askance.learners.files import from_bytes, to_bytes
from askance.learners.omcsl import OMCSL
from askance.rules import imbalance
from askance.rules.imbalance import AUPRC, AUROC, OFO, OPAUC, F, ManyCosts, OnlineBagging
from askance.rules.rows import DenseRows
from examples import examples
from naive import imbalance as twins
from thinning import rest_slow

NAMES = [name for name, entry in askance.catalog.items() if entry.update in imbalance.RULES]
MODEST = st.floats(-3, 3).map(lambda power: 2.0**power)
FLAGS = st.booleans()
QUARTERS = st.integers(-8, 8).map(lambda number: number / 4)
VALUES = st.one_of(st.just(0.0), QUARTERS, st.floats(0.01, 10.0), st.floats(-10.0, -0.01))
SEEDS = st.integers(0, 2**32)

MEASURES = st.one_of(
    st.just(F()), st.sampled_from([2, 20, 37]).map(AUROC), st.sampled_from([2, 20, 37]).map(AUPRC)
)
# Each kind of measure is compiled anew, and so is each query rule.
PARAMETERS: dict[type, st.SearchStrategy[Any]] = {
    ManyCosts: st.builds(
        ManyCosts,
        MEASURES,
        st.sampled_from([1, 2, 9, 17]),
        st.sampled_from([0.0, 1.0, 20.0]),
        MODEST,
        FLAGS,
        FLAGS,
    ),
    OFO: st.builds(OFO, MODEST, FLAGS, FLAGS),
    OnlineBagging: st.builds(OnlineBagging, FLAGS, st.sampled_from([1, 2, 5]), MODEST, FLAGS, FLAGS),
    OPAUC: st.builds(OPAUC, st.floats(0.01, 0.1), st.floats(0, 0.1), FLAGS, st.just(0)),
}
# Each query rule is compiled anew with each rule here.
QUERIES = (
    st.just(queries.Always())
    if COMPILING
    else st.one_of(MODEST.map(queries.Margin), st.floats(0.1, 1.0).map(queries.Random))
)


class Stream(NamedTuple):
    X: Any
    y: Any
    coins: Any
    edges: list[int]


@st.composite
def any_stream(draw: st.DrawFn, rows: int = 30) -> Stream:
    """Rows, labels, coins, and where to cut the stream into chunks."""
    count, width = draw(st.integers(1, rows)), draw(st.integers(1, 5))
    cells = draw(st.lists(VALUES, min_size=count * width, max_size=count * width))
    y = draw(st.lists(st.sampled_from([-1, -1, -1, 1]), min_size=count, max_size=count))
    random = np.random.default_rng(draw(SEEDS)).random(count)
    X = np.array(cells).reshape(count, width)
    X /= np.maximum(1.0, np.abs(X).sum(axis=1, keepdims=True))  # or pairs of long rows make OPAUC run away
    return Stream(X, np.array(y), random, draw(st.lists(st.integers(1, count), max_size=3)))


def twin_of(rule: Any) -> Any:
    parameters = rule._asdict()
    if isinstance(rule, ManyCosts):
        measure = parameters.pop("measure")
        parameters |= {"measure": type(measure).__name__, "m": getattr(measure, "m", 100)}
    return twins.UPDATES[type(rule).__name__](**parameters)


def chunked(learner: askance.Learner, X: Any, stream: Stream) -> askance.Trace:
    parts = [slice(*ends) for ends in itertools.pairwise(sorted({0, *stream.edges, len(stream.y)}))]
    return askance.Trace.join([learner.run(X[part], stream.y[part], coins=stream.coins[part]) for part in parts])


@pytest.mark.parametrize("kind", imbalance.RULES)
@examples(40)
@given(st.data())
def test_a_rule_decides_as_its_twin(kind: type, data: st.DataObject) -> None:
    rule, query, stream = data.draw(PARAMETERS[kind]), data.draw(QUERIES), data.draw(any_stream())
    members = getattr(rule, "members", 1)
    draws = toss(3 ^ LEARNING_STREAM, 0, len(stream.y) * members).reshape(-1, members)
    twin = twins.run(stream.X, stream.y, stream.coins, draws, twin_of(rule), naive.query_twin(query))
    learner = askance.Learner(rule, query, random_state=3, dtype="float64", sgn0=-1, classes=(-1, 1))
    trace = chunked(learner, sp.csr_array(stream.X) if data.draw(FLAGS) else stream.X, stream)
    until = twin.settled
    for field in ("predictions", "asked", "updated"):
        np.testing.assert_array_equal(getattr(trace, field)[:until], getattr(twin, field)[:until], field)
    for field in ("scores", "ask_probabilities"):
        np.testing.assert_allclose(getattr(trace, field)[:until], getattr(twin, field)[:until], 1e-9, 1e-9)
    if until == len(stream.y):
        np.testing.assert_allclose(learner.coef_, np.atleast_2d(twin.w), rtol=1e-9, atol=1e-9)


@examples(30)
@given(MEASURES, any_stream(), st.lists(st.floats(0.05, 1.0), min_size=30, max_size=30))
def test_a_label_counts_for_as_many_rows_as_its_question_stands_for(
    measure: Any, stream: Stream, probabilities: list[float]
) -> None:
    rule = ManyCosts(measure, K=3, gamma=2.0)
    learner = OMCSL.of(rule, queries.Always(), dtype="float64", classes=(-1, 1))
    twin = twin_of(rule)
    twin.begin(stream.X.shape[1])
    for x, y, probability in zip(stream.X, stream.y, probabilities, strict=False):
        learner.tell(x, y, probability)
        twin.learn(x.tolist(), float(y), twin.look(x.tolist()), 1 / probability, None)
        twin.told += 1
    assert learner.measures_ == pytest.approx(twin.measures(), abs=1e-9)
    assert np.cumsum(learner.chances_) == pytest.approx(twin.sums(), abs=1e-9)


MADE = streams.sparse_units(rows=90, width=12, random_state=5)


def one_of_each_state() -> list[str]:
    """A name for each rule and measure: what else tells names apart does not change what they keep."""
    kinds: dict[Any, str] = {}
    for name in NAMES:
        rule = askance.catalog[name].build()[0]
        kinds.setdefault((type(rule), type(getattr(rule, "measure", None))), name)
    return list(kinds.values())


SOME = one_of_each_state()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", SOME)
def test_saved_and_resumed_it_goes_on_as_if_nothing_had_been(name: str, tmp_path: pathlib.Path) -> None:
    whole, half = askance.make(name, dtype="float64"), askance.make(name, dtype="float64")
    trace = whole.run(MADE.X, MADE.y)
    first = half.run(MADE.X[:40], MADE.y[:40], classes=(-1, 1))
    half.save(tmp_path / "model")
    again = askance.load(tmp_path / "model")
    assert type(again) is type(whole)
    assert repr(again) == repr(half)
    joined = askance.Trace.join([first, again.run(MADE.X[40:], MADE.y[40:])])
    assert trace.scores.tobytes() == joined.scores.tobytes()
    assert to_bytes(again) == to_bytes(whole)
    assert again.predict(MADE.X).tolist() == whole.predict(MADE.X).tolist()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("query", [None, queries.Margin(0.5)], ids=["all", "margin"])
def test_asking_and_telling_is_what_a_run_does(name: str, query: Any) -> None:
    rule = askance.catalog[name].build()[0]
    whole, stepwise = (
        askance.Learner(rule, query or queries.Always(), dtype="float64", sgn0=-1, classes=(-1, 1), random_state=2)
        for _ in range(2)
    )
    trace = whole.run(MADE.X, MADE.y)
    for t, (x, y) in enumerate(zip(MADE.X, MADE.y, strict=True)):
        decision = stepwise.ask(x)
        assert decision.score == trace.scores[t]
        assert (decision.prediction, decision.ask) == (trace.predictions[t], trace.asked[t])
        if decision.ask:
            stepwise.tell(x, y, decision.ask_probability)
    once, again = (learned(learner._core.machine.core) for learner in (whole, stepwise))
    # Who was drawn to speak is forgotten by the time that a label is told, and so is whose mistake it shows.
    forgotten = ("past/mistakes", "past/max_squared_norm") if isinstance(rule, ManyCosts) else ()
    for path in once.keys() - set(forgotten):
        assert once[path].tobytes() == again[path].tobytes(), path


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME)
def test_new_features_find_room(name: str) -> None:
    wide, narrow = askance.make(name, dtype="float64"), askance.make(name, dtype="float64")
    X = np.where(np.arange(12) < 8, MADE.X, 0.0)
    wide.run(X, MADE.y)
    narrow.run(MADE.X[:, :8], MADE.y)
    narrow.resize(12)
    for learner in (wide, narrow):
        learner.run(MADE.X, MADE.y)
    assert wide.coef_ == pytest.approx(narrow.coef_, abs=1e-12)


def rare(rows: int, positives: int, first: int = 0) -> tuple[Any, Any]:
    """Rows of which so many are positive, none of them before `first`."""
    rng = np.random.default_rng(rows + positives)
    X, y = rng.normal(size=(rows, 4)), np.zeros(rows, int)
    y[rng.choice(np.arange(first, rows), positives, replace=False)] = 1
    return X + y[:, np.newaxis], y


STREAMS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "no positive": lambda: rare(100, 0),
    "one positive": lambda: rare(100, 1),
    "one negative": lambda: (rare(100, 1)[0], 1 - rare(100, 1)[1]),
    "one row": lambda: rare(1, 0),
}
LATE = rare(10_200, 20, first=10_000) if COMPILING else rare(220, 20, first=200)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", [pytest.param("float32", marks=pytest.mark.soak), "float64"])
@pytest.mark.parametrize("stream", rest_slow([*STREAMS, "late"], ["late"]))
@pytest.mark.parametrize("name", [*NAMES, "OGD-h", "OCS1-l", "OCS2-h"])
def test_without_a_class_every_figure_is_defined(name: str, stream: str, dtype: str) -> None:
    X, y = LATE if stream == "late" else STREAMS[stream]()
    learner = askance.make(name, classes=(0, 1), dtype=dtype)
    trace = learner.run(X, y)
    assert np.isfinite(trace.scores).all()
    assert np.isfinite(learner.coef_).all()
    assert np.isfinite(learner.decision_function(X)).all()
    if isinstance(learner, OMCSL):
        assert ((learner.measures_ >= 0) & (learner.measures_ <= 1)).all()
        assert learner.chances_.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", ["OMCSL-F-h", "OFO-l", "OPAUC", "iOOB-h"])
def test_a_third_class_is_refused_in_one_sentence_and_changes_nothing(name: str) -> None:
    learner = askance.make(name, dtype="float64").fit(MADE.X, MADE.y)
    before = to_bytes(learner)
    with pytest.raises(ValueError, match="unknown class 7") as refusal:
        learner.partial_fit(MADE.X[:3], [1, -1, 7])
    assert "\n" not in str(refusal.value)
    assert to_bytes(learner) == before


def test_the_costs_are_those_of_the_thesis() -> None:
    assert OMCSL().costs_[:, 0] == pytest.approx(np.arange(0.95, 0.5, -0.05))
    assert OMCSL().costs_.sum(axis=1) == pytest.approx(1)


def test_chances_favour_the_better_ones_the_more_the_larger_gamma_is() -> None:
    for gamma in (0.0, 5.0, 500.0):
        learner = OMCSL(gamma=gamma, dtype="float64").fit(MADE.X, MADE.y)
        wanted = np.exp(gamma * (learner.measures_ - learner.measures_.max()))
        assert learner.chances_ == pytest.approx(wanted / wanted.sum(), abs=1e-9)
        assert learner.cost_ == tuple(learner.costs_[np.argmax(learner.measures_)])


def test_who_speaks_and_what_is_asked_do_not_hang_together() -> None:
    """What is left of the coin, after it has drawn a member, is uniform again, whomever it drew."""
    chances = np.array([0.5, 0.1, 0.0001, 0.3])
    state = ManyCosts(K=4).start(0, np.float64)
    state.chances[:4] = 7 * np.cumsum(chances)
    scores = np.arange(16.0)
    grid = np.linspace(0, 1, 40_000, endpoint=False)
    found = np.array([state.sample_member(scores, -1.0, coin)[::2] for coin in grid])
    drawn, left = found.T
    for member, chance in enumerate(chances / chances.sum()):
        own = np.sort(left[drawn == member])
        assert len(own) / len(left) == pytest.approx(chance, abs=5e-5)
        assert own == pytest.approx((np.arange(len(own)) + 0.5) / len(own), abs=2 / len(own))


def test_predictions_are_those_of_the_best_member() -> None:
    learner = OMCSL("AUROC", dtype="float64").fit(MADE.X, MADE.y)
    best = learner.coef_[np.argmax(learner.measures_)]
    assert learner.decision_function(MADE.X) == pytest.approx(MADE.X @ best)


def test_the_threshold_of_ofo_is_half_the_f_of_its_own_predictions() -> None:
    learner = askance.make("OFO-l", dtype="float64")
    trace = learner.run(MADE.X, MADE.y)
    tau = trace.summary().f / 2
    scores = MADE.X @ learner.coef_[0]
    assert learner.decision_function(MADE.X) == pytest.approx(scores - np.log(tau / (1 - tau)))
    assert learner.predict(MADE.X).tolist() == np.where(1 / (1 + np.exp(-scores)) >= tau, 1, -1).tolist()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_files_of_ofo_with_sixteen_lanes_are_read(dtype: str) -> None:
    learner = askance.make("OFO-l", dtype=dtype)
    learner.run(MADE.X[:40], MADE.y[:40])
    content = to_bytes(learner)
    arrays = dict(arrays_of(content))
    weights = arrays["state/weights"]
    arrays["state/weights"] = np.zeros(16 * len(weights), dtype)
    arrays["state/weights"][::16] = weights
    earlier = from_bytes(seal(arrays, own_header(content)))
    assert to_bytes(earlier) == content
    arrays["state/weights"] = np.zeros(15 * len(weights), dtype)
    with pytest.raises(ModelFileError, match="does not fit"):
        from_bytes(seal(arrays, own_header(content)))


def test_covariances_are_those_of_the_rows_and_a_sketch_comes_near() -> None:
    rng = np.random.default_rng(3)
    X, w, product = rng.normal(size=(500, 6)) @ rng.normal(size=(6, 6)) + 1, rng.normal(size=6), np.zeros(6)
    S = np.cov(X.T, bias=True)
    for rule, wanted, error in (
        (OPAUC(), S @ w, 1e-12),
        (OPAUC(diagonal=True), np.diag(S) * w, 1e-12),
        (OPAUC(rank=64), S @ w, 0.3),  # without what it adds up, the error would be 1 and more
    ):
        state = rule.start(6, np.float64)
        state.weights[:], state.sums[1], state.counts[1] = w, X.sum(axis=0), len(X)
        with np.errstate(over="ignore"):
            for t in range(len(X)):
                state.counts[1] = t + 1
                state.accumulate(1, DenseRows(X), t)
        state.covariance_product(1, X.mean(axis=0) @ w, product, np.zeros(64))
        assert np.linalg.norm(product - wanted) <= error * np.linalg.norm(wanted)


def test_the_kinds_of_covariance_learn_alike() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2000 if COMPILING else 300, 6)) @ rng.normal(size=(6, 6)) / 6
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=len(X)) > 0.5, 1, -1)
    full, sketched, diagonal = (
        askance.make("OPAUC", dtype="float64", covariance=kind).fit(X, y).coef_[0]
        for kind in ("full", 64, "diagonal")
    )
    assert np.corrcoef(full, sketched)[0, 1] > 0.9
    assert np.corrcoef(full, diagonal)[0, 1] > 0.5


def test_a_covariance_without_room_is_refused_with_advice() -> None:
    with pytest.raises(ValueError, match="use OPAUC"):
        askance.make("OPAUC").run(sp.csr_array((2, 3_000_000)), [0, 1])
    askance.make("OPAUC", covariance="diagonal").run(sp.csr_array((2, 300_000)), [0, 1])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"measure": "G"}, "measure must be 'F' or 'AUROC' or 'AUPRC'"),
        ({"loss": "square"}, "loss must be"),
        ({"schedule": "linear"}, "schedule must be"),
        ({"K": 0}, "K must be 1 or more"),
        ({"K": 2.5}, "K must be a whole number"),
        ({"gamma": -1.0}, "gamma must be"),
        ({"m": 1, "measure": "AUROC"}, "m must be 2 or more"),
    ],
)
def test_what_cannot_be_used_is_told_in_one_sentence(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        OMCSL(**change).fit(MADE.X, MADE.y)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("OPAUC", {"covariance": "half"}, "covariance must be 'full', 'diagonal' or a number of columns"),
        ("OPAUC", {"covariance": 65}, "rank must be"),
        ("OCS1-h", {"rho": "walking"}, "rho must be a number or 'running'"),
        ("OGD-h", {"schedule": "none"}, "schedule must be 'sqrt' or 'const'"),
        ("iOOB-h", {"members": 0}, "members must be"),
    ],
)
def test_so_are_parameters_of_names(name: str, change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        askance.make(name, **change)


def test_a_probability_is_more_than_0_and_at_most_1() -> None:
    for wrong in (0.0, 1.5, -0.1, float("nan")):
        with pytest.raises(ValueError, match="probability must be"):
            OMCSL(classes=(-1, 1)).tell(MADE.X[0], 1, wrong)


def test_coins_of_members_need_every_label() -> None:
    learner = askance.Learner(OnlineBagging(), queries.Margin(), classes=(-1, 1))
    with pytest.raises(ValueError, match="one number per row"):
        learner.run(MADE.X, MADE.y, coins=np.zeros((len(MADE.y), 5)))
    with pytest.raises(ValueError, match="5 numbers per row"):
        askance.make("iOOB-h").run(MADE.X, MADE.y, coins=np.zeros((len(MADE.y), 4)))
