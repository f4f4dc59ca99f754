"""The labels that were asked for, as a table with weights, and a data card that says how to use them."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from askance import __version__
from askance._util.class_names import shown_class
from askance.cli.commands.predict.writers import Write, file_writer
from askance.cli.commands.run.request import RunRequest
from askance.cli.contest.contest import LineUp
from askance.cli.predicting import as_in_file
from askance.data.label_card import how_they_were_chosen, how_to_use_the_weights, table_of_classes
from askance.data.stream import Chunk
from askance.learners.trace import Trace

ROW = "row"


class AskedLabels:
    """Writes the labels that were asked for, and counts them."""

    def __init__(self, write: Write, id_column: str | None) -> None:
        self.name = id_column or ROW
        self.rows = 0
        self.counts: Counter[Any] = Counter()
        self.weights: list[float] = []
        self._write = write

    def add(self, chunk: Chunk, trace: Trace) -> None:
        """Write what was asked for in a chunk."""
        ids: Any = np.arange(self.rows, self.rows + len(trace)) if chunk.ids is None else chunk.ids
        self.rows += len(trace)
        self._append(ids[trace.asked], trace.y[trace.asked], trace.ask_probabilities[trace.asked])

    def close(self) -> None:
        """Write at least the names of the columns."""
        if not self.weights:
            self._append(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))

    def _append(self, ids: Any, labels: Any, probabilities: Any) -> None:
        weights = 1.0 / probabilities.astype(np.float64)
        shown = as_in_file(labels)
        self._write(
            {
                self.name: ids.tolist(),
                "label": shown,
                "probability": probabilities.astype(np.float64),
                "weight": weights,
            }
        )
        self.counts.update(shown)
        self.weights += weights.tolist()


@contextmanager
def asked_labels(path: Path, ending: str, id_column: str | None) -> Iterator[AskedLabels]:
    """A writer whose file is complete afterwards."""
    with file_writer(path, ending, {} if id_column is None else {id_column: None}) as write:
        found = AskedLabels(write, id_column)
        yield found
        found.close()


def data_card(asked: AskedLabels, line_up: LineUp, request: RunRequest) -> str:
    """The card, in Markdown."""
    assert request.labels_out is not None
    file, main = request.labels_out.name, line_up.contestants[0]
    classes = Counter({shown_class(value): number for value, number in asked.counts.items()})
    refused = f" A limit refused {main.refused:,} further questions." if main.refused else ""
    identifies = "the number of the row, from 0" if asked.name == ROW else "what identifies the row"
    return f"""# {file}

{len(asked.weights):,} labels of the {asked.rows:,} rows of `{request.name}`, asked for by askance {__version__} \
({main.name}).

| column | |
|---|---|
| `{asked.name}` | {identifies} |
| `label` | the label |
| `probability` | the probability with which the label was asked for |
| `weight` | 1 / probability |

## How the rows were chosen

{how_they_were_chosen("rows", "file")}{refused}

{table_of_classes(classes, "rows")}

## How to use the weights

{how_to_use_the_weights("rows", asked.rows, sum(asked.weights), max(asked.weights, default=0))}\
{_example(asked, request.name, file)}"""


def _example(asked: AskedLabels, data: str, file: str) -> str:
    """How to fit a model, as code; nothing for data that pandas does not read."""
    rows = _reading(data)
    if rows is None:
        return ""
    label = {"label": "label_asked"}
    if asked.name == ROW:
        joined = 'rows.iloc[asked["row"]].reset_index(drop=True).join(asked)'
    else:
        joined = f'rows.merge(asked, on="{asked.name}")'
    return f"""
```python
import pandas
from sklearn.linear_model import LogisticRegression

rows = {rows}
asked = {_reading(file)}.rename(columns={json.dumps(label)})
labelled = {joined}
features = labelled[["…"]]  # the columns to learn from
model = LogisticRegression().fit(features, labelled["label_asked"])

weights = labelled["weight"].clip(upper=10 * labelled["weight"].median())
weighted = LogisticRegression().fit(features, labelled["label_asked"], sample_weight=weights)
```
"""


def _reading(name: str) -> str | None:
    """The call of pandas that reads a table of this name; None if there is none."""
    calls = {
        ".csv": f'pandas.read_csv("{name}")',
        ".tsv": f'pandas.read_csv("{name}", sep="\\t")',
        ".jsonl": f'pandas.read_json("{name}", lines=True)',
        ".parquet": f'pandas.read_parquet("{name}")',
        ".xlsx": f'pandas.read_excel("{name}")',
    }
    return calls.get(Path(name.removesuffix(".gz")).suffix.lower())
