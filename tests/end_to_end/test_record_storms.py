"""`malloom record` of programs that cancel their threads, fork in them and interrupt them by signals.

They end as they do alone, and the profile is sound.
"""

from pathlib import Path

import pytest

from end_to_end import ends
from end_to_end.conftest import COMMAND
from end_to_end.recording import assert_sound
from some import some

# With how many forks, and which signals. DynamoRIO alone hangs or dies where signals arrive while a program
# forks, and where they are sent to threads that begin or end.
STORMS = [("none", "100", "2"), ("full", "20", "0"), ("full", "0", "1")]
END = (0, "the storm is over\n")


@pytest.fixture(scope="module")
def storm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ends.build_over_storm_heap("storm_program", tmp_path_factory.mktemp("storm"))


def recorded(accesses: str, command: list[str | Path], folder: Path) -> tuple[int, str]:
    """How the program ended, and what it printed; its profile is sound and can be reported."""
    profile = folder / "profile"
    record = [COMMAND, "record", "-o", profile, "--accesses", accesses, "--"]
    status, output, errors = ends.outcome([*record, *command], folder)
    assert "line " not in errors
    assert_sound(profile)
    assert ends.outcome([COMMAND, "report", profile], folder)[0] == 0
    profile.unlink()
    return status, output


@pytest.mark.parametrize("accesses", some("full", of=["none", "full"]))
def test_cancelled_threads_leave_nothing_locked(accesses: str, tmp_path: Path) -> None:
    program = ends.build("cancelled_program", tmp_path)
    assert recorded(accesses, [program, "300"], tmp_path) == (0, "300 threads cancelled\n")


@pytest.mark.parametrize(
    ("accesses", "forks", "signals"), some(("none", "100", "2"), ("full", "0", "1"), of=STORMS)
)
def test_storms_end(storm: Path, accesses: str, forks: str, signals: str, tmp_path: Path) -> None:
    command: list[str | Path] = [storm, "1", "1", forks, signals]
    assert ends.outcome(command, tmp_path)[:2] == END
    assert recorded(accesses, command, tmp_path) == END


@pytest.mark.long
@pytest.mark.parametrize(("accesses", "forks", "signals"), STORMS)
def test_many_storms_end(storm: Path, accesses: str, forks: str, signals: str, tmp_path: Path) -> None:
    for seed in range(60):
        assert recorded(accesses, [storm, "2", str(seed), forks, signals], tmp_path) == END, seed


@pytest.mark.parametrize("accesses", ["none", "full"])
def test_forks_beside_threads_that_record_end(accesses: str, tmp_path: Path) -> None:
    program = ends.build("forks_beside_program", tmp_path)
    assert recorded(accesses, [program], tmp_path) == (0, "all are there\n")
