"""A text model as one more voter: `python -m bench.crowd_text` buys votes on reviews with and without it.

The votes on `amazon_crowd` have no names, so annotators are the places of votes, in a random order per item. Votes
are bought in rounds. In some rounds, `AutoLearner` learns the predicted classes of items with votes. It does so in
two halves: each half of the items gets class probabilities from a model that learned the other half.
"""

import gzip
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

import askance
from askance.annotators import Crowd, Offer, VoteBuyer
from askance.data import hash_texts
from askance.datasets.finding import find
from bench.crowds import Recorded, crowd_of

ORDERS = 5
SHARE, FIRST, ROUNDS, MODELS = 0.35, 300, 20, (5, 10, 15, 20)


def reviews(order: int) -> tuple[Any, Recorded]:
    """The texts as rows of words, and their votes."""
    with gzip.open(find("amazon_crowd").paths[0], "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    random = np.random.default_rng(order)
    votes = {}
    for item in random.permutation(len(rows)).tolist():
        labels = [0] * rows[item]["votes"]["other"] + [1] * rows[item]["votes"]["negative"]
        votes.update({(item, place): label for place, label in enumerate(random.permutation(labels).tolist())})
    truth = {item: int(row["label"] == "negative") for item, row in enumerate(rows)}
    X = hash_texts([row["text"] for row in rows], 16, pairs=True, unit=False, signed=False)
    return X, Recorded(votes, truth, range(2))


def expect_by_text(crowd: Crowd, X: Any, order: int) -> None:
    """Let models of the text say what to expect of each item."""
    predicted = crowd.predict()
    halves = np.random.default_rng(order).integers(0, 2, X.shape[0])
    for half in (0, 1):
        known = np.array([item for item in predicted if halves[item] != half])
        labels = np.array([predicted[item] for item in known])
        if len(set(labels.tolist())) == 2:
            items = np.flatnonzero(halves == half)
            learner = askance.AutoLearner(1.0, random_state=order).fit(X[known], labels)
            _expect(crowd, items, learner.predict_proba(X[items]))


def _expect(crowd: Crowd, items: NDArray[np.int64], probabilities: NDArray[np.float64]) -> None:
    for item, row in zip(items.tolist(), probabilities.tolist(), strict=True):
        crowd.expect(item, dict(enumerate(row)))


def bought(X: Any, recorded: Recorded, order: int, *, text: bool) -> Crowd:
    """Buy a share of the votes, the next one of an item at a time."""
    budget = int(SHARE * len(recorded.votes))
    crowd, left = Crowd(recorded.classes), dict(recorded.votes)
    for pair in list(left)[:FIRST]:
        crowd.tell(*pair, left.pop(pair))
    step = -(-(budget - crowd.n_votes) // ROUNDS)
    for number in range(1, ROUNDS + 1):
        offers = [Offer(*pair) for pair in left if pair[1] == len(crowd.votes(pair[0]))]
        for offer in VoteBuyer(level=1).best(crowd, offers, min(step, budget - crowd.n_votes)):
            crowd.tell(*offer, left.pop((offer.item, offer.annotator)))
        if text and number in MODELS:
            expect_by_text(crowd, X, order)
    return crowd


def predicted(crowd: Crowd, items: int) -> dict[Any, Any]:
    """The most probable class of all items, also of those without a vote."""
    return dict(enumerate(crowd.posterior_array(range(items)).argmax(axis=1).tolist()))


def main() -> None:
    """Print one line per order."""
    print("| order | all votes | 35 % of votes | 35 % and text |\n|---|---|---|---|")
    rows = []
    for order in range(1, ORDERS + 1):
        X, votes = reviews(order)
        items = X.shape[0]
        crowds = [crowd_of(votes.votes, votes.classes)]
        crowds += [bought(X, votes, order, text=text) for text in (False, True)]
        rows.append([votes.accuracy(predicted(crowd, items)) for crowd in crowds])
        print(f"| {order} | " + " | ".join(f"{value:.1f}" for value in rows[-1]) + " |", flush=True)
    print("| mean | " + " | ".join(f"{value:.2f}" for value in np.mean(rows, axis=0)) + " |")


if __name__ == "__main__":
    main()
