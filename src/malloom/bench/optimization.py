"""The main job: record a program, plan its heap, race the plans, and keep the best where it is faster."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from malloom.bench import stages
from malloom.bench.candidates import Candidate, at_most, candidate_strategies
from malloom.bench.interval import Interval, Verdict
from malloom.bench.pairs import Budget, Progress, Race, describe_status
from malloom.bench.process import Command, Run, last_words, run_measured
from malloom.bench.recording import Recording, record_for_planning
from malloom.bench.selection import (
    affordable,
    fastest_by_halving,
    measure_winner,
    rounds_per_stage,
    worth_more_than,
)
from malloom.errors import CommandError
from malloom.record.program import open_program

AS_IT_IS = "as it is"
CHOOSING_SHARE = 0.5
"""Of the time for measuring: what choosing among the plans may take. The verdict gets the rest."""
LEAST_TIME_LIMIT = 60.0
SLOWEST_RUN = 20.0
"""Times the program's own run: with a plan it does not take longer, unless it hangs."""


@dataclass(frozen=True)
class Wishes:
    """What the user may choose: `plan` is where a faster plan is kept.

    `accesses` and `strategy` are None where malloom is to choose. The budget is of the verdict's runs,
    but its seconds are for choosing among the plans as well.
    """

    plan: Path
    accesses: str | None
    strategy: str | None
    budget: Budget
    compare_output: bool
    demand_success: bool


@dataclass(frozen=True)
class Outcome:
    """What came out: the interval of CPU time with the plan against without, and the plan if it is kept.

    CPU times in seconds and peak memories in bytes are medians, without the plan and with it.
    """

    strategy: str
    preallocated: bool
    candidates: tuple[str, ...]
    accesses: str
    notes: tuple[str, ...]
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


@dataclass(frozen=True)
class Watcher:
    """Whom to tell: `stage` at each stage's start, `run` before each measured run."""

    stage: Callable[[str], None]
    run: Progress


def optimize(arguments: Sequence[str], stdin: Path | None, wishes: Wishes, watcher: Watcher) -> Outcome:
    """Does it all. Raises CommandError where the program cannot be measured or recorded, or where no plan
    can be run."""
    with tempfile.TemporaryDirectory(prefix="malloom-optimize-") as folder:
        program = Command(arguments, stdin=stdin)
        watcher.stage("running the program as it is")
        plain = _plain_run(program, wishes)
        recording = record_for_planning(
            program, plain, Path(folder) / "profile", wishes.accesses, watcher.stage
        )
        choosing = wishes.budget.seconds * CHOOSING_SHARE
        most = affordable(plain.wall_time, choosing)
        candidates, notes = _candidates(recording, wishes.strategy, most, watcher)
        candidates = [replace(each, program=open_program(arguments[0])) for each in candidates]
        began = time.monotonic()
        program = program.limited(max(LEAST_TIME_LIMIT, SLOWEST_RUN * plain.wall_time))
        race = Race({AS_IT_IS: program}, watcher.run, compare_output=wishes.compare_output)
        winner, failures = _choose(race, candidates, plain, choosing, watcher)
        # Choosing may have taken longer than its share; the verdict keeps its own.
        left = wishes.budget.seconds - (time.monotonic() - began)
        left = max(left, wishes.budget.seconds * (1 - CHOOSING_SHARE))
        longest = max(left, 2 * wishes.budget.fewest * plain.wall_time)
        watcher.stage(f"measuring {winner.name} against the program as it is, up to {longest:.0f} s")
        measure_winner(race, winner.name, AS_IT_IS, replace(wishes.budget, seconds=left))
        kept = _keep(winner, recording.profile, race, wishes.plan)
        return _outcome(
            race, winner, candidates, recording, [*notes, *failures], plain, wishes.compare_output, kept
        )


def _plain_run(program: Command, wishes: Wishes) -> Run:
    """The second run of the program as it is; the first warms up, and must print the same."""
    first = run_measured(program)
    if os.WIFSIGNALED(first.status):
        raise CommandError(
            f"the program dies by {describe_status(first.status)} as it is",
            remedy="give it arguments and input with which it ends by itself",
        )
    if wishes.demand_success and first.status != 0:
        said = last_words(first)
        raise CommandError(
            f"the program fails as it is, with {describe_status(first.status)}{': ' if said else ''}{said}",
            remedy="give it arguments and input with which it works, or give --ignore-status",
        )
    second = run_measured(program)
    if wishes.compare_output and (first.output_digest, first.status) != (second.output_digest, second.status):
        raise CommandError(
            "the program prints something else each time it runs, so a plan's output cannot be checked and "
            "none is kept",
            remedy="fix what makes it differ, or give --ignore-output",
        )
    return second


def _candidates(
    recording: Recording, strategy: str | None, most: int, watcher: Watcher
) -> tuple[list[Candidate], list[str]]:
    """A plan for each strategy worth a race, at most so many, and what to note."""
    notes = list(recording.notes)
    found = [strategy] if strategy else candidate_strategies(recording, watcher.stage, notes.append)
    names = at_most(most, found)
    watcher.stage(f"planning, {'strategy' if len(names) == 1 else 'strategies'} {', '.join(names)}")
    made = {name: Candidate(name, recording.profile.with_name(f"{name}.plan")) for name in names}
    problems = stages.plan_each(recording.profile, {name: made[name].plan for name in names})
    notes += [f"strategy {name} is left out ({problem})" for name, problem in problems.items()]
    candidates = [candidate for name, candidate in made.items() if name not in problems]
    if not candidates:
        raise CommandError(f"there is no plan to try: {notes[-1]}")
    return candidates, notes


def _choose(
    race: Race, candidates: Sequence[Candidate], plain: Run, seconds: float, watcher: Watcher
) -> tuple[Candidate, list[str]]:
    """The fastest candidate, with its arena preallocated or not; and why others left the race."""
    watcher.stage(f"racing the plans, up to {max(seconds, 3 * len(candidates) * plain.wall_time):.0f} s")
    race.warm_up(AS_IT_IS)
    failures: dict[str, CommandError] = {}
    running = _entered(race, candidates, failures)
    if not running:
        name, error = next(iter(failures.items()))
        raise CommandError(f"no plan can be run, {name} because {error}", remedy="none is kept")
    others = [candidate.other_way() for candidate in running if candidate.has_arena]
    if rounds_per_stage(plain.wall_time, 2 * len([*running, *others]), seconds) > 1:
        running += _entered(race, others, failures)
        others = []
    rounds = rounds_per_stage(plain.wall_time, 2 * len(running) + 2, seconds)
    best = _fastest(race, running, rounds)
    if others and best.has_arena:
        # There was no time to race all both ways.
        best = _fastest(race, [best, *_entered(race, [best.other_way()], failures)], rounds)
    best = _unless_nothing_is_as_good(race, best, running, 2 * rounds)
    return best, [f"the plan of {name} is left out ({error})" for name, error in failures.items()]


def _entered(
    race: Race, candidates: Sequence[Candidate], failures: dict[str, CommandError]
) -> list[Candidate]:
    """The candidates that run as the program does, as commands of the race."""
    entered = []
    for candidate in candidates:
        try:
            command = race.commands[AS_IT_IS].with_environment(candidate.environment)
            race.enter(candidate.name, command)
            entered.append(candidate)
        except CommandError as error:
            failures[candidate.name] = error
    return entered


def _fastest(race: Race, candidates: Sequence[Candidate], rounds: int) -> Candidate:
    by_name = {candidate.name: candidate for candidate in candidates}
    return by_name[fastest_by_halving(race, list(by_name), rounds)]


def _unless_nothing_is_as_good(
    race: Race, best: Candidate, candidates: Sequence[Candidate], rounds: int
) -> Candidate:
    """The best candidate, or the fallback alone, if it is among them and hardly slower."""
    alone = next((each for each in candidates if each.places_nothing), None)
    if alone is None or alone is best or worth_more_than(race, alone.name, best.name, rounds):
        return best
    return alone


def _outcome(
    race: Race,
    winner: Candidate,
    candidates: Sequence[Candidate],
    recording: Recording,
    notes: Sequence[str],
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
        candidates=tuple(candidate.strategy for candidate in candidates),
        accesses=recording.accesses,
        notes=tuple(notes),
        interval=rounds.ratio(winner.name, AS_IT_IS),
        runs=len(rounds.runs[winner.name]),
        cpu_times=(medians["cpu_time"][0], medians["cpu_time"][1]),
        peak_memories=(medians["peak_memory"][0], medians["peak_memory"][1]),
        exit_status=os.waitstatus_to_exitcode(plain.status),
        output_compared=output_compared,
        plan=kept,
    )


def _keep(winner: Candidate, profile: Path, race: Race, place: Path) -> Path | None:
    """Moves a faster plan to its place at once or not at all: nobody sees half of one."""
    if race.rounds.ratio(winner.name, AS_IT_IS).verdict is not Verdict.FASTER:
        return None
    if winner.preallocate is not None:
        stages.plan(profile, winner.plan, winner.strategy, winner.preallocation_option)
    partial = place.with_name(place.name + ".part")
    try:
        shutil.copyfile(winner.plan, partial)
        partial.replace(place)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise CommandError(f"cannot keep the plan as {place}: {error.strerror}") from error
    return place
