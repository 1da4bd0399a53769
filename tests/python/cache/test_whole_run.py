"""A recorded run's addresses, through caches and a prefetcher."""

from pathlib import Path

from malloom.cache.geometry import power4, zen5
from malloom.cache.whole_run import simulate_run
from malloom.profile.addresses import recorded_addresses

SAMPLE = Path(__file__).parents[2] / "formats/samples/version_1.profile"


def test_a_run_is_all_accesses_wherever_they_lie() -> None:
    """One of the sample's reaches no object, and two lie in the same line; the two threads make 18."""
    run = simulate_run(recorded_addresses(SAMPLE, 100), [power4(), zen5()], [power4()])
    assert (run.accesses, run.lines, run.pages) == (18, 6, 3)
    assert run.misses["zen5"]["L3"] == 6
    assert run.misses["power4"]["TLB"] == run.misses["zen5"]["TLB1"] == 3
    assert list(run.misses["power4"]) == ["L1", "L2", "L3", "TLB"]


def test_two_lines_in_a_row_begin_a_stream() -> None:
    run = simulate_run(recorded_addresses(SAMPLE, 100), [], [power4()])
    assert run.prefetches["power4"].streams == 1
    assert run.prefetches["power4"].first_level >= 1
    assert run.misses == {}
