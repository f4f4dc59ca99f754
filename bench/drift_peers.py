"""The peers of drift: ADWIN of river, and the stream strategies of scikit-activeml."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bench.drift_streams import Stream
from bench.league.tasks import embedded
from bench.league.with_activeml import known_classifier

STRATEGIES = (
    *("StreamRandomSampling", "PeriodicSampling", "FixedUncertainty", "VariableUncertainty"),
    *("RandomVariableUncertainty", "Split", "StreamDensityBasedAL"),
    "CognitiveDualQueryStrategyRan",
)
LABELLED = 1000  # rows from which their classifier learns, the latest
FIRST = 10  # labels that are asked for at once, as our learner does
AHEAD = 50  # rows that are predicted together
BLIND = {"StreamRandomSampling", "PeriodicSampling"}  # that look at no row


def adwin(wrong: NDArray[np.bool_]) -> list[int]:
    """The places of the alarms of river's ADWIN among these labels."""
    from river.drift import ADWIN

    detector, found = ADWIN(), []
    for place, mistake in enumerate(wrong.tolist()):
        detector.update(int(mistake))
        if detector.drift_detected:
            found.append(place)
    return found


def accuracy(name: str, stream: Stream, labels: int, order: int) -> tuple[float, int]:
    """The accuracy over the stream of a strategy with its usual classifier, and the labels it asked for."""
    from skactiveml import stream as strategies
    from skactiveml.classifier import ParzenWindowClassifier

    X, y, classes = _rows(stream.X), stream.y, np.unique(stream.y)
    more = {"classes": classes} if name == "FixedUncertainty" else {}
    strategy = getattr(strategies, name)(budget=labels / len(y), random_state=order, **more)
    classifier, seen = ParzenWindowClassifier(classes=classes, random_state=order), known_classifier()
    asked: list[int] = []
    right, first, chances = 0, 0, np.empty((0, len(classes)))
    for row in range(len(y)):
        if row >= first + len(chances):
            first, chances = row, _chances(classifier, X[row : row + AHEAD], asked, len(classes))
        seen.chances = chances[row - first]
        right += classes[seen.chances.argmax()] == y[row]
        if len(asked) < labels and (len(asked) < FIRST or _asks(strategy, X[row : row + 1], seen, name)):
            asked.append(row)
            classifier.fit(X[asked[-LABELLED:]], y[asked[-LABELLED:]])
            first, chances = row + 1, np.empty((0, len(classes)))
    return float(right / len(y)), len(asked)


def _chances(classifier: Any, X: NDArray[np.float64], asked: list[int], classes: int) -> NDArray[np.float64]:
    found: NDArray[np.float64] = classifier.predict_proba(X) if asked else np.full((len(X), classes), 1 / classes)
    return found


def _asks(strategy: Any, row: NDArray[np.float64], seen: Any, name: str) -> bool:
    more = {} if name in BLIND else {"clf": seen}
    found = strategy.query(candidates=row, **more)
    strategy.update(candidates=row, queried_indices=found)
    return len(found) > 0


def _rows(X: Any) -> NDArray[np.float64]:
    """Columns with mean 0 and deviation 1; terms as vectors."""
    if sp.issparse(X):
        return embedded(X) * 10.0
    deviations = X.std(axis=0)
    scaled: NDArray[np.float64] = (X - X.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0)
    return scaled
