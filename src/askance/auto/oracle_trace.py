"""The decisions of a pass with several oracles: who was asked about each row, and what was paid."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.optional import require
from askance.annotators import Ledger, Oracle

if TYPE_CHECKING:
    import pyarrow


class OracleDecision(NamedTuple):
    """What `OracleLearner.ask` decided about a row.

    Attributes
    ----------
    row : int
        The number of the row, from 0.
    prediction : object
        The predicted class.
    oracle : str or None
        The person who is to be asked for the label; None for nobody.
    probabilities : dict
        The probability that nobody was asked, under None, and that each oracle was, under its name. Guesses are
        bought before it is decided about people, so that several oracles may be asked about a row.
    bought : tuple of str
        The oracles whose answers were bought, in their order. That of a person is still to come.
    """

    row: int
    prediction: Any
    oracle: str | None
    probabilities: dict[str | None, float]
    bought: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class OracleTrace:
    """The decisions of a pass with several oracles, one per row. `OracleLearner.run` returns it.

    Attributes
    ----------
    oracles : tuple of Oracle
        Who could be asked.
    classes : ndarray
        The classes.
    true_codes, predicted_codes : ndarray of int
        The true and the predicted classes, as positions in `classes`. Rows are predicted before a person is asked,
        and after guesses were bought.
    probabilities : ndarray of shape (n_rows, 1 + n_oracles)
        The probability that nobody was asked, and that each oracle was, in their order. Guesses are bought before
        it is decided about people, so that several oracles may be asked about a row.
    bought : ndarray of bool of shape (n_rows, n_oracles)
        Whose answers were bought.
    trusted : ndarray of bool of shape (n_rows, n_oracles)
        Whose answers were thought worth their price; always True for people.
    ledger : Ledger
        What was paid.
    right : dict
        For each machine, the share of right answers among recent rows that people have labelled; NaN without any.
    """

    oracles: tuple[Oracle, ...]
    classes: NDArray[Any]
    true_codes: NDArray[np.int64]
    predicted_codes: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    bought: NDArray[np.bool_]
    trusted: NDArray[np.bool_]
    ledger: Ledger
    right: dict[str, float]

    def __len__(self) -> int:
        return len(self.true_codes)

    def __repr__(self) -> str:
        return f"<OracleTrace: {len(self)} rows, {self.ledger.spent} of {self.ledger.budget} spent>"

    @property
    def y(self) -> NDArray[Any]:
        """The true classes."""
        return self.classes[self.true_codes]

    @property
    def predictions(self) -> NDArray[Any]:
        """The predicted classes."""
        return self.classes[self.predicted_codes]

    @property
    def accuracy(self) -> float:
        """The share of right predictions."""
        return float((self.true_codes == self.predicted_codes).mean())

    @property
    def answers_accuracy(self) -> float:
        """The share of right answers, if the labels of people take the place of predictions."""
        labelled = self.bought[:, [oracle.is_person for oracle in self.oracles]].any(axis=1)
        return float((labelled | (self.true_codes == self.predicted_codes)).mean())

    def changes(self, name: str) -> list[int]:
        """The rows, from 0, from which on an oracle was given up, or trusted again."""
        place = [oracle.name for oracle in self.oracles].index(name)
        return (np.flatnonzero(np.diff(self.trusted[:, place].astype(np.int8))) + 1).tolist()

    def to_arrow(self) -> "pyarrow.Table":
        """The decisions as a table of pyarrow, with one row per row of the stream."""
        columns: dict[str, Any] = {"y": self.y, "prediction": self.predictions, "nobody": self.probabilities[:, 0]}
        for place, oracle in enumerate(self.oracles):
            columns[f"{oracle.name} probability"] = self.probabilities[:, place + 1]
            columns[f"{oracle.name} bought"] = self.bought[:, place]
        table: pyarrow.Table = require("pyarrow", "parquet", "Parquet").table(columns)
        return table
