"""A clock that jumps: neither leases nor the days of a budget stand still afterwards."""

import pytest

from askance.service.clock import PATIENCE, SteadyClock
from askance.service.compaction import compact
from service_task import TaskRunner, settings

DAY = 86_400.0


class Times:
    """A wall clock and a stopwatch that the test sets."""

    def __init__(self):
        self.wall, self.elapsed = 1_000_000.0, 50.0
        self.clock = SteadyClock(lambda: self.wall, lambda: self.elapsed)

    def after(self, seconds, jump=0.0):
        self.elapsed += seconds
        self.wall += seconds + jump
        return self.clock()


def test_a_jump_for_an_instant_is_not_seen():
    times = Times()
    assert times.after(10) == 1_000_010.0
    assert times.after(1, jump=2 * DAY) == pytest.approx(1_000_011.0)
    assert times.after(5) == pytest.approx(1_000_016.0)
    assert times.after(1, jump=-2 * DAY) == pytest.approx(1_000_017.0)
    assert times.after(PATIENCE) == pytest.approx(1_000_017.0 + PATIENCE)


@pytest.mark.parametrize("jump", [3600.0, -3600.0])
def test_a_jump_that_lasts_is_believed(jump):
    times = Times()
    times.after(1, jump=jump)
    assert times.after(PATIENCE - 1) == pytest.approx(1_000_000.0 + PATIENCE)
    assert times.after(2) == pytest.approx(1_000_002.0 + PATIENCE + jump)


def test_a_clock_that_is_adjusted_slowly_is_followed():
    times = Times()
    for _ in range(100):
        now = times.after(1, jump=0.01)
    assert now == pytest.approx(1_000_101.0)


@pytest.fixture
def runner(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), settings("PA-I", labels={"lease_seconds": 2.0})) as opened:
        yield opened


def test_leases_end_after_the_clock_was_ahead(runner):
    runner.decide("win free cash")
    runner.clock.now += 2 * DAY
    runner.decide("lunch at nine")  # an entry with a time that is yet to come
    runner.clock.now -= 2 * DAY
    assert [question.item for question in runner.lease("ann").questions] == [1]
    runner.clock.now += 1
    assert [question.item for question in runner.lease("bob", count=9).questions] == [2]
    runner.clock.now += 2.5
    assert [question.item for question in runner.lease("cleo", count=9).questions] == [1, 2]


def test_a_lease_from_the_time_to_come_does_not_hold(runner):
    runner.decide("win free cash")
    runner.clock.now += 2 * DAY
    assert runner.lease("ann").questions
    runner.clock.now -= 2 * DAY
    assert (runner.figures().leased, runner.figures().waiting) == (0, 1)
    assert [question.item for question in runner.lease("bob").questions] == [1]


def test_the_days_of_a_budget_go_on(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), settings("PA-I", budget={"per_day": 2})) as runner:
        asked = []

        def send(days=0.0):
            runner.clock.now += days * DAY
            asked.append(runner.decide("win free cash")[0].ask)

        send()
        send(days=2)  # the clock is ahead
        send(days=-2)
        send()  # there were two on this day
        assert (asked, runner.figures().spend.left_today) == ([True, True, True, False], 0)
        send(days=1)
        send()
        send()
        assert asked[4:] == [True, True, False]
        send(days=1)  # the day on which the clock was before: one was asked for then
        send()
        assert asked[7:] == [True, False]
        again = runner.reopened()
        assert again.everything() == runner.everything()
        again.close()


def test_a_compaction_keeps_what_is_young_by_any_time(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), settings("PA-I"), snapshot_every=2) as runner:
        runner.set_state("paused")  # items are not asked about
        for days in (0, 0, 100, -60, 1, 1, 1, 1):
            runner.clock.now += days * DAY
            runner.decide("win free cash")
            runner.task.settle()
        done = compact(runner.task, 1.0, runner.clock.now)
        assert done.before <= 3, "the fourth entry is 40 days old, but the third was yet to come"
