"""Misses in the caches of the paper's machines, counted by cachegrind, natively and with what is carried."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from malloom.bench import stages, variants
from malloom.bench.cachegrind import Misses, count_misses, options_of
from malloom.bench.dynamic import ways
from malloom.bench.dynamic.learning import learned, learners
from malloom.bench.dynamic.scale import LEARNED_AT
from malloom.bench.dynamic.sizes import sized
from malloom.bench.dynamic.ways import CARRIED, SAME_INPUT
from malloom.bench.goals import Goal
from malloom.bench.interval import exact
from malloom.bench.process import Command, last_words
from malloom.bench.rows import Row, row
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.cache.geometry import Geometry, geometry_from
from malloom.errors import CommandError

METRICS = ("l1d_misses", "llc_misses")
MACHINES = ("athlon-mp", "p4")
FROM_SIMULATION = 2
"""Strategies taken from the top of `malloom simulate` at the machine's geometry."""
LIMITS = {("ft", "p4"): 0.3}
"""Last-level misses of what is carried against the C library's, by program and machine."""


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
    def case(self) -> Case:
        return sized(self.program, self.size, self.geometry.caches[-1].size_bytes, self.machine)


def miss_rows(bench: Bench, counted: Counted) -> list[Row | Goal]:
    """The C library's allocator against mimalloc, pools, and the plans with the fewest last-level misses."""
    case = counted.case
    options = options_of(counted.geometry)
    program = case.command(bench.workloads)
    wanted = [ways.native(), ways.with_environment("mimalloc", variants.peer("mimalloc")), ways.pools()]
    commands = ways.commands_of(bench, program, wanted)
    counts = _counts(bench, case, commands, options)
    if variants.GLIBC not in counts:
        raise CommandError("the program itself could not be counted")
    base = counts.pop(variants.GLIBC)
    carried = {
        name: _fewest(bench, counted, name, plans, base) for name, plans in _plans(bench, counted).items()
    }
    rows = [each for name, found in (counts | carried).items() for each in _rows(case, name, found, base)]
    limit = LIMITS.get((counted.program, counted.machine))
    held = [each for each in rows if each.variant in carried and each.metric == "llc_misses"]
    return [*rows, *(Goal(each, limit) for each in held if limit is not None)]


def _plans(bench: Bench, counted: Counted) -> dict[str, dict[str, Path]]:
    """What is carried over from the small input, and what was learned and recorded at the very one."""
    lasting = [each for each in learners() if each.carries_over]
    own = learned(bench, counted.case, lasting) | _simulated_best(bench, counted)
    if counted.size == LEARNED_AT:
        return {CARRIED: own}
    return {CARRIED: learned(bench, replace(counted, size=LEARNED_AT).case, lasting), SAME_INPUT: own}


def _fewest(bench: Bench, counted: Counted, way: str, plans: Mapping[str, Path], plain: Misses) -> Misses:
    """The fewest last-level misses that any plan has, as measured; the program's own where none has fewer."""
    program = counted.case.command(bench.workloads)
    commands = {name: program.with_environment(variants.planned(plan)) for name, plan in plans.items()}
    counts = _counts(bench, counted.case, commands, options_of(counted.geometry))
    best = min(counts, key=lambda name: counts[name].llc_misses, default=None)
    if best is None or counts[best].llc_misses >= plain.llc_misses:
        bench.note(f"{way}: nothing, no plan has fewer last-level misses")
        return plain
    bench.note(f"{way}: {best}")
    return counts[best]


def _simulated_best(bench: Bench, counted: Counted) -> dict[str, Path]:
    """Plans of the strategies that simulation ranks first at the machine's geometry."""
    case = counted.case
    profile = bench.file(case, "accesses.profile")
    bench.say(f"learning from {' '.join(case.place)}: strategies")
    try:
        run = stages.record(case.command(bench.workloads).arguments, profile, "full")
        if run.status != 0:
            raise CommandError(f"recording failed: {last_words(run)}")
        answer = stages.output_of("simulate", str(profile), "--json", "--cache", counted.machine)
        names = [each["strategy"] for each in json.loads(answer)["rows"]][:FROM_SIMULATION]
        plans = {name: bench.file(case, f"{name}.plan") for name in names}
        problems = stages.plan_each(profile, plans)
    except CommandError as error:
        bench.failed("learning by strategies", error)
        return {}
    for name, problem in problems.items():
        bench.failed(f"learning by {name}", CommandError(problem))
    return {name: plan for name, plan in plans.items() if name not in problems}


def _counts(
    bench: Bench, case: Case, commands: Mapping[str, Command], options: tuple[str, ...]
) -> dict[str, Misses]:
    counts = {}
    for name, command in commands.items():
        bench.say(f"counting misses of {' '.join(case.place)}: {name}")
        try:
            counts[name] = count_misses(command, options)
        except CommandError as error:
            bench.failed(name, error)
    return counts


def _rows(case: Case, name: str, counted: Misses, base: Misses) -> list[Row]:
    ratios = {metric: getattr(counted, metric) / getattr(base, metric) for metric in METRICS}
    return [row(case.place, name, variants.GLIBC, metric, exact(ratio)) for metric, ratio in ratios.items()]
