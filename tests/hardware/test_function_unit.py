"""The chunk unit behind the custom instructions of the simulated core."""

import numpy as np
import pytest

from hardware.rtl import run
from structure.source_tree import ROOT

CORE = ROOT / "build/firmware/chunk_core/malloom-core"
PROGRAM = ROOT / "build/firmware/riscv_core/programs/chunk_requests"
FIND, FREE, LOAD, STORE, STATUS = range(5)
COUNT_ZEROS, OTHER_FUNCT7 = 8, 9
ERROR = 1 << 31
ALL = 0xFFFF_FFFF
TWICE, BEYOND, NO_CLASS, NO_REQUEST = range(1, 5)

ASKED = [
    ((FIND, 0, 0, 0), ERROR),
    ((LOAD, 0, 1, 0b1010 << 8), 0),
    ((FIND, 0, 0, 0), 41),
    ((FIND, 0, 0, 0), 43),
    ((FIND, 0, 0, 0), ERROR),
    ((FREE, 0, 0, 41), 0),
    ((STORE, 0, 1, 0), 1 << 9),
    ((FREE, 0, 0, 41), 0),
    ((FIND, 0, 0, 0), ERROR | TWICE),
    ((FIND, 0, 0, 0), 41),
    ((LOAD, 7, 0, ALL), 0),
    ((STORE, 7, 0, 0), 0b11),
    ((FREE, 7, 0, 2), 0),
    ((STATUS, 0, 0, 0), BEYOND),
    ((STATUS, 0, 0, 0), 0),
    ((FIND, 8, 0, 0), ERROR | NO_CLASS),
    ((LOAD, 0, 8, 0), ERROR | NO_REQUEST),
    ((5, 0, 0, 0), ERROR | NO_REQUEST),
    ((7, 0, 0, 0), ERROR | NO_REQUEST),
    ((OTHER_FUNCT7, 7, 0, 0), ERROR | NO_REQUEST),
    ((COUNT_ZEROS, 0, 0, 0), 32),
    ((COUNT_ZEROS, 5, 0, 0), 0),
    ((COUNT_ZEROS, 0, 3, 0), 8),
    ((COUNT_ZEROS, 0, 1 << 23, 0), 31),
    ((FREE, 0, 0, 300), 0),
    ((COUNT_ZEROS, 4, 0, 0), 2),
    ((STATUS, 0, 0, 0), BEYOND),
    ((FIND, 7, 0, 0), 0),
]
"""Opcode, class, word and data, each with the answer; one after the other."""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    words = [(opcode, number | word << 8, data) for (opcode, number, word, data), _ in ASKED]
    file = tmp_path_factory.mktemp("requests") / "requests"
    file.write_bytes(np.asarray(words, "<u4").tobytes())
    done = run([CORE, "--data", file, PROGRAM])
    assert (done.returncode, done.stderr) == (0, "")
    return [int(line) for line in done.stdout.splitlines()]


def test_answers_reach_the_program(answers: list[int]) -> None:
    assert answers[:-1] == [answer for _, answer in ASKED]


def test_an_instruction_takes_one_cycle(answers: list[int]) -> None:
    assert answers[-1] == 8
