"""`python -m bench.multilabel`: topics of Reuters-21578, asking about a tenth of the pairs and about all.

The split is ModApte: 9,603 stories to learn from, in several orders, and 3,299 held out. A pair is a story
and one of the 115 topics. Vowpal Wabbit's one-against-all (`--multilabel_oaa`) and scikit-learn's
logistic regressions learn from all pairs. They get words weighted by tf-idf over all stories to learn from;
ours gets counts and weights them as the stream goes. Vowpal Wabbit gets the hinge loss and 20 passes, the best for
it of two losses, 1 to 40 passes and four learning rates, judged by the held-out stories.
"""

import argparse
import gzip
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

import askance
from askance.metrics.multilabel import label_counts, macro_f, micro_f
from bench.league.tasks import folder

RATE = 0.1
PASSES = 20
Indicators = NDArray[np.bool_]


class Split(NamedTuple):
    """Counts of words and indicators of topics, to learn from and held out."""

    X: Any
    Y: Indicators
    X_held: Any
    Y_held: Indicators


def modapte() -> Split:
    """The stories with the topics of those to learn from."""
    with gzip.open(folder() / "reuters21578.jsonl.gz", "rt", encoding="utf-8") as file:
        stories = [story for story in map(json.loads, file) if story["topics_attr"] == "YES"]
    learned, held = ([one for one in stories if one["lewissplit"] == part] for part in ("TRAIN", "TEST"))
    topics = sorted({topic for story in learned for topic in story["label"]})
    words = CountVectorizer(token_pattern=r"[A-Za-z]{2,}", dtype=np.float64)
    X = words.fit_transform([story["text"] for story in learned]).tocsr()
    X_held = words.transform([story["text"] for story in held]).tocsr()
    Y, Y_held = (
        np.array([[topic in one["label"] for topic in topics] for one in part]) for part in (learned, held)
    )
    return Split(X, Y, X_held, Y_held)


def ours(split: Split, order: int, *, rate: float = RATE, audit: float = 0.5) -> Indicators:
    """Predictions of the held-out stories after asking about a share of the pairs, never more."""
    learner = askance.MultiLabelLearner(
        rate, audit=audit, limit=int(rate * split.Y.size), random_state=order, classes=range(split.Y.shape[1])
    )
    learner.run(split.X, split.Y)
    return learner.predict(split.X_held).astype(bool)


def ours_with_all(split: Split, order: int) -> Indicators:
    """Predictions after learning from all pairs."""
    learner = askance.MultiLabelLearner(random_state=order).fit(split.X, split.Y)
    return learner.predict(split.X_held).astype(bool)


def logistic(split: Split, order: int) -> Indicators:  # noqa: ARG001 - the order makes no difference
    """Predictions of scikit-learn's logistic regressions."""
    weights = TfidfTransformer(sublinear_tf=True).fit(split.X)
    model = OneVsRestClassifier(LogisticRegression(C=10.0, max_iter=300))
    model.fit(weights.transform(split.X), split.Y.astype(int))
    return np.asarray(model.predict(weights.transform(split.X_held)), bool)


def vowpal(split: Split, order: int) -> Indicators:  # noqa: ARG001 - rows come in the order of the split
    """Predictions of Vowpal Wabbit."""
    from vowpalwabbit import Workspace  # type: ignore[import-untyped]

    weights = TfidfTransformer(sublinear_tf=True).fit(split.X)
    found = np.zeros_like(split.Y_held)
    with tempfile.TemporaryDirectory() as folder:
        text, cache, model = (str(Path(folder) / name) for name in ("text", "cache", "model"))
        Path(text).write_text("\n".join(lines(weights.transform(split.X), split.Y)) + "\n")
        learning = ["--multilabel_oaa", str(split.Y.shape[1]), "--loss_function", "hinge", "--bit_precision", "24"]
        passes = ["--passes", str(PASSES), "--cache_file", cache, "--holdout_off"]
        quiet = ["--quiet", "--no_stdin"]
        Workspace(arg_list=[*learning, *passes, *quiet, "--data", text, "--final_regressor", model]).finish()
        learned = Workspace(arg_list=["--initial_regressor", model, "--testonly", *quiet])
        for t, line in enumerate(lines(weights.transform(split.X_held), np.zeros_like(split.Y_held))):
            found[t, learned.predict(line)] = True
    return found


def lines(X: Any, Y: Indicators) -> Iterator[str]:
    """Rows as Vowpal Wabbit's text."""
    for t in range(X.shape[0]):
        row = slice(X.indptr[t], X.indptr[t + 1])
        words = zip(X.indices[row].tolist(), X.data[row].tolist(), strict=True)
        topics = ",".join(map(str, np.flatnonzero(Y[t]).tolist()))
        yield f"{topics} | " + " ".join(f"{word}:{value:.5g}" for word, value in words)


METHODS: dict[str, Callable[[Split, int], Indicators]] = {
    "ours, a tenth": ours,
    "ours, a tenth at random": lambda split, order: ours(split, order, audit=1.0),
    "ours, all": ours_with_all,
    "Vowpal Wabbit, all": vowpal,
    "scikit-learn, all": logistic,
}


def main() -> None:
    """Print one line per method and order, and means."""
    parser = argparse.ArgumentParser(prog="python -m bench.multilabel", description=__doc__)
    parser.add_argument("--orders", type=int, default=3)
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS), metavar="NAME")
    options = parser.parse_args()
    split = modapte()
    print("| method | order | micro-F | macro-F | seconds |\n|---|---|---|---|---|")
    for name in options.methods:
        each = []
        for order in range(1 if name.startswith("scikit") else options.orders):
            rows = np.random.default_rng(order).permutation(len(split.Y))
            start = time.perf_counter()
            predicted = METHODS[name](split._replace(X=split.X[rows], Y=split.Y[rows]), order)
            counts = label_counts(split.Y_held, predicted)
            each.append((micro_f(counts), macro_f(counts)))
            seconds = time.perf_counter() - start
            print(f"| {name} | {order} | {each[-1][0]:.4f} | {each[-1][1]:.4f} | {seconds:.0f} |", flush=True)
        micro, macro = np.mean(each, axis=0)
        print(f"| {name} | mean | {micro:.4f} | {macro:.4f} | |", flush=True)


if __name__ == "__main__":
    main()
