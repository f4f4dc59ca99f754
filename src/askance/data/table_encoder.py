"""`TableEncoder`: columns of different kinds as rows, as a transformer of scikit-learn."""

from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from askance.data.encoding import RunningMeans
from askance.data.kinds import ColumnPlan, described
from askance.data.mixed import MATRIX, MIXED, MixedRows, as_matrix, joined_rows
from askance.data.model_rows import PlanEncoder, TableRows
from askance.data.scaling import TableScales
from askance.data.typed import raw_table, read_table, simplest
from askance.errors import ParameterError

CHUNK_ROWS = 2048


# Rows of two parts are not for pandas, so there is no `set_output`.
class TableEncoder(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc,call-arg]
    """Turn tables with columns of different kinds into rows, in a pipeline of scikit-learn.

    It guesses the kind of each column from the first 1,000 rows, as `read_table` does, and makes the same rows.
    Later tables are encoded in the same way: columns are found by their names, and a missing number is the mean of
    those in `fit`.

    Parameters
    ----------
    text, categories, numbers, dates : iterable of str, default=()
        Columns of a kind that you know better. What is not a number in `numbers`, or not a date in `dates`, is
        missing.
    drop : iterable of str, default=()
        Columns to leave out, such as ids.
    bits : int, default=20
        Words and categories with many levels are hashed into 2**bits columns.
    pairs : bool, default=False
        Whether each two neighbouring words of a text are also a feature.
    output : {"mixed", "matrix"}, default="mixed"
        What a table with both numbers and hashed columns becomes: `MixedRows`, which `AutoLearner` takes, or one
        sparse matrix, with the columns of numbers first, for other estimators.
    scaled : bool, default=False
        Whether to standardise numbers and to weight words by how rare they are (tf-idf). `AutoLearner` does both
        itself; most linear models need it.

    Attributes
    ----------
    columns_ : tuple of ColumnPlan
        The columns of the table with their kinds.
    n_features_in_ : int
        The number of columns of the table.
    feature_names_in_ : ndarray of str
        Their names.

    See Also
    --------
    askance.data.read_table : Reads a table as a stream.

    Examples
    --------
    >>> import pandas
    >>> from askance import AutoLearner
    >>> from askance.data import TableEncoder
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> frame = pandas.DataFrame({"age": [31, None, 45, 28] * 10, "city": ["Rome", "Oslo", "Rome", "Lima"] * 10})
    >>> y = ["stays", "leaves", "stays", "leaves"] * 10
    >>> make_pipeline(TableEncoder(), AutoLearner()).fit(frame, y).predict(frame[:2]).tolist()
    ['stays', 'leaves']
    >>> encoder = TableEncoder(output="matrix", scaled=True)
    >>> make_pipeline(encoder, LogisticRegression()).fit(frame, y).predict(frame[:2]).tolist()
    ['stays', 'leaves']
    >>> TableEncoder().fit(frame).get_feature_names_out().tolist()
    ['age', 'age (missing)', 'city=Lima', 'city=Oslo', 'city=Rome', 'city=(other)']
    """

    def __init__(
        self,
        *,
        text: Iterable[str] = (),
        categories: Iterable[str] = (),
        numbers: Iterable[str] = (),
        dates: Iterable[str] = (),
        drop: Iterable[str] = (),
        bits: int = 20,
        pairs: bool = False,
        output: str = MIXED,
        scaled: bool = False,
    ) -> None:
        self.text = text
        self.categories = categories
        self.numbers = numbers
        self.dates = dates
        self.drop = drop
        self.bits = bits
        self.pairs = pairs
        self.output = output
        self.scaled = scaled

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - as in scikit-learn
        """Learn the kinds of columns, and the means of numbers.

        Parameters
        ----------
        X : data frame, list of dict or path
            A data frame of pandas, polars (also a lazy one) or pyarrow, a list of dictionaries, or a file. A
            column with the name of a label (label, y, class or target) is left out, unless its kind is given.
        y : object, default=None
            Is ignored.

        Returns
        -------
        TableEncoder
            The encoder itself.
        """
        if self.output not in (MIXED, MATRIX):
            raise ParameterError("TableEncoder", "output", self.output, f"{MIXED!r} or {MATRIX!r}")
        kinds = ("text", "categories", "numbers", "dates", "drop", "bits", "pairs")
        table = read_table(X, label=False, **{name: getattr(self, name) for name in kinds})
        scales = TableScales()
        for chunk in table:
            if self.scaled:
                scales.add(chunk.X)
        self.means_: RunningMeans = table.after
        self._scales = scales if self.scaled else None
        self.feature_names_in_ = np.array([column.name for column in table.columns], object)
        self.n_features_in_ = len(table.columns)
        return self

    def transform(self, X: Any) -> Any:
        """Encode a table.

        Parameters
        ----------
        X : data frame, list of dict or path
            A table with the columns that were seen in `fit`. Others are ignored.

        Returns
        -------
        ndarray, csr_array or MixedRows
            The rows.

        Raises
        ------
        askance.errors.DataError
            If a column is missing, or has values of another kind.
        """
        check_is_fitted(self, "means_")
        parts = [_as_mixed(rows) for rows in self._encoded(X)]
        rows = simplest(joined_rows(parts))
        return as_matrix(rows) if self.output == MATRIX else rows

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002 - as in scikit-learn
        """Return the names of the features. Hashed ones have only numbers, and there are 2**bits of them."""
        check_is_fitted(self, "means_")
        return np.array(self.means_.plan.feature_names(), object)

    @property
    def columns_(self) -> tuple[ColumnPlan, ...]:
        """The columns of the table with their kinds."""
        check_is_fitted(self, "means_")
        return self.means_.plan.columns

    def described(self) -> str:
        """The kinds of columns in one line."""
        return described(self.columns_)

    def _encoded(self, X: Any) -> Iterator[Any]:
        table = raw_table(X, None, None, prompt=True)
        for chunk in TableRows(table, PlanEncoder(self.means_, None), False, "", (), CHUNK_ROWS):
            yield chunk.X if self._scales is None else self._scales.scaled(chunk.X)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "means_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def _as_mixed(rows: Any) -> MixedRows:
    if isinstance(rows, MixedRows):
        return rows
    if sp.issparse(rows):
        return MixedRows(np.empty((rows.shape[0], 0)), rows)
    return MixedRows(rows, sp.csr_array((len(rows), 0)))
