"""The main job: record a program, plan its heap, race the plans, and keep the best where it is faster."""

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from malloom.bench import stages, variants
from malloom.bench.candidates import candidate_strategies
from malloom.bench.interval import Interval, Verdict
from malloom.bench.pairs import Budget, Progress, Race, describe_status
from malloom.bench.process import Command, Run, run_measured
from malloom.bench.selection import fastest_by_halving, measure_winner, rounds_per_stage
from malloom.errors import CommandError

AS_IT_IS = "as it is"
FULL_RECORDING_SECONDS = 20.0
"""Programs that run longer than this are sampled: full recording takes up to 15 times as long."""


@dataclass(frozen=True)
class Wishes:
    """What the user may choose: `plan` is where a faster plan is kept.

    `accesses` and `strategy` are None where malloom is to choose.
    """

    plan: Path
    accesses: str | None
    strategy: str | None
    budget: Budget
    compare_output: bool


@dataclass(frozen=True)
class Outcome:
    """What came out: the interval of CPU time with the plan against without, and the plan if it is kept."""

    strategy: str
    candidates: tuple[str, ...]
    accesses: str
    interval: Interval
    runs: int
    peak_ratio: float
    exit_status: int
    output_compared: bool
    plan: Path | None

    @property
    def verdict(self) -> Verdict:
        return self.interval.verdict


@dataclass(frozen=True)
class Watcher:
    """Whom to tell: `stage` at each stage's start, `run` before each measured run."""

    stage: Callable[[str], None]
    run: Progress


def optimize(arguments: Sequence[str], stdin: Path | None, wishes: Wishes, watcher: Watcher) -> Outcome:
    """Does it all. Raises CommandError where the program cannot be measured or recorded."""
    with tempfile.TemporaryDirectory(prefix="malloom-optimize-") as folder:
        program = Command(arguments, stdin=stdin)
        watcher.stage("running the program as it is")
        plain = _plain_run(program, wishes.compare_output)
        accesses = wishes.accesses or ("full" if plain.wall_time <= FULL_RECORDING_SECONDS else "sampled")
        profile = Path(folder) / "profile"
        watcher.stage(f"recording, accesses {accesses}")
        stages.record(arguments, profile, accesses, stdin)
        plans = _plans(profile, accesses, wishes.strategy, watcher)
        race = _race(program, plans, wishes, watcher)
        winner = _choose(race, plain, watcher)
        watcher.stage(f"measuring the plan of {winner} against the program as it is")
        measure_winner(race, winner, AS_IT_IS, wishes.budget)
        return _outcome(race, winner, plans, accesses, plain, wishes)


def _plain_run(program: Command, compare_output: bool) -> Run:
    first = run_measured(program)
    if os.WIFSIGNALED(first.status):
        raise CommandError(
            f"the program dies by {describe_status(first.status)} as it is",
            remedy="give it arguments and input with which it ends by itself",
        )
    second = run_measured(program)
    if compare_output and (first.output_digest, first.status) != (second.output_digest, second.status):
        raise CommandError(
            "the program prints something else each time it runs, so a plan's output cannot be checked",
            remedy="fix what makes it differ, or give --ignore-output",
        )
    return second


def _plans(profile: Path, accesses: str, strategy: str | None, watcher: Watcher) -> dict[str, Path]:
    names = [strategy] if strategy else candidate_strategies(profile, accesses, watcher.stage)
    plans = {}
    for name in names:
        watcher.stage(f"planning, strategy {name}")
        plans[name] = profile.with_name(f"{name}.plan")
        stages.plan(profile, plans[name], name)
    return plans


def _race(program: Command, plans: dict[str, Path], wishes: Wishes, watcher: Watcher) -> Race:
    commands = {AS_IT_IS: program}
    commands |= {name: program.with_environment(variants.planned(plan)) for name, plan in plans.items()}
    return Race(commands, watcher.run, wishes.compare_output)


def _choose(race: Race, plain: Run, watcher: Watcher) -> str:
    watcher.stage("racing the plans")
    race.warm_up()
    candidates = [name for name in race.commands if name != AS_IT_IS]
    return fastest_by_halving(race, candidates, rounds_per_stage(plain.wall_time))


def _outcome(
    race: Race, winner: str, plans: dict[str, Path], accesses: str, plain: Run, wishes: Wishes
) -> Outcome:
    interval = race.rounds.ratio(winner, AS_IT_IS)
    kept = None
    if interval.verdict is Verdict.FASTER:
        kept = _keep(plans[winner], wishes.plan)
    return Outcome(
        winner,
        tuple(plans),
        accesses,
        interval,
        len(race.rounds.runs[winner]),
        race.rounds.peak_ratio(winner, AS_IT_IS),
        os.waitstatus_to_exitcode(plain.status),
        wishes.compare_output,
        kept,
    )


def _keep(plan: Path, place: Path) -> Path:
    """Moves the plan to its place at once or not at all: nobody sees half of one."""
    partial = place.with_name(place.name + ".part")
    try:
        shutil.copyfile(plan, partial)
        partial.replace(place)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise CommandError(f"cannot keep the plan as {place}: {error.strerror}") from error
    return place
