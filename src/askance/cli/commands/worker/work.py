"""The work of `askance worker`."""

import os
from contextlib import closing
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from askance.annotators.prices import money
from askance.cli.output.console import print_json, stdout
from askance.cli.output.progress import progress
from askance.cli.stopping import stopped_by_signals
from askance.errors import ParameterError
from askance.service.client import Client
from askance.service.worker.hosts import KEY, allowed_hosts, checked_url
from askance.service.worker.ledger import ZERO, Ledger, Prices
from askance.service.worker.model import LanguageModel, Model
from askance.service.worker.worker import Done, Worker


class WorkerRequest(NamedTuple):
    """The options of `askance worker`."""

    task: str
    model: str
    model_url: str
    allow_host: list[str]
    name: str
    examples: int
    constrain: bool
    price: str | None
    token_price: str | None
    budget: str | None
    per_minute: float | None
    timeout: float
    cache: Path
    once: bool
    url: str | None
    token: str | None


def guess_items(request: WorkerRequest, *, as_json: bool) -> None:
    """Guess until somebody stops it, and print the counts."""
    prices = _prices(request)
    key = os.environ.get(KEY) or None
    address = checked_url(request.model_url, allowed_hosts(request.allow_host), has_key=key is not None)
    model = Model(request.model, address, key, request.constrain, request.per_minute, request.timeout)
    with (
        Client(request.url, request.token, request.task) as client,
        Ledger(request.cache, prices) as ledger,
        stopped_by_signals() as stopped,
        closing(LanguageModel(model, ledger, stopped.wait)) as language_model,
        progress("guessing") as bar,
    ):
        worker = Worker(client, language_model, request.name, request.examples)

        def report(done: Done) -> None:
            bar(done.guesses, None, f"{done.guesses:,} guesses, {done.no_answer:,} without an answer")

        try:
            worker.run(once=request.once, wait=stopped.wait, report=report)
        finally:
            worker.done.spent = ledger.spent
    if as_json:
        print_json(asdict(worker.done) | {"spent": str(worker.done.spent)})
    else:
        _show(worker.done, prices)


def _prices(request: WorkerRequest) -> Prices:
    if request.price is not None and request.token_price is not None:
        raise ValueError("--price and --token-price are two ways to say what it costs: give one of them")
    if request.budget is not None and request.price is None and request.token_price is None:
        raise ValueError("--budget needs a price: give --price or --token-price")
    budget = None if request.budget is None else _money("--budget", request.budget)
    return Prices(_money("--price", request.price), _money("--token-price", request.token_price), budget)


def _money(option: str, text: str | None) -> Decimal:
    if text is None:
        return ZERO
    try:
        return money(text, "worker", option)
    except ParameterError:
        raise ValueError(f"{option} {text}: give an amount of money such as 0.002") from None


def _show(done: Done, prices: Prices) -> None:
    console = stdout()
    console.print(f"{done.guesses:,} guesses were sent, of which {done.from_cache:,} were known before.")
    if done.no_answer:
        console.print(f"{done.no_answer:,} items got no answer in the form that was asked for.")
    if done.no_content:
        console.print(f"{done.no_content:,} items have nothing that a language model can read.")
    if prices.answer or prices.tokens:
        console.print(f"{done.spent} was spent so far.")
    if done.stopped == "budget":
        console.print("The budget does not have enough left for another answer.")
