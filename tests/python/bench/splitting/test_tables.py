"""The suite's tables: a speed-up never stands alone."""

import pytest

from malloom.bench.findings import Findings
from malloom.bench.splitting.chosen import BEST_SETTING, KEPT, CheckRuns, mean_rows
from malloom.bench.splitting.tables import tables
from malloom.bench.tables import Table

TIMED = ("figure4", "llu", "llu-one-list", "olden", "chosen", "debian")


def of_part(part: str) -> list[Table]:
    return [table for table in tables() if table.part == part]


@pytest.mark.parametrize("part", TIMED)
def test_peak_memory_stands_beside_times(part: str) -> None:
    titles = [table.title for table in of_part(part)]
    assert any("time against" in title for title in titles)
    assert [title for title in titles if "peak memory against" in title]


def test_every_part_with_times_is_tried() -> None:
    timed = {table.part for table in tables() if "time against" in table.title}
    assert timed == set(TIMED)


def test_means_of_what_is_kept_are_shown_without_a_peak() -> None:
    runs = {"lto": [1.0] * 6, KEPT: [0.5] * 6, BEST_SETTING: [0.8] * 6}
    findings = Findings()
    findings.add("chosen", mean_rows(CheckRuns({("power", "12"): runs})))
    shown = {table.title: [list(line) for line in table.shown(findings).rows] for table in of_part("chosen")}
    assert [len(lines) for lines in shown.values()] == [1, 1, 0, 0]
