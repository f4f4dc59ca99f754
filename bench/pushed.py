"""`python -m bench.pushed`: texts that are pushed to the service at once, beside a pool that is fitted again.

A fifth of the texts is held out, the others are pushed before anybody answers. An oracle then answers what it is
asked, five questions at a time, and the model of the service predicts the texts held out. The peer is pool-based
margin sampling: logistic regression on tf-idf, fitted again after every five labels. Both start with nothing.
"""

import argparse
import gzip
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

import askance
import askance.service
from askance.service.messages import Item
from bench.league.tasks import folder

SETS = ("sms_spam", "spamassassin", "reuters_r8", "20newsgroups")
R8 = ("acq", "crude", "earn", "grain", "interest", "money-fx", "ship", "trade")
AT_ONCE = 5  # questions of a lease, and labels between two fits of the peer
FIRST = 10  # labels at random before the peer is fitted
LONGEST = 20_000  # characters of a text


class Texts(NamedTuple):
    """Texts and their classes: first those of the pool, then those held out."""

    texts: list[str]
    labels: list[str]
    pool: int

    def quality(self, predicted: list[str]) -> tuple[float, float]:
        """The accuracy, and F: of the rarer of two classes, or the mean over all classes."""
        truth = self.labels[self.pool :]
        names, counts = np.unique(self.labels, return_counts=True)
        how: dict[str, Any] = {"average": "macro", "zero_division": 0.0}
        if len(names) == 2:
            how = {"pos_label": names[counts.argmin()], "zero_division": 0.0}
        return float(np.mean(np.array(predicted) == np.array(truth))), float(f1_score(truth, predicted, **how))


def read(name: str, random_state: int, most: int | None = None) -> Texts:
    """Read a set in a random order."""
    found = list(_lines(name))
    order = np.random.default_rng(random_state).permutation(len(found))[:most]
    texts = [found[place][0][:LONGEST] for place in order]
    return Texts(texts, [found[place][1] for place in order], len(order) - len(order) // 5)


def _lines(name: str) -> Iterator[tuple[str, str]]:
    source = "reuters21578" if name == "reuters_r8" else name
    with gzip.open(folder() / f"{source}.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in map(json.loads, file):
            if name != "reuters_r8":
                yield line["text"], f"class {line['label']}"
            elif len(line["label"]) == 1 and line["label"][0] in R8 and line["lewissplit"] in ("TRAIN", "TEST"):
                yield line["text"], line["label"][0]


def pushed(data: Texts, budgets: list[int], **settings: Any) -> dict[int, tuple[float, float]]:
    """The quality of the service's model at several numbers of labels."""
    task = {"name": "pushed", "classes": sorted(set(data.labels)), **settings}
    found = {}
    with (
        askance.service.start(tasks=[task], open_to_all=True) as service,
        askance.Client(service.url, task="pushed", timeout=300.0) as client,
    ):
        client.decide([Item(text=text, id=str(row)) for row, text in enumerate(data.texts[: data.pool])])
        given = 0
        for budget in budgets:
            while given < budget:
                leased = client.questions(min(AT_ONCE, budget - given))
                for question in leased:
                    client.label(question.item, data.labels[int(question.id)])
                given += len(leased)
            predicted = client.predict(data.texts[data.pool :])
            found[budget] = data.quality([one.prediction for one in predicted])
    return found


def fitted_again(data: Texts, budgets: list[int], random_state: int) -> dict[int, tuple[float, float]]:
    """The quality of the peer at the same numbers of labels."""
    terms = TfidfVectorizer(sublinear_tf=True)
    pool = terms.fit_transform(data.texts[: data.pool])
    held, y = terms.transform(data.texts[data.pool :]), np.array(data.labels[: data.pool])
    chosen = np.random.default_rng(random_state).permutation(data.pool)[:FIRST].tolist()
    found = {}
    while True:
        while len(set(y[chosen])) < 2:  # nothing can be fitted to one class
            chosen.append(next(row for row in range(data.pool) if row not in chosen))
        model = LogisticRegression(C=10.0, max_iter=1000).fit(pool[chosen], y[chosen])
        if len(chosen) in budgets:
            found[len(chosen)] = data.quality(model.predict(held).tolist())
        if len(chosen) >= budgets[-1]:
            return found
        margins = _margins(model.predict_proba(pool))
        margins[chosen] = np.inf
        chosen += np.argsort(margins, kind="stable")[:AT_ONCE].tolist()


def _margins(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    two = np.partition(chances, -2, axis=1)[:, -2:]
    return np.asarray(two[:, 1] - two[:, 0])


def main() -> None:
    """Run what the command line asks for, and print a table per set."""
    parser = argparse.ArgumentParser(prog="python -m bench.pushed", description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--labels", default="100,200,300,500")
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--audit", type=float, default=0.2)
    parser.add_argument("--test", type=float, default=0.5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    budgets = [int(one) for one in options.labels.split(",")]
    questions = {"chosen": "lease", "audit": options.audit, "test": options.test}
    for name in options.sets:
        runs = []
        for split in range(options.splits):
            data = read(name, split)
            ours = pushed(data, budgets, questions=questions)
            runs.append((ours, fitted_again(data, budgets, split)))
        Console().print(shown(name, budgets, runs))
        if options.out:
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"set": name, "options": str(options), "runs": runs}) + "\n")


def shown(name: str, budgets: list[int], runs: list[tuple[dict[int, Any], dict[int, Any]]]) -> Table:
    """A table: accuracy and F of both, the mean over the splits."""
    table = Table("labels", "pushed: accuracy", "F", "fitted again: accuracy", "F", title=name)
    for budget in budgets:
        ours, theirs = (np.mean([run[side][budget] for run in runs], axis=0) for side in (0, 1))
        table.add_row(f"{budget:,}", *(f"{value:.3f}" for value in (*ours, *theirs)))
    return table


if __name__ == "__main__":
    main()
