"""What an instruction's cycles are told as."""

import pytest

from malloom.bench.bins.where import ENTRY, LISTS, NAMES, STATES, WORK, bare, one_more, work_of
from malloom.errors import CommandError


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("malloom::heaps::bins::BinHeap<malloom::Policy<int>, false>::find(FreeLists&, unsigned)", "find"),
        ("void* malloom::bench::bins::allocate<Policy>(malloom_bins*, unsigned long)", "allocate"),
        ("malloom_bins_alloc", "malloom_bins_alloc"),
        ("??", "??"),
    ],
)
def test_functions_are_told_by_their_own_name(function: str, name: str) -> None:
    assert bare(function) == name


def test_the_innermost_function_decides() -> None:
    assert work_of(["bytes_of", "is_smaller", "insert", "make_free", "malloom_bins_alloc"]) == LISTS
    assert work_of(["original_bin", "bin_of", "insert"]) == "size to bin"
    assert work_of(["calls_of", "malloom_bins_alloc"]) == ENTRY
    assert work_of(["timed"]) is None


def test_no_function_is_two_works() -> None:
    assert len(NAMES) == sum(map(len, WORK.values()))
    assert len({state.name for state in STATES}) == len(STATES)


def test_what_is_counted_is_one_run_more() -> None:
    once = {4: (1, 10, 1, 0), 8: (5, 5, 0, 0)}
    twice = {4: (3, 25, 1, 2), 8: (5, 5, 0, 0), 12: (1, 2, 0, 0)}
    assert one_more(once, twice) == {4: (2, 15, 0, 2), 12: (1, 2, 0, 0)}
    with pytest.raises(CommandError, match="no more"):
        one_more(once, once)
