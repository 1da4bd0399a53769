"""The main job: learn from a program and record it, race the plans, and keep the best where it is faster."""

import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from malloom.errors import CommandError
from malloom.launch.program import open_program
from malloom.layout.plan_flags import write_with_flags
from malloom.measure.interleaved import Race, describe_status
from malloom.measure.interval import Interval, Verdict
from malloom.measure.process import Command, Run, last_words, run_measured, time_limit
from malloom.optimize.candidates import Candidate
from malloom.optimize.choosing import AS_IT_IS, choose
from malloom.optimize.learning import Contents, contents_of
from malloom.optimize.memory_limit import ALLOWANCE, MemoryLimit
from malloom.optimize.options import Options, Watcher
from malloom.optimize.selection import affordable, measure_winner
from malloom.optimize.sources import Sources, candidates_of, sources_of

CHOOSING_SHARE = 0.5
"""Of the time for measuring: what choosing among the plans may take. The verdict gets the rest."""


@dataclass(frozen=True)
class Outcome:
    """What came out: the interval of CPU time with the plan against without, and the plan if it is kept.

    `carries` is what the plan has apart from places, and `learned` what each plan had that was learned;
    `left_for_memory` are the peak memories, against the program's own, of those that left the race for it.
    CPU times in seconds and peak memories in bytes are medians, without the plan and with it.
    """

    strategy: str
    preallocated: bool
    fallback: str
    carries: Contents
    learned: dict[str, Contents]
    candidates: tuple[str, ...]
    accesses: str
    notes: tuple[str, ...]
    left_for_memory: dict[str, float]
    interval: Interval
    runs: int
    cpu_times: tuple[float, float]
    peak_memories: tuple[float, float]
    exit_status: int
    output_compared: bool
    plan: Path | None

    @property
    def verdict(self) -> Verdict:
        return self.interval.verdict

    @property
    def peak_ratio(self) -> float:
        return self.peak_memories[1] / self.peak_memories[0]


def optimize(arguments: Sequence[str], stdin: Path | None, options: Options, watcher: Watcher) -> Outcome:
    """Does it all. Raises CommandError where the program cannot be measured or recorded, or where no plan
    can be run."""
    with tempfile.TemporaryDirectory(prefix="malloom-optimize-") as folder:
        program = Command(arguments, stdin=stdin)
        watcher.stage("running the program as it is")
        plain = _plain_run(program, options)
        sources = sources_of(program, plain, Path(folder), options, watcher)
        choosing = options.budget.seconds * CHOOSING_SHARE
        most = affordable(plain.wall_time, choosing)
        candidates, notes = candidates_of(sources, options.strategy, most, watcher)
        candidates = [replace(each, program=open_program(arguments[0])) for each in candidates]
        began = time.monotonic()
        program = program.limited(time_limit(plain))
        race = Race({AS_IT_IS: program}, watcher.run, compare_output=options.compare_output)
        limit = MemoryLimit(plain.peak_memory, options.most_memory, ALLOWANCE)
        winner, failures = choose(race, candidates, sources, plain, choosing, watcher, limit)
        # Choosing may have taken longer than its share; the verdict keeps its own.
        left = options.budget.seconds - (time.monotonic() - began)
        left = max(left, options.budget.seconds * (1 - CHOOSING_SHARE))
        longest = max(left, 2 * options.budget.fewest * plain.wall_time)
        watcher.stage(f"measuring {winner.name} against the program as it is, up to {longest:.0f} s")
        measure_winner(race, winner.name, AS_IT_IS, replace(options.budget, seconds=left))
        kept = _keep(winner, race, options.plan)
        notes += [*failures, *limit.notes(winner.name, race.rounds), *_of_an_earlier_run(options.plan, kept)]
        return _outcome(
            race, winner, candidates, sources, notes, limit.left, plain, options.compare_output, kept
        )


def _plain_run(program: Command, options: Options) -> Run:
    """The second run of the program as it is; the first warms up, and must print the same."""
    first = run_measured(program)
    if os.WIFSIGNALED(first.status):
        raise CommandError(
            f"the program dies by {describe_status(first.status)} as it is",
            remedy="give it arguments and input with which it ends by itself",
        )
    if options.demand_success and first.status != 0:
        said = last_words(first)
        raise CommandError(
            f"the program fails as it is, with {describe_status(first.status)}{': ' if said else ''}{said}",
            remedy="give it arguments and input with which it works, or give --ignore-status",
        )
    second = run_measured(program)
    if options.compare_output and (first.output_digest, first.status) != (
        second.output_digest,
        second.status,
    ):
        raise CommandError(
            "the program prints something else each time it runs, so a plan's output cannot be checked and "
            "none is kept",
            remedy="fix what makes it differ, or give --ignore-output",
        )
    return second


def _outcome(
    race: Race,
    winner: Candidate,
    candidates: Sequence[Candidate],
    sources: Sources,
    notes: Sequence[str],
    left_for_memory: dict[str, float],
    plain: Run,
    output_compared: bool,
    kept: Path | None,
) -> Outcome:
    rounds = race.rounds
    pair = (AS_IT_IS, winner.name)
    medians = {
        metric: tuple(float(np.median([getattr(run, metric) for run in rounds.runs[name]])) for name in pair)
        for metric in ("cpu_time", "peak_memory")
    }
    return Outcome(
        strategy=winner.strategy,
        preallocated=winner.is_preallocated,
        fallback=winner.served_by,
        carries=contents_of(winner.plan),
        learned=sources.learned.contents,
        candidates=tuple(candidate.strategy for candidate in candidates),
        accesses=sources.recording.accesses,
        notes=tuple(notes),
        left_for_memory=left_for_memory,
        interval=rounds.ratio(winner.name, AS_IT_IS),
        runs=len(rounds.runs[winner.name]),
        cpu_times=(medians["cpu_time"][0], medians["cpu_time"][1]),
        peak_memories=(medians["peak_memory"][0], medians["peak_memory"][1]),
        exit_status=os.waitstatus_to_exitcode(plain.status),
        output_compared=output_compared,
        plan=kept,
    )


def _of_an_earlier_run(place: Path, kept: Path | None) -> list[str]:
    if kept is not None or not place.exists():
        return []
    return [f"{place} is the plan of an earlier run; it was neither measured nor replaced"]


def _keep(winner: Candidate, race: Race, place: Path) -> Path | None:
    """Moves a faster plan to its place at once or not at all: nobody sees half of one."""
    if race.rounds.ratio(winner.name, AS_IT_IS).verdict is not Verdict.FASTER:
        return None
    write_with_flags(winner.plan, place, winner.flags)
    return place
