"""Rules with any parameters, and any streams, for Hypothesis to draw."""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import askance
from askance import queries, updates
from askance.rules.update.losses import LOSSES
from askance.rules.update.rule import about

# Quarters meet exactly: margins of 0 and 1, ties and repeats come up; the others are what data look like.
QUARTERS = st.integers(-8, 8).map(lambda number: number / 4)
VALUES = st.one_of(st.just(0.0), QUARTERS, st.floats(0.01, 10.0), st.floats(-10.0, -0.01))
POSITIVE = st.floats(-8, 8).map(lambda power: 2.0**power)
MODEST = st.floats(-3, 3).map(lambda power: 2.0**power)
SHARES = st.floats(0.01, 1.0)
AUDITS = st.one_of(st.just(0.0), SHARES)
FLAGS = st.booleans()
PHI = st.floats(0.51, 0.999).map(updates.deviations)
SEEDS = st.integers(0, 2**32)
LOSS = st.sampled_from([loss() for loss in LOSSES.values()])


class Stream(NamedTuple):
    X: Any
    y: Any
    coins: Any
    edges: list[int]


@st.composite
def any_stream(draw: st.DrawFn, rows: int = 40) -> Stream:
    """Rows, labels, coins, and where to cut the stream into chunks."""
    count, width = draw(st.integers(1, rows)), draw(st.integers(1, 6))
    cells = draw(st.lists(VALUES, min_size=count * width, max_size=count * width))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=count, max_size=count))
    coins = np.random.default_rng(draw(SEEDS)).random(count)
    edges = draw(st.lists(st.integers(1, count), max_size=4))
    return Stream(np.array(cells).reshape(count, width), np.array(y), coins, edges)


UPDATE_PARAMETERS: dict[type, st.SearchStrategy[Any]] = {
    updates.Perceptron: st.builds(updates.Perceptron),
    updates.PassiveAggressive: st.builds(updates.PassiveAggressive),
    updates.PassiveAggressive1: st.builds(updates.PassiveAggressive1, POSITIVE),
    updates.PassiveAggressive2: st.builds(updates.PassiveAggressive2, POSITIVE),
    updates.Replay: st.builds(
        updates.Replay,
        st.one_of(
            st.builds(updates.PassiveAggressive1, POSITIVE), st.builds(updates.PassiveAggressive2, POSITIVE)
        ),
        st.integers(1, 9),
        st.integers(0, 9),
    ),
    updates.SecondOrderPerceptron: st.builds(updates.SecondOrderPerceptron, FLAGS, FLAGS),
    updates.ConfidenceWeighted: st.builds(updates.ConfidenceWeighted, PHI, FLAGS, FLAGS),
    updates.ConfidenceWeightedStdev: st.builds(updates.ConfidenceWeightedStdev, PHI, FLAGS, FLAGS),
    updates.SoftConfidence1: st.builds(updates.SoftConfidence1, POSITIVE, PHI, FLAGS, FLAGS),
    updates.SoftConfidence2: st.builds(updates.SoftConfidence2, POSITIVE, PHI, FLAGS, FLAGS),
    updates.AROW: st.builds(updates.AROW, POSITIVE, FLAGS, FLAGS),
    # The variance along a row shrinks by (1 + Cv)², so that a large C leaves few digits of a full matrix.
    updates.NHERD: st.builds(updates.NHERD, MODEST, FLAGS, FLAGS),
    updates.NAROW: st.builds(updates.NAROW, POSITIVE, FLAGS),
    updates.IELLIP: st.builds(updates.IELLIP, st.floats(0.01, 0.9), st.floats(0, 2), FLAGS, FLAGS),
    updates.PAM: st.builds(updates.PAM, FLAGS, FLAGS),
    updates.PAM1: st.builds(updates.PAM1, POSITIVE, FLAGS, FLAGS),
    updates.PAM2: st.builds(updates.PAM2, POSITIVE, FLAGS, FLAGS),
    updates.SOAL: st.builds(updates.SOAL, POSITIVE, POSITIVE, FLAGS, FLAGS),
    updates.DualAveraging: st.builds(updates.DualAveraging, MODEST, MODEST),
    updates.MirrorDescent: st.builds(updates.MirrorDescent, MODEST, MODEST),
    updates.Winnow: st.builds(updates.Winnow, MODEST),
    updates.CostSensitivePA1: st.builds(updates.CostSensitivePA1, POSITIVE, MODEST, st.booleans()),
    updates.CostSensitiveDA: st.builds(updates.CostSensitiveDA, MODEST, MODEST, MODEST),
    updates.CostSensitiveMD: st.builds(updates.CostSensitiveMD, MODEST, MODEST, MODEST),
    updates.PAUM: st.builds(updates.PAUM, st.floats(0, 4), st.floats(0, 4), MODEST),
    updates.CPA: st.builds(updates.CPA, st.one_of(POSITIVE, st.just(math.inf)), MODEST, st.booleans()),
    updates.OGD: st.builds(updates.OGD, MODEST, FLAGS, FLAGS),
    updates.OCS1: st.builds(updates.OCS1, MODEST, MODEST, FLAGS, FLAGS, FLAGS),
    updates.OCS2: st.builds(updates.OCS2, MODEST, MODEST, FLAGS, FLAGS, FLAGS),
    updates.SGD: st.builds(updates.SGD, LOSS, MODEST, st.sampled_from([0.0, 0.5, 1.0])),
    updates.TruncatedGradient: st.builds(
        updates.TruncatedGradient,
        *(LOSS, MODEST, st.floats(0, 0.5), st.integers(1, 4), st.one_of(st.just(math.inf), MODEST)),
    ),
    updates.FTRL: st.builds(updates.FTRL, LOSS, MODEST, MODEST, st.floats(0, 2), st.floats(0, 2)),
    updates.AdaFOBOS: st.builds(updates.AdaFOBOS, LOSS, MODEST, MODEST, st.floats(0, 0.5)),
    updates.AdaRDA: st.builds(updates.AdaRDA, LOSS, MODEST, MODEST, st.floats(0, 0.5)),
    updates.COCOB: st.builds(updates.COCOB, LOSS, st.floats(0.5, 100)),
    updates.RDA: st.builds(updates.RDA, LOSS, MODEST, st.floats(0, 0.5), st.floats(0, 0.5)),
    updates.ROMMA: st.builds(updates.ROMMA, FLAGS),
    updates.ALMA: st.builds(updates.ALMA, st.floats(0.05, 1.0), MODEST, MODEST),
    updates.Pegasos: st.builds(updates.Pegasos, MODEST, FLAGS),
    updates.PNorm: st.builds(updates.PNorm, st.one_of(st.sampled_from([2.0, 3.0, 4.0]), st.floats(2, 12)), MODEST),
}
MARGIN = st.builds(queries.Margin, st.one_of(POSITIVE, st.just(math.inf)), st.sampled_from([0.0, 1.0, 0.3]))
OWN_BUDGET = {
    "theta": POSITIVE,
    "rate": SHARES,
    "window": st.integers(1, 30),
    "audit": AUDITS,
}
ADAPTING = {**OWN_BUDGET, "s": st.floats(0.01, 0.5)}
DRIFTING = st.one_of(
    st.builds(queries.FixedUncertainty, **OWN_BUDGET),
    st.builds(queries.VariableUncertainty, **ADAPTING),
    st.builds(queries.RandomVariableUncertainty, **ADAPTING, delta=MODEST),
    st.builds(queries.Split, **ADAPTING, nu=st.floats(0.01, 0.99)),
)
SCALABLE = st.one_of(
    DRIFTING,
    st.builds(queries.IWAL, POSITIVE, MODEST, st.floats(0, 1), st.floats(1, 9), st.floats(1, 9)),
    st.builds(queries.Random, SHARES),
    st.builds(queries.Adaptive, st.one_of(POSITIVE, st.just(math.inf)), FLAGS),
    st.builds(queries.Decaying, st.one_of(POSITIVE, st.just(math.inf)), st.booleans()),
    MARGIN,
)
LEAST_CERTAIN = st.builds(queries.LeastCertain, SHARES, SHARES, st.floats(0, 60), st.integers(1, 30))
OF_SPREAD = st.one_of(
    st.builds(queries.SpreadMargin, POSITIVE, POSITIVE, POSITIVE),
    st.builds(queries.Discrimination, st.one_of(POSITIVE, st.just(math.inf)), st.floats(0.0, 4.0), st.booleans()),
    st.builds(
        queries.CostSensitiveDiscrimination,
        *(st.one_of(POSITIVE, st.just(math.inf)), st.floats(0.0, 4.0), MODEST, st.booleans()),
    ),
)


BUDGETS = {
    "rate": st.one_of(st.just(0.0), st.floats(0.0, 1.0)),
    "burst": st.one_of(st.just(0.0), st.floats(0.0, 10.0)),
    "limit": st.one_of(st.just(math.inf), st.floats(0.0, 20.0)),
}
# Each kind of query rule is compiled again with each update rule, so most pairs are left to plain Python.
FEW_QUERIES = MARGIN


def query_parameters(update: type) -> st.SearchStrategy[Any]:
    """Any query rule that goes with an update rule, bare, steered or within a budget."""
    scalable = st.one_of(SCALABLE, OF_SPREAD) if about(update()).has_spread else SCALABLE
    steered = st.builds(queries.AtRate, scalable, SHARES)
    bare = st.one_of(st.builds(queries.Always), scalable, steered, LEAST_CERTAIN)
    near = st.one_of(nearby(bare), st.builds(queries.AtRate, nearby(scalable), SHARES), nearby(nearby(scalable)))
    every = st.one_of(bare, near)
    return st.one_of(every, st.builds(queries.Within, every, **BUDGETS))


def nearby(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A rule that asks about rows near to others."""
    parameters = {"window": st.integers(1, 9), "least": st.integers(1, 3), "audit": AUDITS, "count_all": FLAGS}
    return st.one_of(
        *(st.builds(one, inner, **parameters) for one in (queries.LocalDensity, queries.CognitiveWindow))
    )


def chunked(learner: askance.Learner, X: Any, stream: Stream) -> askance.Trace:
    edges = sorted({0, *stream.edges, len(stream.y)})
    parts = [slice(start, stop) for start, stop in itertools.pairwise(edges)]
    return askance.Trace.join([learner.run(X[part], stream.y[part], coins=stream.coins[part]) for part in parts])
