"""`malloom run --dynamic`: programs that do odd things, and end in odd ways, do so as without malloom."""

import shutil
import signal
from pathlib import Path

import pytest

from end_to_end import ends
from end_to_end.conftest import COMMAND
from some import some

DYNAMIC = [COMMAND, "run", "--dynamic", "--"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("ends")
    return {program: ends.build(program, folder) for program in ends.WAYS}


# DynamoRIO answers for the kernel where a program limits its descriptors, and lets it have some all the same.
LIMITED = ("ends_program", "limited")


@pytest.mark.parametrize(
    ("program", "way"), some(*ends.FEW, of=[case for case in ends.CASES if case != LIMITED])
)
def test_it_behaves_as_alone(built: dict[str, Path], tmp_path: Path, program: str, way: str) -> None:
    ends.assert_same(DYNAMIC, [built[program], *way.split()], tmp_path)


@pytest.mark.parametrize("way", ["sandbox", "sandbox warm"])
def test_programs_that_give_up_their_rights(built: dict[str, Path], tmp_path: Path, way: str) -> None:
    ends.assert_same(DYNAMIC, [built["ends_program"], *way.split()], tmp_path)


def test_strict_seccomp_ends_the_program(built: dict[str, Path], tmp_path: Path) -> None:
    """DynamoRIO itself asks the system for more than reading and writing, so the kernel kills the program."""
    status, output, _ = ends.outcome([*DYNAMIC, built["ends_program"], "strict"], tmp_path)
    assert (status, output) == (-signal.SIGKILL, "")


@pytest.mark.parametrize("kibibytes", some("2400000", of=["600000", "2400000", "12000000"]))
@pytest.mark.parametrize(("program", "way"), [("odd_program", "ways"), ("new_program", "")])
def test_under_a_limit_of_address_space(
    built: dict[str, Path], tmp_path: Path, kibibytes: str, program: str, way: str
) -> None:
    """Of which DynamoRIO takes its share."""
    command = [built[program], way]
    alone = ends.outcome(ends.limited(kibibytes, command), tmp_path)
    assert alone[1]
    assert ends.outcome(ends.limited(kibibytes, [*DYNAMIC, *command]), tmp_path) == alone


def test_exhaustion(built: dict[str, Path], tmp_path: Path) -> None:
    command = [*DYNAMIC, built["ends_program"], "exhaustion", "1000000"]
    assert ends.outcome(ends.limited("2400000", command), tmp_path) == (0, "exhaustion\n", "")


def test_memory_goes_back_between_phases(built: dict[str, Path], tmp_path: Path) -> None:
    ends.assert_memory_goes_back([*DYNAMIC, built["odd_program"], "phases"], tmp_path)


def test_libraries_with_an_allocator_of_their_own(built: dict[str, Path], tmp_path: Path) -> None:
    ends.assert_libraries_are_the_same(DYNAMIC, built["odd_program"], tmp_path)


def test_programs_with_an_allocator_of_their_own(tmp_path: Path) -> None:
    ends.assert_allocators_are_the_same(DYNAMIC, tmp_path)


def test_setuid_program_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "setuid"
    shutil.copy("/bin/true", program)
    program.chmod(0o4755)
    status, _, errors = ends.outcome([*DYNAMIC, program], tmp_path)
    assert (status, errors.count("\n")) == (126, 1)
    assert "gains privileges" in errors
