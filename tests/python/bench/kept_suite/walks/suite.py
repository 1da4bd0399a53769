"""The suite walks: races of nothing against nothing, with a mean over them, and a line in a log for each."""

import time
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from malloom.bench.gathered import Races
from malloom.bench.means import mean_row
from malloom.bench.steps import Bench, Found, Step, conclusion
from malloom.bench.suite import Prepared, Suite
from malloom.bench.tables import Table
from malloom.measure.interleaved import Budget
from malloom.measure.process import Command
from malloom.measure.rows import rows_of

NAMES = ("one", "two", "three", "four")
FEW = Budget(fewest=2, most=2)
COMMANDS = {
    name: Command(["/bin/sh", "-c", f"echo measure steps {steps} >&2"])
    for name, steps in (("slow", 100), ("fast", 25))
}
MOST = 1 << 62
"""Bytes that no machine has."""


def prepare(
    quick: bool,
    log: Annotated[Path, typer.Option(metavar="FILE", help="Where the steps write their names.")],
    hangs: Annotated[str, typer.Option(metavar="NAME", help="The step that does not end.")] = "",
    large: Annotated[str, typer.Option(metavar="NAME", help="The step that does not fit.")] = "",
    seconds: Annotated[float, typer.Option(help="What each step is thought to take.")] = 1.0,
) -> Prepared:
    """The suite with what was chosen."""

    def steps() -> list[Step]:
        races = Races()
        found = [
            Step(
                "walks",
                f"walk {name}",
                partial(walk_rows, name=name, log=log, races=races, hangs=name == hangs),
                seconds,
                memory=MOST if name == large else 0,
                gathers=races,
            )
            for name in NAMES
        ]
        return [
            *found,
            conclusion("walks", "mean", lambda: mean_row(races, "walks", "fast", "slow", "steps")),
        ]

    return Prepared({"walks": steps}, [Table("Walks", "walks", "steps", "slow")])


def walk_rows(bench: Bench, name: str, log: Path, races: Races, hangs: bool) -> Found:
    with log.open("a") as file:
        file.write(f"{name}\n")
    if hangs:
        time.sleep(600)
    place = ("walk", name)
    races[place] = bench.race_of(" ".join(place), COMMANDS, "slow", FEW, "steps")
    return rows_of(place, races[place], "slow", ("steps",))


SUITE = Suite(
    "walks that tests end in the middle", {"walks": "four of them"}, prepare, choosing=("hangs", "large")
)
