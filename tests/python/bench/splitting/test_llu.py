"""How llu's lists are sized, built and walked."""

import pytest

from malloom.bench.splitting.llu import (
    HALVED,
    NO_SLOWER,
    one_list_cases,
    papers_bytes,
    papers_cases,
    walks_for,
)
from malloom.bench.splitting.programs import Lists

MEBIBYTE = 1 << 20


@pytest.mark.parametrize(
    ("whole", "walking", "walks", "needed"),
    [(2.0, 1.0, 1, 9), (1.1, 1.0, 10, 9), (1.0, 1.0, 4, 1), (1.0, 0.0, 3, 3)],
)
def test_walks_make_nine_tenths_of_the_time(whole: float, walking: float, walks: int, needed: int) -> None:
    assert walks_for(whole, walking, walks) == needed


def test_the_papers_case_takes_at_most_half_of_the_last_level() -> None:
    assert papers_bytes(last_level=32 * MEBIBYTE, second_level=2 * MEBIBYTE) == 16 * MEBIBYTE
    assert papers_bytes(last_level=480 * MEBIBYTE, second_level=2 * MEBIBYTE) == 32 * MEBIBYTE


def test_the_papers_case_is_built_in_both_ways_with_and_without_growth_and_with_two_walks() -> None:
    cases = papers_cases(8 * MEBIBYTE)
    assert len({(each.program, each.in_rounds, each.grows) for each in cases}) == 8 == len(cases)
    assert len({each.label for each in cases}) == 8
    assert {(each.count, each.bytes) for each in cases} == {(341, 8 * MEBIBYTE)}


def arguments(lists: Lists, walks: int) -> str:
    return " ".join(lists.case(walks).arguments)


def test_lists_grow_to_the_length_that_the_others_have() -> None:
    heap = 80 * 10 * 301
    assert arguments(Lists(10, heap, "", in_rounds=True), 50) == "-i 50 -n 10 -l 301 -d -t -r"
    assert arguments(Lists(10, heap, "", grows=True), 50) == "-i 50 -n 10 -l 151 -d -t -g 3.000000"


def test_only_the_longest_list_must_take_half_of_the_time() -> None:
    cases = one_list_cases(MEBIBYTE, ("0.5x", "2x", "8x"))
    assert {(lists.program, limit) for lists, limit in cases if lists.bytes == 8 * MEBIBYTE} == {
        ("llu", HALVED),
        ("llu_many", HALVED),
    }
    assert {limit for lists, limit in cases if lists.bytes < 8 * MEBIBYTE} == {NO_SLOWER}
    assert {lists.count for lists, _ in cases} == {1} and len(cases) == 6
