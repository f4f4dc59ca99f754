"""Tasks, run by the workers of an engine; those that were running when a worker died are run again."""

import pickle
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from askance.distributed.workers import Workers, unchanged

A_MOMENT = 0.05  # seconds; loky fails if it is stopped right after it was given a task
LARGE = 100_000  # bytes from which an argument is sent once per worker instead of with each task


class WorkerLostError(ChildProcessError):
    """A task ended its worker each time it was tried."""


class Task(NamedTuple):
    """The title of a task, for messages, and its arguments."""

    title: str
    arguments: tuple[Any, ...]


class TaskResult(NamedTuple):
    """The value of a task, or the error that it raised."""

    number: int
    value: Any
    error: Exception | None = None


def run_tasks(work: Callable[..., Any], tasks: Sequence[Task], workers: Workers) -> Iterator[tuple[int, Any]]:
    """Yield the number of each task and what `work` returned for it, as they finish.

    An exception of `work` is raised here. If a worker dies, only the tasks that were running are sent again, the
    last time each by itself, so that it is known which task ends its worker.
    """
    with closing(_results(work, tasks, workers)) as results:
        for result in results:
            if result.error is not None:
                raise result.error
            yield result.number, result.value


def _results(
    work: Callable[..., Any], tasks: Sequence[Task], workers: Workers
) -> Generator[TaskResult, None, None]:
    left = dict(enumerate(tasks))
    losses: Counter[int] = Counter()
    while left:
        suspects = [number for number in left if losses[number] >= workers.attempts - 1]
        call = _JoblibCall(work, workers, {number: left[number] for number in suspects[:1] or left})
        try:
            with closing(call.results()) as results:
                for result in results:
                    del left[result.number]
                    yield result
        except workers.losses as loss:
            for result in call.finished:
                if left.pop(result.number, None) is not None:
                    yield result
            running = [number for number in call.sent if number in left]
            if not running:
                raise  # the engine itself is gone
            losses.update(running)
            if suspects and losses[suspects[0]] >= workers.attempts:
                raise WorkerLostError(_complaint(tasks[suspects[0]], loss)) from loss


class _JoblibCall:
    """One call of joblib, which ends when all its tasks are done or a worker is lost."""

    def __init__(self, work: Callable[..., Any], workers: Workers, tasks: dict[int, Task]) -> None:
        self._work, self._workers, self._tasks = work, workers, tasks
        self._stopped = False
        self.sent: list[int] = []
        self.finished: list[TaskResult] = []

    def results(self) -> Generator[TaskResult, None, None]:
        import joblib  # type: ignore[import-untyped]

        backend = self._workers.backend()
        retrieve = backend.retrieve_result_callback

        def retrieve_and_record(out: Any) -> Any:
            """Record results: joblib forgets those that it has not yielded when a worker is lost."""
            found = retrieve(out)
            self.finished += found
            return found

        backend.retrieve_result_callback = retrieve_and_record
        parallel = joblib.Parallel(
            n_jobs=self._workers.n_jobs,
            backend=backend,
            return_as="generator_unordered",
            pre_dispatch="n_jobs",  # so that all tasks that were sent and have not finished are running
            batch_size=1,
            max_nbytes=LARGE,
        )
        found = parallel(self._calls())
        try:
            for result in found:  # noqa: UP028 - what is delegated to cannot be closed quietly
                yield result
        except BaseException:
            self._stopped = True
            time.sleep(A_MOMENT)
            raise
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib warns about tasks that are given up
                found.close()

    def _calls(self) -> Iterator[Any]:
        import joblib

        run_one = joblib.delayed(_run_one)
        references = _shared(self._tasks.values(), self._workers)
        for number, task in self._tasks.items():
            if self._stopped:
                return
            self.sent.append(number)
            arguments = tuple(references[id(argument)] for argument in task.arguments)
            yield run_one(self._work, number, self._workers.open, arguments)


def _run_one(
    work: Callable[..., Any], number: int, open_: Callable[[Any], Any], arguments: tuple[Any, ...]
) -> TaskResult:
    """Run a task on a worker. An exception is returned, because engines would retry a task that raises."""
    try:
        return TaskResult(number, work(*map(open_, arguments)))
    except Exception as error:
        error.add_note(traceback.format_exc())  # tracebacks are not pickled
        return TaskResult(number, None, error)


def _shared(tasks: Iterable[Task], workers: Workers) -> dict[int, Any]:
    """Return a reference for each large argument, sent ahead, and the other arguments themselves."""
    given = {id(argument): argument for task in tasks for argument in task.arguments}
    if workers.share is unchanged:
        return given
    return {key: workers.share(one) if _size(one) > LARGE else one for key, one in given.items()}


def _size(argument: Any) -> int:
    """Return the pickled size in bytes, without copying arrays."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(argument, 5, buffer_callback=buffers.append)
    return len(pickled) + sum(buffer.raw().nbytes for buffer in buffers)


def _complaint(task: Task, loss: BaseException) -> str:
    why = f"{type(loss).__name__}: {' '.join(str(loss).split())[:200]}"
    return f"{task.title} ends its worker each time: give workers more memory, or leave it out ({why})"
