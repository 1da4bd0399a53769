"""What is made of a race on a held-out input, and what a real one leaves."""

from dataclasses import replace
from pathlib import Path

import pytest

from malloom.bench.goals import Goal, Of
from malloom.bench.programs.chosen import Ways
from malloom.bench.programs.held_out import (
    HeldOut,
    Judged,
    against_best_rows,
    allowed,
    held_out_rows,
    in_order,
)
from malloom.bench.programs.scale import MEMORY, QUICK, TIME, Aim
from malloom.measure.interleaved import Budget, RaceId
from malloom.measure.process import Command
from malloom.measure.rows import Row
from python.bench.races import bench, rounds_of

PLACE = ("jq", "held-out 5000 packages")
RACE = RaceId("jq: held-out 5000 packages", "glibc")
TIMES = {
    "glibc": 1.0,
    "jemalloc": 0.9,
    "tcmalloc": 0.75,
    "pools": 0.8,
    "kept": 0.72,
    "kept, up to layout": 0.81,
}
JUDGED = Judged(
    rounds_of(TIMES, pairs=6, race=RACE),
    ("glibc", "jemalloc"),
    ("glibc", "jemalloc", "tcmalloc"),
    ("glibc", "jemalloc", "pools", "kept"),
    (("layout", "kept, up to layout", "jemalloc"), ("prefetches", "kept", "kept, up to layout")),
    ("pools", "prefetches"),
    "cpu_time",
)


def row_against(rows: list[Row | Goal], baseline: str) -> Row:
    [found] = [each for each in rows if isinstance(each, Row) and each.baseline == baseline]
    return found


def test_what_is_kept_stands_against_the_best_general_setting_and_against_the_best_row() -> None:
    rows = against_best_rows(PLACE, JUDGED)
    assert row_against(rows, "best").ratio == pytest.approx(0.72 / 0.9)
    assert row_against(rows, "best row").ratio == 1.0
    assert row_against(rows, "best").runs == 3
    assert row_against(rows, "best whatever it needs").ratio == pytest.approx(0.72 / 0.75)


def test_who_kept_less_than_the_best_row_must_regret_it() -> None:
    poor = replace(JUDGED, rounds=rounds_of({**TIMES, "kept": 0.88}, race=RACE))
    rows = against_best_rows(PLACE, poor)
    assert row_against(rows, "best row").ratio == pytest.approx(0.88 / 0.8)
    [_, regret] = [each for each in rows if isinstance(each, Goal)]
    assert (regret.limit, regret.of) == (1.03, Of.LOW)


def test_each_part_stands_against_all_before_it() -> None:
    parts = {
        each.variant: each.ratio
        for each in against_best_rows(PLACE, JUDGED)
        if isinstance(each, Row) and each.baseline == "without it"
    }
    assert parts == {"layout": pytest.approx(0.9), "prefetches": pytest.approx(0.72 / 0.81)}


def test_an_input_on_which_what_was_kept_fails_is_a_goal_that_is_missed() -> None:
    without = {name: time for name, time in TIMES.items() if name != "kept"}
    [goal] = against_best_rows(PLACE, replace(JUDGED, rounds=rounds_of(without)))
    assert isinstance(goal, Goal) and goal.reached is False and not goal.is_near
    assert (goal.row.place, goal.metric, goal.value) == (PLACE, "failed", 1)


def test_races_are_the_same_when_they_were_kept_in_a_file() -> None:
    before, after = HeldOut({PLACE: JUDGED}), HeldOut()
    after.put_back(PLACE, before.data_of(PLACE))
    assert after[PLACE] == JUDGED


LARGE = 100 << 20
"""Bytes: with less, what is allowed beside a ratio counts."""


def test_what_needs_more_memory_than_malloom_allows_is_no_best_setting() -> None:
    times = {"glibc": 1.0, "jemalloc": 0.9, "mimalloc": 0.5}
    rounds = rounds_of(times, {"glibc": LARGE, "jemalloc": int(1.1 * LARGE), "mimalloc": int(1.5 * LARGE)})
    assert in_order(rounds, ["glibc", "jemalloc", "mimalloc"], "cpu_time") == [
        "mimalloc",
        "jemalloc",
        "glibc",
    ]
    assert allowed(rounds, ["mimalloc", "jemalloc", "glibc"], TIME) == ["jemalloc", "glibc"]


def test_what_takes_more_time_is_no_best_setting_for_memory() -> None:
    times = {"glibc": 1.0, "jemalloc": 1.1, "mimalloc": 1.0}
    rounds = rounds_of(times, {"glibc": LARGE, "jemalloc": LARGE // 2, "mimalloc": LARGE // 3})
    rounds.runs["mimalloc"] = [replace(run, mean_memory=LARGE // 3) for run in rounds.runs["mimalloc"]]
    assert allowed(rounds, ["mimalloc", "jemalloc", "glibc"], MEMORY) == ["mimalloc", "glibc"]


SCALE = replace(QUICK, heat=Budget(1, 1), race=Budget(2, 2))
WAYS = Ways(
    settings={"nothing changed": {}, "a variable": {"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=131072"}},
    own={"pools": {"POOLS": "1"}, "fails": {"LD_LIBRARY_PATH": "/nowhere", "FAIL": "1"}},
    kinds=("pools",),
    kept={"POOLS": "1"},
    parts=("allocator", "layout"),
    with_parts={"kept, up to allocator": {"OTHER": "1"}, "kept, up to layout": {"POOLS": "1"}},
)


def measured(tmp_path: Path, aim: Aim = TIME) -> tuple[HeldOut, list[Row | Goal]]:
    """A real race of a program that takes some milliseconds, and fails with one variable."""
    judged = HeldOut()
    script = 'if [ -n "$FAIL" ]; then exit 1; fi; i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done'
    plain = Command(["sh", "-c", script])
    return judged, held_out_rows(bench(scratch=tmp_path), PLACE, plain, WAYS, replace(SCALE, aim=aim), judged)


def test_one_command_under_several_names_runs_once_and_has_all_of_them(tmp_path: Path) -> None:
    judged, rows = measured(tmp_path)
    rounds = judged[PLACE].rounds
    assert rounds.runs["kept"] is rounds.runs["pools"] is rounds.runs["kept, up to layout"]
    against_it = {
        each.variant: each.ratio for each in rows if isinstance(each, Row) and each.baseline == "glibc"
    }
    assert against_it["kept"] == against_it["pools"]
    assert against_it["nothing changed"] == 1.0


def test_what_fails_is_in_no_row_and_the_others_go_on(tmp_path: Path) -> None:
    judged, rows = measured(tmp_path)
    assert "fails" not in {each.variant for each in rows if isinstance(each, Row)}
    assert {*judged[PLACE].rows} == {"glibc", "nothing changed", "a variable", "pools", "kept"}
    assert [part for part, *_ in judged[PLACE].parts] == ["allocator", "layout"]


def test_where_memory_is_the_aim_peaks_are_compared_and_time_must_not_rise(tmp_path: Path) -> None:
    _, rows = measured(tmp_path, MEMORY)
    compared = {
        each.metric for each in rows if isinstance(each, Row) and each.baseline in ("best", "best row")
    }
    assert compared == {"peak_memory"}
    [time] = [each for each in rows if isinstance(each, Goal) and each.row.metric == "cpu_time"]
    assert (time.row.variant, time.row.baseline, time.limit, time.of) == ("kept", "glibc", 1.0, Of.LOW)
