"""The paper's numbers: complete, and in agreement with what its text says of them."""

import pytest

from malloom.bench.dynamic import paper
from malloom.bench.ten_programs import PROGRAMS
from malloom.measure.variants import ALL, GLIBC


@pytest.mark.parametrize("table", [paper.ATHLON_MP, paper.PENTIUM_4, paper.PREFETCHES])
def test_every_program_has_numbers(table) -> None:  # type: ignore[no-untyped-def]
    assert tuple(table) == PROGRAMS


@pytest.mark.parametrize("table", [paper.ATHLON_MP, paper.PENTIUM_4])
def test_every_column_has_a_number(table: paper.Times) -> None:
    assert {len(times) for times in table.values()} == {len(paper.COLUMNS)}


@pytest.mark.parametrize(("table", "speedup"), [(paper.ATHLON_MP, 0.17), (paper.PENTIUM_4, 0.13)])
def test_the_mean_speedup_is_the_texts(table: paper.Times, speedup: float) -> None:
    """Of the last column, in the arithmetic mean."""
    ratios = [paper.ratio(table, program, ALL, GLIBC) or 0 for program in PROGRAMS]
    assert 1 - sum(ratios) / len(ratios) == pytest.approx(speedup, abs=0.015)


def test_ft_ran_ten_times_as_fast() -> None:
    assert paper.ratio(paper.ATHLON_MP, "ft", ALL, GLIBC) == pytest.approx(0.085, abs=0.001)


def test_what_the_paper_has_not_has_no_ratio() -> None:
    assert paper.ratio(paper.ATHLON_MP, "ft", "carried", GLIBC) is None
    assert paper.ratio(paper.ATHLON_MP, "traverse", ALL, GLIBC) is None
