"""JUnit reports: what is in them, and which files they replace."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from malloom.diff.changes import difference
from malloom.diff.junit import check_report, errors_reported, write_junit
from malloom.diff.limits import Judged, judged
from malloom.errors import CommandError, UsageProblem
from python.diff.summaries import numbers, summary


@pytest.fixture
def all_judged() -> list[Judged]:
    """One of two limits is broken."""
    old, new = (summary({"push": numbers(live_peak=peak)}) for peak in (1000, 5000))
    return judged(difference(old, new, "live_peak"), {"peak": 1.05, "requests": 2.0}, [], 0.01)


def counts(path: Path) -> tuple[str | None, ...]:
    suite = ElementTree.parse(path).getroot()
    return tuple(suite.get(name) for name in ("tests", "failures", "errors"))


def test_junit_has_a_case_for_each_limit(all_judged: list[Judged], tmp_path: Path) -> None:
    write_junit(all_judged, 'a<b>\0"é', tmp_path / "j.xml")
    assert counts(tmp_path / "j.xml") == ("2", "1", "0")
    failures = ElementTree.parse(tmp_path / "j.xml").getroot().findall("testcase/failure")
    assert [failure.text for failure in failures] == [all_judged[0].line]


def test_a_report_replaces_a_report_and_nothing_else(all_judged: list[Judged], tmp_path: Path) -> None:
    report, source = tmp_path / "j.xml", tmp_path / "source"
    check_report(report, [source])
    report.write_bytes(b"")
    check_report(report, [source])
    write_junit(all_judged, "prog", report)
    check_report(report, [source])
    report.write_bytes(b"<?xml version='1.0' encoding='utf-8'?>\n<testsuite name=\"of another tool\" />")
    with pytest.raises(UsageProblem, match=r"j\.xml exists and is no JUnit report"):
        check_report(report, [source])


def test_a_report_never_replaces_what_is_read(all_judged: list[Judged], tmp_path: Path) -> None:
    report = tmp_path / "j.xml"
    write_junit(all_judged, "prog", report)
    with pytest.raises(UsageProblem, match="is what is to be read"):
        check_report(report, [tmp_path / "other", report])


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (CommandError("it is cut", remedy="record again"), "it is cut; record again"),
        (MemoryError(), "memory"),
    ],
)
def test_what_cannot_be_judged_replaces_an_old_report(
    all_judged: list[Judged], tmp_path: Path, problem: Exception, line: str
) -> None:
    report = tmp_path / "j.xml"
    write_junit(all_judged, "prog", report)
    with pytest.raises(type(problem)), errors_reported("new.profile", report):
        raise problem
    assert counts(report) == ("1", "0", "1")
    error = ElementTree.parse(report).getroot().find("testcase/error")
    assert error is not None
    assert line in error.get("message", "")
    check_report(report, [])


def test_the_problem_is_said_where_no_report_can_be_written(tmp_path: Path) -> None:
    for path in (None, tmp_path / "no/folder/j.xml"):
        with pytest.raises(CommandError, match="it is cut"), errors_reported("new.profile", path):
            raise CommandError("it is cut")
