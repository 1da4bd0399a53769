"""Misses in the caches of the paper's machines, counted by cachegrind, natively and with what is carried."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from malloom.bench.dynamic import ways
from malloom.bench.dynamic.learning import learned, learners
from malloom.bench.dynamic.sizes import learned_and_chosen_at, sized
from malloom.bench.dynamic.ways import CARRIED, SAME_INPUT, Way
from malloom.bench.goals import Goal
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.cache.geometry import Geometry, geometry_from
from malloom.errors import CommandError
from malloom.measure import stages, variants
from malloom.measure.interval import exact
from malloom.measure.process import last_words
from malloom.measure.rows import Row, row
from malloom.measure.valgrind import Misses, count_misses, options_of

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
    wanted = [ways.native(), ways.with_environment("mimalloc", variants.peer("mimalloc")), ways.pools()]
    counts = _counts(bench, counted, wanted)
    if variants.GLIBC not in counts:
        raise CommandError("the program itself could not be counted")
    base = counts.pop(variants.GLIBC)
    carried: dict[str, Misses] = {}
    for way, (learned_on, chosen_on) in _inputs(counted).items():
        carried |= _carried(bench, counted, way, learned_on, chosen_on, base)
    found = counts | carried
    rows = [each for name, misses in found.items() for each in _rows(counted.case, name, misses, base)]
    limit = LIMITS.get((counted.program, counted.machine))
    held = [each for each in rows if each.variant in carried and each.metric == "llc_misses"]
    return [*rows, *(Goal(each, limit) for each in held if limit is not None)]


def _inputs(counted: Counted) -> dict[str, tuple[Counted, Counted]]:
    """What the plans of each way are learned on, and what they are chosen on."""
    learned_on, chosen_on = (replace(counted, size=each) for each in learned_and_chosen_at(counted.size))
    same_input = {} if learned_on == counted else {SAME_INPUT: (counted, counted)}
    return {CARRIED: (learned_on, chosen_on), **same_input}


def _carried(
    bench: Bench, counted: Counted, way: str, learned_on: Counted, chosen_on: Counted, base: Misses
) -> dict[str, Misses]:
    """The misses with the plan that has fewest in the last level where it is chosen; the program's own where
    none has fewer. Empty where it cannot be counted."""
    plans = _plans(bench, learned_on, carries_over=chosen_on != learned_on)
    counts = {variants.GLIBC: base} if chosen_on == counted else _counts(bench, chosen_on, [ways.native()])
    counts |= _with_plans(bench, chosen_on, plans)
    best = min(counts, key=lambda name: counts[name].llc_misses, default=variants.GLIBC)
    found = "nothing, as no plan has fewer last-level misses" if best == variants.GLIBC else best
    bench.note(f"{way}: {found}; learned at {learned_on.size}, chosen at {chosen_on.size}")
    if best == variants.GLIBC:
        return {way: base}
    if chosen_on != counted:
        counts = _with_plans(bench, counted, {best: plans[best]})
    return {way: counts[best]} if best in counts else {}


def _plans(bench: Bench, counted: Counted, *, carries_over: bool) -> dict[str, Path]:
    """What was learned, and, unless it is to carry over to another input, the strategies for the machine."""
    lasting = learned(bench, counted.case, [each for each in learners() if each.carries_over])
    return lasting if carries_over else lasting | _simulated_best(bench, counted)


def _with_plans(bench: Bench, counted: Counted, plans: Mapping[str, Path]) -> dict[str, Misses]:
    planned = [ways.with_environment(name, variants.planned(plan)) for name, plan in plans.items()]
    return _counts(bench, counted, planned)


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


def _counts(bench: Bench, counted: Counted, wanted: Sequence[Way]) -> dict[str, Misses]:
    counts = {}
    program = counted.case.command(bench.workloads)
    for name, command in ways.commands_of(bench, program, wanted).items():
        bench.say(f"counting misses of {' '.join(counted.case.place)}: {name}")
        try:
            counts[name] = count_misses(command, options_of(counted.geometry))
        except CommandError as error:
            bench.failed(name, error)
    return counts


def _rows(case: Case, name: str, counted: Misses, base: Misses) -> list[Row]:
    ratios = {metric: getattr(counted, metric) / getattr(base, metric) for metric in METRICS}
    return [row(case.place, name, variants.GLIBC, metric, exact(ratio)) for metric, ratio in ratios.items()]
