"""One budget, several oracles: which rows people label, and which guesses of machines are bought."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from askance._util.progress import Progress
from askance.annotators import Ledger, Oracle
from askance.auto.guess_rows import as_mixed, by_name, coded_guesses
from askance.auto.oracle_run import EVERY, OracleRun
from askance.auto.oracle_trace import OracleTrace
from askance.auto.settings import AutoSettings
from askance.errors import ParameterError
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
        The classes, if they are known. By default, those of the labels.

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
    """

    def __init__(
        self,
        oracles: Sequence[Oracle],
        budget: Any,
        *,
        audit: float = 0.3,
        random_state: int = 0,
        classes: Sequence[Any] | None = None,
    ) -> None:
        names = [oracle.name for oracle in oracles]
        if sum(oracle.is_person for oracle in oracles) != 1:
            raise ParameterError("OracleLearner", "oracles", names, "one person and any number of machines")
        Ledger(oracles, budget)  # refuses wrong names and amounts
        AutoSettings(audit=audit, random_state=random_state, classes=classes).check()
        self.oracles, self.budget = tuple(oracles), budget
        self.audit, self.random_state, self.classes = audit, random_state, classes

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
        rows = as_mixed(X)
        count = len(rows.dense)
        given = labels.as_labels(y, count)
        classes = np.unique(given) if self.classes is None else labels.as_classes(self.classes, many=True)
        if len(classes) < 2:
            raise ValueError("run needs labels of two classes, but y has only one class")
        codes = self._codes(given, classes)
        names = [oracle.guess for oracle in self.oracles if oracle.guess is not None]
        coded = [coded_guesses(name, by_name(guesses, name), classes.tolist(), count) for name in names]
        settings = AutoSettings(
            audit=self.audit, random_state=self.random_state, classes=list(range(len(classes)))
        )
        run = OracleRun(self.oracles, Ledger(self.oracles, self.budget), settings, rows, coded)
        return self._pass_over(run, classes, codes, progress)

    def _pass_over(self, run: OracleRun, classes: Any, codes: Any, progress: Progress | None) -> OracleTrace:
        count, oracles = len(codes), len(self.oracles)
        predicted, chances = np.zeros(count, np.int64), np.zeros((count, 1 + oracles))
        bought, trusted = np.zeros((count, oracles), bool), np.ones((count, oracles), bool)
        person = next(place for place, oracle in enumerate(self.oracles) if oracle.is_person)
        machines = [place for place in range(oracles) if place != person]
        for t in range(count):
            run.learn_due(t, codes)
            trusted[t, machines] = run.trusted
            predicted[t], chance, has, asks = run.step(t)
            chances[t, 0] = 0.0 if any(has) else 1.0 - chance
            chances[t, 1 + person], chances[t, [1 + place for place in machines]] = chance, np.maximum(has, chance)
            bought[t, person] = asks
            bought[t, machines] = run.ask_person(t, has, chance) if asks else has
            if not run.person.latency:
                run.learn_due(t, codes)
            if progress is not None and not t % EVERY:
                progress(t, count, "")
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
