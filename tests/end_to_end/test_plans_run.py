"""Plans of every strategy, run: what a program prints stays as it is, and its requests find their slots."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from malloom.layout.plan_file import read_plan
from malloom.layout.registry import strategy_names

WORKLOADS = Path(__file__).parents[2] / "build/release/workloads"
PROGRAMS = {"traverse": ["12", "3"], "hexapawn": ["3", "3"], "cover": ["60", "60"]}
TIMES = re.compile(r"[0-9.]+ ?m?s\b")
MATCHED = re.compile(r"matched (\d+) ")

Malloom = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "traverse" else pytest.mark.long) for name in PROGRAMS]
)
def test_plans_of_all_strategies_keep_the_output_and_match(
    malloom: Malloom, tmp_path: Path, name: str
) -> None:
    command = [WORKLOADS / name / name, *PROGRAMS[name]]
    plain = subprocess.run(command, capture_output=True, text=True, check=True)
    assert malloom("record", "-o", "run.profile", "--accesses", "full", "--", *command).returncode == 0
    for strategy in strategy_names():
        planned = malloom("plan", "run.profile", "-o", "run.plan", "--force", "--strategy", strategy)
        assert planned.returncode == 0, planned.stderr
        run = malloom("run", "--plan", "run.plan", "--statistics", "--", *command)
        assert run.returncode == 0, run.stderr
        assert TIMES.sub("", run.stdout) == TIMES.sub("", plain.stdout), strategy
        matched = MATCHED.search(run.stderr)
        assert matched is not None, run.stderr
        assert int(matched[1]) == read_plan(tmp_path / "run.plan").header["planned_requests"], strategy
