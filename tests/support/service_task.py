"""A live task without a service around it: commands run at once, in the thread of the test."""

import itertools
from concurrent.futures import Future

from askance.service import messages
from askance.service.api.answers import explained
from askance.service.commands import amendments, deletions, flags, groups, labels
from askance.service.commands import items as item_commands
from askance.service.commands import settings as setting_commands
from askance.service.settings import Budget, Hashing, Labelling, TaskSettings, to_json
from askance.service.state import snapshots
from askance.service.state.models import encode
from askance.service.store import open_store
from askance.service.task import Job, Task
from askance.service.views import items as item_view
from askance.service.views import task as task_view


def settings(algorithm=None, *, bits=8, budget=None, labels=None, classes=("ham", "spam"), **more):
    """A task with a learner that is quick without a compiler, unless another is named."""
    return TaskSettings(
        name="spam",
        classes=list(classes),
        algorithm=algorithm or ("PAA-II" if len(classes) == 2 else "MPAA-II"),
        hashing=Hashing(bits=bits),
        budget=Budget(**(budget or {})),
        labels=Labelling(**(labels or {})),
        **more,
    )


class Clock:
    """A clock that the test sets."""

    def __init__(self, now=1_000_000.0):
        self.now = now

    def __call__(self):
        return self.now


class TaskRunner:
    """A task on a store, with every command as a method."""

    def __init__(self, url, made=None, *, snapshot_every=10_000, clock=None):
        self.url = url
        self.clock = clock or Clock()
        self.store = open_store(url)
        known = self.store.tasks()
        self.settings = made or settings()
        number = known[0].id if known else self.store.add_task("spam", to_json(self.settings), 1.0).id
        self.task = Task(self.store, number, self.settings, self.clock)
        self.task.snapshot_every = snapshot_every
        self._keys = itertools.count(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.task.settle()
        self.store.close()

    def run(self, work, *, alone=False):
        return self.run_all([work], alone=alone)[0].result()

    def run_all(self, works, *, alone=False):
        jobs = [Job(work, Future(), alone, 0) for work in works]
        self.task.do(jobs)
        return [job.answer for job in jobs]

    def decide(self, *texts, who="sender", **more):
        items = [text if isinstance(text, messages.Item) else messages.Item(text=text, **more) for text in texts]
        return self.run(lambda transaction: item_commands.decide(transaction, items, who)).decisions

    def import_items(self, *pairs):
        items = [
            messages.LabelledItem(label=label, **({"record": item} if isinstance(item, dict) else {"text": item}))
            for item, label in pairs
        ]
        return self.run(lambda transaction: item_commands.import_items(transaction, items, "sender"))

    def lease(self, who="ann", **wish):
        request = messages.LeaseRequest(**wish)
        leased = self.run(lambda transaction: labels.lease(transaction, request, who))
        return explained(self.task, leased) if request.why else leased

    def return_question(self, item, who="ann"):
        return self.run(lambda transaction: labels.return_question(transaction, item, who))

    def label(self, item, label, who="ann", **more):
        wish = messages.Label(label=label, item=item, **more)
        return self.run(lambda transaction: labels.label(transaction, [wish], who)).labels[0]

    def skip(self, item, who="ann", **more):
        return self.run(lambda transaction: labels.skip(transaction, messages.Skip(item=item, **more), who))

    def flag(self, item, who="ann", **more):
        return self.run(lambda transaction: flags.flag(transaction, messages.Flag(item=item, **more), who))

    def undo_flag(self, item, who="ann", **more):
        wish = messages.FlagUndo(item=item, **more)
        return self.run(lambda transaction: flags.undo_flag(transaction, wish, who))

    def undo(self, who="ann", **more):
        return self.run(lambda transaction: amendments.undo(transaction, messages.Undo(**more), who), alone=True)

    def correct(self, item, label, who="boss", **more):
        wish = messages.Correction(label=label, item=item, **more)
        return self.run(lambda transaction: amendments.correct(transaction, wish, who), alone=True)

    def label_group(self, items, label, who="ann", key="group", **more):
        wish = messages.GroupLabel(label=label, items=list(items), key=key, **more)
        found = self.run(lambda transaction: groups.label_group(transaction, wish, who))
        if found.correct:
            self.run(
                lambda transaction: groups.correct_group(transaction, label, found.correct, who)[0], alone=True
            )
        return found

    def undo_group(self, who="ann", key="undone", **more):
        wish, answers = messages.GroupUndo(key=key, **more), []

        def work(transaction):
            change, answer = groups.undo_group(transaction, wish, who)
            answers.append(answer)
            return change or answer

        self.run(work, alone=True)
        return answers[0]

    def delete(self, *items, key=None, who="boss"):
        wish, answers = messages.ItemDeletion(list(items), key or f"deletion-{self.task.fold.seq}"), []

        def work(transaction):
            change, answer = deletions.delete(transaction, wish, who)
            answers.append(answer)
            return change

        self.run(work, alone=True)
        return answers[0]

    def change(self, **parts):
        wish = messages.TaskChange(**parts)
        return self.run(lambda transaction: setting_commands.change(transaction, wish, "boss"))

    def change_classes(self, add=(), rename=None):
        wish = messages.ClassChange(list(add), rename or {})
        return self.run(lambda transaction: setting_commands.change_classes(transaction, wish, "boss"))

    def set_state(self, state):
        return self.run(lambda transaction: setting_commands.set_state(transaction, state, "boss"))

    def roll_back(self, to):
        return self.run(lambda transaction: amendments.roll_back(transaction, to, "boss"), alone=True)

    def undo_rollback(self, number):
        return self.run(lambda transaction: amendments.undo_rollback(transaction, number, "boss"), alone=True)

    def found(self, **wish):
        return item_view.found(self.store, self.task, messages.ItemSearch(**wish))

    def detail(self, item):
        return self.run(lambda transaction: task_view.detail(transaction, item))

    def figures(self):
        return self.run(self.task.figures)

    def model(self):
        """The model to the last bit."""
        return encode(self.task.fold.model.learner)

    def everything(self):
        """The whole fold to the last bit."""
        return snapshots.content(self.task.fold)

    def reopened(self):
        """The same store, as after a restart."""
        self.close()
        return TaskRunner(self.url, self.settings, snapshot_every=self.task.snapshot_every, clock=self.clock)


WORDS = {
    "spam": ["win", "free", "cash", "prize", "now", "click"],
    "ham": ["lunch", "meeting", "nine", "hello", "see", "you"],
}


def texts(chance, count):
    """Messages and their classes, distinguished by some of their words."""
    for _ in range(count):
        label = chance.choice(["ham", "spam"])
        words = [chance.choice(WORDS[label if chance.random() < 0.6 else "ham"]) for _ in range(8)]
        yield " ".join(words), label
