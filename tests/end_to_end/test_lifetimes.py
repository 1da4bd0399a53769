"""The plan of lifetimes on another input than the recorded one: batches go back whole."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from malloom.layout.plan_file import read_plan

SOURCE = Path(__file__).with_name("lifetimes.cpp")
RECORDED = ("4", "40000", "50")
OTHER = ("7", "150000", "60")

Finished = subprocess.CompletedProcess[str]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    subprocess.run(["g++", "-O2", SOURCE, "-o", tmp_path / "lifetimes"], check=True)
    return tmp_path / "lifetimes"


@pytest.fixture
def plan(malloom: Callable[..., Finished], tmp_path: Path, program: Path) -> Path:
    recorded = malloom("record", "-o", "run.profile", "--accesses", "none", "--", program, *RECORDED)
    assert recorded.returncode == 0, recorded.stderr
    planned = malloom("plan", "run.profile", "-o", "run.plan", "--strategy", "lifetimes")
    assert planned.returncode == 0, planned.stderr
    return tmp_path / "run.plan"


def test_parts_and_records_have_a_group_each(plan: Path) -> None:
    assert len(read_plan(plan).groups) == 2


def test_what_is_left_of_the_batches_is_given_back(
    malloom: Callable[..., Finished], program: Path, plan: Path
) -> None:
    def resident(*options: object) -> tuple[str, int, str]:
        run = malloom("run", *options, "--", program, *OTHER)
        assert run.returncode == 0, run.stderr
        total, kib = run.stdout.split()
        return total, int(kib), run.stderr

    total, grouped, told = resident("--plan", plan, "--statistics")
    assert re.search(r"grouped 1\d{6} in 2 groups", told), told
    for options in (("--fallback", "mimalloc"), ("--fallback", "system")):
        other, kib, _ = resident(*options)
        assert other == total
        # 18 MiB of a batch, of which each page of the others holds a record or two.
        assert grouped < 0.5 * kib
