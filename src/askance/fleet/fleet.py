"""A fleet: one small model a key, as many as there are users, sensors or shops."""

import concurrent.futures
import functools
import os
import pathlib
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from askance.engine import passes
from askance.engine.packing import in_order
from askance.fleet.keys import Key, as_keys, seeds_of
from askance.fleet.residency import Berths
from askance.fleet.settings import FleetSettings
from askance.fleet.shard import Yard
from askance.fleet.sparse import one_row, sparse_rows
from askance.fleet.spill_file import Depot
from askance.jit.kernels.key_table import Numbers
from askance.learners import labels
from askance.learners.classes import BinaryEncoder, ClassEncoder, MulticlassEncoder
from askance.learners.core import Decision, checked_coins
from askance.learners.trace import Trace
from askance.rules.query import QueryRule
from askance.rules.registry import BINARY, MULTICLASS
from askance.rules.rows import SparseRows

LEAST_RESIDENT = 1_000
NONE_GIVEN = np.empty(0)

Work = Callable[[Yard, SparseRows, slice, Numbers, Numbers], None]


class Fleet:
    """One learner a key. Each does, to the bit in exact mode, what a learner of its own would.

    Parameters
    ----------
    algorithm, parameters : a name of the catalog whose rule keeps some numbers a feature, and its parameters.
    classes : the classes. Of two, the larger in sorted order is the positive one.
    query : a query rule in place of the name's own, for example one within a budget, which each key then has.
    bits : rows have at most 2^bits columns. A model takes room only for features that it has learned.
    random_state : of the coins; the learner of a key has the random_state `seed_of(key)`.
    dtype : "float32" is fast, with relaxed arithmetic; "float64" is exact.
    resident : how many models may be in memory; those used longest ago wait in the file `spill`, or in a temporary
        one. None keeps all in memory.
    threads : how many of them work on models side by side. Decisions do not depend on it.

    `ask`, `decide` and `run` consult the query rule; `tell` and `learn` learn from every label.
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
        threads: int | None = None,
    ) -> None:
        given = FleetSettings(algorithm, dict(parameters or {}), list(classes), query, bits, random_state, dtype)
        self._begin(given, resident, spill, threads)

    @classmethod
    def of(cls, settings: FleetSettings, **how: Any) -> Self:
        """A fleet with settings that were made before; `resident`, `spill` and `threads` say how it is kept."""
        fleet = cls.__new__(cls)
        fleet._begin(settings, **how)
        return fleet

    def _begin(
        self,
        settings: FleetSettings,
        resident: int | None = None,
        spill: str | os.PathLike[str] | None = None,
        threads: int | None = None,
    ) -> None:
        if resident is not None and resident < LEAST_RESIDENT:
            raise ValueError(f"resident must be at least {LEAST_RESIDENT} models, not {resident!r}")
        self.settings = settings
        update, query, sgn0, many, _ = settings.rules
        dtype = np.dtype(settings.dtype)
        self._encoder: ClassEncoder = (MulticlassEncoder if many else BinaryEncoder)(
            labels.as_classes(settings.classes, many=many), dtype
        )
        yards = threads or min(os.cpu_count() or 1, 8)
        tag = zlib.crc32(settings.as_json().encode())
        self._berths = Berths(
            lambda: Yard(update, query, dtype, float(sgn0), self._encoder.lanes),
            *(yards, settings.random_state, tag, self.width, resident),
        )
        self._crew = concurrent.futures.ThreadPoolExecutor(yards)
        self.rounds = 0
        self._temporary = tempfile.TemporaryDirectory() if resident is not None and spill is None else None
        if resident is not None:
            place = pathlib.Path(self._temporary.name, "models") if self._temporary else spill
            assert place is not None
            self._berths.depot = Depot(place)
            if not self._berths.depot.is_empty():
                self.close()
                raise ValueError(f"{place} holds models already: give another file to spill to, or load that one")

    # ------------------------------------------------------------------ one row

    def ask(self, key: Key, x: Any) -> Decision:
        """Predict one row of a key and decide whether its label is worth asking for."""
        trace = self.decide([key], one_row(x, self.width))
        score, probability = float(trace.scores[0]), float(trace.ask_probabilities[0])
        return Decision(trace.predictions[0].item(), score, probability, bool(trace.asked[0]), float("nan"))

    def tell(self, key: Key, x: Any, y: Any) -> Self:
        """Learn the label of one row of a key, however long ago it was asked for."""
        return self.learn([key], one_row(x, self.width), [y])

    # ------------------------------------------------------------------ many rows

    def run(self, keys: Any, X: Any, y: ArrayLike, *, coins: ArrayLike | None = None) -> Trace:
        """Simulate the labelling loop of every key on its rows, learning only from the labels asked for."""
        rows = self._rows(X)
        codes = self._codes(y, len(rows.starts) - 1)
        tossed = NONE_GIVEN if coins is None else checked_coins(coins, codes.shape)
        outcome = passes.blank_outcome(len(codes), rows.values.dtype)

        def work(yard: Yard, own: SparseRows, part: slice, ids: Numbers, order: Numbers) -> None:
            own_coins = tossed[part] if len(tossed) else NONE_GIVEN
            yard.run(own, ids, order, codes[part], own_coins, _part_of(outcome, part))

        return self._trace(codes, outcome, self._by_parts(keys, rows, work))

    def decide(self, keys: Any, X: Any) -> Trace:
        """Decide about the rows of keys; labels may come later, to `learn`."""
        rows = self._rows(X)
        count = len(rows.starts) - 1
        outcome = passes.blank_outcome(count, rows.values.dtype)

        def work(yard: Yard, own: SparseRows, part: slice, ids: Numbers, order: Numbers) -> None:
            yard.ask(own, ids, order, _part_of(outcome, part))

        refused = self._by_parts(keys, rows, work)
        return self._trace(np.full(count, -1 if self.settings.rules.multiclass else 0), outcome, refused)

    def learn(self, keys: Any, X: Any, y: ArrayLike) -> Self:
        """Learn every label, those of a key in their order."""
        rows = self._rows(X)
        codes = self._codes(y, len(rows.starts) - 1)

        def work(yard: Yard, own: SparseRows, part: slice, ids: Numbers, order: Numbers) -> None:
            yard.learn(own, ids, order, codes[part])

        self._by_parts(keys, rows, work)
        return self

    def decision_function(self, keys: Any, X: Any) -> NDArray[Any]:
        """The scores of the rows: positive for the larger class, or of more than two, a column a class."""
        scores = self._scores(keys, X)
        if self.settings.rules.multiclass:
            return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores
        return scores[:, 0]

    def predict(self, keys: Any, X: Any) -> NDArray[Any]:
        """The classes of the rows. A key that was never seen has a model that knows nothing."""
        scores, rules = self._scores(keys, X), self.settings.rules
        if rules.multiclass:
            return self._encoder.values[np.argmax(scores, axis=1)]
        positive = scores[:, 0] >= 0 if rules.sgn0 > 0 else scores[:, 0] > 0
        return self._encoder.values[positive.astype(int)]

    # ------------------------------------------------------------------ the models

    @property
    def width(self) -> int:
        """How many columns rows may have."""
        return 1 << self.settings.bits

    @property
    def nbytes(self) -> int:
        """The memory of the models in it, without that of their keys."""
        return sum(yard.nbytes for yard in self._berths.yards)

    @property
    def spilled(self) -> int:
        """How many times a model has left memory for the file."""
        return self._berths.left

    def seed_of(self, key: Key) -> int:
        """The random_state of a key's learner."""
        return int(seeds_of(self.settings.random_state, as_keys([key], 1))[0])

    def coef_of(self, key: Key) -> Any:
        """The weights of a key's model: a sparse array of a row, or of a row a class. KeyError if it has none."""
        _, _, features, content = self._berths.unpacked([self.pack(key)])
        yard = self._berths.yards[0]
        weights = yard.weights_of(content).reshape(len(features), yard.lanes)
        lane, place = np.divmod(np.arange(weights.size), max(1, len(features)))
        return sp.csr_array((weights[place, lane], (lane, features[place])), shape=(yard.lanes, self.width))

    def pack(self, key: Key) -> bytes:
        """The model of a key as bytes. KeyError if it has none."""
        return self._berths.blobs_of(as_keys([key], 1))[key]

    def unpack(self, key: Key, model: bytes) -> Self:
        """Have the model of a key that `pack` gave; ValueError if it is damaged or of another kind of fleet."""
        return self.unpack_all({key: model})

    def unpack_all(self, models: Mapping[Key, bytes]) -> Self:
        """Have the models of several keys that `pack` gave, or none of them if one is unsound."""
        self._berths.put(as_keys(list(models), len(models)), list(models.values()))
        return self

    def drop(self, key: Key) -> Self:
        """Forget the model of a key."""
        self._berths.drop(as_keys([key], 1))
        return self

    def keys(self) -> Iterator[Key]:
        """All keys, in no order."""
        return self._berths.keys()

    def packed(self) -> Iterator[tuple[Key, bytes]]:
        """All keys, in no order, with their models as bytes."""
        return self._berths.all()

    def __contains__(self, key: Key) -> bool:
        try:
            return bool(self._berths.blobs_of(as_keys([key], 1)))
        except (KeyError, ValueError):
            return False

    def __len__(self) -> int:
        return len(self._berths)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all models to a file that `Fleet.load` reads; it is there whole or not at all."""
        from askance.fleet.files import save

        save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], **how: Any) -> "Fleet":
        """The fleet in a file. `resident`, `spill` and `threads` say how it is kept, as for a new one."""
        from askance.fleet.files import load

        return load(path, **how)

    def close(self) -> None:
        """Stop the threads and remove what is temporary."""
        self._crew.shutdown()
        if self._berths.depot is not None:
            self._berths.depot.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Fleet: {self.settings.algorithm}, {len(self):,} models>"

    # ------------------------------------------------------------------ inside

    def _rows(self, X: Any) -> SparseRows:
        return sparse_rows(X, np.dtype(self.settings.dtype), self.width)

    def _codes(self, y: ArrayLike, count: int) -> NDArray[Any]:
        given = labels.as_labels(y, count)
        encoder, codes = self._encoder.encode(given)
        if len(encoder.observed) > len(self._encoder.observed):
            new = np.setdiff1d(encoder.observed, self._encoder.observed)
            raise ValueError(f"unknown class {new[0].item()!r}: the classes are {self._encoder.observed.tolist()}")
        return codes

    def _by_parts(self, keys: Any, rows: SparseRows, work: Work) -> int:
        """Do the work on all rows, each yard in a thread of its own; how many labels budgets have refused."""
        found = as_keys(keys, len(rows.starts) - 1)
        refused = 0
        for part in self._berths.parts(len(found)):
            numbers = self._berths.numbers_of(found[part], create=True)
            one = functools.partial(self._by_yard, rows.between(part.start, part.stop), part, numbers, work)
            refused += sum(self._crew.map(one, range(len(self._berths.yards))))
        self.rounds += len(found)
        return refused

    def _by_yard(self, own: SparseRows, part: slice, numbers: Numbers, work: Work, place: int) -> int:
        """Do the work on the rows of a part whose models are in one yard; how many labels were refused."""
        yards = self._berths.yards
        yard, ids = yards[place], numbers // len(yards)
        mine = np.flatnonzero(numbers % len(yards) == place)
        before = yard.refused(ids[mine])
        work(yard, own, part, ids, mine[in_order(ids[mine], yard.count)])
        return yard.refused(ids[mine]) - before

    def _scores(self, keys: Any, X: Any) -> NDArray[Any]:
        """The scores of rows, a column a class, sorted; nothing is created."""
        rows = self._rows(X)
        found = as_keys(keys, len(rows.starts) - 1)
        yards = self._berths.yards
        scores = np.empty((len(found), yards[0].lanes), rows.values.dtype)
        for part in self._berths.parts(len(found)):
            numbers = self._berths.numbers_of(found[part], create=False)
            own = rows.between(part.start, part.stop)
            for place, yard in enumerate(yards):
                mine = np.flatnonzero(numbers % len(yards) == place)
                yard.score(own, numbers // len(yards), mine, scores[part])
        return scores

    def _trace(self, codes: NDArray[Any], outcome: passes.Outcome, refused: int) -> Trace:
        rules = self.settings.rules
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
            algorithm=f"{rules.update} × {rules.query}, one a key",
            spent=int(np.count_nonzero(outcome.asked)),
            refused=refused,
        )


def _part_of(outcome: passes.Outcome, part: slice) -> passes.Outcome:
    guesses, scores, probabilities, asked, updated = outcome
    return passes.Outcome(guesses[part], scores[part], probabilities[part], asked[part], updated[part])
