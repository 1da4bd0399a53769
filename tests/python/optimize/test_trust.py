"""How far an allocator is trusted beyond what was measured."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from malloom.layout.plan_record import PlanSetting
from malloom.measure.allocators import Way
from malloom.measure.interleaved import Rounds
from malloom.measure.plan_setting import MOST_BYTES
from malloom.measure.process import Run
from malloom.optimize.checking import Judged
from malloom.optimize.goal import Goal
from malloom.optimize.keeping import setting_record
from malloom.optimize.settings import AllocatorRow, allocator_rows
from malloom.optimize.training import AS_IT_IS, Measured, Training
from malloom.optimize.trust import LEAST, as_kept, trusted_up_to

MIB = 1 << 20


@pytest.fixture(scope="module")
def preloaded() -> AllocatorRow:
    rows, _ = allocator_rows()
    return next(row for row in rows if row.setting.allocator.file and row.setting.way is Way.huge)


def run(mib: float) -> Run:
    return Run(0, 1.0, 0.0, 1.0, round(mib * MIB), {}, "", b"")


def measured(name: str, trained: Sequence[float], judged: Sequence[float]) -> tuple[Training, Judged]:
    training = Training({})
    runs = {str(given): [run(mib)] for given, mib in enumerate(trained)}
    training.results[name] = Measured(runs, runs)
    rounds = {
        f"check {given}": Rounds({name: [run(mib)], AS_IT_IS: [run(9999)]})
        for given, mib in enumerate(judged)
    }
    return training, Judged(rounds)


@pytest.mark.parametrize(
    ("trained", "judged", "largest", "times"),
    [
        ([10.0], [], 10, LEAST),
        ([10.0, 12.0], [11.0], 12, LEAST),
        ([10.0, 12.0], [100.0], 100, 10),
        ([2.0, 60.0], [30.0], 60, 30),
    ],
)
def test_as_far_beyond_the_largest_as_that_is_beyond_the_smallest(
    preloaded: AllocatorRow, trained: list[float], judged: list[float], largest: float, times: float
) -> None:
    training, checked = measured(preloaded.name, trained, judged)
    assert trusted_up_to(preloaded, Goal.time, training, checked) == pytest.approx(
        largest * times * MIB, rel=1e-6
    )


def test_the_c_librarys_is_never_left(preloaded: AllocatorRow) -> None:
    own = next(row for row in allocator_rows()[0] if not row.setting.allocator.file)
    training, judged = measured(own.name, [10.0], [10.0])
    assert trusted_up_to(own, Goal.time, training, judged) == 0
    assert trusted_up_to(preloaded, Goal.time, training, Judged()) == 0  # it was not measured


def test_what_saves_memory_is_never_left(preloaded: AllocatorRow) -> None:
    rows, _ = allocator_rows()
    early = next(row for row in rows if row.setting.allocator.file and row.setting.way is Way.early)
    of_the_break = next(row for row in rows if row.setting.allocator.name == "tcmalloc")
    for row, goal in ((early, Goal.time), (of_the_break, Goal.time), (preloaded, Goal.memory)):
        training, judged = measured(row.name, [10.0], [10.0])
        assert trusted_up_to(row, goal, training, judged) == 0
        assert as_kept(row, goal) is row


def test_a_trust_can_be_read_again(preloaded: AllocatorRow) -> None:
    training, judged = measured(preloaded.name, [1.0, 10.0**9], [10.0])
    assert trusted_up_to(preloaded, Goal.time, training, judged) == MOST_BYTES


def test_a_record_says_it_with_the_pages_of_the_setting(preloaded: AllocatorRow) -> None:
    told = setting_record(preloaded, 5 * MIB)["setting"]
    allocator = preloaded.setting.allocator
    assert PlanSetting(**told) == PlanSetting(
        allocator.described, allocator.file, dict(preloaded.setting.variables), 5 * MIB, huge_beyond=True
    )
    small = replace(preloaded, setting=replace(preloaded.setting, way=Way.plain))
    assert setting_record(small, 5 * MIB)["setting"]["huge_beyond"] is False
    assert not {"up_to", "huge_beyond"} & setting_record(preloaded)["setting"].keys()


def test_a_watched_row_runs_as_what_is_kept_does(preloaded: AllocatorRow) -> None:
    watched = as_kept(preloaded, Goal.time)
    first, *others = watched.environment["LD_PRELOAD"].split(":")
    assert (watched.name, Path(first).name) == (preloaded.name, "libmalloom.so")
    assert ":".join(others) == preloaded.environment["LD_PRELOAD"]
    assert "fallback_up_to=" in watched.environment["MALLOOM"] and "MALLOOM" not in preloaded.environment
