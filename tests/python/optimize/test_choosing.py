"""The choice among plans, with a program that acts by the plan that it is run with."""

from pathlib import Path

import pytest

from malloom.cache.geometry import geometry_from
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import write_plan
from malloom.layout.registry import strategy
from malloom.measure.interleaved import Race, no_progress
from malloom.measure.process import Command, run_measured
from malloom.optimize.candidates import Candidate, fallback_alone
from malloom.optimize.choosing import AS_IT_IS, choose
from malloom.optimize.learning import Learned
from malloom.optimize.memory_limit import MemoryLimit
from malloom.optimize.options import Watcher
from malloom.optimize.recording import RecordedProfile
from malloom.optimize.sources import Sources
from malloom.profile import HeapProfile

# Quickest with the plan greedy, which has it need more memory; then with the plan lean.
PROGRAM = """
work=120000
megabytes=16
case "$MALLOOM" in
    *greedy.plan*) work=1 && megabytes=32 ;;
    *lean.plan*) work=60000 ;;
esac
dd if=/dev/zero bs=${megabytes}M count=1 2>&1 | wc -c >&2
while [ $work -gt 0 ]; do work=$((work-1)); done
echo done
"""
# The same of the fallback alone, which is preloaded without a plan.
GREEDY_FALLBACK = PROGRAM.replace(
    'case "$MALLOOM" in', 'case "$LD_PRELOAD $MALLOOM" in\n    libmimalloc*" ") work=1 && megabytes=32 ;;'
)


def candidate(name: str, folder: Path) -> Candidate:
    profile, plan = HeapProfile.from_arrays([48] * 100), folder / f"{name}.plan"
    write_plan(make_plan(profile, strategy("sequential").place(profile, geometry_from("zen5"))), plan)
    return Candidate(name, plan)


def chosen(text: str, names: list[str], most: float, folder: Path) -> tuple[str, MemoryLimit]:
    """The strategy that wins with so much memory allowed, and what was found on the way."""
    program = Command(["sh", "-c", text])
    plain, race = run_measured(program), Race({AS_IT_IS: program})
    limit = MemoryLimit(plain.peak_memory, most)
    candidates = [*(candidate(name, folder) for name in names), fallback_alone(folder / "nothing.plan")]
    sources = Sources(Learned(), RecordedProfile(folder / "none.profile", "none", ()))
    watcher = Watcher(lambda stage: None, no_progress)
    winner, notes = choose(race, candidates, sources, plain, 2.0, watcher, limit)
    assert notes == []
    return winner.strategy, limit


def test_a_plan_that_needs_much_memory_leaves_in_every_way_it_is_run(tmp_path: Path) -> None:
    winner, limit = chosen(PROGRAM, ["greedy", "lean"], 1.5, tmp_path)
    assert winner == "lean"
    assert [name.partition(" ")[0] for name in limit.left] == ["greedy"] * len(limit.left) != []
    assert all(1.5 < ratio < 3 for ratio in limit.left.values())


def test_whoever_allows_it_gets_it(tmp_path: Path) -> None:
    winner, limit = chosen(PROGRAM, ["greedy", "lean"], 4.0, tmp_path)
    assert (winner, limit.left) == ("greedy", {})


@pytest.mark.parametrize(("most", "expected"), [(1.5, "lean"), (4.0, "overhead-only")])
def test_the_fallback_alone_keeps_to_the_limit_too(tmp_path: Path, most: float, expected: str) -> None:
    winner, limit = chosen(GREEDY_FALLBACK, ["lean"], most, tmp_path)
    assert winner == expected
    assert bool(limit.left) == (expected == "lean")
