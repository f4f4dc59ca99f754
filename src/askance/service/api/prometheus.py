"""Metrics for Prometheus: requests, and every task's figures with their intervals."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress

from prometheus_client import CollectorRegistry, Counter, Histogram, Info, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from askance import __version__
from askance.service import messages
from askance.service.api.refusals import Refusals
from askance.service.errors import RequestError
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
    "deleted": "Items deleted",
    "items_per_second": "Items per second, over the last ten seconds",
    "labels_per_second": "Labels per second, over the last ten seconds",
    "version": "Journal entry of the last change of the model",
    "entries": "Journal entries",
}
WAIT = 5.0  # seconds to wait for the figures of a task


class Metrics:
    """The metrics of a service: those that are counted, and those that are collected for each scrape."""

    def __init__(self, service: Service, refusals: Refusals) -> None:
        self._service = service
        self._refusals = refusals
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
        Info("askance_build", "The version of askance", registry=self._registry).info({"version": __version__})
        ProcessCollector(registry=self._registry)

    def note(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, status).inc()
        self._seconds.labels(route).observe(seconds)

    async def text(self, tasks: Collection[str] | None = None, *, store_up: bool) -> bytes:
        """All metrics in the text format of Prometheus, or those of some tasks without the requests."""
        shown = list(self._service.writers) if tasks is None else list(tasks)
        scrape = CollectorRegistry()
        refusals = self._refusals if tasks is None else None
        broken = [name for name in self._service.broken if tasks is None or name in tasks]
        served = [name for name in shown if name in self._service.writers]
        figures = await self._figures_of(served)
        webhooks = [one for one in self._service.webhooks.all() if one[0] in served]
        scrape.register(Scrape(served, figures, broken, webhooks, refusals, store_up=store_up))
        requests = generate_latest(self._registry) if tasks is None else b""
        return requests + generate_latest(scrape)

    async def _figures_of(self, tasks: Collection[str]) -> dict[str, messages.Figures]:
        """The figures of tasks that answer in time: not of those that replay, or whose store is away."""
        asked: dict[asyncio.Future[messages.Figures], str] = {}
        for name, writer in list(self._service.writers.items()):
            if name not in tasks:
                continue
            with suppress(RequestError):  # the service stops
                asked[asyncio.wrap_future(writer.submit(writer.task.figures))] = name
        if not asked:
            return {}
        done, late = await asyncio.wait(asked, timeout=WAIT)
        for coming in late:
            coming.cancel()
        return {asked[coming]: coming.result() for coming in done if coming.exception() is None}


class Scrape(Collector):
    """What is collected for one scrape."""

    def __init__(
        self,
        tasks: Collection[str],
        all_figures: dict[str, messages.Figures],
        broken: Collection[str],
        webhooks: Sequence[tuple[str, messages.Webhook]],
        refusals: Refusals | None,
        *,
        store_up: bool,
    ) -> None:
        self._tasks = tasks
        self._broken = broken
        self._webhooks = webhooks
        self._all_figures = all_figures
        self._refusals = refusals
        self._store_up = store_up

    def collect(self) -> Iterable[Metric]:
        """Collect the figures of the tasks, and what is missing."""
        for field, text in COUNTS.items():
            gauge = GaugeMetricFamily(f"askance_task_{field}", text, labels=["task"])
            for name, figures in self._all_figures.items():
                gauge.add_metric([name], getattr(figures, field))
            yield gauge
        yield _broken(self._tasks, self._broken)
        yield _estimates(self._all_figures)
        yield _spend(self._all_figures)
        yield from _money(self._all_figures)
        yield from _certificates(self._all_figures)
        yield _drifts(self._all_figures)
        if self._refusals is not None:
            yield _refused(self._refusals)
        yield GaugeMetricFamily("askance_store_up", "1 if the store answers", float(self._store_up))
        up = GaugeMetricFamily(
            "askance_task_up", "1 if the figures of the task are in this scrape", labels=["task"]
        )
        for name in self._tasks:
            up.add_metric([name], float(name in self._all_figures))
        yield up
        yield from _webhooks(self._webhooks)


def _refused(refusals: Refusals) -> Metric:
    counter = CounterMetricFamily("askance_refused", "Connections and requests refused", labels=["reason"])
    for reason, count in list(refusals.counts.items()):
        counter.add_metric([reason], count)
    return counter


def _broken(tasks: Collection[str], broken: Collection[str]) -> Metric:
    gauge = GaugeMetricFamily("askance_task_broken", "1 if a task cannot be served", labels=["task"])
    for name in tasks:
        gauge.add_metric([name], 0)
    for name in broken:
        gauge.add_metric([name], 1)
    return gauge


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


def _money(all_figures: dict[str, messages.Figures]) -> Iterable[Metric]:
    """Of tasks that have prices."""
    paid = GaugeMetricFamily("askance_task_paid", "What the answers of an oracle cost", labels=["task", "oracle"])
    decided = GaugeMetricFamily("askance_task_decided", "Items that an oracle decided", labels=["task", "oracle"])
    left = GaugeMetricFamily("askance_task_money_left", "Money that the budget has left", labels=["task"])
    for name, money in ((name, figures.spend.money) for name, figures in all_figures.items()):
        for one in () if money is None else money.oracles:
            paid.add_metric([name, one.name], float(one.paid))
            decided.add_metric([name, one.name], one.decided)
        if money is not None and money.left is not None:
            left.add_metric([name], float(money.left))
    return paid, decided, left


def _certificates(all_figures: dict[str, messages.Figures]) -> Iterable[Metric]:
    """Of tasks in which something is to be certified."""
    words = {
        "certified": "1 if confident predictions are certified, and decided without people",
        "certified_share": "The share of recent items with a confident prediction, 0 if they are not certified",
        "certified_error": "The share of wrong predictions that the certificate allows",
        "certified_unanswered": "Checks of confident predictions that have no answer",
    }
    found = {name: one.certificate for name, one in all_figures.items() if one.certificate is not None}
    for field, text in words.items():
        gauge = GaugeMetricFamily(f"askance_task_{field}", text, labels=["task"])
        for name, certificate in found.items():
            holds = certificate.state == "certified"
            values = {
                "certified": float(holds),
                "certified_share": certificate.share if holds else 0.0,
                "certified_error": certificate.error,
                "certified_unanswered": certificate.unanswered,
            }
            gauge.add_metric([name], values[field])
        yield gauge


def _drifts(all_figures: dict[str, messages.Figures]) -> Metric:
    words = "1 if predictions have become worse in the last seven days"
    gauge = GaugeMetricFamily("askance_task_drift", words, labels=["task"])
    for name, figures in all_figures.items():
        gauge.add_metric([name], float(figures.drift is not None))
    return gauge


def _webhooks(found: Sequence[tuple[str, messages.Webhook]]) -> Iterable[Metric]:
    words = {
        "behind": "Journal entries that a webhook has not dealt with",
        "failures": "Failures of a webhook since its last delivery",
        "delivered": "Events that a webhook has delivered since the service started",
        "disabled": "1 if a webhook was disabled because it failed for too long",
    }
    for field, text in words.items():
        gauge = GaugeMetricFamily(f"askance_webhook_{field}", text, labels=["task", "webhook"])
        for task, webhook in found:
            value = getattr(webhook, field)
            gauge.add_metric([task, str(webhook.number)], value if isinstance(value, int) else value is not None)
        yield gauge
