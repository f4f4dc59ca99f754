"""`python -m bench.augmented_bound`: how much helpers can know at most of when a guess is right.

An estimate with helpers has the effective size 1/(1 - R²), where R² is that of what helpers expect of rows without
a label. So regressions of several kinds are fitted to some labels of the politeness set, and R² is measured on all
other rows. What needs no labels, as the rarity of words and their main directions, comes from all texts.
"""

import argparse
import gzip
import json
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import StandardScaler

from askance.metrics import guess_columns
from bench.league.tasks import folder

PENALTIES, WORD_PENALTIES = np.logspace(0, 4.5, 10), np.logspace(-1, 3, 9)
DIRECTIONS, WAVES = 40, 1000
MARKERS = ("?", "!", ",", "\n", "http", "please", "thank", "you", "sorry", "would")
Numbers = NDArray[np.float64]


class Views(NamedTuple):
    """What is known of every row, for each kind of helper; the last one are words, as a sparse matrix."""

    guesses: Numbers
    features: Numbers
    directions: Numbers
    waves: Numbers
    words: Any


def read() -> tuple[Views, dict[str, Numbers]]:
    """The rows, and what is to be estimated. Helpers are there twice: the answer decides what tells a mistake."""
    with gzip.open(folder() / "politeness_gpt4o.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    said = [row["guesses"]["gpt-4o"] for row in rows]
    texts, polite = [row["text"] for row in rows], np.array([row["label"] == "polite" for row in rows])
    answers = np.array([one["label"] == "polite" for one in said])
    signs = np.where(answers, 1.0, -1.0)[:, np.newaxis]
    guesses = guess_columns([one["label"] for one in said], [one["confidence"] for one in said])
    counts = [
        [np.log1p(len(text)), np.log1p(len(text.split())), *(text.lower().count(one) for one in MARKERS)]
        for text in texts
    ]
    features = np.hstack([guesses, [row["features"] for row in rows], counts])
    terms = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True).fit_transform(texts)
    main = TruncatedSVD(DIRECTIONS, random_state=0).fit_transform(terms)
    features, main = _both(features, signs), _both(main, signs)
    beside = np.hstack([features, 0.5 * main])
    waves = RBFSampler(gamma=0.5 / beside.shape[1], n_components=WAVES, random_state=0).fit_transform(beside)
    words = sp.csr_array(sp.hstack([0.15 * sp.csr_array(features), terms, terms.multiply(signs)]))
    views = Views(_both(guesses, signs), features, beside, waves, words)
    wanted = {"accuracy of guesses": (polite == answers).astype(float), "share": polite.astype(float)}
    return views, wanted


def _both(columns: Any, signs: Numbers) -> Numbers:
    scaled: Numbers = StandardScaler().fit_transform(np.hstack([columns, columns * signs]))
    return scaled


def expected(
    views: Views, wanted: Numbers, seen: NDArray[np.int64], others: NDArray[np.int64]
) -> dict[str, Numbers]:
    """What each kind of helper expects of other rows, from the labels of some."""
    found = {}
    for name in ("guesses", "features", "directions", "waves"):
        X = getattr(views, name)
        found[name] = RidgeCV(PENALTIES).fit(X[seen], wanted[seen]).predict(X[others])
    neighbours = KNeighborsRegressor(max(20, len(seen) // 12)).fit(views.directions[seen], wanted[seen])
    found["neighbours"] = neighbours.predict(views.directions[others])
    kernel = (views.words @ views.words[seen].T).toarray()
    sizes, axes = np.linalg.eigh(kernel[seen])
    rows = kernel @ axes / np.sqrt(np.maximum(sizes, 1e-9))
    found["words"] = RidgeCV(WORD_PENALTIES).fit(rows[seen], wanted[seen]).predict(rows[others])
    found["mean of features, directions and words"] = (
        found["features"] + found["directions"] + found["words"]
    ) / 3
    return found


def main() -> None:
    """Print the effective sizes that helpers allow, by the number of labels that they have learned from."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=int, nargs="+", default=[265, 455, 2000, 4932])
    parser.add_argument("--orders", type=int, default=10)
    given = parser.parse_args()
    views, targets = read()
    for target, wanted in targets.items():
        table = Table("helpers", *map(str, given.labels), title=f"effective size of the {target}, by labels")
        sizes: dict[str, list[str]] = {}
        for labels in given.labels:
            found: dict[str, list[float]] = {}
            for order in range(given.orders):
                rows = np.random.default_rng(order).permutation(len(wanted))
                seen, others = rows[:labels], rows[labels:]
                for name, values in expected(views, wanted, seen, others).items():
                    left = float(np.mean((wanted[others] - values) ** 2))
                    found.setdefault(name, []).append(left / float(wanted[others].var()))
            for name, shares in found.items():
                sizes.setdefault(name, []).append(f"{1 / np.mean(shares):.2f}")
        for name, cells in sizes.items():
            table.add_row(name, *cells)
        Console(width=110).print(table)


if __name__ == "__main__":
    main()
