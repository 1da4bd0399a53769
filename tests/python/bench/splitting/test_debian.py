"""The real programs: what they are, their inputs, and what their rows hold against what."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from malloom.bench.goals import Goal
from malloom.bench.splitting.debian import (
    build_rows,
    fact_rows,
    link_rows,
    make_control,
    share_goals,
    time_rows,
)
from malloom.bench.splitting.debian_builds import Tree
from malloom.bench.splitting.debian_programs import PROGRAMS, DebianProgram
from malloom.bench.splitting.heap_share import Requested, share_of_pools
from malloom.bench.splitting.remark_file import AliasSets
from malloom.errors import CommandError
from malloom.measure.interleaved import Rounds
from malloom.measure.process import Run
from python.bench.races import rounds_of

PLACE = ("mawk", "9 lines")
SETS = AliasSets(found=7, proven=4, pooled=2, split=1, reasons=Counter())


def run(cpu: float, wall: float, peak: int = 1) -> Run:
    return Run(0, cpu, 0.0, wall, peak, {"wall_time": wall}, "", b"")


def test_there_are_enough_programs() -> None:
    """Eight, two of them in C++, with names of their own."""
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS) >= 8
    assert sum(program.language == "C++" for program in PROGRAMS) >= 2
    assert all(len(program.package.sha256) == 64 for program in PROGRAMS)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_inputs_grow_with_the_size_and_are_the_same_each_time(program: DebianProgram, tmp_path: Path) -> None:
    def made(name: str, size: int) -> dict[str, bytes]:
        folder = tmp_path / name
        folder.mkdir()
        words = program.work.prepared(folder, size)
        assert any(str(folder) in word for word in words)
        return {file.name: file.read_bytes() for file in folder.iterdir()}

    first = made("first", 40)
    assert first == made("second", 40)
    assert sum(map(len, made("third", 8000).values())) > sum(map(len, first.values()))


def test_facts_are_numbers_that_stand_alone() -> None:
    rows = fact_rows(PLACE, 12_000, Requested(50, 20_000_000), SETS, 0.25)
    assert {row.variant: row.ratio for row in rows} == {
        "lines": 12_000,
        "MB of heap": 20,
        "sets": 7,
        "proven": 4,
        "pooled": 2,
        "split": 1,
        "heap share": 0.25,
    }
    assert {row.variant for row in fact_rows(PLACE, 12_000, None, SETS, None)} == {
        *("lines", "sets", "proven", "pooled", "split")
    }


def test_what_is_no_longer_requested_comes_from_pools() -> None:
    assert share_of_pools(Requested(200, 1), Requested(150, 1)) == pytest.approx(0.25)
    assert share_of_pools(Requested(200, 1), Requested(201, 1)) == 0


@pytest.mark.parametrize(("cpu", "is_reached"), [(1.14, True), (1.16, False)])
def test_a_build_may_take_15_per_cent_more(cpu: float, is_reached: bool) -> None:
    builds = Rounds({"lto": [run(1.0, 0.6)] * 6, "default": [run(cpu, 0.9)] * 6})
    *rows, goal = build_rows(PLACE, builds)
    assert isinstance(goal, Goal) and goal.reached is is_reached
    assert {row.metric: row.ratio for row in rows if not isinstance(row, Goal)} == {
        "build_cpu_time": pytest.approx(cpu),
        "build_wall_time": pytest.approx(1.5),
    }


def test_builds_are_compared_pair_by_pair() -> None:
    """Of a machine that was slow for a while, the medians would say another thing than the pairs do."""
    lto, ours = (1.0, 1.0, 1.0, 1.0, 2.0, 2.0), (1.1, 1.1, 1.1, 2.2, 2.2, 2.2)
    builds = Rounds({"lto": [run(cpu, 0.6) for cpu in lto], "default": [run(cpu, 0.9) for cpu in ours]})
    *_, goal = build_rows(PLACE, builds)
    assert isinstance(goal, Goal) and goal.value == pytest.approx(1.1) and goal.reached


def test_builds_have_a_control_which_is_held_to_nothing() -> None:
    made = {name: [run(1.0, 0.6)] * 6 for name in ("lto", "lto again", "default")}
    rows = build_rows(PLACE, Rounds(made))
    assert {row.variant for row in rows if not isinstance(row, Goal)} == {"lto again", "default"}
    assert [goal.row.variant for goal in rows if isinstance(goal, Goal)] == ["default"]


def test_what_pools_gain_is_told_against_the_control() -> None:
    """Functions that are inlined and copied gain too."""
    times = {"lto": 1.0, "lto again": 1.0, "overhead-only": 0.8, "overhead-only again": 0.8, "default": 0.6}
    rows = time_rows(PLACE, rounds_of(times))
    found = {(row.variant, row.baseline): row.ratio for row in rows if not isinstance(row, Goal)}
    assert found == {
        ("lto again", "lto"): 1.0,
        ("overhead-only", "lto"): pytest.approx(0.8),
        ("default", "lto"): pytest.approx(0.6),
        ("overhead-only again", "overhead-only"): 1.0,
        ("default", "overhead-only"): pytest.approx(0.75),
    }
    (goal,) = (each for each in rows if isinstance(each, Goal))
    assert (goal.row.baseline, goal.limit) == ("lto", 1.01)


@pytest.mark.parametrize(("content", "has_pools"), [("malloc", False), ("malloc malloom_pool_alloc", True)])
def test_a_control_with_pools_is_refused(content: str, has_pools: bool, tmp_path: Path) -> None:
    program = replace(PROGRAMS[0], make=f"printf '{content}' > program", binary="program")
    tree = Tree(program, tmp_path, {})
    if has_pools:
        with pytest.raises(CommandError, match="the policy overhead-only did not reach the link of"):
            make_control(tree)
    else:
        make_control(tree)


@pytest.mark.parametrize(
    ("lines", "wall", "peak", "reached"),
    [
        (100_001, 59.0, 3 << 30, {"link_time": True, "link_memory": True}),
        (100_001, 61.0, 5 << 30, {"link_time": False, "link_memory": False}),
        (99_999, 61.0, 5 << 30, {}),
    ],
)
def test_the_links_of_large_programs_have_limits(
    lines: int, wall: float, peak: int, reached: dict[str, bool]
) -> None:
    goals = [each for each in link_rows(PLACE, run(wall, wall, peak), lines) if isinstance(each, Goal)]
    assert {goal.metric: goal.reached for goal in goals} == reached


@pytest.mark.parametrize(("third", "is_reached"), [(0.11, True), (0.09, False), (0.0, False)])
def test_three_programs_must_have_a_tenth_of_their_heaps_in_pools(third: float, is_reached: bool) -> None:
    shares = {(name, ""): share for name, share in (("a", 0.5), ("b", third), ("c", 0.2), ("d", 0.0))}
    (goal,) = share_goals(shares)
    assert goal.reached is is_reached
    assert share_goals({PLACE: 1.0}) == []
