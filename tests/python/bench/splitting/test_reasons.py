"""Reasons against pools by heap bytes: what is computed from remarks and from recorded requests."""

from pathlib import Path

import pytest

from malloom.bench.goals import Goal
from malloom.bench.splitting.compilers import Toolchain
from malloom.bench.splitting.debian_builds import compilers
from malloom.bench.splitting.debian_programs import DebianProgram
from malloom.bench.splitting.further_programs import PROGRAMS as FURTHER
from malloom.bench.splitting.reasons import PROGRAMS, HeapReach, reach_of, total_rows
from malloom.bench.splitting.remark_file import RemarkedSet, remarked_sets
from malloom.errors import CommandError
from python.bench.splitting.test_remark_file import RECORD

POOLED = RemarkedSet(True, frozenset())
PROVEN = RemarkedSet(False, frozenset())
UNSEEN = RemarkedSet(False, frozenset({"is given to code that is not seen"}))
BOTH = RemarkedSet(False, frozenset({"is given to code that is not seen", "is visible to other code"}))


def test_reasons_are_those_of_the_set_before_them() -> None:
    assert remarked_sets(RECORD) == {
        0: RemarkedSet(True, frozenset()),
        1: RemarkedSet(True, frozenset()),
        2: RemarkedSet(False, frozenset({"its bytes: 'all' of them"})),
    }


def test_a_reason_has_the_bytes_of_all_sets_that_it_holds_for() -> None:
    sets = {0: POOLED, 1: PROVEN, 2: UNSEEN, 3: BOTH, 4: UNSEEN}
    found = reach_of(sets, {None: 10, 0: 30, 1: 10, 2: 20, 3: 30})
    assert found.bytes == 100
    assert (found.proven, found.pooled, found.elsewhere) == pytest.approx((0.4, 0.3, 0.1))
    assert found.reasons == pytest.approx(
        {"is given to code that is not seen": 0.5, "is visible to other code": 0.3}
    )
    assert list(found.reasons) == ["is given to code that is not seen", "is visible to other code"]
    assert found.alone["is given to code that is not seen"] == pytest.approx(0.2)
    assert found.alone["is visible to other code"] == 0


def test_requests_of_a_set_that_nobody_knows_are_an_error() -> None:
    with pytest.raises(CommandError, match=r"says nothing of the sets \[7\]"):
        reach_of({0: POOLED}, {0: 1, 7: 1})
    with pytest.raises(CommandError, match="nothing was requested"):
        reach_of({0: POOLED}, {})


def reach(proven: float, **reasons: float) -> HeapReach:
    return HeapReach(100, proven, 0.0, 0.0, reasons, reasons)


def test_reasons_of_all_programs_are_in_the_order_of_their_bytes() -> None:
    reached = {("a", ""): reach(0.1, small=0.2), ("b", ""): reach(0.2, large=0.8, small=0.005)}
    rows = total_rows(reached)
    assert [each.workload for each in rows if not isinstance(each, Goal)][::4] == ["large", "small"]
    small = {
        each.variant: each.ratio for each in rows if not isinstance(each, Goal) and each.workload == "small"
    }
    assert small == pytest.approx(
        {"programs": 1, "mean share": 0.1025, "largest share": 0.2, "alone in": 1}
    ), "what holds for less than a hundredth is not counted"


@pytest.mark.parametrize(("sixth", "is_reached"), [(0.11, True), (0.09, False), (0.0, False)])
def test_six_programs_must_have_a_tenth_of_their_heaps_proven(sixth: float, is_reached: bool) -> None:
    reached = {
        (str(number), ""): reach(share) for number, share in enumerate([0.5, 0.4, 0.9, 0.2, 0.3, sixth, 0])
    }
    (goal,) = (each for each in total_rows(reached) if isinstance(each, Goal))
    assert goal.reached is is_reached


def test_there_are_twenty_one_programs() -> None:
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS) == 21


@pytest.mark.parametrize("program", FURTHER, ids=lambda program: program.name)
def test_inputs_grow_with_the_size_and_are_the_same_each_time(program: DebianProgram, tmp_path: Path) -> None:
    made = []
    for name, size in (("one", 40), ("two", 40), ("large", 4000)):
        folder = tmp_path / name
        folder.mkdir()
        program.work.prepared(folder, size)
        made.append({file.name.removeprefix(f"{size}-"): file.read_bytes() for file in folder.iterdir()})
    assert made[0] == made[1]
    assert sum(map(len, made[2].values())) > sum(map(len, made[0].values()))


def test_requests_are_named_in_links_and_compilations(tmp_path: Path) -> None:
    made = compilers(Toolchain(tmp_path, tmp_path, tmp_path))["named"]
    assert all("-fmalloom-name-requests" in made[name].split() for name in ("LDFLAGS", "CFLAGS", "CXXFLAGS"))
    assert "-O2" in made["CFLAGS"].split()
