"""Progress of a ranking on the terminal, if standard error is one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from malloom.layout.ranking import SILENT, RankingProgress


@contextmanager
def shown(strategies: int, accesses: int) -> Iterator[RankingProgress]:
    """Shows which strategy is placed, and how far the simulation is; nothing where nobody looks."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield SILENT
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        placing = bars.add_task("placing", total=strategies)
        simulating = bars.add_task("simulating", total=accesses)

        def place(name: str) -> None:
            bars.update(placing, description=f"placing {name}")
            bars.advance(placing)

        yield RankingProgress(place, lambda done: bars.update(simulating, completed=done))
