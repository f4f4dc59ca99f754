"""The data card of an export: what it holds, how the labels were chosen, and how to use them."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from askance import __version__
from askance.data.label_card import how_they_were_chosen, how_to_use_the_weights, table_of_classes
from askance.service.set_text import parted
from askance.service.settings import TaskSettings
from askance.service.views.tables import Column, Rows

SOURCES = 20  # in the card
CATEGORIES = {"text": "text-classification", "record": "tabular-classification"}


class Tally:
    """Counts of the rows that go by."""

    def __init__(self) -> None:
        self.rows = 0
        self.labels = 0
        self.asked = 0  # labels that a coin asked for
        self.total = 0.0  # of their weights
        self.heaviest = 0.0
        self.sources: Counter[str] = Counter()  # of imported labels
        self.classes: Counter[str] = Counter()

    def counting(self, batches: Iterable[Rows]) -> Iterator[Rows]:
        """The same rows, counted."""
        for rows in batches:
            for row in rows:
                self._add(row)
            yield rows

    def _add(self, row: dict[str, Any]) -> None:
        self.rows += 1
        if row.get("label") is None:
            return
        self.labels += 1
        self.classes[row["label"]] += 1
        if row["weight"] is not None:
            self.asked += 1
            self.total += row["weight"]
            self.heaviest = max(self.heaviest, row["weight"])
        elif row["state"] == "imported":
            self.sources[row["source"] or "not said"] += 1

    @property
    def imported(self) -> int:
        """The number of labels that were imported."""
        return self.sources.total()


def card(what: str, columns: Iterable[Column], settings: TaskSettings, items: int, tally: Tally) -> str:
    """The card in Markdown. `items` is the number of items that the task has decided about."""
    table = "\n".join(f"| `{column.name}` | {column.meaning} |" for column in columns)
    parts = [
        f"# {what} of {settings.name}",
        f"{tally.rows:,} {what} of the task `{settings.name}`, which has decided about {items:,} items. Exported "
        f"by askance {__version__}; the learner is {settings.method}.",
        f"| column | |\n|---|---|\n{table}",
    ]
    if tally.labels:
        classes = Counter[str]()
        for label, count in tally.classes.items():
            classes.update(dict.fromkeys(parted(label) if settings.multilabel else [label], count))
        parts += _about_labels(items, tally, classes)
    return "\n\n".join(parts).rstrip() + "\n"


def hugging_face(card_text: str, settings: TaskSettings, file: str) -> str:
    """The card with the header from which `datasets.load_dataset` knows the files."""
    return f"""---
configs:
- config_name: default
  data_files:
  - split: train
    path: {file}
pretty_name: {json.dumps(settings.name)}
task_categories:
- {CATEGORIES["text" if "text" in settings.parts else "record"]}
tags:
- active-learning
- askance
---

{card_text}"""


def _about_labels(items: int, tally: Tally, classes: Mapping[str, int]) -> list[str]:
    parts = ["## How the items were chosen", how_they_were_chosen("items", "stream")]
    if tally.imported:
        found = tally.sources.most_common(SOURCES)
        sources = "\n".join(f"| {_plain(name)} | {count:,} |" for name, count in found)
        parts.append(
            f"{tally.imported:,} labels were imported. No coin chose them, so they have neither a probability nor "
            f"a weight: leave them out to measure.\n\n| source | labels |\n|---|---|\n{sources}"
        )
    unknown = tally.labels - tally.asked - tally.imported
    if unknown:
        parts.append(
            f"{unknown:,} labels were asked for without a coin, because of the doubt of the model alone. They "
            "have neither a probability nor a weight: leave them out to measure."
        )
    shown = Counter({_plain(name): count for name, count in classes.items()})
    parts.append(table_of_classes(shown, "items"))
    usage = how_to_use_the_weights("items", items, tally.total, tally.heaviest)
    return [*parts, "## How to use the weights", usage]


def _plain(text: str) -> str:
    """A text for the cell of a table in Markdown."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
