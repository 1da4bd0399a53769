"""How tests are spread over the workers: what is costly to make is made once."""

import os
import subprocess
import sys
from pathlib import Path

from structure.source_tree import ROOT

TESTS = """
import os
import time
from pathlib import Path

import pytest

MADE = Path(__file__).parent / "made"
WORKERS = Path(__file__).parent / "workers"


@pytest.fixture(scope="session")
def costly():
    with MADE.open("a") as file:
        file.write(f"{os.getpid()}\\n")


@pytest.mark.parametrize("number", range(20))
def test_shares(costly, number):
    pass


@pytest.mark.parametrize("number", range(20))
def test_shares_nothing(number):
    # A worker that started sooner would else do all of them.
    with WORKERS.open("a") as file:
        file.write(f"{os.getpid()}\\n")
    end = time.monotonic() + 60
    while len(set(WORKERS.read_text().splitlines())) < 2 and time.monotonic() < end:
        time.sleep(0.01)
"""


def test_a_fixture_that_tests_share_is_made_by_one_worker(tmp_path: Path) -> None:
    """A test's group reaches the scheduler through what pytest and pytest-xdist know of each other, so a new
    version of either may lose it without a word."""
    (tmp_path / "test_costly.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-n", "2", "--dist", "loadgroup", "."]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["PYTHONPATH"] = str(ROOT / "tests")
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert "40 passed" in done.stdout, done.stdout + done.stderr
    assert len((tmp_path / "made").read_text().splitlines()) == 1
    assert len(set((tmp_path / "workers").read_text().splitlines())) == 2
