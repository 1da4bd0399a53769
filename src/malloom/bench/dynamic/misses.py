"""Misses in the caches of the paper's machines, counted by cachegrind: pools, and the plan that simulation
of that machine chooses."""

from dataclasses import dataclass, replace
from pathlib import Path

from malloom.bench.cases import Case
from malloom.bench.dynamic.times import LEARNED_AT
from malloom.bench.goals import Goal
from malloom.bench.steps import Bench
from malloom.bench.ten_programs import sized
from malloom.cache.geometry import Geometry, geometry_from
from malloom.errors import CommandError
from malloom.layout.registry import AUTO
from malloom.measure import stages, variants
from malloom.measure.process import Command
from malloom.measure.rows import Row
from malloom.measure.valgrind import Misses, count_misses, miss_rows, options_of
from malloom.measure.variants import GLIBC, Variant, native, pools, with_environment

MACHINES = ("athlon-mp", "p4")
AUTO_SAME_INPUT = f"{AUTO}, same input"
LIMITS = {("ft", "p4"): 0.3}
"""Last-level misses with a plan against the C library's, by program and machine."""


@dataclass(frozen=True)
class Counted:
    """A program whose heap has the size named against a simulated machine's last level."""

    program: str
    machine: str
    size: str

    @property
    def geometry(self) -> Geometry:
        return geometry_from(self.machine)

    @property
    def last_level(self) -> int:
        return self.geometry.caches[-1].size_bytes

    @property
    def case(self) -> Case:
        return sized(self.program, self.size, self.last_level, self.machine)


def counted_rows(bench: Bench, counted: Counted) -> list[Row | Goal]:
    """The C library's allocator against mimalloc, pools, and the plans made on a small and on the very
    input."""
    commands = bench.commands_of(counted.case, [native(), _fallback(), pools(), *_planned(bench, counted)])

    def count(command: Command) -> Misses:
        return count_misses(command, options_of(counted.geometry))

    counts = bench.counted(f"misses of {counted.case}", commands, count)
    if GLIBC not in counts:
        raise CommandError("the program itself could not be counted")
    rows = miss_rows(counted.case.place, counts, GLIBC)
    limit = LIMITS.get((counted.program, counted.machine))
    held = [row for row in rows if row.variant in (AUTO, AUTO_SAME_INPUT) and row.metric == "llc_misses"]
    return [*rows, *(Goal(row, limit) for row in held if limit is not None)]


def _fallback() -> Variant:
    """What serves the requests without a place: against it the plans show what placing brings."""
    return with_environment("fallback", variants.fallback())


def _planned(bench: Bench, counted: Counted) -> list[Variant]:
    """`malloom plan --cache MACHINE`, learned on a small heap and on the one that is counted."""
    inputs = {AUTO: replace(counted, size=LEARNED_AT), AUTO_SAME_INPUT: counted}
    found = []
    for name, learned_on in inputs.items():
        if name == AUTO or learned_on.size != LEARNED_AT:
            try:
                found.append(with_environment(name, variants.as_run(_plan(bench, learned_on))))
            except CommandError as error:
                bench.failed(name, error)
    return found


def _plan(bench: Bench, counted: Counted) -> Path:
    """The plan of the strategy that is best by simulation of the machine, made once."""
    case = counted.case
    plan, profile = (bench.file(case, f"{counted.machine}.{kind}") for kind in ("plan", "profile"))
    if not plan.exists():
        bench.say(f"planning {case}")
        run = stages.record(case.command(bench).arguments, profile, "full")
        if run.status != 0:
            raise CommandError(f"recording failed: {stages.Recorded.by(run).words}")
        stages.plan(profile, plan, AUTO, "--cache", counted.machine)
    return plan
