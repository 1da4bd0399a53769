"""Successive halving, and the verdict on its winner, with real programs."""

import pytest

from malloom.errors import CommandError
from malloom.measure.interleaved import Budget, Race
from malloom.measure.interval import Verdict
from malloom.measure.process import Command
from malloom.optimize.memory_limit import MemoryLimit
from malloom.optimize.selection import (
    ROUNDS_AT_MOST,
    fastest_by_halving,
    measure_winner,
    rounds_per_stage,
    worth_more_than,
)

SPIN = "i=0; while [ $i -lt {} ]; do i=$((i+1)); done; echo done"


def spin(count: int) -> Command:
    return Command(["sh", "-c", SPIN.format(count)])


def race_of(**counts: int) -> Race:
    return Race({name: spin(count) for name, count in counts.items()})


def test_the_one_with_the_least_work_wins() -> None:
    race = race_of(much=80_000, some=40_000, least=4_000, more=60_000, most=120_000)
    assert fastest_by_halving(race, list(race.commands), rounds=2) == "least"


def test_slower_halves_are_not_run_again() -> None:
    race = race_of(a=2_000, b=2_000, c=150_000, d=150_000)
    assert fastest_by_halving(race, list(race.commands), rounds=2) in ("a", "b")
    assert {name: len(runs) for name, runs in race.rounds.runs.items()} == {"a": 4, "b": 4, "c": 2, "d": 2}


def test_one_candidate_wins_without_a_run() -> None:
    race = race_of(only=1)
    assert fastest_by_halving(race, ["only"], rounds=5) == "only"
    assert race.rounds.runs["only"] == []


def hungry(count: int) -> Command:
    """Has 16 MiB at its peak, and says what the others say."""
    return Command(["sh", "-c", f"dd if=/dev/zero bs=16M count=1 2>&1 | wc -c >&2; {SPIN.format(count)}"])


def limit_of(race: Race, most: float, allowance: int = 0) -> MemoryLimit:
    """Of a spinning program's own memory."""
    race.run(["own"])
    return MemoryLimit(race.rounds.peak_memory("own"), most, allowance)


def test_what_needs_more_memory_leaves_where_something_else_does_not() -> None:
    race = Race({"own": spin(1), "hungry": hungry(1), "some": spin(60_000), "more": spin(120_000)})
    limit = limit_of(race, 1.5)
    assert fastest_by_halving(race, ["hungry", "some", "more"], 2, limit) == "some"
    assert list(limit.left) == ["hungry"] and limit.left["hungry"] > 5
    (note,) = limit.notes("some", race.rounds)
    needed = f"hungry {limit.left['hungry']:.2f}"
    assert note == f"left out for their peak memory against the program's own: {needed}"


def test_where_all_need_more_memory_the_fastest_stays_and_that_is_told() -> None:
    race = Race({"own": spin(1), "quick": hungry(1), "slow": hungry(120_000)})
    limit = limit_of(race, 1.5)
    assert fastest_by_halving(race, ["slow", "quick"], 2, limit) == "quick"
    assert limit.left == {}
    (note,) = limit.notes("quick", race.rounds)
    assert note.startswith("quick needs ") and note.endswith("peak memory, more than 1.50")


def test_some_memory_is_allowed_however_little_the_program_needs() -> None:
    race = Race({"own": spin(1), "hungry": hungry(1), "some": spin(200_000)})
    limit = limit_of(race, 1.5, allowance=24 << 20)
    assert fastest_by_halving(race, ["hungry", "some"], 2, limit) == "hungry"
    assert limit.notes("hungry", race.rounds) == ()


def test_what_does_more_work_is_not_worth_more() -> None:
    race = race_of(plain=20_000, faster=2_000, slower=60_000)
    assert worth_more_than(race, "plain", "faster", rounds=6)
    assert not worth_more_than(race, "plain", "slower", rounds=6)


def test_the_verdict_is_drawn_from_new_runs_alone() -> None:
    race = race_of(base=60_000, fast=6_000)
    race.run(["base", "fast"])
    measure_winner(race, "fast", "base", Budget(fewest=6, most=6))
    assert len(race.rounds) == 6
    assert race.rounds.ratio("fast", "base").verdict is Verdict.FASTER


@pytest.mark.parametrize(
    ("run_time", "runs", "seconds", "rounds"),
    [(1.0, 10, 31.0, 3), (1.0, 10, 5.0, 1), (0.0, 10, 30.0, ROUNDS_AT_MOST), (100.0, 10, 0.0, 1)],
)
def test_rounds_keep_to_the_time(run_time: float, runs: int, seconds: float, rounds: int) -> None:
    assert rounds_per_stage(run_time, runs, seconds) == rounds


def test_what_fails_leaves_the_race_and_the_baseline_must_not() -> None:
    broken = Command(["sh", "-c", "echo broken >&2; exit 5"])
    race = Race({"base": spin(10), "broken": broken, "good": spin(20)})
    failed = race.warm_up("base")
    assert list(failed) == ["broken"]
    assert "exit status 5" in str(failed["broken"])
    assert list(race.commands) == ["base", "good"]
    with pytest.raises(CommandError, match="'broken' ended with exit status 5"):
        race.enter("broken", broken)
    assert list(race.commands) == ["base", "good"]
    with pytest.raises(CommandError):
        Race({"base": Command(["/nonexistent/program"])}).warm_up("base")
