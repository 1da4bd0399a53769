"""A plan of each kind, run where the program does other things than it has learned: it takes hardly more than
with the fallback alone."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import ROOT
from malloom.bench.dynamic.other_inputs import KINDS, LEARNED, OTHERS, WORKLOAD
from malloom.measure import variants
from malloom.measure.process import Command
from malloom.measure.valgrind import count_instructions
from some import some

PROGRAM = ROOT / "build/release/workloads" / WORKLOAD / WORKLOAD
MOST = 1.15
"""In instructions, which are exact. Its time, which follows them less, has the suite's limit."""
REQUESTS = 200_000
"""Many: what it takes to read a plan, and to find that it does not fit, is not."""

Malloom = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def alone() -> dict[str, int]:
    """Instructions of each input over the fallback alone."""
    return {how: instructions(how, variants.fallback()) for how in OTHERS}


def instructions(how: str, environment: dict[str, str]) -> int:
    return count_instructions(Command([str(PROGRAM), how, str(REQUESTS)], environment))


@pytest.mark.parametrize("kind", some("groups", "slots of a sequence", of=KINDS))
def test_a_plan_of_another_input_costs_hardly_anything(
    malloom: Malloom, alone: dict[str, int], tmp_path: Path, kind: str
) -> None:
    plan = tmp_path / "run.plan"
    recorded = malloom("record", "-o", "run.profile", "--accesses", "full", "--", PROGRAM, *LEARNED.arguments)
    assert recorded.returncode == 0, recorded.stderr
    planned = malloom("plan", "run.profile", "-o", plan, *KINDS[kind])
    assert planned.returncode == 0, planned.stderr
    taken = {how: instructions(how, variants.planned(plan)) for how in OTHERS}
    assert {how: round(taken[how] / alone[how], 3) for how in OTHERS if taken[how] > MOST * alone[how]} == {}
