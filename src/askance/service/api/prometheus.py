"""What Prometheus is figures_of: requests, and every task's figures with their intervals."""

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
    "waiting": "Questions that nobody has",
    "leased": "Questions that labellers have",
    "given_up": "Questions given up",
    "items_per_second": "Items a second, of the last ten",
    "labels_per_second": "Labels a second, of the last ten",
    "version": "Entry of the journal that the model was last changed by",
    "entries": "Entries of the journal",
}
WAIT = 5.0  # seconds for a task to tell its figures


class Metrics(Collector):
    """The registry of a service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "askance_requests", "Requests answered", ["route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "askance_request_seconds", "Time to the answer", ["route"], buckets=SECONDS, registry=self._registry
        )
        self._registry.register(self)

    def note(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """All figures in Prometheus' format."""
        return generate_latest(self._registry)

    def describe(self) -> Iterable[Metric]:
        """Nothing beforehand: figures are told when they are asked for."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """The figures of all tasks."""
        figures_of = {}
        for name, writer in list(self._service.writers.items()):
            with suppress(TimeoutError):  # it is replaying; the others are told
                figures_of[name] = writer.submit(writer.task.figures).result(WAIT)
        for field, text in COUNTS.items():
            gauge = GaugeMetricFamily(f"askance_task_{field}", text, labels=["task"])
            for name, figures in figures_of.items():
                gauge.add_metric([name], getattr(figures, field))
            yield gauge
        yield _estimates(figures_of)
        yield _spend(figures_of)


def _estimates(figures_of: dict[str, messages.Figures]) -> Metric:
    gauge = GaugeMetricFamily(
        "askance_task_estimate",
        "A metric of all items as the asked labels tell it: value, low and high of the 95 % interval",
        labels=["task", "metric", "part"],
    )
    for name, figures in figures_of.items():
        for metric, figure in figures.estimates.items():
            for part in ("value", "low", "high"):
                number = getattr(figure, part)
                if number is not None:
                    gauge.add_metric([name, metric, part], number)
    return gauge


def _spend(figures_of: dict[str, messages.Figures]) -> Metric:
    gauge = GaugeMetricFamily(
        "askance_task_budget", "What the budget has left, and what it refused", labels=["task", "part"]
    )
    for name, figures in figures_of.items():
        for part in ("left", "left_today", "refused", "today"):
            number = getattr(figures.spend, part)
            if number is not None:
                gauge.add_metric([name, part], number)
    return gauge
