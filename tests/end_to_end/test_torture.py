"""Random programs that use the heap from odd places do what they do alone.

Under every heap, recorded and with a plan.
"""

from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND
from end_to_end.torture import torture
from some import IS_SOAK

SEEDS = range(100 if IS_SOAK else 4)
RUNS = 150 if IS_SOAK else 40


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    """A folder that a process may read that has become nobody."""
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("seed", SEEDS)
def test_a_program_does_what_it_does_alone(open_folder: Path, seed: int) -> None:
    assert torture.differences(seed, open_folder) == []


def test_threads_may_be_the_first_that_the_c_library_serves(open_folder: Path) -> None:
    """Its malloc becomes ready without a lock. This program went wrong once in sixty runs."""
    command = [torture.build(251, open_folder), "25", "845"]
    alone = torture.outcome(command, open_folder)
    for _ in range(RUNS):
        here = torture.outcome([COMMAND, "run", "--heap", "fallback", "--", *command], open_folder)
        assert here == alone


def test_a_seed_is_one_program() -> None:
    assert torture.source_of(5) == torture.source_of(5)
    assert torture.source_of(5) != torture.source_of(6)
