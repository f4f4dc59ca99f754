"""What the columns of an uploaded file hold: a guess for a task, what else may be chosen, and what follows."""

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from askance.data.cells import is_missing
from askance.data.jsonl import JsonRecord
from askance.data.kinds import CATEGORY, DATE, LEFT_OUT, NUMBER, TEXT, ColumnPlan
from askance.data.multilabel import USUAL, labels_in
from askance.data.raw_rows import RawRows
from askance.data.recipe import LABEL_NAMES, Fields
from askance.data.tables import HEAD_ROWS
from askance.errors import DataError
from askance.service.columns import Column
from askance.service.files.choices import ColumnChoices
from askance.service.files.columns import head_batch, plan_of_head
from askance.service.files.guesses import guess_columns
from askance.service.files.items import USUAL_ID, USUAL_TEXT, Roles, label_name, vector_columns
from askance.service.messages import MOST_COLUMNS, UploadColumn
from askance.service.settings import TaskSettings

ID, LABEL, IGNORED, OBJECT, VECTOR, GUESS = "id", "label", "ignored", "object", "vector", "guess"
FEATURES = (TEXT, NUMBER, CATEGORY, DATE)
SHOWN_ROWS, SHOWN_LETTERS = 5, 80


class Head(NamedTuple):
    """The first rows of a file, and what they tell about its columns.

    `nested` are columns of objects and lists, `vectors` those of the vectors of the task, and `guesses` those of
    guesses. `plan` has the others.
    """

    entries: Sequence[JsonRecord]
    names: list[str]
    nested: frozenset[str]
    vectors: tuple[str, ...]
    plan: Mapping[str, ColumnPlan]
    guesses: tuple[str, ...] = ()

    def values(self, name: str) -> list[Any]:
        """The values of a column that are not missing."""
        return [value for entry in self.entries if not is_missing(value := entry.record.get(name))]

    def length(self, name: str) -> float:
        """How long the texts of a column are on average; 0 if they are not texts."""
        values = self.values(name)
        if not values or not all(isinstance(value, str) for value in values):
            return 0.0
        return sum(map(len, values)) / len(values)


def head_of(rows: RawRows, settings: TaskSettings) -> Head:
    """The first rows; DataError if there are none, or far too many columns."""
    entries = rows.first(HEAD_ROWS)
    if not entries:
        raise DataError(f"{rows.path}: has no rows below the header: check how it was made")
    names = list(dict.fromkeys(chain.from_iterable(entry.record for entry in entries)))
    if len(names) > MOST_COLUMNS:
        raise DataError(
            f"{rows.path}: has {len(names):,} columns, and at most {MOST_COLUMNS:,} can be uploaded: "
            "leave some out, or send it with askance push"
        )
    batch = head_batch(rows, entries)
    vectors = vector_columns(ColumnChoices(), settings, names, rows.where(entries[0].line))
    plain = [name for name in names if name in batch.columns and name not in vectors]
    plan = {column.name: column for column in plan_of_head(batch, plain, {})}
    nested = frozenset({*names} - {*batch.columns} - {*vectors})
    first = {name: entry.record[name] for entry in reversed(entries) for name in entry.record}
    return Head(entries, names, nested, vectors, plan, guess_columns(settings, first))


class Kinds(NamedTuple):
    """The kinds of the columns of a file for a task. If the task `opens`, they become those of the task."""

    head: Head
    settings: TaskSettings
    opens: bool

    def guessed(self) -> dict[str, str]:
        """The kind of each column."""
        kinds = {name: self._guess(name) for name in self.head.names}
        if (label := self._label(kinds)) is not None:
            kinds[label] = LABEL
        if USUAL_ID in kinds and ID in self.choices(USUAL_ID):
            kinds[USUAL_ID] = ID
        if "text" in self.settings.parts and (text := self._text(kinds)) is not None:
            kinds[text] = TEXT
        main = self.main_text(kinds)
        if self.settings.only_texts and main is not None:  # what stands beside a text is most often not about it
            return {name: IGNORED if name != main and _is_used(kind) else kind for name, kind in kinds.items()}
        if self._has_one_text:
            texts = set(self._texts(kinds)) - {main}
            kinds = {name: IGNORED if name in texts else kind for name, kind in kinds.items()}
        return kinds

    def aimed(self, kinds: Mapping[str, str]) -> "Kinds":
        """The same for the task as this file makes it: items of a new task of texts are records if it has more."""
        used = [kind for kind in kinds.values() if _is_used(kind)]
        if not (self.opens and self.settings.only_texts) or used == [TEXT]:
            return self
        return self._replace(settings=msgspec.structs.replace(self.settings, item="record"))

    def choices(self, name: str) -> list[str]:
        """The kinds that a column may have; the first ones are features."""
        if not name:
            return [IGNORED]
        if name in self.head.vectors:
            return [VECTOR]
        if name in self.head.guesses:
            return [GUESS, IGNORED]
        has_record = "record" in self.settings.parts or self.opens
        if name in self.head.nested:
            labels = [LABEL] if self.settings.multilabel else []
            return [OBJECT, *labels, IGNORED] if has_record else [*labels, IGNORED]
        if self._settled(name) not in (None, IGNORED):
            return [str(self._settled(name))]
        features: list[str] = []
        if self.opens:
            features = [*FEATURES]
        elif has_record and not self.settings.columns:
            features = [self._planned(name)] if self._planned(name) != IGNORED else [CATEGORY]
        if "text" in self.settings.parts and TEXT not in features:
            features.insert(0, TEXT)
        return [*features, ID, LABEL, IGNORED]

    def chosen(self, before: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, str]:
        """The kinds with some changes; one column at most is the label, the id, or the only text."""
        kinds = dict(before)
        for name, kind in wanted.items():
            if name not in kinds:
                raise DataError(f"there is no column {name!r} in this file: reload the page")
            if kind not in self.choices(name):
                raise DataError(f"the column {name!r} cannot be {kind} in this task: choose another kind")
            if kind in (LABEL, ID):
                kinds = {other: IGNORED if given == kind else given for other, given in kinds.items()}
            elif kind == TEXT and self._has_one_text:
                kinds |= dict.fromkeys(self._texts(kinds), IGNORED)
            kinds[name] = kind
        return kinds

    def shown(self, kinds: Mapping[str, str]) -> list[UploadColumn]:
        """The columns as people see them."""
        rows = self.head.entries[:SHOWN_ROWS]
        return [
            UploadColumn(
                name,
                kinds[name],
                self.choices(name),
                self._reason(name, kinds[name]),
                [_shown(entry.record.get(name)) for entry in rows],
            )
            for name in self.head.names
        ]

    def roles(self, kinds: Mapping[str, str]) -> Roles:
        """Which columns are the text, the id and the label, and which are left out."""
        of = {kind: name for name, kind in kinds.items() if kind in (LABEL, ID)}
        text = self.main_text(kinds)
        if text is None and self.settings.only_texts:
            raise DataError("no column is the text of the items: choose which one it is")
        if not any(map(_is_used, kinds.values())):
            raise DataError("no column is left to learn from: choose what one of them holds")
        left_out = frozenset({"", *(name for name, kind in kinds.items() if kind in (IGNORED, LABEL))})
        guesses = tuple(name for name, kind in kinds.items() if kind == GUESS)
        return Roles(Fields(of.get(LABEL), text, left_out), of.get(ID), self.head.vectors, guesses)

    def given(self, kinds: Mapping[str, str]) -> dict[str, str]:
        """The columns of records whose kind is not the one that was guessed."""
        features = {
            name: kind for name, kind in kinds.items() if kind in FEATURES and name != self.main_text(kinds)
        }
        return {name: kind for name, kind in features.items() if self._planned(name) != kind}

    def main_text(self, kinds: Mapping[str, str]) -> str | None:
        """The column with the text of the items: of several with texts, that with the longest."""
        if "text" not in self.settings.parts:
            return None
        return max(self._texts(kinds), key=self.head.length, default=None)

    @property
    def _has_one_text(self) -> bool:
        """Whether a second text would have no place, as there are no records or their columns are settled."""
        return not self.opens and ("record" not in self.settings.parts or bool(self.settings.columns))

    def _texts(self, kinds: Mapping[str, str]) -> list[str]:
        """The texts that are not columns of the task's records."""
        return [name for name, kind in kinds.items() if kind == TEXT and self._settled(name) in (None, IGNORED)]

    def _guess(self, name: str) -> str:
        choices = self.choices(name)
        if len(choices) == 1 or choices[0] in (OBJECT, GUESS):
            return choices[0]
        return kind if (kind := self._planned(name)) in choices else IGNORED

    def _planned(self, name: str) -> str:
        kind = self.head.plan[name].kind
        return IGNORED if kind == LEFT_OUT else kind

    def _settled(self, name: str) -> str | None:
        """The kind of a column of the task; None if it has no such column."""
        column = self.settings.columns.get(name)
        kind = column.kind if isinstance(column, Column) else column
        return IGNORED if kind == ID else kind

    def _label(self, kinds: Mapping[str, str]) -> str | None:
        """A column whose values are all classes, or else one with a usual name."""
        possible = [name for name in kinds if LABEL in self.choices(name)]
        for name in possible:
            values = {part for value in self.head.values(name) for part in self._names(value)}
            if values and all(map(self.settings.knows, values)):
                return name
        spelled = {name.lower(): name for name in reversed(possible)}
        usual_names = USUAL if self.settings.multilabel else LABEL_NAMES
        return next((spelled[usual] for usual in usual_names if usual in spelled), None)

    def _names(self, value: Any) -> list[str]:
        """The names of classes in a value, if it were a label; an empty name if it cannot be one."""
        if not self.settings.multilabel:
            return [label_name(value)]
        try:
            return labels_in(value, None, lambda: "")
        except DataError:
            return [""]

    def _text(self, kinds: Mapping[str, str]) -> str | None:
        """The column that must be a text, if none was recognised as one.

        If items are only texts it is the longest; in a new task, which may also become one of records, it is the
        only one with words.
        """
        possible = [name for name, kind in kinds.items() if TEXT in self.choices(name) and kind not in (ID, LABEL)]
        if USUAL_TEXT in possible:
            return USUAL_TEXT
        if not self.settings.only_texts or any(kinds[name] == TEXT for name in possible):
            return None
        if self.opens and len(possible) > 1:
            return None
        longest = max(possible, key=self.head.length, default=None)
        return longest if longest is not None and self.head.length(longest) else None

    def _reason(self, name: str, kind: str) -> str:
        if kind != IGNORED or name not in self.head.plan:
            return ""
        if self.settings.columns and self._settled(name) is None:
            return "not a column of this task"
        return self.head.plan[name].reason


def _is_used(kind: str) -> bool:
    return kind not in (ID, LABEL, IGNORED, GUESS)


def _shown(value: Any) -> str:
    """The beginning of a value."""
    text = "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_LETTERS else text[: SHOWN_LETTERS - 1] + "…"
