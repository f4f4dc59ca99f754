"""Explanations: which features move the score of an item towards which class, and why it was asked about."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.rules.query import Always, AtRate, Random
from askance.service import messages
from askance.service.label_sets import check_single
from askance.service.state.auto_model import AutoModel
from askance.service.state.fold import Fold
from askance.service.state.item_model import ItemModel
from askance.service.state.models import Model, many_rows
from askance.service.state.questions import Question
from askance.service.views.features import columns, named

MOST_FEATURES = 400  # of an item that are considered, in order
MOST_PULLS = 12  # in an explanation

# Why a question was chosen on lease. They must not reveal the prediction, which may be hidden.
REASONS = {
    "audit": "It was drawn at random from all items: such questions tell how good the model is.",
    "check": "It was drawn at random, to check how often the model is wrong where it is confident.",
    "given": "Somebody named this item.",
    "doubt": "The model was less certain of it than of other items when you asked for a question.",
}


def why_asked(fold: Fold, content: Any, question: Question | messages.Question) -> messages.Explanation | None:
    """Explain the current prediction for a question, and say why it was asked; None if that is not possible."""
    if fold.model.diverged or fold.settings.multilabel:
        return None
    reason = REASONS.get(question.reason or "") or _reason(fold, question.score, question.ask_probability or 0.0)
    return _why(fold, content, reason)


def explained(fold: Fold, item: Any, *, stored: bool = False) -> messages.Explanation:
    """Explain the current prediction for an item, which may be the content of one in the journal."""
    check_single(fold.settings, "explanations")
    more = "" if stored else " The item is not stored."
    return _why(fold, item, f"This is the prediction of the current model.{more}")


def _why(fold: Fold, content: Any, reason: str) -> messages.Explanation:
    settings = fold.settings
    row = many_rows(settings, [content])  # refuses a content that is not valid
    features = dict(islice(named(settings, content).items(), MOST_FEATURES))
    with fold.model.lock:
        learner = fold.model.learner
        classes = list(map(settings.name_of, learner.classes_.tolist()))
        label = settings.name_of(str(learner.predict(row)[0]))
        scores = by_class(learner.decision_function(row))[0]
        gains = _gains(learner, row, columns(settings, features), features)
        version = fold.version
    score = scores - np.sort(scores)[-2]
    pulls = _strongest(dict(zip(features, gains, strict=True)), classes)
    return messages.Explanation(
        reason,
        label,
        float(score[classes.index(label)]),
        version,
        [messages.Pull(name, towards, by, features[name]) for name, towards, by in pulls],
    )


def by_class(scores: NDArray[Any]) -> NDArray[Any]:
    """Scores with one column per class, in the order of the classes."""
    return scores if scores.ndim == 2 else np.stack([-scores / 2, scores / 2], axis=1)


def _gains(model: Model, row: Any, hashed: sp.csr_array, names: Mapping[str, Any]) -> NDArray[Any]:
    """How much each feature adds to the scores of the classes: the item, less the item without the feature."""
    entries = np.split(hashed.indices, hashed.indptr[1:-1])[: len(names)]
    if isinstance(model, AutoModel):
        scores = by_class(model.scores_without(row[0], dict(zip(names, entries, strict=True))))
    else:
        scores = by_class(model.decision_function(_each_left_out(row, entries)))
    gains: NDArray[Any] = scores[0] - scores[1:]
    return gains


def _each_left_out(row: sp.csr_array, features: list[NDArray[Any]]) -> sp.csr_array:
    """The row, and the row without each feature in turn; this explains any learner."""
    count, size = 1 + len(features), len(row.indices)
    data = np.tile(row.data, (count, 1))
    for place, gone in enumerate(features, 1):
        data[place, np.isin(row.indices, gone)] = 0.0
    starts = np.arange(0, count * size + 1, size) if size else np.zeros(count + 1, np.int32)
    return sp.csr_array((data.ravel(), np.tile(row.indices, count), starts), shape=(count, row.shape[1]))


def _strongest(gains: dict[str, NDArray[Any]], classes: list[str]) -> list[tuple[str, str, float]]:
    """The features that move the score most, each with the class that gains most from it."""
    found = []
    for name, gain in gains.items():
        best = int(np.argmax(gain))
        by = float(gain[best] - np.mean(gain))
        if by > 0:
            found.append((name, classes[best], by))
    return sorted(found, key=lambda pull: -pull[2])[:MOST_PULLS]


def _reason(fold: Fold, score: float, ask_probability: float) -> str:
    """Say why a label was asked for. It must not reveal the prediction, which may be hidden."""
    percent = 100 * ask_probability
    share = f"{percent:.0f} %" if 1 <= percent <= 99 else f"{percent:.2g} %"
    learner = fold.model.learner
    if isinstance(learner, ItemModel):
        return _reason_of_auto(share, at_random=ask_probability < 1)
    query = learner.query
    rule = query.inner if isinstance(query, AtRate) else query
    if isinstance(rule, Always):
        return "This task asks about every item, as far as the budget allows."
    if isinstance(rule, Random):
        return f"This task asks about {share} of the items at random, and this is one of them."
    if score == 0:
        return "The model knew nothing about this item: it had not learned any of its features yet."
    return (
        f"The model was in doubt: the score was {abs(score):.2g} from the decision boundary. "
        f"At that distance about {share} of the items are asked about."
    )


def _reason_of_auto(share: str, *, at_random: bool) -> str:
    if at_random:
        return (
            f"It was drawn at random: the model is certain enough of items like this, of which {share} are asked "
            "about all the same, to find errors that nobody expects."
        )
    return "It is one of the first items, or the model was less certain of it than of most of the items before it."
