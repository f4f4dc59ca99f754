"""Few labels: a twentieth of the rows is labelled, three quarters are not, and the rest is the test part.

All methods have the same splits. Settings are chosen by the accuracy on splits that are not reported.
"""

import itertools
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer

from askance import __version__
from askance._util.table_rows import Row
from askance.experiments.dataset import Dataset, make_dataset
from askance.experiments.parallel import Execution, collect_rows
from askance.experiments.store import Store
from askance.experiments.sweep.plan import as_json
from askance.jit.source_digest import digest_of
from askance.semi_supervised.inputs import UNLABELLED, with_short_indices

Indices = NDArray[np.intp]
DTYPE = np.dtype("float64")


class FewLabelsMethod(NamedTuple):
    """How a classifier is created from a random state and a setting; `semi` if it uses unlabelled rows.

    `varied` is the parameter for the number of annotators, if the method has annotators.
    """

    label: str
    make: Callable[..., Any]
    settings: tuple[Mapping[str, Any], ...]
    semi: bool = False
    varied: str = ""


class FewLabelsPlan(NamedTuple):
    """The numbers of reported and of tuning splits, how labels are drawn, and what is varied.

    With `even`, each class has its share of the labels; otherwise labels are drawn at random. In the data sets
    `words`, features are weighted by their rarity. `noises` are shares of wrong labels, and `annotators` numbers
    of annotators. Settings are chosen with the noise `tuned_at` and ten annotators.
    """

    splits: int = 10
    tuning: int = 5
    random_state: int = 0
    labelled: float = 0.05
    test: float = 0.2
    even: bool = True
    words: tuple[str, ...] = ()
    tuned_at: float = 0.0
    noises: tuple[float, ...] = (0.0,)
    annotators: tuple[int, ...] = (10,)


class FewLabelsSplit(NamedTuple):
    """Training rows with their labels, -1 for unlabelled rows; test rows; a random state."""

    X: Any
    y: NDArray[np.int64]
    test_X: Any  # noqa: N815 - as in scikit-learn
    test_y: NDArray[np.int64]
    random_state: int


def run_few_labels(
    sets: Mapping[str, tuple[Any, Any]],
    methods: Sequence[FewLabelsMethod],
    plan: FewLabelsPlan,
    **how: Any,
) -> list[Row]:
    """Return one row per data set, method, value and split."""
    found = [make_dataset(name, *given, DTYPE) for name, given in sets.items()]
    cells = [(plan, method, data) for data in found for method in methods]
    titles = [f"{method.label} on {data.name}" for _, method, data in cells]
    return collect_rows(run_method, cells, titles, Execution(**how))


def split(data: Dataset, plan: FewLabelsPlan, number: int, noise: float = 0.0) -> FewLabelsSplit:
    """Return the split of this random state and number, with a share `noise` of its labels changed."""
    random = np.random.default_rng([plan.random_state, number])
    y = np.unique(data.y, return_inverse=True)[1]
    order = random.permutation(len(y))
    known = _drawn(y[order], round(plan.labelled * len(y)), plan.even)
    cut = round(plan.test * len(y))
    labelled, others = order[known], order[~known]
    rows, test = np.append(labelled, others[cut:]), others[:cut]
    labels = np.append(_switched(y[labelled], noise, random), np.full(len(others) - cut, UNLABELLED))
    whole = with_short_indices(data.X)
    X, test_X = whole[rows], whole[test]
    if data.name in plan.words:
        X, test_X = _by_rarity(X, test_X)
    return FewLabelsSplit(X, labels, test_X, y[test], number)


def _drawn(y: NDArray[np.intp], count: int, even: bool) -> NDArray[np.bool_]:
    """Return which rows are labelled: the first ones, or the first ones of each class."""
    if not even:
        return np.arange(len(y)) < count
    known = np.zeros(len(y), bool)
    for one in np.unique(y):
        own = np.flatnonzero(y == one)
        known[own[: max(1, round(count * len(own) / len(y)))]] = True
    return known


def _switched(labels: NDArray[np.intp], noise: float, random: np.random.Generator) -> NDArray[np.intp]:
    wrong = random.permutation(len(labels))[: round(noise * len(labels))]
    classes = labels.max() + 1
    labels = labels.copy()
    labels[wrong] = (labels[wrong] + random.integers(1, classes, size=len(wrong))) % classes
    return labels


def _by_rarity(X: Any, test_X: Any) -> tuple[Any, Any]:
    """Weight words by their rarity in the training rows, and scale rows to length 1."""
    weighed = TfidfTransformer().fit(X)
    return weighed.transform(sp.csr_array(X)), weighed.transform(sp.csr_array(test_X))


def run_method(plan: FewLabelsPlan, method: FewLabelsMethod, data: Dataset, store: Store) -> list[Row]:
    """Tune one method on one data set, then run it on every split for every value."""
    key = [
        __version__,
        digest_of("semi_supervised/*.py", "engine/label_kernels.py"),
        data.digest,
        data.name in plan.words,
    ]
    tuning = plan._replace(words=(), noises=(), annotators=())
    key += [method.label, [as_json(setting) for setting in method.settings], *tuning]
    place = store.recall(["few labels tuned", *key], lambda: _tuned(plan, method, data))
    key += [place, plan.noises, plan.annotators]
    rows = store.recall(["few labels", *key], lambda: _tested(plan, method, data, method.settings[place]))
    about = {"data": data.name, "rows": data.X.shape[0], "features": data.X.shape[1], "classes": len(data.classes)}
    return [{**about, "algorithm": method.label, **row} for row in rows]


def _tuned(plan: FewLabelsPlan, method: FewLabelsMethod, data: Dataset) -> int:
    """Return the index of the best setting, by its mean accuracy on the tuning splits."""
    if len(method.settings) == 1:
        return 0
    numbers = range(plan.splits, plan.splits + plan.tuning)
    parts = [split(data, plan, number, plan.tuned_at) for number in numbers]
    means = [np.mean([_accuracy(method, part, setting)[0] for part in parts]) for setting in method.settings]
    return int(np.argmax(means))


def _tested(plan: FewLabelsPlan, method: FewLabelsMethod, data: Dataset, setting: Mapping[str, Any]) -> list[Row]:
    rows = []
    counts = plan.annotators if method.varied else (0,)
    for noise, count, number in itertools.product(plan.noises, counts, range(plan.splits)):
        varied = {method.varied: count} if method.varied else {}
        accuracy, seconds = _accuracy(method, split(data, plan, number, noise), {**setting, **varied})
        run = {"split": number, "noise": noise, "annotators": count, "accuracy": accuracy, "seconds": seconds}
        rows.append({**run, "setting": as_json(setting)})
    return rows


def _accuracy(method: FewLabelsMethod, part: FewLabelsSplit, setting: Mapping[str, Any]) -> tuple[float, float]:
    """Return the accuracy on the test rows in per cent, and the seconds of the fit."""
    own = slice(None) if method.semi else part.y != UNLABELLED
    classifier = method.make(random_state=part.random_state, **setting)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of extreme settings, which tuning rejects
        classifier.fit(part.X[own], part.y[own])
    seconds = time.perf_counter() - began
    return 100 * float(np.mean(classifier.predict(part.test_X) == part.test_y)), seconds
