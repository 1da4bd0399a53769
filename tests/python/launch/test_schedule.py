"""When windows are opened and closed, by a clock of the tests' own."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from malloom.errors import CommandError
from malloom.launch import schedule as module
from malloom.launch.cpu_time import children_of, cpu_seconds, is_running
from malloom.launch.schedule import LATER, SHORTEST, Closed, Schedule, Spending, Wanted
from malloom.launch.windows import Window, Windows, base_of_process


@dataclass
class Clock:
    now: float = 100.0

    def monotonic(self) -> float:
        return self.now


@dataclass
class Counted:
    """A window that has recorded `rate` events for every second so far."""

    clock: Clock
    rate: float
    opened: float
    profile: Path = Path("window")

    def events(self) -> int:
        return round((self.clock.now - self.opened) * self.rate)


@dataclass
class Opened:
    """In place of what opens windows: when it did, and when it closed them."""

    clock: Clock
    rate: float
    times: list[tuple[float, float]] = field(default_factory=list)

    def open(self, *, sampled: bool) -> Window:
        assert not sampled
        return cast(Window, Counted(self.clock, self.rate, self.clock.now))

    def take_in(self, window: Window) -> None:
        assert window.opened <= self.clock.now

    def close(self, window: Window) -> dict[str, int | bool]:
        self.times.append((window.opened - 100, self.clock.now - 100))
        return {"events": window.events()}


def run(
    monkeypatch: pytest.MonkeyPatch, wanted: Wanted, seconds: int, *, rate: float = 1000, event: float = 1e-6
) -> tuple[list[tuple[float, float]], list[Closed], Schedule]:
    """Steps of a tenth of a second; the program uses half of a processor."""
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    opened, over = Opened(clock, rate), list[Closed]()
    spending = Spending(event, 0.0, 0.0, lambda: 0.0)
    schedule = Schedule(
        cast(Windows, opened),
        wanted,
        spending,
        lambda: (clock.now - 100) / 2,
        over.append,
        next_opening=clock.now,
    )
    for tenth in range(seconds * 10):
        clock.now = 100 + tenth / 10
        schedule.step()
    schedule.close()
    return opened.times, over, schedule


def test_one_window_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    times, over, schedule = run(monkeypatch, Wanted(3), 60)
    assert times == [(0, 3)]
    assert schedule.is_done
    assert (over[0].recorded_cpu_time, over[0].cpu_time) == (1_500_000_000, 1_500_000_000)


def test_a_window_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    times, over, schedule = run(monkeypatch, Wanted(2, every=10), 25)
    assert times == pytest.approx([(0, 2), (10, 12), (20, 22)])
    assert not schedule.is_done
    assert [each.cpu_time for each in over] == pytest.approx([1e9, 5e9, 5e9])
    assert [each.recorded_cpu_time for each in over] == pytest.approx([1e9, 1e9, 1e9])


def test_what_the_program_s_end_cuts_short_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    times, _, _ = run(monkeypatch, Wanted(30), 5)
    assert times == [(0, pytest.approx(4.9))]


@pytest.mark.parametrize(("budget", "rate"), [(0.01, 20_000), (0.01, 200_000), (0.001, 20_000)])
def test_a_budget_is_kept(monkeypatch: pytest.MonkeyPatch, budget: float, rate: float) -> None:
    wanted = Wanted(30, every=60, budget=budget)
    times, _, schedule = run(monkeypatch, wanted, 600, rate=rate, event=1e-6)
    program = 600 / 2
    spent = schedule.spending.seconds()
    assert times, "something is recorded"
    # A window is looked at ten times a second, so that it may be a tenth late.
    assert spent <= budget * program + 0.1 * rate * 1e-6 * len(times)
    if rate * 1e-6 > budget:
        assert spent >= 0.5 * budget * program, "and the budget is used"


def test_a_budget_that_nothing_fits_into_records_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spending, "seconds", lambda self, more=0: 10.0)
    times, _, schedule = run(monkeypatch, Wanted(1, budget=0.01), 100)
    assert times == []
    assert schedule.next_opening <= 100 + 100 + LATER


def test_what_tables_take_is_learned() -> None:
    spending = Spending(1e-6, 1.0, 5e-6, lambda: 0.5)
    assert spending.room(0.01, 100) < 0, "half a second is spent, and a table takes one more"
    assert spending.room(0.02, 100) == pytest.approx(0.5 / 6e-6)
    assert spending.room(0.02, 100, more_events=80_000) == pytest.approx(0.5 / 6e-6 - 80_000)
    assert spending.room(None, 100) == math.inf
    spending.learn(0.8, 1000)
    assert (spending.table, spending.table_event) == (0.8, 5e-6), "so few say nothing of each"
    spending.learn(1.8, 500_000)
    assert spending.table_event == pytest.approx(2e-6)
    spending.learn(0.7, 1000)
    assert (spending.table, spending.table_event) == (0.7, pytest.approx(2.2e-6))


@pytest.mark.parametrize("rate", [1_000, 100_000, 4_000_000])
def test_a_busy_window_is_looked_at_sooner(monkeypatch: pytest.MonkeyPatch, rate: float) -> None:
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    over = list[Closed]()

    def own() -> float:
        return 0.5 + sum(1 + 5e-6 * each.state["events"] for each in over)

    schedule = Schedule(
        cast(Windows, Opened(clock, rate)),
        Wanted(5, every=20, budget=0.03),
        Spending(0.5e-6, 1.0, 5e-6, own),
        lambda: clock.now - 100,
        over.append,
        next_opening=clock.now,
    )
    while clock.now < 300:
        schedule.step()
        clock.now += schedule.pause
    assert over
    # A window is as late as its last pause was, the shortest.
    assert schedule.spending.seconds() <= 0.03 * 200 + SHORTEST * rate * 5.5e-6


def test_cpu_time_of_children_counts() -> None:
    import os  # noqa: PLC0415
    import subprocess  # noqa: PLC0415

    loop = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ntime.sleep(60)"
    before = cpu_seconds(os.getpid())
    with subprocess.Popen(["python3", "-S", "-c", loop], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline() == b"\n"
        assert child.pid in children_of(os.getpid())
        assert cpu_seconds(os.getpid()) - before >= 0.3
        child.kill()
    assert cpu_seconds(child.pid) == 0


def test_a_process_that_has_ended_is_refused() -> None:
    import subprocess  # noqa: PLC0415

    with subprocess.Popen("true") as ended:
        while is_running(ended.pid):
            pass
        # Nobody has waited for it yet.
        with pytest.raises(CommandError, match="cannot be recorded: it has ended"):
            base_of_process(ended.pid)
    with pytest.raises(CommandError, match="there is no such process"):
        base_of_process(ended.pid)
