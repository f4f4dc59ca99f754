"""Parts of work, done by the workers of an engine; those in hand when a worker is lost are done again."""

import pickle
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from askance.distributed.workers import Workers, as_it_is

A_MOMENT = 0.05  # seconds; loky stumbles over a part that it was handed just before it is stopped
LARGE = 100_000  # bytes from which on an argument is sent once a worker, and not with each part


class WorkerLost(ChildProcessError):
    """A part ended its worker each time that it was tried."""


class Part(NamedTuple):
    """A part of some work: what to call it, and the arguments."""

    title: str
    arguments: tuple[Any, ...]


class Outcome(NamedTuple):
    """What came of a part: what was found, or why nothing was."""

    number: int
    found: Any
    fault: Exception | None = None


def finished(work: Callable[..., Any], parts: Sequence[Part], workers: Workers) -> Iterator[tuple[int, Any]]:
    """The number of each part and what `work` made of it, as they come.

    An exception of `work` is raised here. A lost worker costs those parts that were in hand, and nothing that is
    finished: they are sent again, and the last time each by itself, so that it is known which one it is.
    """
    with closing(_outcomes(work, parts, workers)) as outcomes:
        for outcome in outcomes:
            if outcome.fault is not None:
                raise outcome.fault
            yield outcome.number, outcome.found


def _outcomes(work: Callable[..., Any], parts: Sequence[Part], workers: Workers) -> Generator[Outcome, None, None]:
    left = dict(enumerate(parts))
    losses: Counter[int] = Counter()
    while left:
        suspects = [number for number in left if losses[number] >= workers.sendings - 1]
        sending = _Sending(work, workers, {number: left[number] for number in suspects[:1] or left})
        try:
            with closing(sending.outcomes()) as outcomes:
                for outcome in outcomes:
                    del left[outcome.number]
                    yield outcome
        except workers.losses as loss:
            for outcome in sending.came:
                if left.pop(outcome.number, None) is not None:
                    yield outcome
            in_hand = [number for number in sending.sent if number in left]
            if not in_hand:
                raise  # it is the engine that has gone
            losses.update(in_hand)
            if suspects and losses[suspects[0]] >= workers.sendings:
                raise WorkerLost(_complaint(parts[suspects[0]], loss)) from loss


class _Sending:
    """One call of joblib, which ends when all its parts are done or a worker is lost."""

    def __init__(self, work: Callable[..., Any], workers: Workers, parts: dict[int, Part]) -> None:
        self._work, self._workers, self._parts = work, workers, parts
        self._given_up = False
        self.sent: list[int] = []
        self.came: list[Outcome] = []

    def outcomes(self) -> Generator[Outcome, None, None]:
        import joblib  # type: ignore[import-untyped]

        backend = self._workers.backend()
        retrieve = backend.retrieve_result_callback

        def noted(out: Any) -> Any:
            """What joblib has not yet handed on when a worker is lost, it forgets."""
            found = retrieve(out)
            self.came += found
            return found

        backend.retrieve_result_callback = noted
        parallel = joblib.Parallel(
            n_jobs=self._workers.jobs,
            backend=backend,
            return_as="generator_unordered",
            pre_dispatch="n_jobs",  # so that what is sent and has not come is in hand
            batch_size=1,
            max_nbytes=LARGE,
        )
        found = parallel(self._calls())
        try:
            for outcome in found:  # noqa: UP028 - what is delegated to cannot be closed quietly
                yield outcome
        except BaseException:
            self._given_up = True
            time.sleep(A_MOMENT)
            raise
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib's, that what nobody waits for any more is given up
                found.close()

    def _calls(self) -> Iterator[Any]:
        import joblib

        attempt = joblib.delayed(_attempt)
        stands_for = _shared(self._parts.values(), self._workers)
        for number, part in self._parts.items():
            if self._given_up:
                return
            self.sent.append(number)
            arguments = tuple(stands_for[id(argument)] for argument in part.arguments)
            yield attempt(self._work, number, self._workers.opened, arguments)


def _attempt(
    work: Callable[..., Any], number: int, opened: Callable[[Any], Any], arguments: tuple[Any, ...]
) -> Outcome:
    """Do a part, at the worker. A fault is no loss: engines would try the part again."""
    try:
        return Outcome(number, work(*map(opened, arguments)))
    except Exception as fault:
        fault.add_note(traceback.format_exc())  # which does not travel by itself
        return Outcome(number, None, fault)


def _shared(parts: Iterable[Part], workers: Workers) -> dict[int, Any]:
    """What stands for each argument, of which the large ones are sent ahead."""
    given = {id(argument): argument for part in parts for argument in part.arguments}
    if workers.share is as_it_is:
        return given
    return {key: workers.share(one) if _size(one) > LARGE else one for key, one in given.items()}


def _size(argument: Any) -> int:
    """The bytes that it takes to send it, of which arrays are counted where they are."""
    buffers: list[pickle.PickleBuffer] = []
    packed = pickle.dumps(argument, 5, buffer_callback=buffers.append)
    return len(packed) + sum(buffer.raw().nbytes for buffer in buffers)


def _complaint(part: Part, loss: BaseException) -> str:
    why = f"{type(loss).__name__}: {' '.join(str(loss).split())[:200]}"
    return f"{part.title} ends its worker each time: give workers more memory, or leave that part out ({why})"
