"""Misses counted by the real cachegrind."""

import subprocess
from pathlib import Path

import pytest

from malloom.errors import CommandError
from malloom.measure.process import Command
from malloom.measure.valgrind import count_misses

# Walks an array of 16,384 lines of 64 bytes: the last level of the thesis's machine holds 8,192 of them.
SOURCE = """
#include <stdlib.h>
enum {{ lines = 16384, line = 64 }};
int main(void) {{
    volatile char* bytes = malloc(lines * line);
    for (int walk = 0; walk < {walks}; ++walk)
        for (int i = 0; i < lines; ++i) bytes[i * line] += 1;
    return 0;
}}
"""


@pytest.fixture
def walker(tmp_path: Path):  # type: ignore[no-untyped-def]
    def build(walks: int) -> Command:
        program = tmp_path / f"walk{walks}"
        command = ["gcc", "-O1", "-x", "c", "-", "-o", str(program)]
        subprocess.run(command, input=SOURCE.format(walks=walks), text=True, check=True)
        return Command([str(program)])

    return build


def test_every_walk_misses_every_line(walker) -> None:  # type: ignore[no-untyped-def]
    one, four = count_misses(walker(1)), count_misses(walker(4))
    assert four.l1d_misses - one.l1d_misses == 3 * 16384
    assert four.llc_misses - one.llc_misses == pytest.approx(3 * 16384, rel=0.01)
    assert four.references - one.references == pytest.approx(3 * 2 * 16384, rel=0.01)


def test_a_larger_cache_holds_them(walker) -> None:  # type: ignore[no-untyped-def]
    large = ("--I1=16384,8,32", "--D1=8192,4,64", "--LL=8388608,16,64")
    one, four = count_misses(walker(1), large), count_misses(walker(4), large)
    assert four.llc_misses - one.llc_misses < 100


def test_a_program_that_fails_is_one_error() -> None:
    with pytest.raises(CommandError, match="sh failed under cachegrind"):
        count_misses(Command(["sh", "-c", "exit 4"]))


def test_a_run_that_hangs_is_ended() -> None:
    with pytest.raises(CommandError, match="did not end within 3 s"):
        count_misses(Command(["sleep", "100"], time_limit=3))
