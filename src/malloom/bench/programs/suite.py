"""The suite programs: real programs of Debian's as `malloom optimize` leaves them, on inputs that it has not
seen."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from malloom.bench.debian.programs import INPUTS, PROGRAMS, Program, Role
from malloom.bench.goals import Goal
from malloom.bench.programs.chosen import choose, ways_of
from malloom.bench.programs.held_out import HeldOut, held_out_rows
from malloom.bench.programs.scale import FULL, QUICK, TIME, Scale, aim_of
from malloom.bench.programs.summary import summary
from malloom.bench.programs.tables import SUMMARY, pictures, tables
from malloom.bench.programs.verdict_rows import verdict_rows
from malloom.bench.room import memory_for
from malloom.bench.steps import Bench, Found, Step, conclusion
from malloom.bench.suite import Prepared, Suite
from malloom.measure.allocators import Way
from malloom.measure.process import Command
from malloom.measure.rows import Row
from malloom.optimize.settings import allocator_rows

PARTS = {
    **{program.name: program.work for program in PROGRAMS},
    SUMMARY: "means over the programs, and the goals that come of them",
}
SECONDS, SECONDS_OF_A_QUICK_RUN = 800.0, 90.0
"""What a program takes: a guess."""
LARGEST_HEAP = 600 << 20
"""Bytes of the largest heap of them: xsltproc's of its largest input, a guess."""
WRITTEN = 600 << 20
"""Bytes of a program's inputs, of a profile and of plans: a guess."""


def prepare(
    quick: bool,
    goal: Annotated[
        str, typer.Option(metavar="GOAL", help="What `malloom optimize` is to lessen: time or memory.")
    ] = TIME.goal,
) -> Prepared:
    """Raises UsageProblem for another goal."""
    scale = replace(QUICK if quick else FULL, aim=aim_of(goal))
    judged = HeldOut()
    steps: dict[str, Callable[[], Sequence[Step]]] = {
        program.name: partial(_step, program, scale, judged) for program in scale.programs
    }
    steps[SUMMARY] = lambda: [conclusion(SUMMARY, "means", partial(summary, judged, scale.aim))]
    judges = "the goals" if scale.judges else "nothing: --quick has few runs of small inputs"
    return Prepared(
        steps,
        tables(scale.programs, scale.aim),
        facts=[("what it judges", judges), ("in the race too", others_raced())],
        pictures=pictures(scale.aim),
    )


def others_raced() -> str:
    """What the table's rows have beside the general allocators that every suite names."""
    rows, _ = allocator_rows()
    settings = [row.setting for row in rows]
    found = [each for each in settings if each.way is Way.early or not each.allocator.known.is_peer]
    return "; ".join(dict.fromkeys(each.described for each in found))


def _step(program: Program, scale: Scale, judged: HeldOut) -> list[Step]:
    expected = SECONDS if scale.judges else SECONDS_OF_A_QUICK_RUN
    measure = partial(program_rows, program=program, scale=scale, judged=judged)
    memory = memory_for(LARGEST_HEAP)
    return [Step(program.name, program.name, measure, expected, memory=memory, disk=WRITTEN, gathers=judged)]


def program_rows(bench: Bench, program: Program, scale: Scale, judged: HeldOut) -> Found:
    """What `malloom optimize` says of a program, then how the program does on each held-out input."""
    bench.say(f"making the inputs of {program.name}")
    words = {given: program.prepared(given, bench.scratch) for given in INPUTS}
    choice = choose(bench, program, words, scale)
    found: list[Row | Goal] = verdict_rows(program, choice)
    ways, missing = ways_of(choice, program.command()[0])
    bench.note("; ".join([f"kept: {choice.described}", *missing, *choice.answer["notes"]]))
    for given in INPUTS:
        if given.role is Role.HELD_OUT:
            plain = Command(program.command_line(words[given]))
            place = program.place(given)
            found += held_out_rows(bench, place, plain, ways, scale, judged)
    return found


SUITE = Suite(
    "real programs of Debian's as they are optimised, on inputs that nothing was learned on", PARTS, prepare
)
