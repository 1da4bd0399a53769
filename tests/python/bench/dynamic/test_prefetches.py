"""The number of prefetches, as the optimiser's own line tells it."""

import pytest

from malloom.bench.dynamic.prefetches import injected
from malloom.errors import CommandError
from malloom.measure.process import Command

LINE = "malloom: process 7: sites monitored 3, promoted 1, given up 0; traces 12; prefetches {}, used 2"


def printing(*lines: str) -> Command:
    return Command(["sh", "-c", 'printf "%s\\n" "$@" >&2', "sh", *lines])


def test_the_number_is_the_lines() -> None:
    assert injected(printing("weight 12", LINE.format(44), "measure tree_time 0.5")) == 44
    assert injected(printing(LINE.format(0))) == 0


def test_children_count_as_well() -> None:
    assert injected(printing(LINE.format(10), LINE.format(3))) == 13


def test_without_a_line_there_is_no_number() -> None:
    with pytest.raises(CommandError, match="reported no number"):
        injected(printing("prefetches 3"))


def test_a_program_that_fails_has_no_number() -> None:
    with pytest.raises(CommandError, match="the program failed: no board"):
        injected(Command(["sh", "-c", "echo no board >&2; exit 3"]))
