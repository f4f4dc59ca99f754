"""One budget, several oracles: which rows people label, and which guesses of machines are bought."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from askance._util.progress import Progress
from askance.annotators import Ledger, Oracle
from askance.auto.guess_rows import Answer, Case, by_name, coded_answer, coded_guesses, recorded
from askance.auto.oracle_run import EVERY, OracleRun, Step
from askance.auto.oracle_trace import OracleDecision, OracleTrace
from askance.auto.row_input import as_one_row, checked_rows
from askance.auto.settings import AutoSettings
from askance.errors import ParameterError
from askance.jit.kernels.mixed import Mixed
from askance.learners import labels


class OracleLearner:
    """Learn from a stream under one budget of money, with people and machines to ask.

    Two automatic learners learn from the labels of people: one knows the guesses of machines, the other does not.
    A table counts how often each answer is right, by confidence. The three are trusted by how well they predicted
    labels. A guess is bought for every row as long as it improves the predictions by more than its price would if
    it were spent on people. Otherwise it is bought only for rows that people label, to notice if it becomes worth
    it again. If the answers of a machine suddenly become worse, what was known of it is forgotten.

    Parameters
    ----------
    oracles : sequence of Oracle
        One person, and any number of machines.
    budget : str, int, float or Decimal
        The money for all oracles together. It is never exceeded.
    audit : float, default=0.3
        The share of questions to people that are drawn at random.
    random_state : int, default=0
        Decides the coins and the forests.
    classes : sequence, default=None
        The classes, if they are known. By default, those of the labels. `ask` needs them.
    rows : int, default=None
        The number of rows of the stream, over which `ask` spreads the budget. `run` counts them itself.
    accuracy : float, default=None
        The share of right predictions that is enough, such as 0.95. Once a lower limit of 95 % says that recent
        predictions have it, people are asked a tenth as often as the rest of the budget allows, to notice if that
        changes. There are up to a dozen looks: where exactly this share is right, the limit reaches it at some
        time in 14 to 19 % of the streams. By default, the budget is spent.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import OracleLearner
    >>> from askance.annotators import Oracle
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(1000, 3)), rng.integers(2, size=1000)
    >>> answers = np.where(rng.random(1000) < 0.9, y, 1 - y)
    >>> learner = OracleLearner([Oracle("llm", "0.01", guess="gpt-4o"), Oracle("human", 1)], budget=40)
    >>> trace = learner.run(X, y, {"gpt-4o": (answers, np.full(1000, 0.8))})
    >>> bool(trace.accuracy > 0.85), bool(trace.ledger.spent <= 40)
    (True, True)

    Row by row, with labels as they come:

    >>> oracles = [Oracle("llm", "0.01", guess="gpt-4o"), Oracle("human", 1)]
    >>> learner = OracleLearner(oracles, budget=40, classes=[0, 1], rows=1000)
    >>> decision = learner.ask(X[0], {"gpt-4o": lambda: (answers[0], 0.8)})  # which is called if it is bought
    >>> decision.oracle, decision.bought
    ('human', ('llm', 'human'))
    >>> learner.tell(y[0], oracle="human").ledger.spent
    Decimal('1.01')
    """

    def __init__(
        self,
        oracles: Sequence[Oracle],
        budget: Any,
        *,
        audit: float = 0.3,
        random_state: int = 0,
        classes: Sequence[Any] | None = None,
        rows: int | None = None,
        accuracy: float | None = None,
    ) -> None:
        names = [oracle.name for oracle in oracles]
        if sum(oracle.is_person for oracle in oracles) != 1:
            raise ParameterError("OracleLearner", "oracles", names, "one person and any number of machines")
        Ledger(oracles, budget)  # refuses wrong names and amounts
        if rows is not None and (not isinstance(rows, int | np.integer) or rows < 1):
            raise ParameterError("OracleLearner", "rows", rows, "None or a whole number of at least 1")
        if accuracy is not None and not 0 < accuracy < 1:
            raise ParameterError("OracleLearner", "accuracy", accuracy, "None or a share between 0 and 1")
        AutoSettings(audit=audit, random_state=random_state, classes=classes).check()
        self.oracles, self.budget = tuple(oracles), budget
        self.audit, self.random_state, self.classes, self.rows = audit, random_state, classes, rows
        self.accuracy = accuracy
        self._run: tuple[OracleRun, Any] | None = None  # of ask and tell
        self._shape: tuple[int, int] | None = None

    def run(
        self, X: Any, y: ArrayLike, guesses: Mapping[str, tuple[Any, Any]], *, progress: Progress | None = None
    ) -> OracleTrace:
        """Simulate the labelling of a stream, buying from oracles and learning only from what was bought.

        Parameters
        ----------
        X : array-like, sparse matrix or MixedRows
            The rows, without guesses.
        y : array-like
            The labels, which a person gives when asked.
        guesses : mapping of str to (answers, confidences)
            The guesses of machines by their names: an answer for each row, None without one, and confidences from
            0 to 1, or None. `askance.data.read_guesses` reads them from a file.
        progress : callable, default=None
            Is called now and then with the number of rows so far and in all, and "".

        Returns
        -------
        OracleTrace
            The decisions about every row, and what was paid.
        """
        rows = checked_rows(X)
        count = len(rows.dense)
        given = labels.as_labels(y, count)
        classes = np.unique(given) if self.classes is None else labels.as_classes(self.classes, many=True)
        if len(classes) < 2:
            raise ValueError("run needs labels of two classes, but y has only one class")
        codes = self._codes(given, classes)
        coded = [coded_guesses(name, by_name(guesses, name), classes.tolist(), count) for name in self._guesses]
        run = self._begun(len(classes), count)
        steps = []
        for t in range(count):
            steps.append(run.step(recorded(rows, coded, t)))
            run.learn_due(codes)
            if progress is not None and not t % EVERY:
                progress(t, count, "")
        return self._trace(run, classes, codes, steps)

    def ask(self, x: Any, guesses: Mapping[str, Any] | None = None) -> OracleDecision:
        """Predict the next row, buy guesses about it, and decide whether a person is asked.

        It needs `classes` and `rows`. `run` does the same, to the last bit, if the labels come in its order.

        Parameters
        ----------
        x : array-like, sparse row or MixedRows
            One row, without guesses.
        guesses : mapping of str to (answer, confidence), default=None
            The guesses of machines about the row, by their names; the confidence may be None. In the place of a
            pair, a function that returns one is called only if the guess is bought: (None, None) is no answer.

        Returns
        -------
        OracleDecision
            The prediction, and who is to be asked. What it says was bought is paid.
        """
        run, classes = self._live()
        if run.seen == run.rows:
            raise ValueError(f"all {run.rows:,} rows were asked about: make another learner for more of them")
        row, given = self._one_row(x), guesses or {}
        answers = {place: by_name(given, name) for place, name in enumerate(self._guesses)}

        def look_up(place: int) -> Answer:
            return coded_answer(self._guesses[place], answers[place], classes.tolist())

        number, step = run.seen, run.step(Case(row, look_up))
        chances, bought = self._by_oracle(step)
        names = [oracle.name for oracle in self.oracles]
        return OracleDecision(
            number,
            classes[step.predicted],
            run.person.name if step.asks else None,
            dict(zip([None, *names], chances, strict=True)),
            tuple(name for name, has in zip(names, bought, strict=True) if has),
        )

    def tell(self, label: Any, *, oracle: str, row: int | None = None) -> Self:
        """Learn the label that a person gave to a row, however long ago the person was asked.

        Parameters
        ----------
        label : object
            The label, which is one of the classes.
        oracle : str
            The name of the person: `OracleDecision.oracle`.
        row : int, default=None
            The number of the row: `OracleDecision.row`. By default, the last row.

        Returns
        -------
        OracleLearner
            The learner itself.
        """
        run, classes = self._live()
        number = run.seen - 1 if row is None else row
        if oracle in {machine.name for machine in run.machines}:
            raise ValueError(f"the answers of {oracle!r} are guesses: give them to ask")
        if oracle != run.person.name:
            raise ValueError(f"there is no oracle {oracle!r}: the person is {run.person.name!r}")
        if number not in run.waiting:
            raise ValueError(f"row {number:,} waits for no label of {oracle!r}: it was not asked, or has answered")
        run.learn(number, int(self._codes(np.array([label]), classes)[0]))
        return self

    @property
    def ledger(self) -> Ledger:
        """What was bought since the first `ask`, and what is left."""
        return self._live()[0].ledger

    # ------------------------------------------------------------------ one pass

    @property
    def _guesses(self) -> list[str]:
        return [oracle.guess for oracle in self.oracles if oracle.guess is not None]

    def _begun(self, classes: int, rows: int) -> OracleRun:
        settings = AutoSettings(audit=self.audit, random_state=self.random_state, classes=list(range(classes)))
        return OracleRun(self.oracles, Ledger(self.oracles, self.budget), settings, rows, self.accuracy)

    def _live(self) -> tuple[OracleRun, Any]:
        """The pass of `ask` and `tell`, and the classes."""
        if self._run is None:
            if self.classes is None or self.rows is None:
                raise ValueError("ask and tell need to know the stream: give OracleLearner its classes and rows")
            classes = labels.as_classes(self.classes, many=True)
            self._run = self._begun(len(classes), self.rows), classes
        return self._run

    def _one_row(self, x: Any) -> Mixed:
        """One row, of the same width as those before."""
        row = checked_rows(as_one_row(x))
        shape = row.dense.shape[1], row.sparse_width
        self._shape = self._shape or shape
        if shape != self._shape:
            raise ValueError(f"the row has {sum(shape):,} columns, but earlier rows have {sum(self._shape):,}")
        return row

    def _by_oracle(self, step: Step) -> tuple[list[float], list[bool]]:
        """The probabilities of nobody and of each oracle, and whose answers were bought, in their order."""
        machines = iter(zip(step.for_all, step.bought, strict=True))
        chances, bought = [0.0 if any(step.for_all) else 1.0 - step.chance], []
        for oracle in self.oracles:
            for_all, has = (False, step.asks) if oracle.is_person else next(machines)
            chances.append(max(float(for_all), step.chance))
            bought.append(has)
        return chances, bought

    def _trace(self, run: OracleRun, classes: Any, codes: Any, steps: list[Step]) -> OracleTrace:
        predicted = np.array([step.predicted for step in steps], np.int64)
        shown = [self._by_oracle(step) for step in steps]
        chances, bought = (np.array([one[place] for one in shown]) for place in range(2))
        trusted = np.ones((len(steps), len(self.oracles)), bool)
        trusted[:, [not oracle.is_person for oracle in self.oracles]] = [step.trusted for step in steps]
        right = {one.name: table.right for one, table in zip(run.machines, run.tables, strict=True)}
        return OracleTrace(self.oracles, classes, codes, predicted, chances, bought, trusted, run.ledger, right)

    @staticmethod
    def _codes(given: Any, classes: Any) -> Any:
        order = np.argsort(classes)
        places = order[np.minimum(np.searchsorted(classes, given, sorter=order), len(order) - 1)]
        if not np.array_equal(classes[places], given):
            unknown = given[classes[places] != given][0]
            raise ValueError(f"the label {unknown!r} is not one of the classes {classes.tolist()}")
        return places
