"""Draw the figures of the documentation from synthetic data and from data in scikit-learn: `make pictures`.

The figure in the README needs a data set that must be downloaded; the command printed above it draws it.
"""

import dataclasses
import pathlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from matplotlib import ticker
from sklearn.datasets import load_digits

import askance
from askance.annotators import Oracle
from askance.learners.omcsl import OMCSL
from askance.learners.trace import PER_ROUND, Trace
from askance.metrics import METRICS, Curve, Estimate
from askance.plotting.curves import COLOURS, INK, decorate, draw, new_figure, save_picture
from askance.plotting.screenings import draw_panel
from askance.pool import Screening
from askance.ratings import MaxMarginFactorization
from askance.ratings.synthetic import SyntheticRatings
from askance.rules.query import AtRate, Margin

PICTURES = pathlib.Path(__file__).parents[1] / "docs" / "pictures"
RATE = 0.1
SEEDS = range(5)


class Data(NamedTuple):
    """Rows and labels."""

    X: Any
    y: Any


def digits(*, parity: bool) -> Callable[[int], Data]:
    """scikit-learn's digits in some order, scaled to unit length, with the digit or its parity for a label."""
    X, y = load_digits(return_X_y=True)
    X /= np.linalg.norm(X, axis=1, keepdims=True)

    def shuffled(random_state: int) -> Data:
        order = np.random.default_rng(random_state).permutation(len(y))
        return Data(X[order], np.where(y[order] % 2, 1, -1) if parity else y[order])

    return shuffled


def texts(random_state: int) -> Data:
    """Synthetic texts of thirty words: frequent words say nothing, and most rare ones give the topic away."""
    random = np.random.default_rng(random_state)
    y = random.choice([-1, 1], 6000)
    words = (8000 ** random.random((len(y), 30))).astype(int)
    telling = (words > 100) & (random.random(words.shape) < 0.6)
    words = np.where(telling, words // 2 * 2 + (y > 0)[:, np.newaxis], words)
    X = sp.csr_array((np.full(words.size, 30**-0.5), words.ravel(), np.arange(0, words.size + 1, 30)))
    X.resize(len(y), 8001)
    X.sum_duplicates()
    return Data(X, y)


def rare_positives(random_state: int, rows: int = 4000) -> Data:
    """Rows of two overlapping clouds, one of them with a twentieth of the rows."""
    random = np.random.default_rng(random_state)
    y = np.where(random.random(rows) < 0.05, 1, -1)
    X = random.normal(size=(len(y), 10)) + 0.7 * y[:, np.newaxis] * np.linspace(1, 0, 10)
    X = np.c_[X, np.ones(len(y))]
    return Data(X / np.linalg.norm(X, axis=1, keepdims=True), y)


def steered(name: str, **parameters: Any) -> askance.Learner:
    """A learner that asks for a share RATE of the labels, or for all if the method always asks."""
    learner = askance.make(name, **parameters)
    return learner.set_params(query=AtRate(learner.query, RATE)) if hasattr(learner.query, "scaled") else learner


def mean_curve(data: Callable[[int], Data], metric: str, name: str, parameters: dict[str, Any]) -> Curve:
    """The curve over several orders of the rows."""
    curves = []
    for random_state in SEEDS:
        learner = steered(name, random_state=random_state, **parameters)
        curves.append(learner.run(*data(random_state)).curve(metric))
    return Curve(*(np.mean([getattr(curve, field) for curve in curves], axis=0) for field in Curve._fields))


def picture(
    stem: str, title: str, data: Callable[[int], Data], metric: str, methods: dict[str, dict[str, Any]]
) -> None:
    """One line per method, against rows and, where methods ask for a share, against labels asked."""
    curves = {name: mean_curve(data, metric, name, parameters) for name, parameters in methods.items()}
    same = all(np.array_equal(curve.rows, curve.labels) for curve in curves.values())
    panels = ("rows",) if same else ("rows", "labels")
    draw(curves, metric, PICTURES / f"{stem}.png", f"{title}; mean of {len(SEEDS)} orders", panels=panels)


def panels_picture() -> None:
    """F of OMCSL, with all labels and with few, beside gradient descent; and that of each of its classifiers."""
    few = AtRate(Margin(), 0.05)
    learners: dict[str, Callable[[int], askance.Learner]] = {
        "OMCSL, all labels": lambda random_state: OMCSL(eta=10.0, random_state=random_state),
        "OMCSL, a twentieth of them": lambda random_state: OMCSL(eta=10.0, random_state=random_state, query=few),
        "OGD, all labels": lambda random_state: askance.make("OGD-h", eta=10.0, random_state=random_state),
        "OFO, all labels": lambda random_state: askance.make("OFO-l", eta=10.0, random_state=random_state),
    }
    figure = new_figure((1600, 660))
    along, members = figure.subplots(1, 2, width_ratios=(3, 2), sharey=True)
    for number, (name, make) in enumerate(learners.items()):
        made = [make(random_state) for random_state in SEEDS]
        curves = [
            learner.run(*one_in_fifty(random_state)).curve("f")
            for random_state, learner in zip(SEEDS, made, strict=True)
        ]
        values = np.mean([curve.values for curve in curves], axis=0)
        along.plot(curves[0].rows, values, color=COLOURS[number], label=name, linewidth=1.6)
        if isinstance(made[0], OMCSL):
            costs = made[0].costs_[:, 0]
            measures = np.mean([learner.measures_ for learner in made], axis=0)
            members.plot(costs, measures, color=COLOURS[number], marker="o", markersize=4)
    along.set_xlabel("rows", color=INK, fontsize=9)
    along.set_ylabel("F so far (higher is better)", color=INK, fontsize=9)
    along.xaxis.set_major_formatter(ticker.EngFormatter(sep=""))
    members.set_xlabel("cost of a missed positive: F of each classifier", color=INK, fontsize=9)
    for ax in (along, members):
        ax.set_ylim(0, 0.8)
        decorate(ax)
    figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    figure.suptitle("synthetic rows, one in fifty positive; mean of five streams", fontsize=11, color=INK)
    save_picture(figure, PICTURES / "imbalance.png")


def one_in_fifty(random_state: int) -> Data:
    """Two clouds, one of them with a fiftieth of the rows."""
    random = np.random.default_rng(random_state)
    y = (random.random(40_000) < 0.02).astype(int)
    X = random.normal(size=(len(y), 10)) + 1.5 * y[:, np.newaxis] * np.linspace(1, 0, 10)
    X = np.c_[X, np.ones(len(y))]
    return Data(X / np.linalg.norm(X, axis=1, keepdims=True), y)


def estimates_picture() -> None:
    """Estimates from the asked labels alone as rows arrive, and the true values."""
    trace = steered("CSPAA", rho=19.0, C=19.0).run(*rare_positives(3, 40_000))
    labels = np.cumsum(trace.asked)
    rows = np.searchsorted(labels, np.geomspace(20, labels[-1], 60)) + 1
    moments = [beginning(trace, end) for end in np.unique(rows)]
    figure = new_figure((1600, 700))
    error, f = figure.subplots(1, 2)
    draw_band(
        error, [moment.estimate("error", anytime=True) for moment in moments], "for all moments at once", 0.12
    )
    for ax, metric in ((error, "error"), (f, "f")):
        told = [moment.estimate(metric) for moment in moments]
        draw_band(ax, told, "for one moment", 0.3)
        spent = [one.labels for one in told]
        ax.plot(spent, [one.value for one in told], color=COLOURS[0], label="from asked labels")
        ax.plot(spent, [moment.tally().value(metric) for moment in moments], color=COLOURS[1], label="truth")
        ax.set(xscale="log", xlim=(spent[0], None), ylim=(0, 0.5 if metric == "error" else 1))
        ax.set_xlabel("labels asked", color=INK, fontsize=9)
        ax.set_ylabel(f"{METRICS[metric].title} of all rows so far", color=INK, fontsize=9)
        ax.xaxis.set_major_formatter(ticker.EngFormatter(sep=""))
        decorate(ax)
    handles, names = error.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    save_picture(figure, PICTURES / "asked-labels.png")


def beginning(trace: Trace, rows: int) -> Trace:
    """The first rows of a trace."""
    return dataclasses.replace(trace, **{name: getattr(trace, name)[:rows] for name in PER_ROUND})


def draw_band(ax: Any, told: list[Estimate], name: str, alpha: float) -> None:
    """The intervals as an area, from the first row with an estimate."""
    enough = [one for one in told if one.enough]
    low, high = ([getattr(one, side) for one in enough] for side in ("low", "high"))
    ax.fill_between(
        [one.labels for one in enough], low, high, color=COLOURS[0], alpha=alpha, linewidth=0, label=name
    )


def certificates_picture() -> None:
    """The part of a stream that is certified, before and after the classes change, and a screening."""
    figure = new_figure((1600, 700))
    stream, pool = figure.subplots(1, 2)
    draw_certified(stream)
    draw_screening(pool)
    for ax in (stream, pool):
        ax.set_ylim(0, 102)
        decorate(ax)
        ax.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3)
    save_picture(figure, PICTURES / "certified.png")


def draw_certified(ax: Any, rows: int = 12_000, change: int = 6_000, window: int = 300) -> None:
    """The share of the last rows that were certified when they came, and the mistakes among all of these."""
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, 5))
    tells = np.where(np.arange(rows) < change, X[:, 0], X[:, 1])
    y = np.where(tells + 0.1 * random.normal(size=rows) > 0, "good", "bad")
    trace = askance.AutoLearner(certify=0.05).run(X, y)
    automatic = trace.certify(error=0.05).automatic
    assert automatic is not None
    wrong = np.cumsum(automatic & (trace.predictions != trace.y)) / np.maximum(1, np.cumsum(automatic))
    share = np.convolve(automatic, np.full(window, 1 / window))[:rows]
    ax.plot(100 * share, color=COLOURS[0], label="certified lately", linewidth=1.6)
    ax.plot(100 * wrong, color=COLOURS[1], label="wrong among all certified", linewidth=1.6)
    ax.axhline(5, color=INK, linestyle=":", linewidth=1, label="allowed")
    ax.axvline(change, color="#999999", linestyle="--", linewidth=1)
    ax.text(change, 97, " the classes change", fontsize=8, color=INK)
    ax.set_xlabel("rows", color=INK, fontsize=9)
    ax.set_ylabel("rows in %", color=INK, fontsize=9)


def draw_screening(ax: Any) -> None:
    """Positives found, and certain to be found, as rows are read."""
    X = np.random.default_rng(0).normal(size=(5000, 5))
    relevant = X[:, 0] > 1.5
    screening, found, recalls = Screening(X), [], []
    while (reading := screening.next()) is not None:
        screening.answer(bool(relevant[reading.row]))
        found.append(len(screening.positives))
        recalls.append(screening.certifier.recall)
    draw_panel(ax, found, recalls, int(relevant.sum()), screening.wanted)
    ax.axvline(len(found), color="#999999", linestyle="--", linewidth=1)
    ax.text(len(found), 50, " done", fontsize=8, color=INK)
    ax.set_xlim(0, 5000)


def ratings_picture() -> None:
    """The rank search on synthetic ratings, and the scores of ratings that were held back."""
    (users, items, stars), tested = SyntheticRatings(users=1000, items=1000, rank=8).part(0)
    model = MaxMarginFactorization(regularization=3e-4, growth=1, tol=1e-3).fit(users, items, stars)
    figure = new_figure((1600, 660))
    ranks, scores = figure.subplots(1, 2)
    tried = [stage.rank for stage in model.path_]
    ranks.plot(tried, [stage.rmse for stage in model.path_], color=COLOURS[0], marker="o", markersize=4)
    ranks.plot(
        tried,
        [stage.objective / model.path_[0].objective for stage in model.path_],
        color=COLOURS[1],
        linestyle="--",
        marker="s",
        markersize=4,
    )
    ranks.axvline(8, color=INK, linewidth=0.8, linestyle=":")
    ranks.annotate("RMSE of ratings held back", (2.2, 1.1), color=COLOURS[0], fontsize=9)
    ranks.annotate("objective, 1 at rank 0", (4.3, 0.2), color=COLOURS[1], fontsize=9)
    ranks.annotate("true rank", (6.65, 1.3), color=INK, fontsize=9)
    ranks.set_xlabel("rank", color=INK, fontsize=9)
    ranks.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    told = model.user_factors_[tested.users] * model.item_factors_[tested.items]
    for level in range(1, 6):
        own = told[tested.ratings == level].sum(1)
        scores.hist(own, np.linspace(-10, 10, 101), color=COLOURS[level - 1], alpha=0.55, label=f"rated {level}")
    for threshold in model.thresholds_[0]:
        scores.axvline(threshold, color=INK, linewidth=0.8, linestyle=":")
    scores.set_xlabel("score of ratings not learned from; thresholds are dotted", color=INK, fontsize=9)
    scores.legend(frameon=False, fontsize=9)
    for ax in (ranks, scores):
        decorate(ax)
    figure.suptitle("synthetic ratings of 1,000 users and 1,000 items, of rank 8", fontsize=11, color=INK)
    save_picture(figure, PICTURES / "ratings.png")


def oracles(rows: int = 2000, right: float = 0.85) -> None:
    """The accuracy for the money spent: people alone, a model alone, and both."""
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, 10))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * random.normal(size=rows) > 0, 1, -1)
    given = {"llm": (np.where(random.random(rows) < right, y, -y), random.uniform(0.5, 1.0, rows))}
    person, machine = Oracle("people", 1), Oracle("model", "0.01", guess="llm")
    figure = new_figure((800, 560))
    ax = figure.subplots()
    both: tuple[Oracle, ...] = (person, machine)
    for place, (name, who) in enumerate({"people alone": (person,), "both": both}.items()):
        budgets = [cost for cost in (25, 40, 60, 100, 150, 200) if len(who) == 1 or cost > rows / 100]
        traces = [askance.OracleLearner(who, cost).run(X, y, given) for cost in budgets]
        costs = [float(trace.ledger.spent) for trace in traces]
        ax.plot(costs, [100 * trace.accuracy for trace in traces], "o-", color=COLOURS[place], label=name)
    ax.plot([rows / 100], [100 * (given["llm"][0] == y).mean()], "s", color=COLOURS[2], label="model alone")
    ax.set_xlabel("money spent", color=INK, fontsize=9)
    ax.set_ylabel("accuracy in %", color=INK, fontsize=9)
    decorate(ax)
    ax.legend(frameon=False, fontsize=9)
    save_picture(figure, PICTURES / "oracles.png")


def main() -> None:
    """Draw all figures."""
    picture(
        "multiclass",
        "scikit-learn's digits, ten classes",
        digits(parity=False),
        "accuracy",
        {"MPAA-II": {}, "MRPA-II": {}, "MPEA": {}, "MPA-II": {}},
    )
    picture(
        "second-order",
        "scikit-learn's digits, odd or even, every label",
        digits(parity=True),
        "error",
        {"PA-II": {}, "CW": {}, "PAM-II": {}, "AROW": {}, "AROW-diag": {}},
    )
    picture(
        "subgradient",
        "synthetic texts in which rare words give the topic away",
        texts,
        "accuracy",
        {"D-AMD": {}, "M-AMD": {}, "R-AMD": {}, "PAA-II": {}},
    )

    picture(
        "selective-sampling",
        "scikit-learn's digits, odd or even, a tenth of the labels",
        digits(parity=True),
        "accuracy",
        {"SEL-P": {}, "SEL-ADA": {}, "SEL-2ND": {}, "SEL-P-FIXED": {}},
    )
    picture(
        "cost-sensitive",
        "synthetic rows, one in twenty positive, a tenth of the labels",
        rare_positives,
        "sum",
        {"CSPAA": {"rho": 19.0, "C": 19.0}, "PAA-I": {}, "CSRND": {"rho": 19.0, "C": 19.0}},
    )
    picture(
        "kernels",
        "scikit-learn's digits, odd or even, a tenth of the labels",
        digits(parity=True),
        "accuracy",
        {"K-PAA-II": {"kernel": "rbf", "gamma": 3.0}, "PAA-II": {}},
    )
    estimates_picture()
    panels_picture()
    ratings_picture()
    certificates_picture()
    oracles()


if __name__ == "__main__":
    main()
