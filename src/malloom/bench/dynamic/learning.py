"""Plans that earlier runs of a program leave behind, one learner each; every one can fail alone."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.errors import CommandError
from malloom.layout.plan_header import header_fields
from malloom.measure import stages
from malloom.measure.process import last_words, run_measured


@dataclass(frozen=True)
class Learner:
    """Something that makes a plan of a run of the case, and says by what: nothing where it has none to offer.

    What `carries_over` is good for other inputs too: it places nothing by the ordinals of requests.
    """

    name: str
    carries_over: bool
    learn: Callable[[Bench, Case, Path], str]


def learners(seconds: float = 0) -> list[Learner]:
    """All that malloom offers. `seconds` are for the measured runs of `malloom optimize`."""
    return [
        Learner("optimize", False, partial(_optimized, seconds=seconds)),
        _strategy("pools", accesses="none"),
        _strategy("context-groups", accesses="sampled"),
        Learner("run --heap pools", True, partial(_saved, options=("--heap", "pools"))),
        Learner(
            "run --heap pools --colocate", True, partial(_saved, options=("--heap", "pools", "--colocate"))
        ),
        Learner("run --dynamic", True, partial(_saved, options=("--dynamic",))),
        Learner("run --heap pools, then --dynamic", True, _pools_then_prefetches),
    ]


def _strategy(name: str, accesses: str) -> Learner:
    """One whose plan holds for other inputs as well."""
    return Learner(f"strategy {name}", True, partial(_planned, strategy=name, accesses=accesses))


def learned(bench: Bench, case: Case, wanted: Sequence[Learner]) -> dict[str, Path]:
    """The plans by what made them; `bench.failed` is told of those that cannot be had."""
    plans = {}
    for learner in wanted:
        bench.say(f"learning from {' '.join(case.place)}: {learner.name}")
        plan = bench.file(case, f"{learner.name}.plan".replace(" ", "-"))
        try:
            made = learner.name if plan.exists() else learner.learn(bench, case, plan)
            if made:
                plans[made] = plan
        except CommandError as error:
            bench.failed(f"learning by {learner.name}", error)
    return plans


def _optimized(bench: Bench, case: Case, plan: Path, seconds: float) -> str:
    """`malloom optimize`; it keeps no plan where none is faster."""
    arguments = case.command(bench.workloads).arguments
    options = ["--json", "--seconds", str(seconds), "-o", str(plan)]
    found = json.loads(stages.output_of("optimize", *options, "--", *arguments))
    return f"optimize: {found['strategy']}" if found["plan"] else ""


def _planned(bench: Bench, case: Case, plan: Path, strategy: str, accesses: str) -> str:
    """`malloom plan` after `malloom record`."""
    profile = bench.file(case, f"{accesses}.profile")
    run = stages.record(case.command(bench.workloads).arguments, profile, accesses)
    try:
        if run.status != 0:
            raise CommandError(f"recording failed: {last_words(run)}")
        stages.plan(profile, plan, strategy)
    finally:
        profile.unlink()
    return f"strategy {strategy}"


def _pools_then_prefetches(bench: Bench, case: Case, plan: Path) -> str:
    """Natively found pools, and the prefetches found under DynamoRIO in what these place."""
    _saved(bench, case, plan, ("--heap", "pools"))
    _saved(bench, case, plan, ("--dynamic", "--plan", str(plan)))
    if header_fields(plan)["prefetches_count"]:
        return "run --heap pools, then --dynamic"
    plan.unlink()
    return ""


def _saved(bench: Bench, case: Case, plan: Path, options: tuple[str, ...]) -> str:
    """`malloom run` that writes down at its end what it has learned."""
    program = case.command(bench.workloads).arguments
    run = run_measured(stages.stage("run", *options, "--save-plan", str(plan), "--", *program))
    if run.status != 0 or not plan.exists():
        raise CommandError(f"'malloom run {' '.join(options)}' saved no plan: {last_words(run)}")
    return " ".join(("run", *options))
