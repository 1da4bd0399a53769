"""Progress of a ranking on the terminal, if standard error is one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from malloom.cluster.tasks import Told, silent
from malloom.layout.ranking import SILENT, RankingProgress

COLUMNS = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())


@contextmanager
def tasks_shown(what: str, count: int) -> Iterator[Told]:
    """Shows how many tasks are done."""
    with _bars() as bars:
        if bars is None:
            yield silent
            return
        bar = bars.add_task(what, total=count)
        yield lambda done: bars.update(bar, completed=done)


@contextmanager
def shown(strategies: int, accesses: int) -> Iterator[RankingProgress]:
    """Shows which strategy is placed, and how far the simulation is."""
    with _bars() as bars:
        if bars is None:
            yield SILENT
            return
        placing = bars.add_task("placing", total=strategies)
        simulating = bars.add_task("simulating", total=accesses)

        def place(name: str) -> None:
            bars.update(placing, description=f"placing {name}")
            bars.advance(placing)

        yield RankingProgress(place, lambda done: bars.update(simulating, completed=done))


@contextmanager
def _bars() -> Iterator[Progress | None]:
    """None where nobody looks."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with Progress(*COLUMNS, console=console, transient=True) as bars:
        yield bars
