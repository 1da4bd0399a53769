"""How long steps take, by the steps before them."""

from malloom.bench.pace import Pace
from malloom.bench.steps import Step


def step(part: str, seconds: float) -> Step:
    return Step(part, "one", lambda bench: [], seconds)


def test_what_was_thought_holds_until_something_is_measured() -> None:
    assert Pace().expected(step("times", 60.0)) == 60.0


def test_a_part_goes_at_its_own_pace() -> None:
    pace = Pace()
    pace.learn("times", 10.0, 20.0)
    pace.learn("times", 30.0, 60.0)
    pace.learn("misses", 60.0, 30.0)
    assert pace.expected(step("times", 5.0)) == 10.0
    assert pace.expected(step("misses", 5.0)) == 2.5


def test_a_part_of_which_nothing_was_measured_goes_at_the_pace_of_all() -> None:
    pace = Pace()
    pace.learn("times", 10.0, 20.0)
    pace.learn("misses", 10.0, 40.0)
    assert pace.expected(step("memory", 5.0)) == 15.0


def test_of_steps_that_nobody_thought_about_nothing_is_learned() -> None:
    pace = Pace()
    pace.learn("times", 0.0, 20.0)
    assert pace.expected(step("times", 5.0)) == 5.0
