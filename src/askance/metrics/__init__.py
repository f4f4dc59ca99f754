"""Online metrics: running counts, metrics by name, and learning curves."""

from askance.metrics.asked import AskedTally
from askance.metrics.augmented import augmented_estimate
from askance.metrics.certificate import Certificate, Certifier
from askance.metrics.curve import Curve, CurveRecorder, curve
from askance.metrics.drift import Drift, DriftDetector, ScoreDriftDetector
from askance.metrics.estimates import Estimate
from askance.metrics.evaluation import Evaluation
from askance.metrics.forecast import Forecast, LabelsNeeded
from askance.metrics.guesses import guess_columns
from askance.metrics.histograms import Area, Bins, Histograms
from askance.metrics.measures import METRICS, Counts, Metric, measure
from askance.metrics.recall import RecallCertifier
from askance.metrics.regression import Errors, asked_errors, regression_errors
from askance.metrics.tally import Tally

__all__ = [
    "METRICS",
    "Area",
    "AskedTally",
    "Bins",
    "Certificate",
    "Certifier",
    "Counts",
    "Curve",
    "CurveRecorder",
    "Drift",
    "DriftDetector",
    "Errors",
    "Estimate",
    "Evaluation",
    "Forecast",
    "Histograms",
    "LabelsNeeded",
    "Metric",
    "RecallCertifier",
    "ScoreDriftDetector",
    "Tally",
    "asked_errors",
    "augmented_estimate",
    "curve",
    "guess_columns",
    "measure",
    "regression_errors",
]
