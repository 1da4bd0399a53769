"""Profiles of the workloads, and a plan per strategy for each."""

from collections.abc import Sequence
from pathlib import Path

from malloom.bench.cases import Case
from malloom.bench.placement import thesis
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.layout.registry import strategy_names
from malloom.measure import stages


def strategies() -> list[str]:
    """The thesis's strategies in its order, then the others that are installed."""
    return [*thesis.STRATEGIES, *(name for name in strategy_names() if name not in thesis.STRATEGIES)]


def profile_of(bench: Bench, case: Case) -> Path:
    """The profile of a case, recorded once; of an annotated program what the annotations tell."""
    accesses = "annotated" if case.is_annotated else "full"
    profile = bench.file(case, "profile")
    if not profile.exists():
        bench.say(f"recording {case}, accesses {accesses}")
        run = stages.record(case.command(bench).arguments, profile, accesses)
        if run.status != 0:
            profile.unlink()
            raise CommandError(f"recording {case} failed: {stages.Recorded.by(run).words}")
    return profile


def plan_of(bench: Bench, case: Case, name: str) -> Path:
    """The plan of a strategy, or of the best, for a case, made once."""
    made = bench.file(case, f"{name}.plan")
    if not made.exists():
        profile = profile_of(bench, case)
        bench.say(f"planning {case}, strategy {name}")
        stages.plan(profile, made, name)
    return made


def plans_of(bench: Bench, case: Case, names: Sequence[str]) -> dict[str, Path]:
    """The plans of several strategies, without those that fail. The profile is read once for all."""
    plans = {name: bench.file(case, f"{name}.plan") for name in names}
    missing = [name for name, made in plans.items() if not made.exists()]
    if missing:
        profile = profile_of(bench, case)
        bench.say(f"planning {case}, {len(missing)} strategies")
        problems = stages.plan_each({profile: {name: plans[name] for name in missing}})
        for name, problem in problems.items():
            bench.failed(name, CommandError(problem))
    return {name: made for name, made in plans.items() if made.exists()}
