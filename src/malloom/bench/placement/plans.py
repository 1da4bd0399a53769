"""Profiles of the workloads, and a plan per strategy for each."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from malloom.bench.placement import thesis
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.errors import CommandError
from malloom.layout.registry import strategy_names
from malloom.measure import stages
from malloom.measure.process import last_words


def strategies() -> list[str]:
    """The thesis's strategies in its order, then the others that are installed."""
    return [*thesis.STRATEGIES, *(name for name in strategy_names() if name not in thesis.STRATEGIES)]


def recorded(bench: Bench, case: Case) -> Path:
    """The profile of a case, recorded once; of an annotated program what the annotations tell."""
    accesses = "annotated" if case.is_annotated else "full"
    profile = bench.file(case, "profile")
    if not profile.exists():
        bench.say(f"recording {case.workload} {case.input}, accesses {accesses}")
        run = stages.record(case.command(bench.workloads).arguments, profile, accesses)
        if run.status != 0:
            profile.unlink()
            raise CommandError(f"recording {case.workload} {case.input} failed: {last_words(run)}")
    return profile


def planned(bench: Bench, case: Case, name: str) -> Path:
    """The plan of a strategy, or of the best, for a case, made once."""
    made = bench.file(case, f"{name}.plan")
    if not made.exists():
        profile = recorded(bench, case)
        bench.say(f"planning {case.workload} {case.input}, strategy {name}")
        stages.plan(profile, made, name)
    return made


@dataclass(frozen=True)
class Kept:
    """A plan that `malloom optimize` has kept."""

    strategy: str
    plan: Path


def optimized(bench: Bench, case: Case, seconds: float) -> Kept | None:
    """What `malloom optimize` keeps for a case; None where it keeps nothing."""
    bench.say(f"optimizing {case.workload} {case.input}")
    plan = bench.file(case, "optimized.plan")
    arguments = case.command(bench.workloads).arguments
    options = ["--json", "--seconds", str(seconds), "-o", str(plan)]
    found = json.loads(stages.output_of("optimize", *options, "--", *arguments))
    return Kept(found["strategy"], plan) if found["plan"] else None


def all_planned(bench: Bench, case: Case, names: Sequence[str]) -> dict[str, Path]:
    """The plans of several strategies, without those that fail. The profile is read once for all."""
    plans = {name: bench.file(case, f"{name}.plan") for name in names}
    missing = [name for name, made in plans.items() if not made.exists()]
    if missing:
        profile = recorded(bench, case)
        bench.say(f"planning {case.workload} {case.input}, {len(missing)} strategies")
        problems = stages.plan_each(profile, {name: plans[name] for name in missing})
        for name, problem in problems.items():
            bench.failed(name, CommandError(problem))
    return {name: made for name, made in plans.items() if made.exists()}
