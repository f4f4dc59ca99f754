"""The worker: finds items that wait without its guess, asks the model about each, and sends what it says."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from askance.errors import ServiceError
from askance.service.client import Client
from askance.service.label_sets import in_words
from askance.service.messages import ItemDetail, LateGuess
from askance.service.settings import TaskSettings
from askance.service.worker.model import LanguageModel, OutOfBudgetError, StoppedError
from askance.service.worker.prompt import LONGEST_EXAMPLE, LONGEST_ITEM, Example, content_of, prompt_of

PAGE = 100  # items per search
LOOKED_AT = 50  # similar items, of which those with a label are examples
PAUSE = 5.0  # seconds before it looks for new items
CONFLICT, GONE = 409, 404


@dataclass
class Done:
    """What was done: guesses sent, of which some were known before, and items without one."""

    guesses: int = 0
    from_cache: int = 0
    no_answer: int = 0
    no_content: int = 0
    spent: Decimal = Decimal(0)
    stopped: str = ""


class Worker:
    """Guesses the items of a task under a name."""

    def __init__(self, client: Client, model: LanguageModel, name: str, examples: int) -> None:
        self.done = Done()
        self._client = client
        self._model = model
        self._name = name
        self._examples = examples
        self._tried: set[int] = set()  # items without an answer

    def run(self, *, once: bool, wait: Callable[[float], bool], report: Callable[[Done], None]) -> None:
        """Guess until somebody stops it, the budget is spent or, `once`, nothing is left."""
        try:
            while True:
                settings = self._client.task_detail().settings
                if settings.multilabel:
                    raise ValueError(f"guesses: not possible in {settings.name}, which is a multilabel task")
                for item in self._wanted(settings):
                    if wait(0.0):
                        raise StoppedError
                    self._check_money(settings)
                    self._guess(settings, item)
                    report(self.done)
                if once or wait(PAUSE):
                    break
        except OutOfBudgetError:
            self.done.stopped = "budget"
        except StoppedError:
            self.done.stopped = "interrupted"

    def _wanted(self, settings: TaskSettings) -> Iterator[ItemDetail]:
        """The items to guess about: those that the task wants guesses for or, if it does not choose, all."""
        if settings.oracles.enough is None or self._name not in settings.oracles.guesses:
            yield from self._waiting()
            return
        while found := [one for one in self._client.wanted_guesses(self._name) if one.item not in self._tried]:
            yield from found

    def _waiting(self) -> Iterator[ItemDetail]:
        """The items that can be labelled now and have no guess of this name, in the order of their arrival."""
        before: int | None = None
        while True:
            found = self._client.search(state="open", order="oldest", before=before, count=PAGE)
            for item in found.items:
                if self._name not in (item.guesses or {}) and item.item not in self._tried:
                    yield item
            if found.before is None:
                return
            before = found.before

    def _check_money(self, settings: TaskSettings) -> None:
        """Stop before the model is asked if the task has prices, and not enough money is left for its guess."""
        price = settings.oracles.price_of(self._name)
        money = self._client.figures().spend.money if price else None
        if money is not None and money.left is not None and Decimal(money.left) < price:
            raise OutOfBudgetError

    def _guess(self, settings: TaskSettings, item: ItemDetail) -> None:
        content = content_of(item, LONGEST_ITEM)
        if content is None:
            self._tried.add(item.item)
            self.done.no_content += 1
            return
        messages = prompt_of(settings, content, self._nearest(item.item))
        found, known = self._model.guess(messages, settings.classes)
        if found is None:
            self._tried.add(item.item)
            self.done.no_answer += 1
            return
        guess = LateGuess(label=found.label, confidence=found.confidence, name=self._name, item=item.item)
        if self._is_there(lambda: self._client.guess([guess])):
            self.done.guesses += 1
            self.done.from_cache += known
        else:
            self._tried.add(item.item)

    def _nearest(self, item: int) -> list[Example]:
        """The nearest items that people have labelled."""
        examples: list[Example] = []

        def look() -> None:
            for one in self._client.similar(item, LOOKED_AT).items:
                content = content_of(one.item, LONGEST_EXAMPLE)
                if one.item.label is not None and content is not None and len(examples) < self._examples:
                    examples.append(Example(content, in_words(one.item.label)))

        if self._examples:
            self._is_there(look)
        return examples

    @staticmethod
    def _is_there(work: Callable[[], Any]) -> bool:
        """Do something with an item; whether it was there: somebody may have deleted it."""
        try:
            work()
        except ServiceError as error:
            if error.code == "budget_spent":  # others have spent it since
                raise OutOfBudgetError from None
            if error.status not in (CONFLICT, GONE):
                raise
            return False
        return True
