"""The current model: its strongest features, versions and rollbacks."""

import numpy as np
import scipy.sparse as sp

from askance.service import messages
from askance.service.columns import vector_name
from askance.service.label_sets import class_counts
from askance.service.state import journal
from askance.service.state.fold import Fold
from askance.service.state.item_model import ItemModel
from askance.service.state.rows import has_content
from askance.service.store import Store
from askance.service.task import Task
from askance.service.transaction import Transaction
from askance.service.views.explain import by_class
from askance.service.views.features import columns, named
from askance.service.views.items import items_of

LOOKED_AT = 2000  # newest labelled items whose features are considered
STRONGEST = 25  # features per class


def detail(store: Store, task: Task) -> messages.ModelDetail:
    """Everything that is shown of the current model."""
    fold = task.fold
    names, looked_at = _recent_features(store, task.number, fold)
    rolled_back = store.at(task.number, list(fold.amendments.rolled_back))
    return messages.ModelDetail(
        fold.version,
        fold.settings.method,
        class_counts(fold.settings, fold.classes),
        _strongest(fold, names),
        looked_at,
        _versions(fold),
        [
            messages.StandingRollback(
                seq, journal.read(entry).to, entry.who, entry.at, seq in fold.amendments.undone
            )
            for seq, entry in sorted(rolled_back.items())
        ],
        fold.model.learned,
    )


def _recent_features(store: Store, number: int, fold: Fold) -> tuple[list[str], int]:
    """The features of the newest items that have or may get a label: a model knows no others."""
    names: dict[str, None] = {}
    looked_at = 0
    for batch in store.newest(number, None, (*journal.ASKED_ITEMS, journal.IMPORTED), LOOKED_AT):
        for body in map(journal.read, items_of(Transaction(fold, store, number, 0.0), batch).values()):
            if has_content(fold.settings, body):
                names |= dict.fromkeys(named(fold.settings, body))
                looked_at += 1
        break
    return list(names), looked_at


def _strongest(fold: Fold, names: list[str]) -> dict[str, list[messages.Strength]]:
    """For each class, the features that add most to its score when an item has no other feature.

    Numbers with scales of their own and vectors are left out: what they add depends on how large they are.
    """
    with fold.model.lock:
        model = fold.model.learner
        names = [name for name in names if not _depends_on_size(fold, name)]
        if not names or fold.model.diverged:
            return {name: [] for name in fold.settings.classes}
        rows = columns(fold.settings, names)
        rows = sp.vstack([sp.csr_array((1, rows.shape[1]), dtype=rows.dtype), rows], format="csr")
        score = model.scores_of_terms if isinstance(model, ItemModel) else model.decision_function
        classes, (nothing, *alone) = model.classes_.tolist(), by_class(score(rows))
    gains = np.array(alone) - nothing  # a model with an intercept has an opinion of an item without features
    if not fold.settings.multilabel:  # then what speaks for one class speaks against the others
        gains -= gains.mean(axis=1, keepdims=True)
    found: dict[str, list[messages.Strength]] = {name: [] for name in fold.settings.classes}
    for place, name in enumerate(classes):
        order = np.argsort(-gains[:, place], kind="stable")[:STRONGEST]
        found[fold.settings.name_of(name)] = [
            messages.Strength(names[row], float(gains[row, place])) for row in order if gains[row, place] > 0
        ]
    return found


def _depends_on_size(fold: Fold, name: str) -> bool:
    """Whether what a feature adds depends on how large it is."""
    model, length = fold.model.learner, fold.settings.vector_length
    is_dense = isinstance(model, ItemModel) and model.has_column(name)
    return is_dense or (length is not None and name == vector_name(length))


def _versions(fold: Fold) -> list[messages.Version]:
    """The current version and those at the points of the history, the newest first."""
    found: dict[int, messages.Version] = {}
    for point in fold.history.points:
        if point.version:
            found.setdefault(
                point.version,
                messages.Version(point.version, point.at, point.rows, point.labelled, point.estimates),
            )
    if fold.version:
        now = messages.Version(fold.version, fold.at, fold.ledger.rows, fold.counts.labelled, {})
        found.setdefault(fold.version, now)
    return list(reversed(found.values()))
