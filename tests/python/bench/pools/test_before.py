"""What is held against a former build: the mean's high end and each row's low end."""

from malloom.bench.goals import Goal, Of
from malloom.bench.pools.before import malloc_free_goals, mean_goals
from python.bench.races import rounds_of


def goals(found: list) -> list[Goal]:  # type: ignore[type-arg]
    return [each for each in found if isinstance(each, Goal)]


def test_the_mean_is_over_all_programs_and_its_high_end_is_held() -> None:
    races = {
        ("start-up", "true"): rounds_of({"before": 1.0, "pools": 1.10}),
        ("ft", "2x"): rounds_of({"before": 2.0, "pools": 1.9}),
    }
    (goal,) = goals(mean_goals(races))
    assert (goal.row.workload, goal.row.input) == ("geometric mean", "2 programs")
    assert (goal.of, goal.limit, goal.row.runs) == (Of.HIGH, 1.02, 6)
    assert abs(goal.row.ratio - (1.10 * 0.95) ** 0.5) < 1e-6
    assert not goal.reached


def test_a_mean_over_nothing_is_no_goal() -> None:
    assert mean_goals({}) == []
    assert mean_goals({("ft", "2x"): rounds_of({"before": 1.0})}) == []


def test_a_malloc_and_its_free_is_held_without_checks_and_each_workload_apart() -> None:
    races = {
        ("pairs", "now 16 bytes"): rounds_of({"before": 1.0, "pools": 1.5, "unchecked": 0.9}),
        ("pool_pairs", "now 16 bytes"): rounds_of({"before": 1.0, "pool heap": 1.5, "unchecked": 1.1}),
    }
    found = goals(malloc_free_goals(races))
    assert [(goal.row.input, goal.row.variant, goal.reached) for goal in found] == [
        ("1 patterns and sizes of pairs", "unchecked", True),
        ("1 patterns and sizes of pool_pairs", "unchecked", False),
    ]
