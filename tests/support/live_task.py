"""A live task with its writer: commands run in its thread, and long replays in another one."""

import random

from askance.service.commands import amendments, deletions, labels
from askance.service.commands import items as item_commands
from askance.service.messages import Correction, Item, ItemDeletion, Label, LeaseRequest, Undo
from askance.service.state import snapshots
from askance.service.views import task as task_view
from askance.service.writer import Writer
from service_task import TaskRunner, texts

WAIT = 60  # seconds


class Live:
    """A task with its writer."""

    def __init__(self, url, settings_=None, snapshot_every=20):
        self.runner = TaskRunner(url, settings_, snapshot_every=snapshot_every)
        self.task = self.runner.task
        self.writer = Writer(self.task)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.writer.stop()
        self.runner.close()

    def submit(self, work, **how):
        return self.writer.submit(work, **how)

    def decide(self, *sent):
        items = [Item(text=text) for text in sent]
        return (
            self.submit(lambda t: item_commands.decide(t, items, "sender"), size=len(items)).result(WAIT).decisions
        )

    def label(self, item, label, who="ann"):
        wish = Label(label=label, item=item)
        return self.submit(lambda t: labels.label(t, [wish], who)).result(WAIT).labels[0]

    def lease(self, who="ann", **wish):
        return self.submit(lambda t: labels.lease(t, LeaseRequest(**wish), who)).result(WAIT).questions

    def correct(self, item, label, **more):
        wish = Correction(label=label, item=item, **more)
        return self.submit(lambda t: amendments.correct(t, wish, "boss"), alone=True)

    def detail(self, item):
        return self.submit(lambda t: task_view.detail(t, item)).result(WAIT)

    def undo(self, who="ann", **more):
        return self.submit(lambda t: amendments.undo(t, Undo(**more), who), alone=True)

    def delete(self, *items, key):
        wish = ItemDeletion(list(items), key)
        return self.submit(lambda t: deletions.delete(t, wish, "boss")[0], alone=True)

    def roll_back(self, to):
        return self.submit(lambda t: amendments.roll_back(t, to, "boss"), alone=True)

    def taught(self, count, random_state=1):
        """Send items and label those that are asked about, ten at a time; return their numbers."""
        asked, sent = [], list(texts(random.Random(random_state), count))
        for place in range(0, count, 10):
            self.runner.clock.now += 1
            some = sent[place : place + 10]
            decided = self.decide(*(text for text, _ in some))
            truth = {
                decision.item: label for decision, (_, label) in zip(decided, some, strict=True) if decision.ask
            }
            wishes = [Label(label=label, item=item) for item, label in truth.items()]
            self.submit(lambda t, wishes=wishes: labels.label(t, wishes, "ann")).result(WAIT)
            asked += truth
        return asked

    def everything(self):
        return self.submit(lambda t: snapshots.content(t.fold)).result(WAIT)

    def is_what_the_journal_says(self):
        """Whether the fold is the one that a new start builds."""
        self.submit(lambda _: self.task.settle()).result(WAIT)  # in the thread that starts what it waits for
        fold = self.task.fold_at(self.task.fold.seq)
        assert self.everything() == snapshots.content(fold)
        for seq in self.task.store.snapshot_seqs(1):  # snapshots are shortcuts, and no more
            self.task.store.drop_snapshots(1, [seq])
        assert self.everything() == snapshots.content(self.task.fold_at(self.task.fold.seq))
