"""The suite placement: steps that stand alone, parts, goals and tables."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from malloom.bench import suite
from malloom.bench.findings import Failure, Findings, Note
from malloom.bench.goals import Goal, Of, against_limit
from malloom.bench.markdown import to_markdown
from malloom.bench.placement import thesis
from malloom.bench.placement.scale import full_scale
from malloom.bench.placement.steps import GOALS, PARTS
from malloom.bench.placement.suite import placement
from malloom.bench.placement.tables import shown_tables
from malloom.bench.steps import Bench, Step
from malloom.bench.tables import goal_cells, print_all
from malloom.errors import CommandError
from malloom.measure.interleaved import Rounds
from malloom.measure.interval import Interval, exact
from malloom.measure.rows import Row, row

PLACE = ("cover", "300 300")


def a_row(variant: str, ratio: float = 0.9, metric: str = "cpu_time", baseline: str = "glibc") -> Row:
    return row(PLACE, variant, baseline, metric, Interval(ratio, ratio - 0.1, ratio + 0.1), runs=6, peak=1.2)


def measured(step: Step, tmp_path: Path) -> tuple[Findings, list[str]]:
    findings, said = Findings(), []
    suite.measure(step, findings, tmp_path, tmp_path, said.append)
    return findings, said


def test_a_step_that_fails_is_a_failure_and_no_more(tmp_path: Path) -> None:
    def fail(bench: Bench) -> list[Row]:
        raise CommandError("there is no board", remedy="paint one")

    findings, said = measured(Step("times", "hexapawn 4 3", fail), tmp_path)
    assert findings.failures == [Failure("times", "hexapawn 4 3", "there is no board; paint one")]
    assert said == ["FAILED: hexapawn 4 3: there is no board; paint one"]


def test_an_error_of_ours_is_a_failure_too(tmp_path: Path) -> None:
    findings, _ = measured(Step("times", "cover", lambda bench: [{}["row"]]), tmp_path)
    assert [failure.why for failure in findings.failures] == ["KeyError: 'row'"]


def test_a_variant_that_fails_leaves_the_steps_rows(tmp_path: Path) -> None:
    def half(bench: Bench) -> list[Row]:
        bench.failed("smart", CommandError("too clever"))
        return [a_row("size")]

    findings, _ = measured(Step("times", "cover", half), tmp_path)
    assert findings.of("times") == [a_row("size")]
    assert findings.failures == [Failure("times", "cover, smart", "too clever")]


@pytest.mark.parametrize("signal", [KeyboardInterrupt(), SystemExit(143)])
def test_a_signal_keeps_what_there_is(tmp_path: Path, signal: BaseException) -> None:
    def interrupted(bench: Bench) -> list[Row]:
        raise signal

    steps = [
        Step("times", "one", lambda bench: [a_row("size")]),
        Step("times", "two", interrupted),
        Step("times", "three", lambda bench: [a_row("random")]),
    ]
    findings = suite.run(steps, tmp_path, lambda line: None)
    assert [each.variant for each in findings.of("times")] == ["size"]
    assert [failure.what for failure in findings.failures] == ["two"]
    assert findings.ended_by is signal


def test_a_signal_between_the_steps_keeps_what_there_is(tmp_path: Path) -> None:
    def interrupted_say(line: str) -> None:
        if line.startswith("2 of"):
            raise SystemExit(129)

    steps = [Step("times", what, lambda bench: [a_row("size")]) for what in ("one", "two", "three")]
    findings = suite.run(steps, tmp_path, interrupted_say)
    assert len(findings.of("times")) == 1
    assert [failure.what for failure in findings.failures] == ["two"]
    assert isinstance(findings.ended_by, SystemExit)


def test_what_concludes_does_so_after_an_interrupt_too(tmp_path: Path) -> None:
    def interrupted(bench: Bench) -> list[Row]:
        raise KeyboardInterrupt

    steps = [
        Step("times", "one", interrupted),
        Step("times", "two", lambda bench: [a_row("size")]),
        Step("times", "goals", lambda bench: [a_row("random")], concludes=True),
    ]
    findings = suite.run(steps, tmp_path, lambda line: None)
    assert [each.variant for each in findings.of("times")] == ["random"]


def test_notes_are_findings_and_no_failures(tmp_path: Path) -> None:
    def note(bench: Bench) -> list[Row]:
        bench.note("it does not fit")
        return []

    findings, said = measured(Step("times", "ft 8x", note), tmp_path)
    assert findings.notes == [Note("times", "ft 8x", "it does not fit")]
    assert said == ["note: it does not fit"]
    assert findings.failures == []


def test_how_long_the_rest_takes_is_told_where_it_is_known(tmp_path: Path) -> None:
    said: list[str] = []
    steps = [Step("times", name, lambda bench: [], seconds=600.0) for name in ("one", "two")]
    suite.run(steps, tmp_path, said.append)
    assert said[0] == "1 of 2, 0 s, some 20 min left: times, one"
    assert said[1] == "2 of 2, 0 s, some 1 min left: times, two", "by then it knows that it is quick"


def test_parts_are_chosen_by_name_or_group() -> None:
    chosen_parts = placement(quick=True).chosen_parts
    assert chosen_parts([]) == list(PARTS)
    assert chosen_parts(["goals"]) == list(GOALS)
    assert chosen_parts(["planning", "misses"]) == ["misses", "planning"]
    with pytest.raises(KeyError):
        chosen_parts(["numbers"])


def test_the_full_scale_has_the_thesis_inputs() -> None:
    timed = {case.place for case in full_scale().timed}
    assert set(thesis.TIMES) <= timed
    assert set(thesis.L1_MISSES) == {case.place for case in full_scale().counted}
    assert set(thesis.SHORT_RUNS) == {case.place for case in full_scale().short}


def test_goals_are_reached_at_their_limit_and_not_above() -> None:
    assert Goal(a_row("auto", 0.25), 0.25).reached
    assert not Goal(a_row("auto", 0.26), 0.25).reached
    assert not Goal(a_row("auto", 0.1), 1.10, Of.PEAK).reached
    assert against_limit(PLACE, "auto", "planning_time", [20.0, 30.0, 50.0], 60.0).value == 0.5
    assert Goal(a_row("optimize", 7.0), limit=None).reached


def test_never_above_is_missed_where_it_is_measured_to_be_above() -> None:
    assert not Goal(a_row("optimize", 1.05), 1.00).reached
    assert Goal(a_row("optimize", 1.05), 1.00).is_near
    assert not Goal(a_row("optimize", 1.11), 1.00).is_near
    assert Goal(a_row("optimize", 0.95), 1.00).is_near, "another time it might be missed"
    assert not Goal(a_row("optimize", 0.89), 1.00).is_near
    assert not Goal(a_row("optimize", 1.05), 1.00, Of.PEAK).is_near, "a peak has no interval"


def test_an_end_of_the_interval_is_held_where_the_goal_says_so() -> None:
    row = a_row("pools", 1.0)
    assert [Goal(row, limit, Of.LOW).reached for limit in (0.89, 0.95, 1.2)] == [False, True, True]
    assert [Goal(row, limit, Of.HIGH).reached for limit in (0.95, 1.05, 1.11)] == [False, False, True]
    assert [Goal(row, limit, Of.LOW).is_near for limit in (0.89, 0.95, 1.2)] == [False, True, False]
    assert [Goal(row, limit, Of.HIGH).is_near for limit in (0.85, 1.05, 1.11)] == [False, True, False]
    assert goal_cells(Goal(row, 1.02, Of.HIGH))[-2:] == ("1.02 high end", "NO, within noise")


def test_goals_for_machines_tell_limit_and_whether_it_is_reached() -> None:
    data = Goal(a_row("auto", 0.3), 0.25).as_data()
    assert (data["variant"], data["measured"], data["limit"], data["reached"]) == ("auto", 0.3, 0.25, False)
    assert Goal(a_row("auto"), 1.10, Of.PEAK).as_data()["metric"] == "peak_rss"


def test_a_variant_that_left_the_race_is_a_clear_error() -> None:
    with pytest.raises(CommandError, match="'smart' was not measured"):
        Rounds({"glibc": []}).ratio("smart", "glibc")


def test_tables_show_the_thesis_beside_today_each_under_its_title() -> None:
    findings = Findings()
    findings.add("times", [a_row("usage-depth-first", 0.5, baseline="sequential")])
    findings.add("preallocation", [a_row("sequential", 0.7), a_row("sequential not-preallocated", 0.8)])
    findings.add("misses", [row(PLACE, "random", "sequential", "llc_misses", exact(2.5))])
    findings.failures.append(Failure("statistics", "hexapawn 4 3", "no board"))
    printed = io.StringIO()
    print_all(Console(file=printed, width=200), shown_tables(findings))
    text = printed.getvalue()
    assert "Tables 5.1, 5.2: CPU time" in text
    assert "0.950 → 0.500 [0.400 0.600] n 6" in text
    assert "0.538 → 0.700 [0.600 0.800] n 6" in text
    assert "0.634 → 0.800 [0.700 0.900] n 6" in text
    assert "2.023 → 2.500" in text
    assert "Table 5.10" not in text, "nothing was measured for it"
    assert "no board" in text


def test_annotated_programs_have_rows_in_the_columns_of_the_plain_ones() -> None:
    plain = a_row("size", baseline="sequential")
    findings = Findings()
    findings.add("times", [plain, replace(plain, workload="cover_annotated", variant="friends-grouped")])
    (shown,) = shown_tables(findings)
    assert shown.headings == ("variant", "cover 300 300")
    assert [cells[0] for cells in shown.rows] == ["size", "friends-grouped, annotated"]


def test_markdown_has_the_goals_first_and_every_table() -> None:
    findings = Findings()
    findings.add("times", [a_row("size", 0.5, baseline="sequential")])
    goals = [Goal(a_row("auto", ratio), 0.25) for ratio in (0.1, 0.5, 0.3)]
    findings.add("speed", [*goals, a_row("auto")])
    findings.failures.append(Failure("planning", "large", "a|b"))
    text = to_markdown(shown_tables(findings))
    titles = [line for line in text.splitlines() if line.startswith("### ")]
    assert titles[0] == "### What malloom must reach"
    assert titles[1].startswith("### Tables 5.1, 5.2")
    assert titles[-1] == "### What could not be measured"
    lines = text.splitlines()
    assert [line.rpartition("| ")[2] for line in lines[4:7]] == ["yes |", "NO |", "NO, within noise |"]
    assert lines[4].startswith("| cover 300 300 | auto | glibc | cpu_time | 0.100 [0.000 0.200] n 6 | 0.25 |")
    assert "a\\|b" in lines[-1]
