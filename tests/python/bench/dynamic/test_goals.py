"""What is held of the programs' times: means over programs, each program, and the best of the allocators."""

import pytest

from malloom.bench.dynamic.goals import best_general, time_goals
from malloom.bench.goals import Goal, Of
from malloom.measure.interleaved import Rounds
from python.bench.races import rounds_of

USUAL = {"glibc": 1.0, "mimalloc": 0.95, "jemalloc huge": 0.9, "tcmalloc": 1.1, "carried": 0.8}
UNDER_DYNAMORIO = {"dynamorio": 2.0, "all": 1.5}


def goals_of(races: dict[str, Rounds], size: str = "0.5x") -> list[Goal]:
    found = time_goals({(name, size): rounds for name, rounds in races.items()})
    return [goal for goal in found if isinstance(goal, Goal)]


def test_a_mean_goal_for_each_baseline_over_all_programs() -> None:
    every = {**USUAL, **UNDER_DYNAMORIO}
    faster = {**every, "carried": 0.2, "all": 0.375}
    means = [
        goal
        for goal in goals_of({"em3d": rounds_of(every), "ft": rounds_of(faster)})
        if goal.row.workload == "geometric mean"
    ]
    held = {(goal.row.variant, goal.row.baseline): goal for goal in means}
    assert {place: goal.limit for place, goal in held.items()} == {
        ("carried", "glibc"): 0.85,
        ("carried", "best"): 0.92,
        ("all", "dynamorio"): 0.85,
    }
    assert held["carried", "glibc"].value == pytest.approx(0.4)
    assert held["carried", "best"].value == pytest.approx(0.4 / 0.9)
    assert held["all", "dynamorio"].value == pytest.approx(0.375)
    assert {goal.row.input for goal in means} == {"2 programs at 0.5x"}


def test_what_was_learned_at_the_same_input_is_held_beside() -> None:
    both = {**USUAL, "carried, same input": 0.5}
    held = goals_of({"em3d": rounds_of(both), "ft": rounds_of(both)}, "2x")
    ours = [goal for goal in held if goal.row.variant == "carried, same input"]
    assert [(goal.row.workload, goal.row.baseline, goal.limit, goal.of) for goal in ours] == [
        ("geometric mean", "glibc", 0.85, Of.RATIO),
        ("geometric mean", "best", 0.92, Of.RATIO),
        ("em3d", "glibc", 1.01, Of.RATIO),
        ("em3d", "glibc", 1.15, Of.PEAK),
        ("ft", "glibc", 0.6, Of.RATIO),
        ("ft", "glibc", 1.15, Of.PEAK),
    ]
    assert len([goal for goal in held if goal.row.variant == "carried"]) == len(ours)


def test_one_program_has_no_mean() -> None:
    assert {goal.row.workload for goal in goals_of({"ft": rounds_of(USUAL)})} == {"ft"}


def test_sizes_are_not_mixed_in_a_mean() -> None:
    races = {("ft", size): rounds_of(USUAL) for size in ("0.5x", "2x")}
    found = time_goals({**races, ("art", "0.5x"): rounds_of(USUAL)})
    means = [goal for goal in found if isinstance(goal, Goal) and goal.row.workload == "geometric mean"]
    assert {goal.row.input for goal in means} == {"2 programs at 0.5x"}


@pytest.mark.parametrize(
    ("program", "size", "limit"), [("ft", "2x", 0.6), ("ft", "0.5x", 1.01), ("mst", "2x", 1.01)]
)
def test_each_program_is_held_to_its_limit_and_to_its_memory(program: str, size: str, limit: float) -> None:
    time, peak = goals_of({program: rounds_of(USUAL)}, size)
    assert (time.limit, time.reached) == (limit, limit > 0.8)
    assert (peak.of, peak.limit, peak.value) == (Of.PEAK, 1.15, 1.0)


def test_few_pairs_judge_the_memory_and_not_the_time() -> None:
    time, peak = goals_of({"ft": rounds_of(USUAL, pairs=5)})
    assert (time.reached, peak.reached) == (None, True)


def test_only_what_allocates_little_is_held_near_dynamorio_alone() -> None:
    every = rounds_of({**USUAL, **UNDER_DYNAMORIO})
    held = {
        goal.row.workload
        for goal in goals_of({"art": every, "ft": every})
        if (goal.row.baseline, goal.limit) == ("dynamorio", 1.01)
    }
    assert held == {"art"}


def test_what_left_the_race_is_not_held() -> None:
    alone = rounds_of({"glibc": 1.0})
    assert goals_of({"ft": alone, "art": alone}) == []


def test_the_best_general_allocator_is_none_of_ours_and_not_the_control() -> None:
    assert best_general(rounds_of(USUAL)) == "jemalloc huge"
    ours = {"glibc": 1.0, "glibc again": 0.9, "pools": 0.5, "all": 0.4, "carried, same input": 0.3}
    assert best_general(rounds_of(ours)) == "glibc"
    assert best_general(rounds_of({"pools": 0.5})) is None
