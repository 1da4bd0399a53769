"""What a suite offers, and what it was asked for."""

import pytest

from malloom.bench.findings import Findings
from malloom.bench.suite import Prepared, Suite
from malloom.bench.tables import Table
from malloom.errors import UsageProblem
from malloom.measure.interval import Interval
from malloom.measure.rows import row

PLACE = ("cover", "300 300")


SMALL = Suite(
    "small things",
    {"times": "how long", "misses": "how often", "planning": "how far"},
    lambda quick: Prepared({}, []),
    {"tables": ("times", "misses")},
)


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        ([], ["times", "misses", "planning"]),
        (["tables"], ["times", "misses"]),
        (["planning", "misses"], ["misses", "planning"]),
        (["times", "tables", "times"], ["times", "misses"]),
    ],
)
def test_parts_are_chosen_by_name_or_group(names: list[str], parts: list[str]) -> None:
    assert SMALL.chosen_parts(names) == parts


def test_a_part_that_there_is_not_is_bad_use() -> None:
    said = "no part 'numbers'; choose of tables, times, misses, planning"
    with pytest.raises(UsageProblem, match=said):
        SMALL.chosen_parts(["times", "numbers"])


def test_a_prepared_suite_shows_what_was_measured_and_its_facts() -> None:
    prepared = Prepared({}, [Table("Times", "times", "cpu_time")], facts=[("what it judges", "nothing")])
    findings = Findings({"commit": "0123456789ab"})
    findings.add("times", [row(PLACE, "size", "glibc", "cpu_time", Interval(0.9, 0.8, 1.0), runs=6)])
    measured_on, times = prepared.shown(findings)
    assert list(measured_on.rows) == [("commit", "0123456789ab"), ("what it judges", "nothing")]
    assert (times.title, list(times.headings)) == ("Times", ["program", "size / glibc"])
