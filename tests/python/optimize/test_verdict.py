"""What is said of a choice and what it is compared with, by pairs of runs with times made by hand."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from malloom.errors import UsageProblem
from malloom.measure.allocators import KNOWN, Allocator, Setting, Version
from malloom.measure.interleaved import Budget, no_progress
from malloom.measure.interval import Interval
from malloom.measure.process import Command
from malloom.optimize import verdict
from malloom.optimize.after_pause import AfterPause
from malloom.optimize.checking import Judged
from malloom.optimize.choosing import Choice
from malloom.optimize.data import as_data
from malloom.optimize.goal import Goal
from malloom.optimize.inputs import Input, Inputs
from malloom.optimize.options import Options, Watcher
from malloom.optimize.settings import AllocatorRow
from malloom.optimize.table import lines
from malloom.optimize.training import AS_IT_IS, Measured, Training
from malloom.optimize.verdict import (
    ALONE,
    SKIPPED,
    Outcome,
    decide,
    keep_decided,
    measure_afterwards,
    optimized,
)
from python.bench.races import rounds_of

LARGE = 100 << 20
"""Bytes: with less, what is allowed beside a ratio counts."""


@dataclass(frozen=True)
class Named:
    """A row that is nothing but measured."""

    name: str
    kind: str = "setting"
    executable: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


def outcome(choice: Choice, times: Mapping[str, float], folder: Path, goal: Goal = Goal.time) -> Outcome:
    """A choice that was judged and is not decided yet, of ratios that time and memory have alike."""
    options = Options(folder / "kept.plan", None, None, Budget(), True, True, goal=goal)
    peaks = {name: int(time * LARGE) for name, time in times.items()}
    rounds = rounds_of({AS_IT_IS: 1.0, **times}, {AS_IT_IS: LARGE, **peaks})
    for name, runs in rounds.runs.items():
        rounds.runs[name] = [replace(run, mean_memory=run.peak_memory) for run in runs]
    inputs = Inputs.one_command(["true"], None)
    return Outcome(inputs, options, choice=choice, judged=Judged({"true": rounds}))


def decided(found: Outcome, tmp_path: Path) -> list[str]:
    decide(found)
    keep_decided(found, tmp_path)
    return list(lines(found))


def test_a_plan_without_a_rival_says_that_it_is_compared_with_the_program_alone(tmp_path: Path) -> None:
    slower = Named("plan", "plan")
    said = decided(outcome(Choice(slower, None, None), {"plan": 1.1}, tmp_path), tmp_path)
    assert f"note: {ALONE}" in said
    assert "plan is not kept: it is slower on true" in said


def test_a_plan_is_refused_where_no_setting_runs_on_the_check_inputs(tmp_path: Path) -> None:
    setting = Named("setting")
    found = outcome(Choice(Named("plan", "plan"), setting, None), {"plan": 0.8}, tmp_path)  # type: ignore[arg-type]
    found.judged.left["setting"] = "it crashes"
    said = decided(found, tmp_path)
    assert "note: setting fails when it is judged (it crashes)" in said
    assert "plan is not kept: setting, which it must beat, was not measured on every input" in said
    assert said[-1] == "no plan is kept" and f"note: {ALONE}" not in said


def test_a_setting_that_nobody_may_have_need_not_be_beaten(tmp_path: Path) -> None:
    setting, times = Named("setting"), {"plan": 0.93, "setting": 0.91}
    found = outcome(Choice(Named("plan", "plan"), setting, None), times, tmp_path)  # type: ignore[arg-type]
    found.judged.rival = "setting"
    assert "plan is not kept: it is not measurably better than setting" in decided(found, tmp_path)
    runs = found.judged.rounds["true"].runs
    runs["setting"] = [replace(run, peak_memory=int(1.22 * LARGE)) for run in runs["setting"]]
    found = replace(found, refused={}, kept=None)
    decide(found)
    why = "it needs 1.22 of the program's peak memory on true, more than 1.15"
    assert found.kept and found.kept.name == "plan" and f"setting need not be beaten: {why}" in found.notes


def test_what_a_training_input_refuses_is_not_kept(tmp_path: Path) -> None:
    found = outcome(Choice(Named("plan", "plan"), None, None), {"plan": 0.9}, tmp_path)
    found.limit.refused["plan"] = 1.3
    why = "it needs 1.30 of the program's peak memory on a training input, more than 1.15"
    assert f"plan is not kept: {why}" in decided(found, tmp_path)
    found.limit.refused.clear()
    found.limit.slower["plan"] = 1.03
    assert "of the program's CPU time on the training inputs" in found.limit.why_refused("plan")


def test_what_is_known_to_go_wrong_with_an_allocator_is_told_where_it_is_kept(tmp_path: Path) -> None:
    known = next(each for each in KNOWN if each.name == "mimalloc 2")
    for version in ("2.0.9", "2.1.0"):
        setting = Setting("mimalloc 2", Allocator(known, "lib.so", Version(version, ""), "/lib.so"), {})
        row = AllocatorRow(setting)
        found = outcome(Choice(row, row, None), {row.name: 0.8}, tmp_path)
        said = decided(found, tmp_path)
        assert found.kept is row
        assert any("mimalloc 2.0.9 gives some objects a smaller alignment" in line for line in said) == (
            version == "2.0.9"
        )


def test_an_input_that_an_interrupt_left_out_leaves_no_verdict(tmp_path: Path) -> None:
    found = outcome(Choice(Named("setting"), None, None), {"setting": 0.8}, tmp_path)
    assert as_data(found)["verdict"] == "faster"
    found.inputs = replace(found.inputs, check=(Input.of("true"), Input.of("false")))
    data = as_data(found)
    assert data["verdict"] is None and data["peak_rss_ratio"] is None and data["slower_on"] == []


def test_machines_are_told_what_people_are(tmp_path: Path) -> None:
    found = outcome(Choice(Named("setting"), None, None), {"setting": 0.8}, tmp_path)
    ratios = {"one": 0.9, "two": 1.1}
    runs = {each: rounds_of({AS_IT_IS: 1.0, "setting": ratio}) for each, ratio in ratios.items()}
    measured = Measured(
        *({each: found.runs[row] for each, found in runs.items()} for row in ("setting", AS_IT_IS))
    )
    found.training = Training({}, {"setting": measured}, {"first-use with pools": "it crashes"})
    data, said = as_data(found), list(lines(found))
    assert data["left"] == {"first-use with pools": "it crashes"}
    assert "note: left out: first-use with pools (it crashes)" in said
    assert data["disagree"] == pytest.approx(ratios)
    assert "note: the training inputs disagree about setting: 0.900 on one, 1.100 on two" in said


@pytest.mark.parametrize(
    ("goal", "ratio", "begin"),
    [
        (Goal.time, 0.83, "not kept, though faster: 0.830 of the CPU time"),
        (Goal.time, 1.1, "slower: 1.100 of the CPU time"),
        (Goal.memory, 1.1, "more memory: 1.100 of the memory, peak and mean"),
        (Goal.memory, 0.83, "not kept, though less memory: 0.830 of the memory, peak and mean"),
    ],
)
def test_the_verdict_names_what_is_less(goal: Goal, ratio: float, begin: str, tmp_path: Path) -> None:
    found = outcome(Choice(Named("setting"), None, None), {"setting": ratio}, tmp_path, goal)
    assert any(line.startswith(begin) for line in lines(found))
    found.kept = found.told
    assert any(line.startswith(begin.removeprefix("not kept, though ")) for line in lines(found))


def test_what_a_pause_costs_stands_behind_the_verdict(tmp_path: Path) -> None:
    found = outcome(Choice(Named("setting"), None, None), {"setting": 0.8}, tmp_path)
    assert as_data(found)["after_pause"] is None
    found.after_pause = AfterPause("true", Interval(1.2, 1.1, 1.3))
    _, verdict, said = list(lines(found))[:3]
    assert verdict.startswith("not kept, though faster: 0.800 of the CPU time")
    assert said == (
        "after a pause of 3 s, in which the host may take back free memory: slower, 1.200 [1.100 1.300] of "
        "the CPU time on true"
    )
    assert as_data(found)["after_pause"] == {
        "input": "true",
        "seconds": 3.0,
        "ratio": 1.2,
        "low": 1.1,
        "high": 1.3,
    }


def test_who_interrupts_the_pauses_keeps_what_was_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(verdict, "host_takes_free_memory", lambda: True)
    monkeypatch.setattr(verdict, "may_be_in_huge_pages", lambda row: True)
    monkeypatch.setattr(verdict, "measure_after_pauses", interrupted)
    found = outcome(Choice(Named("setting"), None, None), {"setting": 0.8}, tmp_path)
    found.options = replace(found.options, budget=Budget(seconds=200.0))
    decide(found)
    measure_afterwards(found, {"true": Command(["true"])}, Watcher(lambda line: None, no_progress))
    assert found.after_pause is None and not found.interrupted
    assert any(SKIPPED in note for note in found.notes)
    keep_decided(found, tmp_path)
    assert found.plan == found.options.plan and found.plan.exists()


@pytest.mark.parametrize(("gain", "says"), [(None, False), (0.9, False), (0.98, True), (1.2, True)])
def test_where_no_layout_gains_the_verdict_says_so(gain: float | None, says: bool, tmp_path: Path) -> None:
    choice = Choice(Named("setting"), None, None, placing=gain)
    found = outcome(choice, {"setting": 0.8}, tmp_path)
    found.training = Training({})
    assert as_data(found)["placing"] == gain
    assert any("nothing to gain by placing" in line for line in lines(found)) == says


def test_two_inputs_of_one_name_are_refused() -> None:
    inputs = Inputs(("cat", "{}"), (Input("@x", ("@x",)),), (Input("@x", (), Path("/etc/hostname")),))
    options = Options(Path("kept.plan"), None, None, Budget(), True, True)
    watcher = Watcher(lambda line: None, no_progress)
    with pytest.raises(UsageProblem, match="two inputs are called '@x'"), optimized(inputs, options, watcher):
        pass
