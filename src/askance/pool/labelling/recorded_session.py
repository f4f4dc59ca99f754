"""A labelling session whose answers are on disk before they count."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askance.data.files import shown
from askance.errors import DataError
from askance.pool.labelling.journal import Header, Journal, recorded
from askance.pool.labelling.screening_session import ScreeningSession, screening_classes
from askance.pool.labelling.session import Answer, LabellingSession, Session
from askance.pool.labelling.table import LabelTable, Reading

DEFAULTS: dict[str, Any] = {
    **Reading()._asdict(),
    "classes": (),
    "audit": 0.2,
    "seed": 0,
    "recall": None,  # a share of the positive class: read until it is found
    "positive": None,
}
AnySession = LabellingSession | ScreeningSession


@dataclass(eq=False)
class RecordedSession:
    """A session with its journal, if it has one.

    `is_settled` is False while an answer is being learned or undone. If that is interrupted, what is in memory may
    be incomplete: open the session again.
    """

    session: AnySession
    journal: Journal | None
    is_settled: bool = True

    def answer(self, label: str | None) -> Answer:
        """Answer the question, or skip it with None."""
        question = self.session.question()
        if question is None:
            raise ValueError("all rows have been answered: there is no question")
        found = Answer(question, label)
        with self._settling():
            if self.journal is not None:
                self.journal.add(found)
            self.session.repeat([found])
        return found

    def undo(self) -> Answer | None:
        """Undo the last answer and return it; None if there is none."""
        if not self.session.answers:
            return None
        with self._settling():
            if self.journal is not None:
                self.journal.undo(self.session.answers[-1])
            return self.session.undo()

    @contextmanager
    def _settling(self) -> Iterator[None]:
        self.is_settled = False
        yield
        self.is_settled = True

    @property
    def has_model(self) -> bool:
        """Whether there are labels of two classes."""
        return len(self.session.counts) > 1


def new_session(table: LabelTable, settings: Mapping[str, Any]) -> AnySession:
    """A session about a table, before the first answer."""
    if settings["recall"] is None:
        return LabellingSession(
            table.X,
            known=table.known,
            classes=settings["classes"],
            audit=settings["audit"],
            random_state=settings["seed"],
        )
    in_file = sorted({*table.known.values(), *table.answers.values()})
    positive, classes = screening_classes(settings["positive"], settings["classes"], in_file)
    return ScreeningSession(
        table.X,
        recall=settings["recall"],
        positive=positive,
        known=table.known,
        classes=classes,
        random_state=settings["seed"],
    )


@contextmanager
def opened_journal(session: Session, path: Path, header: Header, otherwise: str) -> Iterator[Journal]:
    """Open or begin a journal, and let the session repeat its answers. `otherwise` is what else one can do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with Journal.opened(path, header, otherwise) as (journal, answers):
        try:
            session.repeat(answers)
        except ValueError as error:
            raise DataError(f"{path}: {error}: restore a backup, or {otherwise}") from None
        yield journal


def begun_settings(journal: Path | None, given: Mapping[str, Any], otherwise: str) -> dict[str, Any]:
    """All settings: those of the journal if there is one, or else those given and the defaults.

    Raises DataError if the journal was begun with others than those given.
    """
    wanted = _as_json(given)
    if journal is None or not journal.exists():
        return {**_as_json(DEFAULTS), **wanted}
    # Journals of earlier versions do not have all settings: they were begun with what is the default now.
    begun = {**_as_json(DEFAULTS), **recorded(journal).header.settings}
    for name, value in wanted.items():
        if begun.get(name) != value:
            raise DataError(
                f"{journal}: was begun with {name} {shown(begun.get(name))}, not {shown(value)}: leave it out, or "
                f"{otherwise}",
                parameter="out",
            )
    return begun


def reading_of(settings: Mapping[str, Any]) -> Reading:
    """How a journal says that its table is read; raises DataError if it does not."""
    if not set(settings) <= set(DEFAULTS):
        raise DataError("the journal has other settings than this askance knows: upgrade askance")
    return Reading(**{name: settings.get(name, DEFAULTS[name]) for name in Reading._fields})


def _as_json(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}
