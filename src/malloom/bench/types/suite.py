"""The suite types: for which share of the heap's accesses `malloom profile fields` names the type."""

import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Annotated

import typer

from malloom.bench.goals import Goal
from malloom.bench.numbers import number_rows
from malloom.bench.room import memory_for
from malloom.bench.steps import Bench, Found, Step, conclusion
from malloom.bench.suite import Prepared, Suite
from malloom.bench.tables import Table
from malloom.bench.types.builds import built
from malloom.bench.types.drawn import as_markdown, drawn
from malloom.bench.types.programs import PROGRAMS, Typed
from malloom.bench.types.told import Gatherer, Told, told_by
from malloom.errors import CommandError
from malloom.measure.rows import Place, Row
from malloom.measure.stages import record

MEAN = "mean"
NOT_NAMED = 0.05
"""The largest share of a program's heap accesses whose type may be unknown, and of the mean."""
SHARE, UNKNOWN, TYPES = "share of accesses", "not named", "types"
SECONDS, SECONDS_OF_A_QUICK_RUN = 240.0, 150.0
"""What a program takes, its build most: a guess."""
LARGEST_HEAP = 400 << 20
"""Bytes: of a build, and of the table of fields; a guess."""
WRITTEN = 2 << 30
"""Bytes of a build with debug information, and of a profile: a guess."""
TO_RECORD = 600.0
"""Seconds at most."""

PARTS = {
    **{program.name: f"{program.language}, {program.work.unit}" for program in PROGRAMS},
    MEAN: "the mean over the programs, and types drawn from them",
}


def prepare(
    quick: bool,
    draw: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A file for certain types, drawn at random, as Markdown."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The seed of the draw.")] = 1,
    drawn_types: Annotated[int, typer.Option(metavar="N", help="How many are drawn.", min=1)] = 50,
) -> Prepared:
    told = Gatherer()
    steps: dict[str, Callable[[], Sequence[Step]]] = {
        program.name: partial(_step, program, quick, told) for program in PROGRAMS
    }

    def concluded() -> Found:
        if draw is not None:
            write_draw(draw, told, drawn_types, seed)
        return mean_rows(told)

    steps[MEAN] = lambda: [conclusion(MEAN, MEAN, concluded)]
    tables = [Table("Heap accesses whose type is told", "", SHARE)]
    return Prepared(steps, tables)


def _step(program: Typed, quick: bool, told: Gatherer) -> list[Step]:
    seconds = SECONDS_OF_A_QUICK_RUN if quick else SECONDS
    measure = partial(program_rows, program=program, quick=quick, told=told)
    memory = memory_for(LARGEST_HEAP)
    return [Step(program.name, program.name, measure, seconds, memory=memory, disk=WRITTEN, gathers=told)]


def program_rows(bench: Bench, program: Typed, quick: bool, told: Gatherer) -> list[Row | Goal]:
    """Builds and records a program, of which nothing stays, and reads what is told of its types."""
    folder, place = bench.scratch / "types" / program.name, program.place(quick)
    try:
        bench.say(f"building {program.name}")
        binary = built(program, folder / "built")
        words = program.work.prepared(folder / "input", program.size(quick))
        bench.say(f"recording {program.name}")
        profile = folder / "profile"
        record([str(binary), *words], profile, "full", time_limit=TO_RECORD)
        bench.say(f"reading the types of {program.name}")
        told[place] = told_by(profile, folder / "built")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return share_rows(place, told[place])


def share_rows(place: Place, told: Told) -> list[Row | Goal]:
    """Raises CommandError where nothing was recorded."""
    if not told.accesses:
        raise CommandError(f"{place[0]} had no accesses to heap objects")
    shares = {"named": told.named / told.accesses, "certain": told.certain / told.accesses}
    return [
        *number_rows(place, SHARE, shares),
        _goal(place, told.not_named),
    ]


def mean_rows(told: Gatherer) -> list[Row | Goal]:
    """Arithmetic: each program counts the same. Nothing where none was measured."""
    if not told:
        return []
    place = (MEAN, f"{len(told)} programs")
    shares = {
        "named": fmean(each.named / each.accesses for each in told.values()),
        "certain": fmean(each.certain / each.accesses for each in told.values()),
    }
    unknown = fmean(each.not_named for each in told.values())
    return [
        *number_rows(place, SHARE, shares),
        _goal(place, unknown),
    ]


def _goal(place: Place, unknown: float) -> Goal:
    (found,) = number_rows(place, UNKNOWN, {TYPES: unknown})
    return Goal(found, NOT_NAMED)


def write_draw(file: Path, told: Gatherer, count: int, seed: int) -> None:
    """Raises CommandError where the file cannot be written."""
    among = sum(len(each.pairs) for each in told.values())
    try:
        file.write_text(as_markdown(drawn(told, count, seed), among, seed), encoding="utf-8")
    except OSError as error:
        raise CommandError(f"cannot write {file}: {error.strerror}") from error


SUITE = Suite(
    "for how much of the heap its types are told, and types to hold against the source",
    PARTS,
    prepare,
    choosing=("draw", "seed", "drawn_types"),
)
