"""Olden's programs, written afresh, compute what small models in Python compute."""

import subprocess
from pathlib import Path

import pytest

WORKLOADS = Path(__file__).parents[2] / "build/release/workloads"


def run(name: str, *arguments: object) -> list[str]:
    """The lines that the workload prints."""
    command = [WORKLOADS / name / name, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", ["treeadd"])
def test_bad_arguments_are_refused(name: str) -> None:
    done = subprocess.run([WORKLOADS / name / name, "0"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"usage: {name} ")


@pytest.mark.parametrize(("levels", "passes"), [(1, 1), (5, 3), (14, 2)])
def test_treeadd_counts_the_nodes_in_every_pass(levels: int, passes: int) -> None:
    assert run("treeadd", levels, passes) == [f"sum {2**levels - 1}"] * passes
