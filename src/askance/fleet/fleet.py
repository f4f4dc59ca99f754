"""The fleet: one small model per key, for very many users, sensors or shops."""

import os
import pathlib
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from askance.data.known_reading import ATTRIBUTE, reading_of, remember_reading
from askance.engine import passes
from askance.engine.own_rules import check_probabilities, own_query
from askance.errors import ParameterError
from askance.fleet.display import as_html, as_text
from askance.fleet.keys import Key, as_keys, random_states_of
from askance.fleet.residency import ResidentModels
from askance.fleet.settings import FleetSettings
from askance.fleet.shard import Shard
from askance.fleet.sparse import one_row, sparse_rows
from askance.fleet.spill_file import SpillFile, write_models
from askance.fleet.tables import KeyedRows, keyed_rows
from askance.fleet.threads import ShardThreads, Work, thread_count
from askance.jit.coins import coins as coins_of
from askance.jit.kernels.key_table import Numbers
from askance.learners import labels
from askance.learners.classes import BinaryEncoder, ClassEncoder, MulticlassEncoder
from askance.learners.core import Decision
from askance.learners.inputs import checked_coins
from askance.learners.trace import Trace
from askance.rules.query import QueryRule
from askance.rules.registry import BINARY, MULTICLASS
from askance.rules.rows import SparseRows

FORMAT = 1  # of the files that `save` writes
MIN_RESIDENT = 1_000
NO_COINS = np.empty(0)


class Fleet:
    """One learner per key, for up to millions of keys.

    Each key behaves exactly like a `Learner` of its own: with `dtype="float64"`, bit for bit. `ask`, `decide` and
    `run` consult the query rule; `tell` and `partial_fit` learn every label they are given. A model takes memory
    only for features that it has learned.

    Tables are read with `askance.data.read_table`, whose parameter `id` names the column with the keys. The fleet
    and its file then know how the table was read. All methods take the next tables as files, data frames or lists
    of dictionaries, with the name of the column instead of keys. Keys of tables are text. What is missing in a
    number is its mean in the first table.

    Parameters
    ----------
    algorithm : str, default="PAA-II"
        A name of the catalog whose update rule keeps some numbers per feature.
    parameters : dict, optional
        The parameters of the algorithm.
    classes : sequence
        The classes. Of two classes, the larger in sorted order is the positive one.
    query : QueryRule, optional
        A query rule that replaces the algorithm's own. Every key has its own copy, for example its own budget.
    bits : int, default=18
        Rows have at most 2**bits columns.
    random_state : int, default=0
        Decides the random numbers of all keys. The learner of a key has the random state `random_state_of(key)`.
    dtype : {"float32", "float64"}, default="float32"
        "float32" is fast, with relaxed arithmetic; "float64" is exact.
    resident : int, optional
        The largest number of models in memory, at least 1,000. The least recently used others are kept in a file.
        By default, all models are in memory.
    spill : str or path-like, optional
        The file for models that are not in memory. By default, a temporary file.
    n_jobs : int, optional
        The number of threads; -1 uses all processors. Decisions do not depend on it. By default, as many threads
        as there are processors, at most 8.

    See Also
    --------
    askance.Learner : A single model.
    askance.load : Loads a fleet that `save` wrote.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import Fleet
    >>> rng = np.random.default_rng(0)
    >>> users = rng.choice(["ann", "bob"], size=500)
    >>> X = rng.normal(size=(500, 3))
    >>> y = np.where((X[:, 0] > 0) == (users == "ann"), "like", "skip")  # bob likes what ann skips
    >>> with Fleet("PAA-II", {"delta": 1.0}, classes=["like", "skip"], bits=2) as fleet:
    ...     trace = fleet.run(users, X, y)
    ...     fleet.predict(["ann", "bob"], [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]).tolist()
    ['like', 'skip']
    >>> len(trace)
    500
    """

    def __init__(
        self,
        algorithm: str = "PAA-II",
        parameters: Mapping[str, Any] | None = None,
        *,
        classes: Sequence[Any],
        query: QueryRule | None = None,
        bits: int = 18,
        random_state: int = 0,
        dtype: str = "float32",
        resident: int | None = None,
        spill: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        given = FleetSettings(algorithm, dict(parameters or {}), list(classes), query, bits, random_state, dtype)
        self._start(given, resident, spill, n_jobs)

    @classmethod
    def from_settings(cls, settings: FleetSettings, **options: Any) -> Self:
        """Create a fleet with these settings. The options are `resident`, `spill` and `n_jobs`."""
        fleet = cls.__new__(cls)
        fleet._start(settings, **options)
        return fleet

    def _start(
        self,
        settings: FleetSettings,
        resident: int | None = None,
        spill: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        if resident is not None and resident < MIN_RESIDENT:
            raise ParameterError("Fleet", "resident", resident, f"at least {MIN_RESIDENT}")
        n_shards = thread_count(n_jobs)
        self.settings = settings
        update, query, sgn0, many, _ = settings.rules
        dtype = np.dtype(settings.dtype)
        self._encoder: ClassEncoder = (MulticlassEncoder if many else BinaryEncoder)(
            labels.as_classes(settings.classes, many=many), dtype
        )
        tag = zlib.crc32(settings.as_json().encode())
        self._models = ResidentModels(
            lambda: Shard(update, query, dtype, float(sgn0), self._encoder.lanes),
            *(n_shards, settings.random_state, tag, self.width, resident),
        )
        self._threads = ShardThreads(self._models)
        self.rounds = 0
        self._temporary = tempfile.TemporaryDirectory() if resident is not None and spill is None else None
        if resident is not None:
            place = pathlib.Path(self._temporary.name, "models") if self._temporary else spill
            assert place is not None
            self._models.spill_file = SpillFile(place)
            if not self._models.spill_file.is_empty():
                self.close()
                raise ValueError(f"{place} already holds models: choose another spill file, or load this one")

    # ------------------------------------------------------------------ one row

    def ask(self, key: Key, x: Any) -> Decision:
        """Predict one row of a key and decide whether to ask for its label.

        Parameters
        ----------
        key : str or int
            The key. A new key starts with a blank model.
        x : array-like, sparse row, Row or dict
            The features of the row, or a record if the fleet has learned from a table.

        Returns
        -------
        Decision
            The same decision that a `Learner` of this key makes.
        """
        trace = self.decide([key], one_row(x, self.width))
        number = int(self._models.numbers_of(as_keys([key], 1), create=True)[0])
        shards = self._models.shards
        last_round = shards[number % len(shards)].rounds(number // len(shards)) - 1
        return Decision(
            prediction=trace.predictions[0].item(),
            score=float(trace.scores[0]),
            ask_probability=float(trace.ask_probabilities[0]),
            ask=bool(trace.asked[0]),
            coin=float(coins_of(self.random_state_of(key), last_round, 1)[0]),
        )

    def tell(self, key: Key, x: Any, y: Any) -> Self:
        """Learn the label of one row of a key, at any time after it was asked for.

        Parameters
        ----------
        key : str or int
            The key.
        x : array-like, sparse row, Row or dict
            The features of the row, or a record if the fleet has learned from a table.
        y : object
            Its class.

        Returns
        -------
        Fleet
            The fleet itself.
        """
        return self.partial_fit([key], one_row(x, self.width), [y])

    # ------------------------------------------------------------------ many rows

    def run(self, keys: Any, X: Any, y: ArrayLike | None = None, *, coins: ArrayLike | None = None) -> Trace:
        """Simulate the labelling loop of every key on its rows, learning only the labels that are asked for.

        Parameters
        ----------
        keys : array-like of shape (n_rows,), or str
            The key of each row: all str or all int. If `X` is a table, the name of the column that has them.
        X : array-like, sparse matrix or table
            The rows. Those of a key are taken in their order.
        y : array-like of shape (n_rows,), optional
            The labels. A table has them in a column.
        coins : array-like of shape (n_rows,), optional
            Random numbers in [0, 1) that replace those of `random_state`.

        Returns
        -------
        Trace
            What was predicted, asked for and learned in each row.
        """
        given = self._read(keys, X, y, wants_labels=True)
        rows = self._rows(given.X)
        codes = self._codes(given.y, len(rows.starts) - 1)
        tossed = NO_COINS if coins is None else checked_coins(coins, codes.shape)
        outcome = passes.blank_outcome(len(codes), rows.values.dtype)

        def work(shard: Shard, own: SparseRows, part: slice, ids: Numbers, order: Numbers) -> None:
            own_coins = tossed[part] if len(tossed) else NO_COINS
            shard.run(own, ids, order, codes[part], own_coins, _part_of(outcome, part))

        return self._trace(codes, outcome, self._for_each_row(given, rows, work))

    def decide(self, keys: Any, X: Any) -> Trace:
        """Decide about rows whose labels are not known yet; give the labels to `partial_fit` when they come.

        Parameters
        ----------
        keys : array-like of shape (n_rows,), or str
            The key of each row: all str or all int. If `X` is a table, the name of the column that has them.
        X : array-like, sparse matrix or table
            The rows.

        Returns
        -------
        Trace
            What was predicted and asked for in each row.
        """
        given = self._read(keys, X)
        rows = self._rows(given.X)
        count = len(rows.starts) - 1
        outcome = passes.blank_outcome(count, rows.values.dtype)

        def work(shard: Shard, own: SparseRows, part: slice, ids: Numbers, order: Numbers) -> None:
            shard.ask(own, ids, order, _part_of(outcome, part))

        refused = self._for_each_row(given, rows, work)
        return self._trace(np.full(count, -1 if self.settings.rules.multiclass else 0), outcome, refused)

    def partial_fit(self, keys: Any, X: Any, y: ArrayLike | None = None) -> Self:
        """Learn every label; those of a key are learned in their order.

        Parameters
        ----------
        keys : array-like of shape (n_rows,), or str
            The key of each row: all str or all int. If `X` is a table, the name of the column that has them.
        X : array-like, sparse matrix or table
            The rows.
        y : array-like of shape (n_rows,), optional
            The labels. A table has them in a column.

        Returns
        -------
        Fleet
            The fleet itself.
        """
        given = self._read(keys, X, y, wants_labels=True)
        rows = self._rows(given.X)
        codes = self._codes(given.y, len(rows.starts) - 1)

        def work(shard: Shard, own: SparseRows, part: slice, ids: Numbers, order: Numbers) -> None:
            shard.learn(own, ids, order, codes[part])

        self._for_each_row(given, rows, work)
        return self

    def decision_function(self, keys: Any, X: Any) -> NDArray[Any]:
        """Return the scores of rows, without changing any model.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            For two classes, positive scores stand for the larger class. For more, one column per class.
        """
        scores = self._scores(keys, X)
        if self.settings.rules.multiclass:
            return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores
        return scores[:, 0]

    def predict(self, keys: Any, X: Any) -> NDArray[Any]:
        """Return the predicted classes of rows, without changing any model. New keys have a blank model."""
        scores, rules = self._scores(keys, X), self.settings.rules
        if rules.multiclass:
            return self._encoder.values[np.argmax(scores, axis=1)]
        positive = scores[:, 0] >= 0 if rules.sgn0 > 0 else scores[:, 0] > 0
        return self._encoder.values[positive.astype(int)]

    # ------------------------------------------------------------------ the models

    @property
    def width(self) -> int:
        """The largest number of columns of a row, 2**bits."""
        return self.settings.width

    @property
    def nbytes(self) -> int:
        """The bytes of the models in memory, without their keys."""
        return sum(shard.nbytes for shard in self._models.shards)

    @property
    def spilled(self) -> int:
        """How many times a model was moved from memory to the spill file."""
        return self._models.evictions

    def random_state_of(self, key: Key) -> int:
        """Return the random state of a key's learner."""
        return int(random_states_of(self.settings.random_state, as_keys([key], 1))[0])

    def coef_of(self, key: Key) -> Any:
        """Return the weights of a key's model: a sparse array with one row, or one row per class.

        Raises
        ------
        KeyError
            If the key has no model.
        """
        _, _, features, content = self._models.decode([self.pack(key)])
        shard = self._models.shards[0]
        weights = shard.weights_of(content).reshape(len(features), shard.lanes)
        lane, place = np.divmod(np.arange(weights.size), max(1, len(features)))
        return sp.csr_array((weights[place, lane], (lane, features[place])), shape=(shard.lanes, self.width))

    def pack(self, key: Key) -> bytes:
        """Return the model of a key as bytes; KeyError if it has none."""
        return self._models.encode(as_keys([key], 1))[key]

    def unpack(self, key: Key, model: bytes) -> Self:
        """Replace the model of a key by one that `pack` returned.

        Raises
        ------
        ModelFileError
            If the bytes are damaged or come from a fleet with other settings.
        """
        return self.unpack_all({key: model})

    def unpack_all(self, models: Mapping[Key, bytes]) -> Self:
        """Replace the models of several keys, or none of them if one is damaged."""
        self._models.put(as_keys(list(models), len(models)), list(models.values()))
        return self

    def drop(self, key: Key) -> Self:
        """Delete the model of a key."""
        self._models.drop(as_keys([key], 1))
        return self

    def keys(self) -> Iterator[Key]:
        """Yield all keys, in no particular order."""
        return self._models.keys()

    def packed(self) -> Iterator[tuple[Key, bytes]]:
        """Yield all keys with their models as bytes, in no particular order."""
        return self._models.items()

    def __contains__(self, key: Key) -> bool:
        try:
            return bool(self._models.encode(as_keys([key], 1)))
        except (KeyError, ValueError):
            return False

    def __len__(self) -> int:
        return len(self._models)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all models to a file that `askance.load` reads. It is written completely or not at all."""
        metadata = {"format": FORMAT, "settings": self.settings.as_dict(), "rounds": self.rounds}
        write_models(path, metadata | reading_of(self), self.packed())

    def close(self) -> None:
        """Stop the threads and delete temporary files."""
        self._threads.close()
        if self._models.spill_file is not None:
            self._models.spill_file.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        # Neither threads nor files can be pickled, so that a copy starts its own, and spills to a temporary file.
        return {
            "settings": self.settings,
            "options": {"resident": self._models.resident, "n_jobs": len(self._models.shards)},
            "rounds": self.rounds,
            "models": dict(self.packed()),
            "reading": getattr(self, ATTRIBUTE, {}),
        }

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self._start(kept["settings"], **kept["options"])
        self.unpack_all(kept["models"])
        self.rounds = kept["rounds"]
        remember_reading(self, kept["reading"])

    def __repr__(self) -> str:
        return as_text(self.settings, len(self))

    def _repr_html_(self) -> str:
        """What the fleet is, for notebooks."""
        return as_html(self.settings, len(self))

    # ------------------------------------------------------------------ inside

    def _read(self, keys: Any, X: Any, y: Any = None, *, wants_labels: bool = False) -> KeyedRows:
        """The rows, keys and labels of a table that the fleet knows how to read; other rows as they are."""
        known, blank = getattr(self, ATTRIBUTE, None), not self.rounds and not len(self)
        classes = self._encoder.observed
        return keyed_rows(known, keys, X, y, classes=classes, wants_labels=wants_labels, is_blank=blank)

    def _rows(self, X: Any) -> SparseRows:
        return sparse_rows(X, np.dtype(self.settings.dtype), self.width)

    def _codes(self, y: ArrayLike | None, count: int) -> NDArray[Any]:
        if y is None:
            raise ValueError("there are no labels: pass y, or a table with a column of labels")
        given = labels.as_labels(y, count)
        encoder, codes = self._encoder.encode(given)
        if len(encoder.observed) > len(self._encoder.observed):
            new = np.setdiff1d(encoder.observed, self._encoder.observed)
            raise ValueError(f"unknown class {new[0].item()!r}: the classes are {self._encoder.observed.tolist()}")
        return codes

    def _for_each_row(self, given: KeyedRows, rows: SparseRows, work: Work) -> int:
        """Do the work on all rows, and count them as rounds; return how many labels budgets have refused."""
        found = as_keys(given.keys, len(rows.starts) - 1)
        refused = self._threads.for_each_part(found, rows, work)
        self.rounds += len(found)
        remember_reading(self, given.known or {})
        return refused

    def _scores(self, keys: Any, X: Any) -> NDArray[Any]:
        given = self._read(keys, X)
        rows = self._rows(given.X)
        return self._threads.scores(as_keys(given.keys, len(rows.starts) - 1), rows)

    def _trace(self, codes: NDArray[Any], outcome: passes.Outcome, refused: int) -> Trace:
        rules = self.settings.rules
        check_probabilities(own_query(rules.query), outcome.ask_probabilities)
        return Trace(
            true_codes=codes.astype(np.int32),
            predicted_codes=outcome.predictions,
            scores=outcome.scores,
            ask_probabilities=outcome.ask_probabilities,
            asked=outcome.asked,
            updated=outcome.updated,
            classes=self._encoder.values,
            kind=MULTICLASS if rules.multiclass else BINARY,
            first_round=self.rounds - len(codes),
            mode="float64 exact" if self.settings.dtype == "float64" else "float32 relaxed",
            algorithm=f"{rules.update} × {rules.query}, one per key",
            spent=int(np.count_nonzero(outcome.asked)),
            refused=refused,
        )


def _part_of(outcome: passes.Outcome, part: slice) -> passes.Outcome:
    predictions, scores, probabilities, asked, updated = outcome
    return passes.Outcome(predictions[part], scores[part], probabilities[part], asked[part], updated[part])
