"""Plans of a fleet that race."""

from malloom.fleet import planning
from malloom.optimize import of_fleet


def test_every_strategy_that_plans_a_fleet_is_raced() -> None:
    assert set(of_fleet.STRATEGIES) == set(planning.STRATEGIES)
