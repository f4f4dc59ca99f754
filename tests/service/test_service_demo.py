"""The demonstration: a world that can be learned, and a labeller who errs."""

import io
import threading
import time
from collections import Counter
from itertools import islice

import msgspec
import numpy as np
import pytest
from rich.console import Console

from askance import AutoLearner
from askance.data import hash_texts
from askance.service.client import Client
from askance.service.demo import world
from service_server import real_service


def messages(random_state, count):
    return list(islice(world.synthetic_messages(random_state), count))


def test_messages_are_the_same_for_the_same_seed_and_as_mixed_as_said():
    made = messages(7, 4000)
    assert made[:50] == messages(7, 50)
    assert made[:50] != messages(8, 50)
    assert world.synthetic_message(7, 49) == made[49]
    counts = Counter(kind for _, kind in made)
    for kind, share in world.SHARES.items():
        assert counts[kind] / len(made) == pytest.approx(share, abs=0.03)
    assert all(text.strip() and len(text) < 500 and "{" not in text for text, _ in made)
    assert len({text for text, _ in made}) > 3900


def test_later_messages_have_words_that_early_ones_had_not():
    early = " ".join(text for text, _ in messages(7, 100))
    late = " ".join(world.synthetic_message(7, number)[0] for number in range(5000, 5300))
    for word in ("voucher", "loops for ever", "backlinks"):
        assert word not in early
        assert word in late


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("random_state", [7, pytest.param(8, marks=pytest.mark.soak)])
def test_accuracy_rises_from_chance_to_nine_in_ten(random_state):
    made = messages(random_state, 4000)
    kinds = np.array([kind for _, kind in made])
    X = hash_texts([text for text, _ in made], 18, unit=False, signed=False, dtype="float64")
    trace = AutoLearner(rate=world.SETTINGS.budget.rate).run(X, kinds)
    right = trace.predictions == kinds
    assert trace.asked.mean() == pytest.approx(0.1, abs=0.02)
    assert right[:50].mean() < 0.8
    assert 0.8 < right[500:1000].mean() < 0.95
    assert 0.9 < right[3000:].mean() < 0.97


@pytest.mark.slow
def test_the_demonstration_runs_on_the_real_service_and_goes_on_after_a_stop(tmp_path, monkeypatch):
    # Without a compiler, the learner that it uses takes too long.
    monkeypatch.setattr(world, "SETTINGS", msgspec.structs.replace(world.SETTINGS, algorithm="MPAA-II"))
    console = Console(file=io.StringIO(), width=200)
    with real_service(tmp_path) as (url, code):
        with Client(url) as stranger:
            token = stranger.first_token(code).token
        with Client(url, token, world.TASK) as client:
            for goal in (300, 500):
                stop = threading.Event()
                words = {"stop": stop, "random_state": 7, "rows_per_second": 1000.0, "labeller_delay": 0.0}
                running = threading.Thread(target=world.run_demo, args=(url, token), kwargs=words)
                running.start()
                end = time.monotonic() + 20
                while time.monotonic() < end and not far_enough(client, goal):
                    time.sleep(0.02)
                stop.set()
                running.join()
            figures = client.figures()
            console.print(world.in_a_line(figures))
            console.print(world.as_table(figures))
            texts = [row["text"] for row in client.decisions()]
            given = [(row["id"], row["label"]) for row in client.labels()]
    assert figures.items >= 500
    assert texts == [text for text, _ in messages(7, len(texts))]
    assert len(given) >= 20
    truth = [world.synthetic_message(*world.Name.read(name))[1] for name, _ in given]
    assert np.mean([label == right for (_, label), right in zip(given, truth, strict=True)]) > 0.85
    shown = console.file.getvalue()
    assert f"items {figures.items:,}, asked {figures.asked:,} (" in shown
    assert "accuracy" in shown


def far_enough(client, goal):
    if world.TASK not in [task.name for task in client.tasks()]:
        return False
    figures = client.figures()
    return figures.items >= goal and figures.labelled >= goal // 20


class Busy:
    """A client that has some figures to tell, and then has enough."""

    def __init__(self, stop, *seen):
        self.stop = stop
        self.seen = list(seen)

    def figures(self):
        if len(self.seen) == 1:
            self.stop.set()
        return self.seen.pop(0)


def test_the_figures_are_lines_or_a_table_that_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(world, "LINE_SECONDS", 0.0)
    monkeypatch.setattr(world, "TABLE_SECONDS", 0.0)
    with real_service(tmp_path, world.SETTINGS) as (url, code):
        with Client(url) as stranger:
            token = stranger.first_token(code).token
        with Client(url, token, world.TASK) as client:
            before = client.figures()
            client.decide("one")
            after = client.figures()
    lines, screen = (Console(file=io.StringIO(), force_terminal=tty, width=100) for tty in (False, True))
    for console in (lines, screen):
        stop = threading.Event()
        world.watch_demo(Busy(stop, before, after), console, stop)
    assert lines.file.getvalue().count("\n") == 2
    assert "items 0, asked 0," in lines.file.getvalue()
    assert "accuracy (current model) not enough labels yet" in lines.file.getvalue()
    assert "\x1b[" in screen.file.getvalue()


def test_a_name_is_read_only_if_it_is_one():
    assert world.Name.read("demo-7-12") == (7, 12)
    assert str(world.Name(7, 12)) == "demo-7-12"
    for other in (None, "", "demo-7", "demo-7-", "demo-x-1", "demo-²-1", "other-7-12"):
        assert world.Name.read(other) is None
