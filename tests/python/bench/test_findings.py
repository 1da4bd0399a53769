"""What a suite has found: rows and goals by their part, and baselines that differ from themselves."""

from dataclasses import replace

import pytest

from malloom.bench.findings import LARGEST_DIFFERENCE, Findings, is_control
from malloom.bench.goals import Goal
from malloom.measure.interleaved import RaceId
from malloom.measure.interval import Interval
from malloom.measure.rows import Row, row

PLACE = ("ft", "2x")


RACE = RaceId("ft 2x", "glibc")


def a_row(
    variant: str,
    ratio: float = 0.9,
    metric: str = "cpu_time",
    baseline: str = "glibc",
    race: RaceId = RACE,
) -> Row:
    interval = Interval(ratio, ratio - 0.1, ratio + 0.1)
    return row(PLACE, variant, baseline, metric, interval, runs=6, races=(race,))


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


def test_a_difference_is_a_control_where_it_has_a_limit() -> None:
    assert is_control(a_row("fallback again", baseline="limit"))
    assert not is_control(a_row("large plan", baseline="limit"))


def test_a_baseline_that_differs_from_itself_disturbs_its_race_alone() -> None:
    findings = Findings()
    control = a_row("glibc again", 1 + 2 * LARGEST_DIFFERENCE)
    findings.add("times", [a_row("pools", 2.0), control])
    assert findings.disturbed("times", a_row("pools")) == [control]
    assert findings.disturbed("memory", a_row("pools")) == []
    assert findings.disturbed("times", a_row("pools", metric="pair_time")) == []
    assert findings.disturbed("times", replace(a_row("pools"), races=(RaceId("ft 8x", "glibc"),))) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (RaceId("ft 2x, huge pages off", "glibc"), RaceId("ft 2x, huge pages on", "glibc huge")),
        (RaceId("ft 2x, accesses none", "glibc"), RaceId("ft 2x, accesses full", "glibc")),
    ],
)
def test_two_races_at_one_place_are_told_apart(one: RaceId, other: RaceId) -> None:
    findings = Findings()
    strayed, quiet = (
        a_row(f"{race.baseline} again", ratio, baseline=race.baseline, race=race)
        for race, ratio in ((one, 1.02), (other, 1.0))
    )
    findings.add("times", [strayed, quiet])
    assert strayed.place == quiet.place
    assert findings.disturbed("times", a_row("pools", race=one)) == [strayed]
    assert findings.disturbed("times", a_row("pools", baseline=other.baseline, race=other)) == []
    assert findings.controls_of("times", a_row("pools", baseline=other.baseline, race=other)) == [quiet]


def test_the_control_of_a_rows_own_baseline_counts_and_no_other() -> None:
    findings = Findings()
    of_glibc, of_dynamorio = a_row("glibc again", 1.0), a_row("dynamorio again", 1.05, baseline="dynamorio")
    findings.add("times", [of_glibc, of_dynamorio])
    assert findings.disturbed("times", a_row("pools")) == []
    assert findings.disturbed("times", a_row("all", baseline="dynamorio")) == [of_dynamorio]


def test_where_a_baseline_ran_once_that_of_its_race_stands_for_it() -> None:
    findings = Findings()
    of_glibc, of_dynamorio = a_row("glibc again", 1.02), a_row("dynamorio again", 1.05, baseline="dynamorio")
    findings.add("times", [of_dynamorio, of_glibc])
    assert findings.controls_of("times", a_row("carried", baseline="best")) == [of_glibc]
    assert findings.disturbed("times", a_row("carried", baseline="best")) == [of_glibc]


def test_what_is_of_no_race_has_no_control() -> None:
    findings = Findings()
    findings.add("times", [a_row("glibc again", 1.02)])
    assert findings.controls_of("times", replace(a_row("pools"), races=())) == []


def test_it_may_be_too_quick_as_well_and_may_differ_a_little() -> None:
    for ratio, is_disturbed in ((0.98, True), (0.995, False), (1.005, False), (1.011, True)):
        findings = Findings()
        findings.add("times", [a_row("glibc again", ratio)])
        assert bool(findings.disturbed("times", a_row("pools"))) == is_disturbed


def test_a_difference_of_a_baseline_from_itself_should_be_nothing() -> None:
    for added, is_disturbed in ((0.005, False), (-0.005, False), (0.02, True), (-0.02, True)):
        findings = Findings()
        findings.add("speed", [a_row("fallback again", added, baseline="limit")])
        assert bool(findings.disturbed("speed", a_row("large plan", 0.3, baseline="limit"))) == is_disturbed


def test_a_mean_is_disturbed_where_one_of_its_races_is() -> None:
    findings = Findings()
    strayed, quiet, another = (
        a_row("glibc again", ratio, race=RaceId(name, "glibc"))
        for name, ratio in (("ft 2x", 1.02), ("art 2x", 1.0), ("mst 8x", 1.03))
    )
    findings.add("times", [strayed, quiet, another])
    mean = replace(a_row("carried"), workload="geometric mean", races=(*strayed.races, *quiet.races))
    assert findings.controls_of("times", mean) == [strayed, quiet]
    assert findings.disturbed("times", mean) == [strayed]
    assert findings.disturbed("memory", mean) == []
