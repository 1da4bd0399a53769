"""What a plan costs where the program does other things than it was learned on, over the fallback alone: a
plan of each kind, of a program that was to ask and free in turn."""

from collections.abc import Mapping
from pathlib import Path

from malloom.bench.cases import Case
from malloom.bench.goals import Goal
from malloom.bench.steps import Bench
from malloom.measure import stages, variants
from malloom.measure.interleaved import Budget
from malloom.measure.rows import Row, rows_of
from malloom.measure.variants import with_environment

WORKLOAD, LEARNED = "other_lives", Case("other_lives", ("in_turn", "20000"), "")
OTHERS = ("at_random", "few_stay")
"""What it does instead: other sizes that die in another order, or one in sixty-four that lives on."""
FALLBACK = "fallback"
KINDS: Mapping[str, tuple[str, ...]] = {
    "slots of call sites": ("--strategy", "first-use", "--depth", "1"),
    "slots of chains": ("--strategy", "first-use", "--depth", "3"),
    "slots of a sequence": ("--strategy", "first-use", "--match", "sequence"),
    "groups": ("--strategy", "context-groups", "--depth", "1"),
    "pools": ("--strategy", "pools"),
}
MOST = 1.03


def other_input_rows(bench: Bench, how: str, requests: int, budget: Budget) -> list[Row | Goal]:
    """A race of all kinds. Raises CommandError where the program is missing."""
    other = Case(WORKLOAD, (how, str(requests)), "")
    plans = {kind: planned_for(bench, kind) for kind in KINDS}
    raced = [with_environment(kind, variants.planned(plan)) for kind, plan in plans.items()]
    alone = with_environment(FALLBACK, variants.fallback())
    rows = rows_of(other.place, bench.race(other, [alone, *raced], FALLBACK, budget), FALLBACK, ("cpu_time",))
    return [*rows, *(Goal(row, MOST) for row in rows if row.variant in KINDS)]


def planned_for(bench: Bench, kind: str) -> Path:
    """A plan of that kind of what the program was to do, made once."""
    made, profile = bench.file(LEARNED, f"{kind}.plan"), bench.file(LEARNED, "profile")
    if not profile.exists():
        bench.say(f"recording {LEARNED}")
        stages.record(LEARNED.command(bench).arguments, profile, "full")
    if not made.exists():
        stages.run_stage("plan", str(profile), "-o", str(made), "--force", *KINDS[kind])
    return made
