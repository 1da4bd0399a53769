"""Whom a pause concerns, and pairs of real runs after pauses."""

from dataclasses import replace
from pathlib import Path

import pytest

from malloom.errors import CommandError
from malloom.measure.allocators import Way, installed, settings_of
from malloom.measure.interleaved import no_progress
from malloom.measure.process import Command
from malloom.optimize import after_pause
from malloom.optimize.after_pause import may_be_in_huge_pages, measure_after_pauses
from malloom.optimize.building import Build
from malloom.optimize.candidates import Candidate
from malloom.optimize.keeping import write_empty
from malloom.optimize.settings import AllocatorRow

GLIBC = next(each for each in installed((Path("nowhere"),))[0] if not each.file)
HUGE, PLAIN = (AllocatorRow(settings_of(GLIBC, (way,))[0]) for way in (Way.huge, Way.plain))


def test_who_asks_for_huge_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = tmp_path / "empty.plan"
    write_empty(plan)
    small = Candidate("first-use", plan, huge_pages=False, fallback_huge_pages=False)
    over = replace(small, over=HUGE.setting)
    behind, pools = replace(small, fallback_huge_pages=True), replace(small, huge_pages=True)
    asking = [HUGE, over, behind, pools, Build("pool", tmp_path)]
    assert [may_be_in_huge_pages(row) for row in asking] == [True] * 5
    assert [may_be_in_huge_pages(row) for row in (PLAIN, small)] == [False] * 2
    monkeypatch.setattr(after_pause, "chosen_huge_pages", lambda: "never")
    assert not any(map(may_be_in_huge_pages, asking))


def test_pairs_are_of_runs_after_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(after_pause, "PAUSE", 0.001)
    spin = "i=0; while [ $i -lt ${GLIBC_TUNABLES:+4}20000 ]; do i=$((i+1)); done"
    found = measure_after_pauses(HUGE, "spin", Command(["sh", "-c", spin]), no_progress, True)
    assert found.given == "spin"
    assert found.interval.low is not None and found.interval.low > 1.5


def test_a_run_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(after_pause, "PAUSE", 0.001)
    fails = Command(["sh", "-c", "exit ${GLIBC_TUNABLES:+3}"])
    with pytest.raises(CommandError, match="exit status 3, the first run with exit status 0"):
        measure_after_pauses(HUGE, "fails", fails, no_progress, True)
