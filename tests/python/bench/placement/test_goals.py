"""What the suite holds placement to, with races that were run in no time."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from malloom.bench.cases import traverse
from malloom.bench.findings import Findings
from malloom.bench.goals import Goal
from malloom.bench.placement import goals
from malloom.bench.tables import goal_cells
from malloom.measure.interleaved import Budget, RaceId
from malloom.measure.rows import Row
from python.bench.races import rounds_of

RACE = RaceId("start-up: traverse 1 1", "fallback")


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the start-up's step finds where the runs of each variant take so many seconds."""

    def measured(**times: float) -> list[Row | Goal]:
        monkeypatch.setattr(goals, "plan_of", lambda *_: Path("large.plan"))
        rounds = rounds_of({name.replace("_", " "): time for name, time in times.items()}, race=RACE)
        bench: Any = SimpleNamespace(race=lambda *_: rounds)
        return goals.start_up_goals(bench, traverse(1, 1), traverse(20, 20), Budget())

    return measured


def test_the_start_up_is_held_to_an_absolute_limit(found: Any) -> None:
    (goal,) = found(fallback=1e-3, large_plan=2e-3)
    assert goal.row.place == ("traverse", "1 1, plan of traverse 20 20")
    assert (goal.row.variant, goal.row.baseline, goal.metric) == ("large plan", "limit", "start_up_time")
    assert (goal.value, goal.reached) == (pytest.approx(0.5, rel=0.05), True)


@pytest.mark.parametrize(("again", "reached"), [(1.01e-3, "yes"), (1.1e-3, "yes, unreliable")])
def test_its_control_is_what_the_fallback_adds_to_itself(found: Any, again: float, reached: str) -> None:
    findings = Findings()
    findings.add("speed", found(fallback=1e-3, fallback_again=again, large_plan=2e-3))
    ((part, goal),) = findings.goals
    (control,) = findings.controls_of(part, goal.row)
    assert (control.variant, control.place, control.metric) == ("fallback again", goal.row.place, goal.metric)
    assert control.ratio == pytest.approx((again - 1e-3) / 2e-3, rel=0.05)
    assert goal_cells(part, goal, findings)[-1] == reached
