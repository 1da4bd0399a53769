"""Tables of findings: lines, columns, remarks, and the words of a goal."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from malloom.bench.findings import Failure, Findings, LeftOut, Note
from malloom.bench.goals import Goal, Of, against_limit
from malloom.bench.markdown import to_markdown
from malloom.bench.tables import (
    Table,
    all_shown,
    goal_cells,
    goals_data,
    goals_table,
    print_all,
    rows_data,
)
from malloom.measure.host import Host
from malloom.measure.interleaved import RaceId
from malloom.measure.interval import Interval, exact
from malloom.measure.rows import Row, row

PLACE = ("ft", "2x")
HOST: Host = {"commit": "0123456789ab", "processor": "Zen 5", "date": "2005-06-12", "last_level": 32 << 20}
TIMES = Table("Times", "times", "cpu_time", "glibc")


def a_row(variant: str, ratio: float = 0.9, program: str = "ft", baseline: str = "glibc") -> Row:
    interval = Interval(ratio, ratio - 0.1, ratio + 0.1)
    races = (RaceId(f"{program} 2x", "glibc"),)
    return row((program, "2x"), variant, baseline, "cpu_time", interval, runs=6, peak=1.2, races=races)


def few_runs(variant: str, ratio: float) -> Row:
    return replace(a_row(variant, ratio), low=None, high=None, runs=2)


def found(*rows: Row | Goal, last_level: int = 1 << 20, part: str = "times") -> Findings:
    findings = Findings(HOST)
    findings.add(part, rows, last_level)
    return findings


def lines(table: Table, findings: Findings) -> list[list[str]]:
    shown = table.shown(findings)
    return [list(shown.headings), *map(list, shown.rows)]


def test_a_line_an_input_and_a_column_a_variant() -> None:
    findings = found(a_row("pools"), a_row("all"), a_row("pools", 0.5, "mst"))
    assert lines(TIMES, findings) == [
        ["program", "pools", "all"],
        ["ft 2x", "0.900 [0.800 1.000] n 6", "0.900 [0.800 1.000] n 6"],
        ["mst 2x", "0.500 [0.400 0.600] n 6", "-"],
    ]


def test_a_turned_table_has_a_line_a_variant() -> None:
    turned = Table("Times", "times", "cpu_time", "glibc", turned=True)
    findings = found(a_row("pools"), a_row("all"), a_row("pools", 0.5, "mst"))
    assert lines(turned, findings) == [
        ["variant", "ft 2x", "mst 2x"],
        ["pools", "0.900 [0.800 1.000] n 6", "0.500 [0.400 0.600] n 6"],
        ["all", "0.900 [0.800 1.000] n 6", "-"],
    ]


@pytest.mark.parametrize("turned", [False, True])
def test_the_control_comes_first(turned: bool) -> None:
    table = Table("Times", "times", "cpu_time", "glibc", turned=turned)
    found_lines = lines(table, found(a_row("pools"), a_row("glibc again", 1.0)))
    names = [line[0] for line in found_lines[1:]] if turned else found_lines[0][1:]
    assert names == ["glibc again", "pools"]


def test_columns_are_those_wanted_and_the_control() -> None:
    table = Table("Times", "times", "cpu_time", "glibc", ("all", "pools", "carried"))
    findings = found(a_row("pools"), a_row("other"), a_row("all"), a_row("glibc again", 1.0))
    assert lines(table, findings)[0] == ["program", "glibc again", "all", "pools"]


def test_without_a_baseline_columns_name_theirs() -> None:
    table = Table("Times", "times", "cpu_time")
    findings = found(a_row("pools"), a_row("pools", baseline="best"))
    assert lines(table, findings)[0] == ["program", "pools / glibc", "pools / best"]


def test_only_rows_of_its_part_metric_and_baseline_are_shown() -> None:
    findings = found(a_row("pools", baseline="best"))
    findings.add("memory", [a_row("pools")])
    findings.add("times", [row(PLACE, "pools", "glibc", "pair_time", exact(1.0))])
    assert list(TIMES.shown(findings).rows) == []


def test_the_remarks_are_on_the_rows_that_are_shown() -> None:
    findings = found(a_row("pools"), a_row("glibc again", 1.0), a_row("glibc again", 1.02, "mst"))
    assert len(TIMES.shown(findings).remarks) == 2
    of_ft = Table("Times", "times", "cpu_time", "glibc", shows=lambda row: row.workload == "ft")
    assert list(of_ft.shown(findings).remarks) == ["commit 0123456789ab, Zen 5, last level 1 MiB, 2005-06-12"]


def test_a_line_with_an_unreliable_control_says_so() -> None:
    findings = found(a_row("pools"), a_row("pools", program="mst"), a_row("glibc again", 1.02, "mst"))
    assert [line[0] for line in TIMES.shown(findings).rows] == ["ft 2x", "mst 2x (unreliable)"]
    turned = replace(TIMES, turned=True).shown(findings)
    assert list(turned.headings) == ["variant", "ft 2x", "mst 2x (unreliable)"]


def test_a_table_without_rows_has_no_remarks_and_is_not_shown() -> None:
    assert TIMES.shown(Findings(HOST)).remarks == []
    assert [shown.title for shown in all_shown([TIMES], Findings(HOST))] == ["Measured on"]


def reached(goal: Goal, *others: Row) -> str:
    return goal_cells("times", goal, found(*others))[-1]


def test_goals_are_reached_or_missed_or_not_judged() -> None:
    assert reached(Goal(a_row("pools", 0.5), 1.0)) == "yes"
    assert reached(Goal(a_row("pools", 1.5), 1.0)) == "NO"
    assert reached(Goal(few_runs("pools", 0.5), 1.0)) == "not judged: 2 pairs"
    assert reached(Goal(few_runs("pools", 0.5), 1.0, Of.HIGH)) == "not judged: 2 pairs"
    assert reached(Goal(few_runs("pools", 0.5), 1.15, Of.PEAK)) == "NO"
    assert reached(against_limit(PLACE, "pools", "planning_time", [1.0], 60.0)) == "yes"


def test_near_hits_and_near_misses_are_marked_alike() -> None:
    assert reached(Goal(a_row("pools", 0.95), 1.0)) == "yes, within noise"
    assert reached(Goal(a_row("pools", 1.05), 1.0)) == "NO, within noise"


def test_goals_of_a_disturbed_race_are_unreliable_but_for_the_memory() -> None:
    control = a_row("glibc again", 1.02)
    assert reached(Goal(a_row("pools", 0.5), 1.0), control) == "yes, unreliable"
    assert reached(Goal(a_row("pools", 1.05), 1.0), control) == "NO, within noise, unreliable"
    assert reached(Goal(few_runs("pools", 0.5), 1.0), control) == "not judged: 2 pairs, unreliable"
    assert reached(Goal(a_row("pools"), 1.3, Of.PEAK), control) == "yes"
    assert reached(Goal(a_row("pools", 0.5, "mst"), 1.0), control) == "yes", "that is another race"


def test_limits_name_the_end_that_is_held() -> None:
    cells = goal_cells("times", Goal(a_row("pools", 1.0), 1.02, Of.HIGH), Findings())
    assert cells == (
        "ft 2x",
        "pools",
        "glibc",
        "cpu_time",
        "1.000 [0.900 1.100] n 6",
        "1.02 high end",
        "NO, within noise",
    )
    assert goal_cells("times", Goal(a_row("pools"), None), Findings())[-2:] == ("a verdict", "-")
    assert goal_cells("times", Goal(a_row("pools"), 1.3, Of.PEAK), Findings())[3:6] == (
        "peak_rss",
        "1.200",
        "1.30",
    )


def test_the_goals_say_what_they_were_measured_on_and_whether_to_rely_on_them() -> None:
    control = a_row("glibc again", 1.02)
    findings = found(control, Goal(a_row("pools"), 1.0), Goal(a_row("pools", program="mst"), 1.0))
    count = row(("ft", "8x p4"), "auto", "glibc", "llc_misses", exact(0.5))
    findings.add("misses", [Goal(count, 0.3)], 512 << 10)
    assert list(goals_table(findings).remarks) == [
        "commit 0123456789ab, Zen 5, last level 1 MiB but 0.5 MiB for ft 8x p4, 2005-06-12",
        "UNRELIABLE: glibc against itself is 1.020 [0.920 1.120] n 6 in ft 2x (cpu_time)",
        "no baseline ran twice for mst 2x",
    ]


def test_rows_and_goals_for_machines_say_whether_to_rely_on_them() -> None:
    findings = found(
        a_row("glibc again", 1.02), a_row("glibc again", 1.0, "mst"), Goal(a_row("pools"), 1.0),
        Goal(a_row("pools"), 1.3, Of.PEAK), Goal(a_row("pools", program="mst"), 1.0),
    )  # fmt: skip
    assert [goal["unreliable"] for goal in goals_data(findings)] == [True, False, False]
    assert [(each["workload"], each["unreliable"]) for each in rows_data(findings)] == [
        ("ft", True), ("mst", False), ("ft", True), ("mst", False),
    ]  # fmt: skip
    assert rows_data(findings)[0]["races"] == ({"name": "ft 2x", "baseline": "glibc"},)


def everything() -> Findings:
    findings = found(a_row("pools"), a_row("glibc again", 1.02))
    findings.add("times", [Goal(a_row("pools", ratio), 0.9) for ratio in (0.5, 1.5, 0.85)])
    findings.notes.append(Note("times", "ft 8x", "not measured: it needs more memory"))
    findings.failures.append(Failure("planning", "large", "a|b"))
    return findings


def test_everything_is_printed_under_its_title_with_its_remarks() -> None:
    printed = io.StringIO()
    print_all(Console(file=printed, width=200), all_shown([TIMES], everything(), [("judges", "nothing")]))
    text = printed.getvalue()
    titles = ("Measured on", "Times", "What malloom must reach", "Notes", "What could not be measured")
    assert [text.count(title) for title in titles] == [1] * len(titles)
    for said in ("32 MiB", "nothing", "not measured: it needs more memory", "a|b", "UNRELIABLE: "):
        assert said in text


def test_markdown_has_the_goals_after_the_machine_and_then_every_table() -> None:
    text = to_markdown(all_shown([TIMES], everything()))
    assert [line for line in text.splitlines() if line.startswith("### ")] == [
        "### Measured on",
        "### What malloom must reach",
        "### Times",
        "### Notes",
        "### What could not be measured",
    ]
    goals = [line for line in text.splitlines() if line.startswith("| ft 2x | pools | glibc | cpu_time |")]
    assert [line.rpartition("| ")[0].rpartition("| ")[2] for line in goals] == ["0.90 "] * 3
    assert [line.split(" | ")[-1] for line in goals] == [
        "yes, unreliable |",
        "NO, unreliable |",
        "yes, within noise, unreliable |",
    ]
    assert text.count("*UNRELIABLE: glibc against itself is 1.020 [0.920 1.120] n 6 in ft 2x*") == 2
    assert "a\\|b" in text


def test_rows_of_several_commits_have_a_column_for_them() -> None:
    findings = found(a_row("glibc again", 1.0), a_row("pools"), Goal(a_row("pools"), 1.0))
    assert "commit" not in TIMES.shown(findings).headings
    findings.host = {**HOST, "commit": "ba9876543210", "date": "2005-06-13"}
    findings.add("times", [a_row("pools", program="mst"), Goal(a_row("pools", program="mst"), 1.0)])
    shown = TIMES.shown(findings)
    assert shown.headings[-1] == "commit"
    assert [line[-1] for line in shown.rows] == ["0123456789ab, 2005-06-12", "ba9876543210, 2005-06-13"]
    assert shown.remarks[0].startswith("commit 0123456789ab and ba9876543210, Zen 5, ")
    goals = goals_table(findings)
    assert goals.headings[-1] == "commit"
    assert [line[-1] for line in goals.rows] == ["0123456789ab, 2005-06-12", "ba9876543210, 2005-06-13"]


def test_what_was_left_out_has_a_line_that_says_why() -> None:
    findings = found(a_row("glibc again", 1.0), a_row("pools"))
    findings.left_out = [
        LeftOut("times", "mst 8x", "not measured"),
        LeftOut("misses", "ft 8x", "not measured"),
    ]
    lines = TIMES.shown(findings).rows
    assert len(lines) == 2
    assert tuple(lines[1]) == ("mst 8x", "not measured", *("-",) * (len(lines[0]) - 2))
    shown = {table.title: table.rows for table in all_shown([TIMES], findings)}
    assert [line[1] for line in shown["What was left out"]] == ["mst 8x", "ft 8x"]
