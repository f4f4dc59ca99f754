"""A service that is killed again and again, and those who talk to it and remember what was acknowledged."""

import random
import sys
import threading
import time
from collections import deque
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))  # the benchmark's load generator is not part of the package

from bench.load import Connection, Running

TASK = 'name = "load"\nclasses = ["ham", "spam"]\nalgorithm = "PA-II"\n[hashing]\nbits = 12\n'
AUTO = TASK.replace("PA-II", "auto") + "[budget]\nrate = 0.8\n"
SEVERAL = "multilabel = true\n" + AUTO
PATH = "/api/tasks/load"
GONE = (ConnectionError, OSError)


class Memory:
    """What senders and labellers know: sent again with the same id or key until it is acknowledged."""

    def __init__(self, random_state, several=False):
        self.chance = random.Random(random_state)
        self.several = several  # whether items may have several classes
        self.lock = threading.Lock()
        self.unsent = deque()  # batches of items that may or may not have arrived
        self.items = {}  # id: item
        self.asked = set()
        self.unlabelled = deque()
        self.labels = {}  # item: label, acknowledged
        self.sent = 0
        self.unclear = 0  # requests whose answer was lost

    def batch(self):
        with self.lock:
            if self.unsent:
                return self.unsent.popleft()
            self.sent += 20
            return [{"id": f"id-{self.sent + n}", "text": f"word{n} word{self.sent % 7}"} for n in range(20)]

    def decided(self, decisions):
        with self.lock:
            for decision in decisions:
                if decision["id"] not in self.items:
                    self.items[decision["id"]] = decision["item"]
                    if decision["ask"]:
                        self.asked.add(decision["item"])
                        self.unlabelled.append(decision["item"])
                assert self.items[decision["id"]] == decision["item"], "the same id is the same item"

    def leased(self, questions):
        """Questions that are chosen on lease; others were known when the items came."""
        with self.lock:
            fresh = [question["item"] for question in questions if question["item"] not in self.asked]
            self.asked.update(fresh)
            self.unlabelled.extend(fresh)

    def label_of(self, item):
        return [[], ["spam"], ["ham", "spam"]][item % 3] if self.several else label_of(item)

    def next_item(self):
        with self.lock:
            return self.unlabelled.popleft() if self.unlabelled else None


def label_of(item):
    return "spam" if item % 3 else "ham"


def one_life(store, directory, memory, seconds, task=TASK):
    """Start it, talk to it, and kill it after `seconds`; return how long the start took, and the figures then."""
    running = Running(store, task, directory)
    figures = running.get(f"{PATH}/figures")
    over = threading.Event()
    faults = []
    works = [_sender, *[_labeller] * 3]
    threads = [
        threading.Thread(target=_until_it_is_gone, args=(work, running.port, memory, over, faults))
        for work in works
    ]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    running.kill()
    over.set()
    for thread in threads:
        thread.join()
    assert not faults, faults[0]
    return running.seconds_to_start, figures


def _until_it_is_gone(work, port, memory, over, faults):
    try:
        with Connection(port) as connection:
            while not over.is_set():
                work(connection, memory)
    except GONE:
        pass
    except BaseException as fault:  # told by the main thread
        faults.append(fault)


def _sender(connection, memory):
    if len(memory.unlabelled) > 500:  # what the labellers leave over has to be labelled after the last kill
        time.sleep(0.005)
        return
    batch = memory.batch()
    try:
        memory.decided(connection.post(f"{PATH}/items", {"items": batch})["decisions"])
        time.sleep(0.005)
    except GONE:
        memory.unclear += 1
        memory.unsent.append(batch)
        raise


def _labeller(connection, memory):
    item = memory.next_item()
    if item is None:
        memory.leased(connection.post(f"{PATH}/leases", {"count": 5})["questions"])
        time.sleep(0.002)
        return
    try:
        label = {"item": item, "label": memory.label_of(item), "key": f"label-{item}"}
        noted = connection.post(f"{PATH}/labels", {"labels": [label]})["labels"][0]
        assert noted["state"] == "learned"
        memory.labels[item] = label["label"]
        time.sleep(0.002)
    except GONE:
        memory.unclear += 1
        memory.unlabelled.appendleft(item)
        raise
