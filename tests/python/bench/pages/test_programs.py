"""What the suite pages makes of the cycles of programs."""

from pathlib import Path

import pytest

from malloom.bench.cases import Case
from malloom.bench.pages import paper, table3, table4
from malloom.bench.pages.programs import HOLES, PROGRAMS, Scale
from malloom.bench.pages.simulation import (
    BETTER,
    HARDWARE,
    IN_SOFTWARE,
    LINEAR,
    MANAGEMENT,
    SET_UP,
    TRANSFER,
    Cycles,
    SimulatedCore,
    cycles_of,
    ranges_of,
)
from malloom.errors import CommandError
from malloom.measure.rows import Row


def test_cycles_belong_to_where_instructions_lie(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    lines = (
        "0x10000000 1 10 1 0",
        "0x10000040 2 20 10 5",
        "0x10000044 3 300 20 6",
        "0x10000080 4 4000 2 3",
    )
    profile.write_text("".join(f"{line}\n" for line in lines))
    management, set_up = range(0x10000040, 0x10000080), range(0x10000044, 0x10000080)
    ranges = {MANAGEMENT: management, SET_UP: set_up, TRANSFER: range(0x10000040, 0x10000044)}
    assert cycles_of(profile, ranges) == Cycles(
        all=4330, management=320, set_up=300, transfer=20, code_lines=3, data_lines=3
    )


def test_a_program_without_the_allocator_is_refused() -> None:
    with pytest.raises(CommandError, match="has no symbols"):
        ranges_of(Path("/bin/sh").resolve())


def found(rows: list[Row], metric: str) -> dict[str, float]:
    return {row.variant: row.ratio for row in rows if row.metric == metric}


SOFTWARE, UNIT = Cycles(1000, 400, 0, 0), Cycles(800, 200, 0, 0)


def test_what_is_saved_is_of_management() -> None:
    cycles = {LINEAR: SOFTWARE, HARDWARE: UNIT}
    rows = table4.rows_of(("a", "1"), cycles, paper.BENCHMARKS["cfrac"])
    assert found(rows, table4.SAVED)[HARDWARE] == 50
    assert found(rows, table4.SPEEDUP)[HARDWARE] == 1.25
    assert found(rows, table4.MANAGEMENT) == {HARDWARE: 0.5}
    assert found(rows, table4.OTHERS) == {HARDWARE: 1.0}


def test_lines_explain_cycles_outside_of_management() -> None:
    cycles = {
        LINEAR: Cycles(2000, 1000, 0, 0, code_lines=10, data_lines=10),
        HARDWARE: Cycles(1770, 800, 0, 0, code_lines=9, data_lines=9),
    }
    rows = table4.rows_of(("a", "1"), cycles, None)
    assert found(rows, table4.CODE_LINES) == found(rows, table4.DATA_LINES) == {LINEAR: 10, HARDWARE: 9}
    assert found(rows, table4.UNEXPLAINED) == {LINEAR: 0, HARDWARE: pytest.approx(-0.4)}


def test_means_are_of_programs_and_arithmetic() -> None:
    same = dict.fromkeys(table4.VARIANTS, SOFTWARE)
    measured = table4.Measured({("a", "1"): same, ("b", "1"): {**same, HARDWARE: UNIT}})
    rows = table4.mean_rows(measured)
    assert found(rows, table4.SAVED)[HARDWARE] == 25
    assert found(rows, table4.SPEEDUP)[HARDWARE] == 1.125
    assert table4.mean_rows(table4.Measured()) == []


def test_the_quickest_software_is_the_limit() -> None:
    cycles = {name: Cycles(1000, 500 - 10 * number, 0, 0) for number, name in enumerate(IN_SOFTWARE)}
    goal = table4.goal_of(("a", "1"), {**cycles, BETTER: Cycles(900, 470, 0, 0)})
    assert (goal.value, goal.reached) == (1.0, True)
    assert table4.goal_of(("a", "1"), {**cycles, BETTER: Cycles(900, 471, 0, 0)}).reached is False


def test_means_are_of_the_papers_programs_alone() -> None:
    cycles = {**dict.fromkeys(table4.VARIANTS, SOFTWARE), HARDWARE: UNIT, BETTER: Cycles(700, 120, 0, 0)}
    measured = table4.Measured({("a", "1"): cycles})
    of_linear, of_hardware = table4.mean_goals(measured)
    assert (of_linear.value, of_hardware.value) == (pytest.approx(1.0), pytest.approx(1.0))
    assert of_linear.reached
    measured[HOLES.workload, "1"] = dict.fromkeys(table4.VARIANTS, SOFTWARE)
    assert table4.mean_goals(measured) == [of_linear, of_hardware]
    assert found(table4.mean_rows(measured), table4.SAVED)[BETTER] == pytest.approx(70)
    assert table4.mean_goals(table4.Measured()) == []


def test_measured_cycles_can_be_kept() -> None:
    measured, place = table4.Measured(), ("a", "1")
    measured[place] = {LINEAR: SOFTWARE}
    again = table4.Measured()
    again.put_back(place, measured.data_of(place))
    assert again == measured


def test_the_papers_tables_agree_with_its_text() -> None:
    """Table 4's speed-ups have the text's mean, and with table 3 they make about the two that it names."""
    benchmarks = paper.BENCHMARKS
    assert sum(each.speedup for each in benchmarks.values()) / 10 == pytest.approx(
        paper.SPEEDUP_MEAN, abs=0.002
    )
    assert benchmarks["cfrac"].saved == pytest.approx(paper.SAVED_BY_CFRAC, abs=0.03)
    assert benchmarks["espresso"].saved == pytest.approx(paper.SAVED_BY_ESPRESSO, abs=0.03)


@pytest.mark.parametrize("scale", Scale)
def test_each_program_of_the_paper_is_there_once(scale: Scale) -> None:
    assert sorted(each.benchmark for each in PROGRAMS) == sorted(paper.BENCHMARKS)
    core = SimulatedCore(Path("nowhere"))
    own = [str(HOLES.case(scale)), "a malloc and its free", table4.MEAN]
    names = [str(each.case(scale)) for each in PROGRAMS]
    assert [step.what for step in table3.steps(core, scale)] == names
    assert [step.what for step in table4.steps(core, scale)] == [*names, *own]


def test_what_is_not_built_is_one_error() -> None:
    with pytest.raises(CommandError, match=r"cannot run .*'make firmware'"):
        SimulatedCore(Path("nowhere")).requests(Case("treeadd", ("4", "1"), ""))
