"""Progress of a ranking on the terminal, if standard error is one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from rich.progress import Progress, TaskID

from malloom.cluster.tasks import Told, silent
from malloom.commands.progress import bars_shown, watched
from malloom.layout.ranking import SILENT, RankingProgress


@contextmanager
def tasks_shown(what: str, count: int) -> Iterator[Told]:
    """Shows how many tasks are done."""
    with bars_shown() as bars:
        if bars is None:
            yield silent
            return
        bar = bars.add_task(what, total=count)
        yield lambda done: bars.update(bar, completed=done)


@contextmanager
def shown(strategies: int, accesses: int, with_steps: bool = False) -> Iterator[RankingProgress]:
    """Shows which strategy is placed, and how far the simulation is; with_steps, for what does more than
    that, also the step that it is in."""
    with bars_shown() as bars:
        if bars is None:
            yield SILENT
            return
        with watched(bars) if with_steps else nullcontext():
            yield _told(bars, strategies, accesses)


def _told(bars: Progress, strategies: int, accesses: int) -> RankingProgress:
    placing = bars.add_task("placing", total=strategies, start=False, visible=False)
    simulating = bars.add_task("simulating", total=accesses, start=False, visible=False)

    def place(name: str) -> None:
        _begin(bars, placing)
        bars.update(placing, description=f"placing {name}", advance=1)

    def simulate(done: int) -> None:
        _begin(bars, simulating)
        bars.update(simulating, completed=done)

    return RankingProgress(place, simulate)


def _begin(bars: Progress, task: TaskID) -> None:
    """Its time begins, where it has not begun."""
    bars.start_task(task)
    bars.update(task, visible=True)
