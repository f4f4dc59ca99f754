"""One split of a raw table: `askance run`, `askance evaluate`, and logistic regression beside them."""

import io
import json
import tempfile
import warnings
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from askance.cli.app import app
from askance.data import MixedRows, read_for_model, read_table
from askance.data.stacking import stacked
from bench.raw_files.tables import RawFile

SHARE, FEWEST = 10, 30  # one row in ten is asked about, but at least so many
DRAWS = 5  # of random labels, for each split


def outcome(raw: RawFile, split: int) -> dict[str, Any]:
    """What the defaults reach on a held-out fifth, and logistic regression with as many labels drawn at random."""
    order = np.random.default_rng(split).permutation(len(raw.rows))
    held, stream = np.split(order, [len(order) // 5])
    budget = max(FEWEST, len(stream) // SHARE)
    with tempfile.TemporaryDirectory() as folder:
        train = raw.write(Path(folder, "train.csv"), stream.tolist())
        test = raw.write(Path(folder, "test.csv"), held.tolist())
        model = Path(folder, "any.model")
        (method,) = _told("run", train, "--limit", budget, "--save", model)["methods"]
        accuracy = _told("evaluate", model, test)["metrics"]["accuracy"]["value"]
        others = _regression(train, test, model, method["asked"], split)
    return {"split": split, "rows": len(stream), "labels": method["asked"], "auto": accuracy, "regression": others}


def _told(*words: object) -> dict[str, Any]:
    """What a command prints with `--json`."""
    printed = io.StringIO()
    with redirect_stdout(printed), suppress(SystemExit):  # a failure leaves no JSON
        app([*map(str, words), "--json"], prog_name="askance")
    found: dict[str, Any] = json.loads(printed.getvalue())
    return found


def _regression(train: Path, test: Path, model: Path, labels: int, split: int) -> float:
    """The mean accuracy of logistic regression on the same features, scaled by all rows of the stream."""
    chunks, held = list(read_table(train)), list(read_for_model(model, test, label=None))
    X, X_held = (_joined([chunk.X for chunk in each]) for each in (chunks, held))
    y, y_held = (np.concatenate([chunk.y for chunk in each]) for each in (chunks, held))
    X, X_held = _scaled(X, X_held)
    found = []
    for draw in range(DRAWS):
        chosen = np.random.default_rng((split, draw)).choice(len(y), labels, replace=False)
        model_ = DummyClassifier() if len(set(y[chosen])) < 2 else LogisticRegression(max_iter=1000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found.append((model_.fit(X[chosen], y[chosen]).predict(X_held) == y_held).mean())
    return float(np.mean(found))


def _joined(parts: list[Any]) -> MixedRows:
    if isinstance(parts[0], MixedRows):
        return MixedRows(np.concatenate([part.dense for part in parts]), stacked([part.sparse for part in parts]))
    rows = np.concatenate(parts)
    return MixedRows(rows, sp.csr_array((len(rows), 0)))


def _scaled(rows: MixedRows, held: MixedRows) -> tuple[Any, Any]:
    """Standardised numbers beside words that are weighted by how rare they are."""
    scaler = StandardScaler().fit(rows.dense)
    if not rows.sparse.shape[1]:
        return scaler.transform(rows.dense), scaler.transform(held.dense)
    weights = TfidfTransformer(sublinear_tf=True).fit(rows.sparse)
    first, second = (
        sp.csr_array(sp.hstack([sp.csr_array(scaler.transform(part.dense)), weights.transform(part.sparse)]))
        for part in (rows, held)
    )
    return first, second
