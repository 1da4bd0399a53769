"""Profiles of the workloads, and a plan per strategy for each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from malloom.bench import stages
from malloom.bench.placement import thesis
from malloom.bench.workloads import Case
from malloom.layout.registry import strategy_names


@dataclass(frozen=True)
class Bench:
    """Where the suite finds its workloads, keeps what it makes, and says what it does."""

    workloads: Path
    scratch: Path
    say: Callable[[str], None]

    def file(self, case: Case, suffix: str) -> Path:
        return self.scratch / f"{case.workload}-{'-'.join(case.arguments)}.{suffix}"


def strategies() -> list[str]:
    """The thesis's strategies in its order, then the others that are installed."""
    return [*thesis.STRATEGIES, *(name for name in strategy_names() if name not in thesis.STRATEGIES)]


def recorded(bench: Bench, case: Case) -> Path:
    """The profile of a case, recorded once; of an annotated program what the annotations tell."""
    accesses = "annotated" if case.is_annotated else "full"
    profile = bench.file(case, "profile")
    if not profile.exists():
        bench.say(f"recording {case.workload} {case.input}, accesses {accesses}")
        stages.record(case.command(bench.workloads).arguments, profile, accesses)
    return profile


def planned(bench: Bench, case: Case, strategy: str) -> Path:
    """The plan of a strategy for a case, made once."""
    made = bench.file(case, f"{strategy}.plan")
    if not made.exists():
        profile = recorded(bench, case)
        bench.say(f"planning {case.workload} {case.input}, strategy {strategy}")
        stages.plan(profile, made, strategy)
    return made


def all_planned(bench: Bench, case: Case, names: Sequence[str]) -> dict[str, Path]:
    return {name: planned(bench, case, name) for name in names}
