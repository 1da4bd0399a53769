"""What part of a run a layout is predicted to save."""

from dataclasses import replace

import pytest

from malloom.cache.geometry import Geometry, geometry_from
from malloom.cache.simulate import Sample, SimulatedCounts
from malloom.errors import UsageProblem
from malloom.layout.ranking import Ranked
from malloom.predictions.page_costs import PageCosts, measured_page_costs
from malloom.predictions.time import Predicted, RunTime, notes_on_time, predicted, run_time_of

HOST: Geometry = replace(geometry_from("p4"), name="host")
WHOLE = Sample(0, 0)


PAGES = PageCosts(small=1e-6, huge=1e-7)


def waiting(cycles: float, pages: int = 0, huge_bytes: int = 0) -> Ranked:
    return Ranked("any", SimulatedCounts((), (), 0, pages), cycles, 0, 0, huge_bytes)


def test_only_what_waits_can_be_saved() -> None:
    run_time = RunTime(1.0, 1e-9, PAGES)
    recorded = waiting(0.4e9)
    assert predicted(waiting(0.1e9), recorded, WHOLE, run_time) == Predicted(0.25, pytest.approx(0.7))
    assert predicted(recorded, recorded, WHOLE, run_time) == Predicted(1.0, 1.0)
    assert predicted(waiting(0.8e9), recorded, WHOLE, run_time) == Predicted(2.0, pytest.approx(1.4))
    assert predicted(waiting(0.1e9), recorded, WHOLE, None) == Predicted(0.25, None)


def test_pages_that_are_not_had_one_by_one_are_saved() -> None:
    """A tenth of the run goes into 100,000 pages; half of them become huge."""
    run_time = RunTime(1.0, 1e-9, PAGES)
    recorded, placed = waiting(0.4e9, 100_000), waiting(0.4e9, 100_000, 50_000 * 4096)
    assert predicted(placed, recorded, WHOLE, run_time) == Predicted(1.0, pytest.approx(0.955))
    assert predicted(waiting(0.4e9, 110_000), recorded, WHOLE, run_time) == Predicted(
        1.0, pytest.approx(1.01)
    )
    # No more than what does not wait.
    slow = RunTime(0.5, 1e-9, PAGES)
    assert predicted(waiting(0.45e9, 0), waiting(0.45e9, 100_000), WHOLE, slow).time == pytest.approx(0.9)


def test_pages_cost_something_here_and_huge_ones_no_more() -> None:
    found = measured_page_costs()
    assert 1e-8 < found.small < 1e-4
    assert 0 < found.huge < 1.5 * found.small


def test_a_sample_counts_for_all_that_it_stands_for() -> None:
    run_time = RunTime(1.0, 1e-9, PAGES)
    sample = Sample(skip=60, take=40)
    assert run_time.waiting_share(waiting(0.12e9), sample) == pytest.approx(0.4)


def test_no_more_than_the_run_waits() -> None:
    run_time = RunTime(1.0, 1e-9, PAGES)
    assert predicted(waiting(1e9), waiting(4e9), WHOLE, run_time) == Predicted(0.25, 0.25)


def test_where_nothing_waits_nothing_is_saved() -> None:
    run_time = RunTime(1.0, 1e-9, PAGES)
    assert predicted(waiting(0), waiting(0), WHOLE, run_time) == Predicted(None, 1.0)


def test_a_time_is_of_this_machine_and_of_all_accesses() -> None:
    found = run_time_of(2.0, HOST, has_all_accesses=True)
    assert found is not None and found.seconds == 2.0 and 1e-11 < found.cycle_seconds < 1e-8
    assert run_time_of(None, HOST, has_all_accesses=True) is None
    assert notes_on_time(None, None, WHOLE) == [] == notes_on_time(2.0, found, WHOLE)
    assert "sample" in notes_on_time(2.0, found, Sample(60, 40))[0]
    assert run_time_of(2.0, HOST, has_all_accesses=False) is None
    assert "every access" in notes_on_time(2.0, None, WHOLE)[0]
    wrong = [(seconds, HOST) for seconds in (0.0, -1.0, float("nan"), float("inf"))]
    for seconds, geometry in (*wrong, (2.0, geometry_from("p4"))):
        with pytest.raises(UsageProblem, match="--run-time"):
            run_time_of(seconds, geometry, has_all_accesses=True)
