"""What fits under the C library's malloc fits under ours where the kernel refuses memory: at limits that a
program sets itself, or was started with, that it uses up, and where all its memory is locked."""

import itertools
import resource
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from malloom.measure import variants
from malloom.native_files import native_file
from some import some

SOURCE = Path(__file__).with_name("limits.c")
SECONDS = 30
"""Of a program that asks until it is refused: it ends in two."""
MEBIBYTE = 1 << 20
SHARE = 0.9
"""Of what the C library gives: tables and steps of a heap take from a limit too."""
MOST_LOCKED = 16 * MEBIBYTE
"""More than under the C library."""
HEAPS = ("fallback", "pools", "bins", "pages")
WAYS = (*HEAPS, "plan")

Finished = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("limits") / "limits"
    subprocess.run(["gcc", "-O2", SOURCE, "-pthread", "-o", built], check=True)
    return built


@pytest.fixture
def environment(way: str, malloom: Callable[..., Finished], program: Path, tmp_path: Path) -> dict[str, str]:
    if way != "plan":
        return {"LD_PRELOAD": str(native_file("libmalloom.so")), "MALLOOM": f"heap={way}"}
    assert malloom("record", "-o", "run", "--accesses", "none", "--", program, "small").returncode == 0
    assert malloom("plan", "run", "-o", "plan", "--strategy", "first-use").returncode == 0
    return variants.planned(tmp_path / "plan")


def numbers(program: Path, case: str, environment: dict[str, str], data: int | None = None) -> Sequence[int]:
    def limited() -> None:
        if data is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (data, data))

    done = subprocess.run(
        [program, case],
        env=environment,
        preexec_fn=limited,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    return [int(line) for line in done.stdout.split()]


CASES = ("address-space", "address-space-used-up", "data-used-up", "mappings", "shrinking")


@pytest.mark.parametrize(
    ("case", "way"),
    some(
        *[("address-space-used-up", way) for way in WAYS],
        *[("address-space", "pools"), ("data-used-up", "bins"), ("data-used-up", "pools")],
        *[("mappings", "pages"), ("mappings", "plan"), ("shrinking", "fallback"), ("shrinking", "pools")],
        of=itertools.product(CASES, WAYS),
    ),
)
def test_what_fits_under_the_c_library_fits(
    program: Path, environment: dict[str, str], case: str, way: str
) -> None:
    ours = numbers(program, case, environment)
    theirs = numbers(program, case, {})
    assert len(ours) == len(theirs) > 0
    assert [got for got, wanted in zip(ours, theirs, strict=True) if got < SHARE * wanted] == [], (
        ours,
        theirs,
    )


@pytest.mark.parametrize("way", WAYS)
def test_a_limit_at_the_start(program: Path, environment: dict[str, str], way: str) -> None:
    (ours,) = numbers(program, "small", environment, data=40 * MEBIBYTE)
    assert ours >= 20 * MEBIBYTE


@pytest.mark.parametrize("way", HEAPS)
def test_little_more_is_locked_in_memory(program: Path, environment: dict[str, str], way: str) -> None:
    assert sum(numbers(program, "locked", environment)) <= sum(numbers(program, "locked", {})) + MOST_LOCKED
