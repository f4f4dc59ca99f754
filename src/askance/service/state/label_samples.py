"""The sets of labels of audits, as matrices."""

from collections.abc import Mapping

import numpy as np

from askance.metrics.label_samples import LabelSample
from askance.service.set_text import parted
from askance.service.settings import TaskSettings
from askance.service.state.audits import Audit, Sample
from askance.typing import BoolArray


def label_sample(
    sample: Sample, settings: TaskSettings, predictions: Mapping[int, str] | None = None
) -> LabelSample:
    """What a sample carries and what was predicted, on arrival or as given."""
    answered = [(item, audit) for item, audit in sample.audits if audit.label is not None]
    others = [(item, audit) for item, audit in sample.audits if audit.label is None]

    def said(audits: list[tuple[int, Audit]]) -> BoolArray:
        texts = [audit.prediction if predictions is None else predictions[item] for item, audit in audits]
        return _matrix(texts, settings)

    truth = _matrix([audit.label or "[]" for _, audit in answered], settings)
    return LabelSample(truth, said(answered), said(others))


def _matrix(texts: list[str], settings: TaskSettings) -> BoolArray:
    """Sets of labels as rows, with one column per class."""
    places = {name: place for place, name in enumerate(settings.ids)}
    found = np.zeros((len(texts), len(places)), bool)
    for row, text in enumerate(texts):
        found[row, [places[name] for name in parted(text)]] = True
    return found
