"""What a suite has found: rows and goals by their part, and baselines that differ from themselves."""

from dataclasses import replace

from malloom.bench.findings import LARGEST_DIFFERENCE, Findings, is_control
from malloom.bench.goals import Goal
from malloom.measure.interval import Interval
from malloom.measure.rows import Row, row

PLACE = ("ft", "2x")


def a_row(variant: str, ratio: float = 0.9, metric: str = "cpu_time", baseline: str = "glibc") -> Row:
    return row(PLACE, variant, baseline, metric, Interval(ratio, ratio - 0.1, ratio + 0.1), runs=6)


def test_rows_and_goals_keep_their_part() -> None:
    findings = Findings()
    goal = Goal(a_row("carried"), 1.0)
    findings.add("times", [a_row("pools"), goal])
    findings.add("memory", [a_row("all")])
    assert findings.of("times") == [a_row("pools")]
    assert findings.of("memory") == [a_row("all")]
    assert findings.goals == [("times", goal)]


def test_the_row_of_two_goals_is_written_once() -> None:
    findings = Findings()
    held = a_row("carried")
    findings.add("times", [a_row("pools"), held, Goal(held, 1.0), Goal(held, 1.15)])
    assert [(part, row.variant) for part, row in findings.all_rows()] == [
        ("times", "pools"),
        ("times", "carried"),
    ]


def test_a_baseline_again_is_a_control() -> None:
    assert is_control(a_row("glibc again"))
    assert is_control(a_row("dynamorio again", baseline="dynamorio"))
    assert not is_control(a_row("dynamorio again"))
    assert not is_control(a_row("pools"))


def test_a_baseline_that_differs_from_itself_disturbs_its_race_alone() -> None:
    findings = Findings()
    control = a_row("glibc again", 1 + 2 * LARGEST_DIFFERENCE)
    findings.add("times", [a_row("pools", 2.0), control])
    assert findings.disturbed("times", PLACE, "cpu_time") == control
    assert findings.disturbed("memory", PLACE, "cpu_time") is None
    assert findings.disturbed("times", ("ft", "8x"), "cpu_time") is None
    assert findings.disturbed("times", PLACE, "pair_time") is None


def test_it_may_be_too_quick_as_well_and_may_differ_a_little() -> None:
    for ratio, is_disturbed in ((0.98, True), (0.995, False), (1.005, False), (1.011, True)):
        findings = Findings()
        findings.add("times", [a_row("glibc again", ratio)])
        assert (findings.disturbed("times", PLACE, "cpu_time") is not None) == is_disturbed


def test_a_mean_is_disturbed_where_one_of_its_races_is() -> None:
    findings = Findings()
    control = replace(a_row("glibc again"), ratio=1.02)
    size = control.input
    findings.add("times", [control, replace(control, workload="art", ratio=1.0)])
    assert findings.disturbed("times", ("geometric mean", "2 programs"), "cpu_time")
    assert findings.disturbed("times", ("geometric mean", f"2 programs at {size}"), "cpu_time")
    assert not findings.disturbed("times", ("geometric mean", "2 programs at another size"), "cpu_time")
    assert not findings.disturbed("memory", ("geometric mean", "2 programs"), "cpu_time")
