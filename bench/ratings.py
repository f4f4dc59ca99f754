"""Ordinal ratings compared with LensKit and cmfrec, and how time and memory grow with their number."""

import warnings
from typing import Any

import numpy as np

from askance._util.saving import to_bytes
from askance.ratings import MaxMarginFactorization, RefitAdvised
from askance.ratings.files import from_bytes
from askance.ratings.model import rmse
from bench.clock import Contender, Timing, race
from bench.processes import child
from bench.rating_data import Ratings, Split, movielens, split, synthetic
from bench.rating_peers import Method, Settings, cmfrec, lenskit, ours
from bench.report import Line, Report, at_least, at_most
from bench.setting import Setting

SECONDS = 40.0
SPLITS = 5
MILLIONS = (1, 2, 4, 8)
AUTO, RANK_TEN = "askance, automatic rank", "LensKit ALS, rank 10"
FOLDED, REFITTED = "10,000 new users folded in", "fitted again"


def measure(setting: Setting, report: Report) -> None:
    """Everything about ratings."""
    measure_accuracy(setting, report)
    measure_time(setting, report)
    measure_growth(setting, report)
    measure_folding(setting, report)


def measure_accuracy(setting: Setting, report: Report) -> None:
    """The error of real-valued ratings on random 80/20 splits, each method tuned on another one."""
    name, ratings = movielens(quick=setting.quick)
    methods = [ours("global"), ours("user"), *filter(None, (lenskit(), cmfrec()))]
    for peer, method in (("LensKit", lenskit), ("cmfrec", cmfrec)):
        if method() is None:
            report.left_out(peer, "it is not installed")
    splits = [split(ratings, 0.8, random_state) for random_state in range(1 if setting.quick else SPLITS)]
    group = f"ratings, {name}"
    for method in methods:
        best = tuned(method, split(splits[0].train, 0.9, 99), quick=setting.quick)
        fits = [method.fit(method.prepare(one.train), best) for one in splits]
        errors = [error_of(method.predict(fit, one.test), one) for fit, one in zip(fits, splits, strict=True)]
        report.add(error_line(group, f"{method.name}, expected", errors, str(dict(best))))
        if isinstance(fits[0], MaxMarginFactorization):
            ordinal = [error_of(fit.predict(*one.test[:2]), one) for fit, one in zip(fits, splits, strict=True)]
            ranks = ", ".join(str(fit.rank_) for fit in fits)
            report.add(error_line(group, f"{method.name}, ordinal", ordinal, f"ranks {ranks}", 0.9222))


def tuned(method: Method, part: Split, *, quick: bool) -> Settings:
    """The settings with the least error on a part of the first split's ratings to learn from."""
    data = method.prepare(part.train)
    grid = method.grid[:2] if quick else method.grid
    errors = [error_of(method.predict(method.fit(data, settings), part.test), part) for settings in grid]
    return grid[int(np.argmin(errors))]


def error_of(predicted: Any, one: Split) -> float:
    """The error of ratings within the scale."""
    inside = np.clip(predicted, one.train.ratings.min(), one.train.ratings.max())
    return rmse(inside, one.test.ratings)


def error_line(group: str, what: str, errors: list[float], remark: str, goal: float | None = None) -> Line:
    """The mean error over the splits; `median` has the largest."""
    promised = None if goal is None else at_most(goal)
    return Line(group, what, float(np.mean(errors)), max(errors), "RMSE", False, promised, remark)


def measure_time(setting: Setting, report: Report) -> None:
    """A fit with an automatic rank, and one of LensKit with rank 10, on two threads each."""
    name, ratings = movielens(quick=setting.quick)
    train, group = split(ratings, 0.8, 0).train, f"ratings, {name}"
    contenders = [Contender(AUTO, lambda _: MaxMarginFactorization(n_jobs=2).fit(*train))]
    peer = lenskit()
    if peer is not None:
        data = peer.prepare(train)
        contenders.append(Contender(RANK_TEN, lambda _: peer.fit(data, {"embedding_size": 10})))
    timings = race(contenders, setting.seconds(SECONDS)).wall
    report.keep(group, timings)
    if peer is None:
        report.seconds(group, AUTO, timings[AUTO])
    else:
        report.compare(group, AUTO, RANK_TEN, at_most(6), "two threads each")


def measure_growth(setting: Setting, report: Report) -> None:
    """Seconds per iteration and bytes per rating, in processes with more and more ratings."""
    for millions in (0.02,) if setting.quick else MILLIONS:
        found = child("ratings", str(int(millions * 1e6)))
        turns, count = Timing([found["seconds"]]), found["ratings"]
        per = f"{1e9 * found['seconds'] / count:.1f} ns per rating; {count:.0f} ratings"
        report.seconds("ratings, growth", f"an iteration, {millions:g} million", turns, None, per)
        what = f"bytes per rating above the factors, {millions:g} million"
        size = found["bytes"]
        report.add(Line("ratings, growth", what, size, size, "bytes", False, at_most(60), "peak of fit"))


def measure_folding(setting: Setting, report: Report) -> None:
    """New users of synthetic ratings: folded in, and fitted again with all others."""
    users, new = (300, 50) if setting.quick else (60_000, 10_000)
    everything = synthetic(users, 3_000, 60 * users)
    is_new = everything.users >= users - new
    old, theirs = everything.where(~is_new), split(everything.where(is_new), 0.8, 0)
    fitted = MaxMarginFactorization(n_jobs=2).fit(*old)
    known = Ratings(*(np.concatenate(pair) for pair in zip(old, theirs.train, strict=True)))
    content = to_bytes(fitted)
    contenders = [
        Contender(FOLDED, lambda model: folded(model, theirs.train), lambda: from_bytes(content)),
        Contender(REFITTED, lambda _: MaxMarginFactorization(n_jobs=2).fit(*known)),
    ]
    timings = race(contenders, setting.seconds(SECONDS)).wall
    report.keep("ratings, folding", timings)
    report.compare("ratings, folding", REFITTED, FOLDED, at_least(20))
    models = folded(from_bytes(content), theirs.train), MaxMarginFactorization(n_jobs=2).fit(*known)
    predicted = [-model.score(*theirs.test) for model in models]
    remark = f"{predicted[0]:.4f} folded in, {predicted[1]:.4f} fitted again"
    loss = predicted[0] - predicted[1]
    report.add(Line("ratings, folding", "RMSE lost", loss, loss, "", False, at_most(0.01), remark))


def folded(model: MaxMarginFactorization, ratings: Ratings) -> MaxMarginFactorization:
    """The model with new ratings, given all at once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RefitAdvised)
        return model.partial_fit(*ratings)
