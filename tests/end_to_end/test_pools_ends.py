"""`malloom run --heap pools`: programs that do odd things, and end in odd ways, do so as without malloom."""

from pathlib import Path

import pytest

from end_to_end import ends
from end_to_end.conftest import COMMAND
from some import some

POOLS = [COMMAND, "run", "--heap", "pools", "--"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("ends")
    return {program: ends.build(program, folder) for program in ends.WAYS}


@pytest.mark.parametrize(
    ("program", "way"),
    some(*[case for case in ends.CASES if case[1] not in ("forks", "execs 12")], of=ends.CASES),
)
def test_it_behaves_as_alone(built: dict[str, Path], tmp_path: Path, program: str, way: str) -> None:
    ends.assert_same(POOLS, [built[program], *way.split()], tmp_path)


@pytest.mark.parametrize("way", ["sandbox", "sandbox warm", "strict"])
def test_programs_that_give_up_their_rights(built: dict[str, Path], tmp_path: Path, way: str) -> None:
    ends.assert_same(POOLS, [built["ends_program"], *way.split()], tmp_path)


@pytest.mark.parametrize("kibibytes", ["200000", "1000000", "5000000"])
def test_under_a_limit_of_address_space(built: dict[str, Path], tmp_path: Path, kibibytes: str) -> None:
    for program, way in (("odd_program", "ways"), ("odd_program", "small_stacks"), ("new_program", "")):
        ends.assert_same(POOLS, ends.limited(kibibytes, [built[program], way]), tmp_path)


@pytest.mark.parametrize(
    ("of", "kibibytes", "bytes_each"),
    [
        pytest.param("-v", "600000", "48", marks=pytest.mark.long),
        pytest.param("-v", "600000", "3000", marks=pytest.mark.long),
        ("-v", "2400000", "1000000"),
        ("-d", "100000", "48"),
        ("-d", "100000", "5000"),
        ("-d", "600000", "1000000"),
    ],
)
def test_exhaustion(built: dict[str, Path], tmp_path: Path, of: str, kibibytes: str, bytes_each: str) -> None:
    """When pools, the fallback and the C library have nothing left of the allowed address space or data."""
    command = [built["ends_program"], "exhaustion", bytes_each]
    ends.assert_same(POOLS, ends.limited(kibibytes, command, of), tmp_path)


def test_memory_goes_back_between_phases(built: dict[str, Path], tmp_path: Path) -> None:
    ends.assert_memory_goes_back([*POOLS, built["odd_program"], "phases"], tmp_path)


def test_libraries_with_an_allocator_of_their_own(built: dict[str, Path], tmp_path: Path) -> None:
    ends.assert_libraries_are_the_same(POOLS, built["odd_program"], tmp_path)


def test_programs_with_an_allocator_of_their_own(tmp_path: Path) -> None:
    ends.assert_allocators_are_the_same(POOLS, tmp_path)
