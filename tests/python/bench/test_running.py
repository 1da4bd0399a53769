"""A suite's steps, which stand alone, one after the other."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from malloom.bench import running
from malloom.bench.findings import Failure, Findings, Note
from malloom.bench.goals import Goal
from malloom.bench.state import VERSION, Finished, Keeper, State
from malloom.bench.steps import Bench, Step, conclusion
from malloom.errors import CommandError
from malloom.measure.interval import Interval
from malloom.measure.rows import Row, row

PLACE = ("cover", "300 300")


def a_row(variant: str) -> Row:
    return row(PLACE, variant, "glibc", "cpu_time", Interval(0.9, 0.8, 1.0), runs=6, peak=1.2)


def measured(step: Step, tmp_path: Path) -> tuple[Findings, list[str]]:
    findings, said = Findings(), []
    running.measure(step, findings, tmp_path, tmp_path, said.append)
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
    findings = running.run(steps, tmp_path, lambda line: None)
    assert [each.variant for each in findings.of("times")] == ["size"]
    assert [failure.what for failure in findings.failures] == ["two"]
    assert findings.ended_by is signal


def test_a_signal_between_the_steps_keeps_what_there_is(tmp_path: Path) -> None:
    def interrupted_say(line: str) -> None:
        if line.startswith("2 of"):
            raise SystemExit(129)

    steps = [Step("times", what, lambda bench: [a_row("size")]) for what in ("one", "two", "three")]
    findings = running.run(steps, tmp_path, interrupted_say)
    assert len(findings.of("times")) == 1
    assert [failure.what for failure in findings.failures] == ["two"]
    assert isinstance(findings.ended_by, SystemExit)


def test_what_concludes_does_so_after_an_interrupt_too(tmp_path: Path) -> None:
    def interrupted(bench: Bench) -> list[Row]:
        raise KeyboardInterrupt

    steps = [
        Step("times", "one", interrupted),
        Step("times", "two", lambda bench: [a_row("size")]),
        conclusion("times", "goals", lambda: [a_row("random")]),
    ]
    findings = running.run(steps, tmp_path, lambda line: None)
    assert [each.variant for each in findings.of("times")] == ["random"]


def test_a_step_knows_its_name(tmp_path: Path) -> None:
    def named(bench: Bench) -> list[Row]:
        bench.note(bench.step)
        return []

    findings, _ = measured(Step("times", "ft 8x", named), tmp_path)
    assert findings.notes == [Note("times", "ft 8x", "ft 8x")]


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
    running.run(steps, tmp_path, said.append)
    assert said[0] == "1 of 2, 0 s, some 20 min left: times, one"
    assert said[1] == "2 of 2, 0 s, some 1 min left: times, two", "by then it knows that it is quick"


def test_rows_and_goals_carry_the_last_level_of_their_step(tmp_path: Path) -> None:
    steps = [
        Step("times", "ours", lambda bench: [a_row("size"), Goal(a_row("auto"), 1.0)]),
        Step("misses", "simulated", lambda bench: [a_row("size")], last_level=512),
    ]
    findings = running.run(steps, tmp_path, lambda line: None, last_level=4096)
    assert [each.last_level for _, each in findings.rows] == [4096, 512]
    assert [(part, goal.row.last_level) for part, goal in findings.goals] == [("times", 4096)]


def test_steps_share_a_folder_that_goes_with_the_suite(tmp_path: Path) -> None:
    folders: list[Path] = []

    def writes(bench: Bench) -> list[Row]:
        folders.append(bench.scratch)
        (bench.scratch / "made").touch()
        return []

    def finds(bench: Bench) -> list[Row]:
        return [a_row("found")] if (bench.scratch / "made").exists() else []

    steps = [Step("times", "one", writes), Step("times", "two", finds)]
    assert running.run(steps, tmp_path, lambda line: None).of("times") == [a_row("found")]
    assert not folders[0].exists()


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_row_that_no_json_can_hold_is_a_failure(tmp_path: Path, number: float) -> None:
    step = Step("times", "cover", lambda bench: [a_row("size"), replace(a_row("smart"), low=number)])
    findings, _ = measured(step, tmp_path)
    assert [failure.why for failure in findings.failures] == [
        "the cpu_time of cover 300 300, smart, is no number"
    ]
    assert findings.rows == []


def test_where_steps_cannot_be_kept_that_is_said_and_they_are_measured(tmp_path: Path) -> None:
    said: list[str] = []
    keeper = Keeper(tmp_path / "nowhere/state.json", State(VERSION, "small", {}), is_new=True)
    steps = [Step("times", what, lambda bench: [a_row(bench.step)]) for what in ("one", "two")]
    findings = running.run(steps, tmp_path, said.append, keeper=keeper)
    assert [row.variant for row in findings.of("times")] == ["one", "two"]
    assert sum(line.startswith("note: finished steps are not kept: cannot write") for line in said) == 2
    assert findings.failures == []


def test_what_concludes_is_of_all_commits(tmp_path: Path) -> None:
    before = Finished("times", "one", 1.0, 2.0, {"commit": "old"}, [a_row("size")], [], [], [], [])
    keeper = Keeper(tmp_path / "state.json", State(VERSION, "small", {}), False, {before.id: before})
    steps = [Step("times", "one", lambda bench: []), conclusion("times", "mean", lambda: [a_row("mean")])]
    findings = running.run(steps, tmp_path, lambda line: None, keeper=keeper, host={"commit": "new"})
    assert [row.variant for row in findings.of("times")] == ["size", "mean"]
    assert findings.of("times")[1].commit == findings.measured_on["commit"] == "new and old"
