"""The workloads peaks and scattered: what they keep stays whole in each heap; they tell the memory in use."""

import subprocess
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND, releases_all

WORKLOADS = Path(__file__).parents[2] / "build/release/workloads"
PEAKS = WORKLOADS / "peaks/peaks"
SCATTERED = WORKLOADS / "scattered/scattered"
HEAPS: dict[str, list[str | Path]] = {"glibc": [], "pools": [COMMAND, "run", "--heap", "pools", "--"]}


def run(heap: str, *command: str | Path) -> tuple[str, dict[str, int]]:
    """What it prints, and the resident bytes that it tells."""
    done = subprocess.run([*HEAPS[heap], *command], capture_output=True, text=True, check=True)
    told = (line.removeprefix("measure ").split() for line in done.stderr.splitlines())
    return done.stdout, {name: int(count) for name, count in told}


@pytest.mark.parametrize("heap", HEAPS)
@pytest.mark.parametrize("kept", [0, 1, 7])
def test_peaks(heap: str, kept: int) -> None:
    output, resident = run(heap, PEAKS, "70", str(kept))
    assert output == f"{70 * kept} of {70 * kept} objects whole\n"
    assert resident["full_bytes"] > 2_000_000
    assert 0 < resident["kept_bytes"] <= resident["full_bytes"]


@pytest.mark.parametrize("heap", HEAPS)
def test_scattered(heap: str) -> None:
    # Every object has as many ones as bytes: 16, 32 and so on to 1024, and again 16.
    output, resident = run(heap, SCATTERED, "65", "1001", "100")
    assert output == f"{65 * 11} objects kept, sum {11 * (sum(range(16, 1025, 16)) + 16)}\n"
    assert resident["kept_bytes"] > 300_000


@pytest.mark.parametrize("command", [[PEAKS, "10", "2"], [SCATTERED, "5", "300", "20"]])
def test_every_object_is_released(command: list[str | Path]) -> None:
    assert releases_all(*command)


@pytest.mark.parametrize(
    ("program", "bad"),
    [
        (PEAKS, [[], ["0", "1"], ["1025", "1"], ["10", "-1"], ["10", "100000"], ["10"]]),
        (SCATTERED, [[], ["0", "10", "1"], ["2000", "10", "1"], ["4", "0", "1"], ["4", "10", "0"]]),
    ],
)
def test_bad_arguments_are_refused(program: Path, bad: list[list[str]]) -> None:
    for arguments in bad:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith(f"usage: {program.name} SITES ")
