"""What the current model says of items that need not be stored."""

from typing import Any

import numpy as np

from askance.service import messages
from askance.service.label_sets import label_of
from askance.service.state.finite import NotFiniteError
from askance.service.state.fold import Fold
from askance.service.state.multilabel_model import MultiLabelModel
from askance.service.state.ranking import leads_of


def predictions_of(fold: Fold, rows: Any) -> list[messages.Prediction]:
    """What the current model says of rows; NotFiniteError names the first one about which it says nonsense."""
    model, settings = fold.model.learner, fold.settings
    if isinstance(model, MultiLabelModel):
        names, shares = model.probabilities(rows)
        classes = list(map(settings.name_of, names.tolist()))
        sets, scores = model.predicted(rows)
        more: list[dict[str, float] | None] = [dict(zip(classes, row, strict=True)) for row in shares.tolist()]
    else:
        sets, scores = [str(label) for label in model.predict(rows)], model.decision_function(rows)
        scores = leads_of(scores) if scores.ndim == 2 else scores
        more = [None] * len(sets)
    if not np.isfinite(scores).all():
        raise NotFiniteError(changed=False, place=int(np.argmin(np.isfinite(scores))))
    labels = (label_of(settings, label) for label in sets)
    return [messages.Prediction(*each) for each in zip(labels, scores.tolist(), more, strict=True)]
