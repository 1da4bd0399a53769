"""Limits against a baseline."""

from dataclasses import replace

import pytest

from malloom.diff.changes import Difference, difference
from malloom.diff.limits import check_comparable, judged
from malloom.diff.summary import Summary
from malloom.errors import CommandError
from python.diff.summaries import NO_NUMBERS, numbers, summary

OLD = summary({"push": numbers(live_peak=1000), "pop": numbers(live_peak=1000), "rare": numbers(live_peak=1)})


def found(new: Summary, old: Summary = OLD) -> Difference:
    return difference(old, new, "live_peak")


def lines(difference: Difference, limits: dict[str, float], *sites: str, least: float = 0.01) -> list[str]:
    return [each.line for each in judged(difference, limits, list(sites), least) if each.is_broken]


def test_a_limit_on_the_process_names_the_site_that_grew_most() -> None:
    grown = found(
        summary({"push": numbers(live_peak=1500), "pop": numbers(live_peak=1100), "rare": NO_NUMBERS})
    )
    assert lines(grown, {"peak": 1.05}) == [
        "/src/prog.c:5: live peak 2.5 KiB is 1.30 of the baseline's 2.0 KiB, the limit is 1.05, "
        "of the whole process; most of it here: push prog.c:5"
    ]
    assert lines(grown, {"peak": 1.3}) == []


def test_a_limit_is_exact() -> None:
    """In doubles 100 * 1.15 is less than 115."""
    old, new = (summary({"push": numbers(requests=count)}) for count in (100, 115))
    assert lines(found(new, old), {"requests": 1.15}) == []
    assert len(lines(found(new, old), {"requests": 1.149})) == 1


@pytest.mark.parametrize("pattern", ["pu*", "prog.c:5", "/src/prog.c:5", "push prog.c:5", "p?sh"])
def test_a_limit_on_sites_is_on_each_that_is_named(pattern: str) -> None:
    grown = found(
        summary({"push": numbers(live_peak=1500), "pop": numbers(live_peak=9000), "rare": numbers()})
    )
    assert [line.partition(": ")[2] for line in lines(grown, {"peak": 1.05}, pattern)] == [
        "live peak 1.5 KiB is 1.50 of the baseline's 1000 B, the limit is 1.05: push prog.c:5"
    ]


def test_small_sites_are_left_out_and_new_ones_break_limits() -> None:
    small = found(
        summary(
            {"push": numbers(live_peak=1000), "pop": numbers(live_peak=1000), "rare": numbers(live_peak=15)}
        )
    )
    assert lines(small, {"peak": 1.05}, "*") == []
    assert len(lines(small, {"peak": 1.05}, "*", least=0.0)) == 1
    new = found(
        summary(
            {
                "push": numbers(live_peak=1000),
                "pop": NO_NUMBERS,
                "rare": NO_NUMBERS,
                "fresh": numbers(live_peak=700),
            }
        )
    )
    assert "is more than the baseline's 0 B" in lines(new, {"peak": 9.0}, "fresh")[0]


def test_a_pattern_that_names_nothing_is_said() -> None:
    with pytest.raises(CommandError, match="no call site is named by 'nobody'"):
        lines(found(OLD), {"peak": 1.0}, "push", "nobody")


def test_what_cannot_be_judged_is_refused() -> None:
    other = summary({"x": numbers()}, name="other")
    with pytest.raises(CommandError, match="of another program"):
        check_comparable(found(other), {"peak": 1.0})
    renamed = summary({"push": numbers(), "pop": numbers(), "rare": numbers()}, name="prog2", build_id="aa")
    check_comparable(found(renamed), {"peak": 1.0})
    cut = summary({"push": numbers()}, gaps=("the recording ended before the program did (disk full)",))
    with pytest.raises(CommandError, match="before the program did"):
        check_comparable(found(cut), {"peak": 1.0})


@pytest.mark.parametrize(
    ("of_old", "of_new", "build_id", "is_other"),
    [
        (0.01, 0.04, "bb", True),
        (0.0, 0.0, "", True),
        (0.01, 0.04, "aa", False),
        (0.1, 0.04, "bb", False),
        (0.01, 0.1, "bb", False),
        (None, 0.0, "bb", False),
    ],
)
def test_a_program_of_the_same_name_is_another_one_where_next_to_nothing_is_found(
    of_old: float | None, of_new: float, build_id: str, is_other: bool
) -> None:
    alike = found(summary({"push": numbers()}, build_id=build_id))
    matched = {"requests_of_old": 0.9, "bytes_of_old": of_old, "bytes_of_new": of_new}
    if not is_other:
        check_comparable(replace(alike, matched=matched), {"peak": 1.0})
        return
    with pytest.raises(
        CommandError, match=r"seems to be of another program: .* of the old bytes and .*; name"
    ):
        check_comparable(replace(alike, matched=matched), {"peak": 1.0})


def test_a_pattern_whose_sites_are_all_left_out_judges_nothing() -> None:
    same = found(OLD)
    with pytest.raises(
        CommandError, match=r"no call site that 'rare' names .* less than 1% .*--site-share 0"
    ):
        judged(same, {"peak": 1.0}, ["push", "rare"], 0.01)
    assert len(judged(same, {"peak": 1.0, "requests": 1.0}, ["rare"], 0.01)) == 1
    assert len(judged(same, {"peak": 1.0}, ["rare"], 0.0)) == 1


@pytest.mark.parametrize("pattern", ["strdup", "__strdup", "__GI___strdup", "*strdup"])
def test_functions_of_the_c_library_have_the_names_that_programs_know(pattern: str) -> None:
    side = summary({"__GI___strdup": numbers(), "__own": numbers()})
    assert len(judged(found(side, side), {"peak": 1.0}, [pattern], 0.01)) == 1
    with pytest.raises(CommandError, match="no call site is named by 'own'"):
        judged(found(side, side), {"peak": 1.0}, ["own"], 0.01)
