"""The workload list_walk: it adds up what the list holds, as often as it walks it."""

import subprocess
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND, releases_all

LIST_WALK = Path(__file__).parents[2] / "build/release/workloads/list_walk/list_walk"
HEAPS: dict[str, list[str | Path]] = {"glibc": [], "pools": [COMMAND, "run", "--heap", "pools", "--"]}


@pytest.mark.parametrize("heap", HEAPS)
@pytest.mark.parametrize(("objects", "walks"), [(1, 1), (5, 3), (3000, 10)])
def test_walks_add_up(heap: str, objects: int, walks: int) -> None:
    command = [*HEAPS[heap], LIST_WALK, str(objects), str(walks)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"sum {walks * objects * (objects + 1) // 2}\n", "")


def test_phase_is_reported_when_asked_for() -> None:
    done = subprocess.run([LIST_WALK, "9", "2", "--times"], capture_output=True, text=True, check=True)
    assert done.stdout == "sum 90\n"
    assert done.stderr.startswith("measure walk_time ")


def test_every_object_is_released() -> None:
    assert releases_all(LIST_WALK, "100", "2")


@pytest.mark.parametrize("arguments", [[], ["0", "1"], ["1", "0"], ["5"]])
def test_bad_arguments_are_refused(arguments: list[str]) -> None:
    done = subprocess.run([LIST_WALK, *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "usage: list_walk OBJECTS WALKS [--times]\n")
