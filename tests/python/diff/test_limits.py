"""Limits against a baseline."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from malloom.diff.changes import Difference, difference
from malloom.diff.junit import write_junit
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


def test_junit_has_a_case_for_each_limit(tmp_path: Path) -> None:
    grown = found(
        summary({"push": numbers(live_peak=5000), "pop": numbers(live_peak=1000), "rare": numbers()})
    )
    all_judged = list(judged(grown, {"peak": 1.05, "requests": 2.0}, [], 0.01))
    write_junit(all_judged, 'a<b>\0"é', tmp_path / "j.xml")
    suite = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    failures = suite.findall("testcase/failure")
    assert [failure.text for failure in failures] == [all_judged[0].line]
