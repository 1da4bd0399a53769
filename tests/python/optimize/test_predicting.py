"""What simulation foretells of strategies on several inputs."""

import pytest

from malloom.optimize.predicting import Ranking, predictions_of


def ranking(**times: float | None) -> Ranking:
    return [{"strategy": name, "time": time} for name, time in times.items()]


def test_inputs_weigh_alike() -> None:
    found = predictions_of([ranking(pools=0.5, size=0.9), ranking(pools=0.98)])
    assert found == {"pools": pytest.approx(0.7)}


def test_without_a_time_on_each_input_nothing_is_foretold() -> None:
    assert predictions_of([]) == {}
    assert predictions_of([ranking(pools=0.5), []]) == {}
    assert predictions_of([ranking(pools=None)]) == {}
