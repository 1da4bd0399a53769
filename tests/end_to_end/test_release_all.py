"""The workload release_all: what it makes it releases, and it says what that does to the memory in use."""

import subprocess
from pathlib import Path

from end_to_end.conftest import releases_all

PROGRAM = Path(__file__).parents[2] / "build/release/workloads/release_all/release_all"


def test_memory_in_use_is_told_when_all_objects_live_and_when_none_does() -> None:
    done = subprocess.run([PROGRAM, "22400000"], capture_output=True, text=True, check=True)
    assert done.stdout == "300000 objects\n"
    resident = dict(line.removeprefix("measure ").split() for line in done.stderr.splitlines())
    full, empty = (int(resident[name]) for name in ("full_bytes", "empty_bytes"))
    assert 22_400_000 < full < 50_000_000
    assert 0 < empty <= full


def test_every_object_is_released() -> None:
    assert releases_all(PROGRAM, "224000")


def test_bad_arguments_are_refused() -> None:
    for arguments in ([], ["100"], ["many"]):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (2, "usage: release_all BYTES\n")
