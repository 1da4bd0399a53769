"""What changed, in numbers and in words."""

from dataclasses import replace

import pytest

from malloom.diff.changes import difference, is_notable
from malloom.diff.text import as_object, lines
from malloom.errors import CommandError
from python.diff.summaries import numbers, summary


def words(old: dict[str, int | None], new: dict[str, int | None]) -> tuple[str, ...]:
    """Of one site of which the named numbers changed."""
    before, after = (summary({"push": replace(numbers(), **side)}) for side in (old, new))
    return difference(before, after, "live_peak").changes[0].words


@pytest.mark.parametrize(
    ("measure", "more", "less"),
    [
        ("live_peak", "grew", "shrank"),
        ("bytes", "asks for more", "asks for less"),
        ("requests", "asks more often", "asks less often"),
        ("accesses", "hotter", "colder"),
        ("misses", "misses more", "misses less"),
        ("lifetime", "lives longer", "lives shorter"),
    ],
)
def test_each_measure_has_its_words(measure: str, more: str, less: str) -> None:
    assert words({measure: 100}, {measure: 200}) == (more,)
    assert words({measure: 200}, {measure: 100}) == (less,)
    assert words({measure: 100}, {measure: 109}) == ()


def test_what_is_not_known_did_not_change() -> None:
    assert words({"accesses": None}, {}) == ()
    assert words({"lifetime": None}, {"lifetime": 9}) == ()


@pytest.mark.parametrize(
    ("was", "now", "whole", "is_so"),
    [(0, 1, 100, True), (0, 1, 101, False), (10, 11, 100, False), (10, 12, 100, True), (5, 5, 0, False)],
)
def test_notable_is_a_tenth_of_the_site_and_a_hundredth_of_all(
    was: int, now: int, whole: int, is_so: bool
) -> None:
    assert is_notable(was, now, whole) is is_so
    assert is_notable(now, was, whole) is is_so


def test_sites_of_one_side_are_new_or_gone() -> None:
    fewer, more = summary({"keep": numbers()}), summary({"keep": numbers(), "push": numbers()})
    assert [change.words for change in difference(more, fewer, "bytes").changes] == [("gone",), ()]
    found = difference(fewer, more, "bytes")
    assert [change.words for change in found.changes] == [("new",), ()]
    assert (found.matched["bytes_of_old"], found.matched["bytes_of_new"]) == (1.0, 0.5)


def test_the_largest_difference_comes_first() -> None:
    old = summary({"a": numbers(bytes=10), "b": numbers(bytes=10), "c": numbers(bytes=10)})
    new = summary({"a": numbers(bytes=20), "b": numbers(bytes=900), "c": numbers(bytes=10)})
    assert [change.calls[0].function for change in difference(old, new, "bytes").changes] == ["b", "a", "c"]


def test_lines_and_object_tell_the_same() -> None:
    old = summary({"push": numbers(live_peak=1024), "pop": numbers()})
    new = summary({"push": numbers(live_peak=4096), "pop": numbers()}, build_id="bb")
    found = difference(old, new, "live_peak")
    text = list(lines(found, 20, 100))
    assert "grew: push prog.c:5" in text
    assert any("live peak 1.0 KiB -> 4.0 KiB (4.00)" in line for line in text)
    assert text[-1] == "1 site did not change notably"
    first = as_object(found)["sites"][0]
    assert (first["words"], first["old"]["live_peak"], first["match"]) == (["grew"], 1024, "exact")


def test_other_depths_and_machines_cannot_be_compared() -> None:
    one = summary({"push": numbers()})
    with pytest.raises(CommandError, match="contexts of 1 frames"):
        difference(one, replace(one, depth=1), "bytes")
    with pytest.raises(CommandError, match="misses of p4"):
        difference(one, replace(one, geometry="p4"), "bytes")


@pytest.mark.parametrize(
    ("are_tables", "remedy"),
    [
        ((False, False), "compare with --depth 1$"),
        ((True, False), "compare with --depth 4$"),
        ((False, True), "compare with --depth 1$"),
        ((True, True), "make both alike"),
    ],
)
def test_what_was_counted_before_says_how_to_compare(are_tables: tuple[bool, bool], remedy: str) -> None:
    one = replace(summary({"push": numbers()}), depth=4, is_counted=are_tables[0])
    with pytest.raises(CommandError, match=remedy):
        difference(one, replace(one, depth=1, is_counted=are_tables[1]), "bytes")


def test_two_names_are_said_first() -> None:
    found = difference(summary({"a": numbers()}), summary({"a": numbers()}, name="other"), "bytes")
    assert found.notes[0] == "the programs have two names: /bin/prog and /bin/other"
