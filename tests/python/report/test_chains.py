"""Chains of calls as text: rows that would read the same are told apart."""

import time
from collections.abc import Sequence

import pytest

from malloom.report.chains import chain_text, told_apart
from malloom.report.symbols import Place


def chain(names: str, offset: int = 16) -> list[Place]:
    """A frame for each word."""
    return [Place("program", offset, name, f"{name[:8]}.c", 1) for name in names.split()]


def lines(chains: Sequence[str], room: int = 200) -> list[list[str]]:
    return told_apart([chain(each) for each in chains], room)


def test_a_chain_that_no_other_reads_like_has_one_line() -> None:
    chains = [chain("make one main"), chain("make two main")]
    assert told_apart(chains, 200) == [[chain_text(each, 200)] for each in chains]


def test_where_the_room_hides_callers_they_stand_in_further_lines() -> None:
    first, second = lines(["make of_one_caller main start", "make of_another main start"], room=30)
    assert first == ["make make.c:1", "< of_one_caller of_one_c.c:1", "< main main.c:1 < ..."]
    assert second == ["make make.c:1", "< of_another of_anoth.c:1", "< main main.c:1 < ..."]


def test_the_caller_that_sets_it_apart_is_shown_however_far_out() -> None:
    inner = " ".join(f"step{depth}" for depth in range(6))
    told = lines([f"{inner} one main", f"{inner} two main", f"{inner} two start"])
    begin = "step0 step0.c:1 < step1 step1.c:1 < ... < "
    assert told == [
        [f"{begin}one one.c:1 < ..."],
        [f"{begin}main main.c:1"],
        [f"{begin}start start.c:1"],
    ]


def test_the_same_chain_twice_and_one_that_goes_on_stay_as_they_are() -> None:
    again, once_more, further = lines(["a b c d", "a b c d", "a b c d e"])
    assert again == once_more == ["a a.c:1 < b b.c:1 < c c.c:1 < ..."]
    assert further == ["a a.c:1 < b b.c:1 < ... < e e.c:1"]


def test_template_arguments_are_folded_unless_they_alone_tell() -> None:
    names = ["make<one::S>", "make<two::S>", "other<one::S>"]
    told = told_apart([[Place("program", 16, name, "make.h", 4), *chain("main")] for name in names], 200)
    assert [each[0].partition(" ")[0] for each in told] == ["make<one::S>", "make<two::S>", "other<…>"]


def test_what_a_library_calls_in_itself_is_shown_where_it_alone_tells() -> None:
    outer = [Place("program", 16, "std::deque<int>::deque()", "/usr/include/c++/12/bits/stl_deque.h", 855)]
    inner = [
        [Place("program", 16, f"std::deque<int>::{name}()", "/usr/include/c++/12/bits/stl_deque.h", line)]
        for name, line in (("make_map", 700), ("make_nodes", 720))
    ]
    told = told_apart([[*each, *outer, *chain("main")] for each in inner], 200)
    assert [each[0].partition(" < ")[0] for each in told] == [
        "std::deque<int>::make_map() stl_deque.h:700",
        "std::deque<int>::make_nodes() stl_deque.h:720",
    ]


def test_calls_of_one_line_have_their_addresses() -> None:
    told = told_apart([chain("main", 0x10), chain("main", 0x20)], 200)
    assert told == [["main main.c:1 +0x10"], ["main main.c:1 +0x20"]]


@pytest.mark.parametrize("room", [45, 60, 100])
def test_no_line_is_longer_than_the_room(room: int) -> None:
    names = [f"{'long' * 20}_{number} {'other' * 20}_{number} main" for number in range(2)]
    assert (
        max(len(line) for told in lines([f"same{'x' * 60} {each}" for each in names], room) for line in told)
        <= room
    )


def test_thousands_that_read_the_same_are_told_apart_in_seconds() -> None:
    begun = time.process_time()
    told = lines([f"step step step caller{number} main" for number in range(8000)])
    assert len({tuple(each) for each in told}) == 8000
    assert time.process_time() - begun < 10
