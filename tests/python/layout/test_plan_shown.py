"""What a plan is said to hold for."""

from pathlib import Path
from typing import Any

import pytest

from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import write_plan
from malloom.layout.plan_record import write_with_record
from malloom.layout.plan_shown import plan_as_data, plan_lines
from malloom.layout.registry import strategy
from malloom.profile import HeapProfile

TIME = {"ratio": 0.9, "low": 0.85, "high": 0.95}
MEASURED = {"date": "2026-01-02", "processor": "AMD", "verdict": "faster", "cpu_time": TIME, "pairs": 12}
RECORD = {
    "program": ["./walk", "{}"],
    "train": [{"arguments": ["12", "a b"], "stdin": None}],
    "check": [{"arguments": [], "stdin": "/tmp/other"}],
    "judged": "on check inputs",
    "goal": "time",
    "measured": [MEASURED, {**MEASURED, "date": "2026-01-03", "verdict": "no difference"}],
    "setting": {"allocator": "jemalloc 5", "library": "", "variables": {"MALLOC_CONF": "thp:always"}},
}


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """One that places ten requests, and has no record."""
    profile, path = HeapProfile.from_arrays([48] * 10), tmp_path / "a.plan"
    write_plan(make_plan(profile, strategy("sequential").place(profile, geometry_from("zen5"))), path)
    return path


def test_a_plan_that_nobody_judged_holds_for_nothing(plan: Path) -> None:
    assert plan_lines(plan) == [
        f"{plan}: sequential, 10 requests with places",
        "holds for: nothing: no run of it was judged",
    ]
    data = plan_as_data(plan)
    assert (data["judged"], data["planned_requests"], data["pools"], data["train"]) == (None, 10, 0, [])


def test_inputs_and_each_days_result_are_told(plan: Path) -> None:
    write_with_record(plan, plan, RECORD)
    assert plan_lines(plan)[1:] == [
        "runs under jemalloc 5, MALLOC_CONF=thp:always",
        "holds for: on check inputs",
        "program: ./walk '{}'",
        "train: 12 'a b'",
        "check: @/tmp/other",
        "2026-01-02, AMD: faster, 0.900 of the CPU time [0.850 0.950], 12 pairs of runs",
        "2026-01-03, AMD: no difference, 0.900 of the CPU time [0.850 0.950], 12 pairs of runs",
    ]
    assert plan_as_data(plan)["measured"] == RECORD["measured"]


def test_a_plan_for_less_memory_tells_of_memory(plan: Path) -> None:
    memory = {"ratio": 0.8, "low": 0.75, "high": 0.85}
    found = {**MEASURED, "goal": "memory", "memory": memory}
    write_with_record(plan, plan, {**RECORD, "goal": "memory", "measured": [found]})
    told = "2026-01-02, AMD: less memory, 0.800 of the memory, peak and mean [0.750 0.850], 12 pairs of runs"
    assert plan_lines(plan)[-1] == told


def test_the_process_below_the_program_is_told(plan: Path) -> None:
    write_with_record(plan, plan, {**RECORD, "process": "cc1"})
    assert "program: ./walk '{}', and the plan is of cc1 below it" in plan_lines(plan)
    assert plan_as_data(plan)["process"] == "cc1"


@pytest.mark.parametrize("judged", ["on this input only", "on training inputs only"])
def test_the_word_of_what_was_not_checked_stays_with_the_plan(plan: Path, judged: str) -> None:
    write_with_record(plan, plan, {**RECORD, "judged": judged})
    assert f"holds for: {judged}" in plan_lines(plan)


def test_a_terminal_obeys_nothing_of_it(plan: Path) -> None:
    write_with_record(plan, plan, {**RECORD, "judged": "on\x1b[2J all\n"})
    assert "holds for: on\\x1b[2J all\\n" in plan_lines(plan)


@pytest.mark.parametrize(
    "changes",
    [
        {"judged": 5},
        {"train": ["12"]},
        {"program": [7]},
        {"measured": [{"date": "today"}]},
        {"measured": [{**MEASURED, "pairs": "many"}]},
        {"measured": [{**MEASURED, "cpu_time": {"ratio": "x", "low": None, "high": None}}]},
        {"setting": {"allocator": "one"}},
    ],
)
def test_a_record_that_makes_no_sense_is_damaged(plan: Path, changes: dict[str, Any]) -> None:
    write_with_record(plan, plan, {**RECORD, **changes})
    with pytest.raises(CommandError, match="is damaged: its record makes no sense"):
        plan_lines(plan)
