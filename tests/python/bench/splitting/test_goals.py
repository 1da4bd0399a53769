"""What is held of the binaries' times and peaks, and against what."""

import pytest

from malloom.bench.cases import Case
from malloom.bench.goals import Goal
from malloom.bench.splitting.comparing import goal_against_better, ours_against_best, rows_against
from malloom.bench.splitting.figure4 import mean_rows
from malloom.bench.splitting.olden import mean_goals, peak_goal
from python.bench.races import rounds_of

CASE = Case("tsp", ("9",), "tour_time", "2x")
COMPILED = {"baseline": 1.0, "lto": 0.9, "gcc": 1.2, "pool": 0.85, "maximal": 0.7, "default": 0.6}
TWICE = {**COMPILED, "baseline again": 1.0, "lto again": 0.9, "mimalloc": 0.8}
STRAYED = {**TWICE, "baseline again": 1.02, "lto again": 0.92}
"""As a race whose controls are unreliable."""


@pytest.mark.parametrize(
    ("names", "ratio"), [(("baseline", "lto"), 0.6 / 0.9), (("lto", "pool"), 0.6 / 0.85)]
)
def test_the_default_is_held_against_the_faster_one(names: tuple[str, ...], ratio: float) -> None:
    (goal,) = goal_against_better(CASE, rounds_of(COMPILED), "default", names, "cpu_time", 1.01)
    assert goal.value == pytest.approx(ratio)
    assert goal.row.baseline == f"better of {', '.join(names)}" and goal.limit == 1.01


def test_nothing_is_held_of_what_was_not_built() -> None:
    rounds = rounds_of({"baseline": 1.0, "lto": 0.9})
    assert goal_against_better(CASE, rounds, "default", ("lto",), "cpu_time", 1.01) == []
    assert peak_goal(CASE, rounds) == []


def test_the_best_is_none_of_ours() -> None:
    rows = ours_against_best(CASE, rounds_of(TWICE), "cpu_time")
    assert {row.variant: row.ratio for row in rows} == {
        "pool": pytest.approx(0.85 / 0.8),
        "maximal": pytest.approx(0.7 / 0.8),
        "default": pytest.approx(0.6 / 0.8),
    }


def test_a_baseline_stands_against_itself_and_not_against_others_second_runs() -> None:
    against = [row.variant for row in rows_against(CASE, rounds_of(TWICE), "lto", "cpu_time")]
    assert "lto again" in against and "baseline again" not in against


@pytest.mark.parametrize(("peak", "is_reached"), [(12 << 20, True), (13 << 20, False)])
def test_a_peak_may_be_a_tenth_and_a_mebibyte_larger(peak: int, is_reached: bool) -> None:
    (goal,) = peak_goal(CASE, rounds_of(COMPILED, {"lto": 10 << 20, "default": peak}))
    assert goal.reached is is_reached


def test_a_program_counts_once_in_the_mean_and_an_unreliable_race_not_at_all() -> None:
    slower = {**TWICE, "default": 0.9}
    races = {
        ("tsp", "2x"): rounds_of(TWICE),
        ("tsp", "8x"): rounds_of(slower),
        ("bh", "original"): rounds_of(slower),
        ("power", "original"): rounds_of(STRAYED),
    }
    found = mean_goals(races)
    (goal,) = (each for each in found if isinstance(each, Goal))
    assert goal.value == pytest.approx((0.6 / 0.9) ** 0.25) and goal.limit == 0.90
    assert goal.row.place == ("geometric mean", "2 of 3 programs")
    rows = [row for row in found if not isinstance(row, Goal)]
    assert [(row.variant, row.baseline) for row in rows] == [
        ("pool", "lto"), ("pool", "best"), ("maximal", "lto"), ("maximal", "best"), ("default", "best"),
    ]  # fmt: skip
    (best,) = (row for row in rows if row.variant == "default")
    assert best.ratio == pytest.approx((0.6 * 0.9) ** 0.25 * 0.9**0.5 / 0.8)


def test_means_of_figure_4_are_of_reliable_races_with_the_same_walk_and_size() -> None:
    races = {
        ("small_list", "one shuffled 2x"): rounds_of(TWICE, measure="walk_time"),
        ("small_list", "one sequential 2x"): rounds_of({**TWICE, "default": 0.15}, measure="walk_time"),
        ("small_tree", "one sequential 2x"): rounds_of(STRAYED, measure="walk_time"),
        ("small_tree", "write sequential 2x"): rounds_of(STRAYED, measure="walk_time"),
    }
    found = {row.variant: row for row in mean_rows(races) if row.baseline == "baseline"}
    assert found["default"].place == ("geometric mean", "2 of 3 with one 2x")
    assert found["default"].ratio == pytest.approx((0.6 * 0.15) ** 0.5)
