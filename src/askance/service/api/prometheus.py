"""What Prometheus is all_figures: requests, and every task's figures with their intervals."""

from collections.abc import Iterable
from contextlib import suppress

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from askance.service import messages
from askance.service.service import Service

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
COUNTS = {
    "items": "Items decided",
    "asked": "Labels asked for",
    "labelled": "Items whose label was learned",
    "imported": "Labelled items imported",
    "corrected": "Items whose label was corrected",
    "waiting": "Questions that are waiting",
    "leased": "Questions that are leased",
    "given_up": "Questions given up",
    "items_per_second": "Items per second, over the last ten seconds",
    "labels_per_second": "Labels per second, over the last ten seconds",
    "version": "Journal entry of the last change of the model",
    "entries": "Journal entries",
}
WAIT = 5.0  # seconds to wait for the figures of a task


class Metrics(Collector):
    """The metrics registry of a service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "askance_requests", "Requests answered", ["route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "askance_request_seconds",
            "Seconds to the response",
            ["route"],
            buckets=SECONDS,
            registry=self._registry,
        )
        self._registry.register(self)

    def note(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """All metrics in the text format of Prometheus."""
        return generate_latest(self._registry)

    def describe(self) -> Iterable[Metric]:
        """Nothing to describe: the metrics are collected on request."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """Collect the figures of all tasks."""
        all_figures = {}
        for name, writer in list(self._service.writers.items()):
            with suppress(TimeoutError):  # a task that is replaying is left out
                all_figures[name] = writer.submit(writer.task.figures).result(WAIT)
        for field, text in COUNTS.items():
            gauge = GaugeMetricFamily(f"askance_task_{field}", text, labels=["task"])
            for name, figures in all_figures.items():
                gauge.add_metric([name], getattr(figures, field))
            yield gauge
        yield _estimates(all_figures)
        yield _spend(all_figures)


def _estimates(all_figures: dict[str, messages.Figures]) -> Metric:
    gauge = GaugeMetricFamily(
        "askance_task_estimate",
        "An estimated metric over all items: value, and low and high of the 95 % interval",
        labels=["task", "metric", "part"],
    )
    for name, figures in all_figures.items():
        for metric, figure in figures.estimates.items():
            for part in ("value", "low", "high"):
                number = getattr(figure, part)
                if number is not None:
                    gauge.add_metric([name, metric, part], number)
    return gauge


def _spend(all_figures: dict[str, messages.Figures]) -> Metric:
    gauge = GaugeMetricFamily(
        "askance_task_budget",
        "Labels that the budget has left, and labels that it refused",
        labels=["task", "part"],
    )
    for name, figures in all_figures.items():
        for part in ("left", "left_today", "refused", "today"):
            number = getattr(figures.spend, part)
            if number is not None:
                gauge.add_metric([name, part], number)
    return gauge
