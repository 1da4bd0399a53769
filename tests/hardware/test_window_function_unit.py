"""The window unit behind the custom instructions of the simulated core."""

import numpy as np
import pytest

from hardware.rtl import run
from structure.source_tree import ROOT

CORE = ROOT / "build/firmware/window_core/malloom-core"
PROGRAM = ROOT / "build/firmware/riscv_core/programs/window_requests"
TAKE, GIVE, FILL, PEEK, DRAIN = range(5)
OTHER_FUNCT7 = 8
REFUSED = 1 << 31
GIVEN, ELSEWHERE, NO_BEGIN, TWICE, NO_SUCH, NOT_EMPTY, OVERLAPS = range(7)
PAGE, LAST = 0x1000_0000, 0x2000_0000

ASKED = [
    ((TAKE, 24, 0), REFUSED | 1),
    ((TAKE, 0, 0), REFUSED),
    ((TAKE, 2048, 0), REFUSED | 7),
    ((TAKE, 2049, 0), REFUSED | 2049),
    ((TAKE, REFUSED | 3, 0), 0xFFFF_FFFF),
    ((GIVE, 0, 0), ELSEWHERE),
    ((FILL, PAGE | 1, 0b1010), PAGE + 32),
    ((FILL, PAGE | 1, 0b1010), NOT_EMPTY),
    ((FILL, PAGE | 2, 0b1), OVERLAPS),
    ((FILL, PAGE + 2048 | 2, 0b1), OVERLAPS),
    ((FILL, 2, 0b1), NO_SUCH),
    ((FILL, 4080 | 2, 0b1), NO_SUCH),
    ((FILL, REFUSED | PAGE | 2, 0b1), NO_SUCH),
    ((TAKE, 64, 0), REFUSED | 2),
    ((PEEK, 1, 0), PAGE + 96),
    ((TAKE, 24, 0), PAGE + 96),
    ((PEEK, 1, 0), REFUSED),
    ((TAKE, 24, 0), REFUSED | 1),
    ((GIVE, PAGE + 96, 0), GIVEN),
    ((GIVE, PAGE + 96, 0), TWICE),
    ((GIVE, PAGE + 64, 0), GIVEN),
    ((GIVE, PAGE + 72, 0), NO_BEGIN),
    ((GIVE, PAGE + 1024, 0), ELSEWHERE),
    ((GIVE, PAGE - 32, 0), ELSEWHERE),
    ((DRAIN, 1, 0), 0b1100),
    ((GIVE, PAGE + 96, 0), ELSEWHERE),
    ((FILL, PAGE | 8, 1), NO_SUCH),
    ((PEEK, 8, 0), NO_SUCH),
    ((DRAIN, 8, 0), 0),
    ((DRAIN, 255, 0), 0),
    ((5, 0, 0), NO_SUCH),
    ((7, 0, 0), NO_SUCH),
    ((OTHER_FUNCT7, 16, 0), NO_SUCH),
    ((FILL, PAGE | 7, 0b111), PAGE),
    ((TAKE, 1025, 0), PAGE + 2048),
    ((TAKE, 1025, 0), REFUSED | 7),
    ((FILL, PAGE | 7, 0), REFUSED),
]
"""Opcode and operands, each with the answer; one after the other."""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[list[int]]:
    file = tmp_path_factory.mktemp("requests") / "requests"
    file.write_bytes(np.asarray([words for words, _ in ASKED], "<u4").tobytes())
    done = run([CORE, "--data", file, PROGRAM])
    assert (done.returncode, done.stderr) == (0, "")
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def test_answers_reach_the_program(answers: list[list[int]]) -> None:
    assert answers[:-2] == [[answer] for _, answer in ASKED]


def test_requests_may_follow_one_another_at_once(answers: list[list[int]]) -> None:
    assert answers[-2] == [LAST + 16, LAST + 32, GIVEN]


def test_an_instruction_takes_one_cycle(answers: list[list[int]]) -> None:
    """And the one behind it another."""
    assert answers[-1] == [16]
