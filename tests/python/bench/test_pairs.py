"""Interleaved runs of real programs."""

from pathlib import Path

import pytest

from malloom.bench.interval import Verdict
from malloom.bench.pairs import Budget, run_interleaved
from malloom.bench.process import Command
from malloom.errors import CommandError

SPIN = "i=0; while [ $i -lt {} ]; do i=$((i+1)); done; echo done"


def spin(count: int) -> Command:
    return Command(["sh", "-c", SPIN.format(count)])


def test_order_is_interleaved_after_a_warm_up(tmp_path: Path) -> None:
    log = tmp_path / "log"
    commands = {name: Command(["sh", "-c", f"echo {name} >> {log}"]) for name in "AB"}
    rounds = run_interleaved(commands, "A", Budget(fewest=3, most=3))
    assert log.read_text().split() == ["A", "B"] * 4
    assert len(rounds) == 3


def test_more_work_is_slower_and_less_is_faster() -> None:
    commands = {"base": spin(20_000), "more": spin(60_000), "less": spin(5_000)}
    rounds = run_interleaved(commands, "base", Budget(fewest=6, most=8))
    assert rounds.ratio("more", "base").verdict is Verdict.SLOWER
    assert rounds.ratio("less", "base").verdict is Verdict.FASTER
    assert rounds.peak_ratio("more", "base") == pytest.approx(1, abs=0.1)
    assert rounds.same_output("more", "base")


def test_stops_when_the_time_is_spent() -> None:
    commands = {"A": Command(["sleep", "0.05"]), "B": Command(["sleep", "0.05"])}
    rounds = run_interleaved(commands, "A", Budget(fewest=2, most=1000, seconds=0.5, width=0))
    assert 2 <= len(rounds) <= 6


def test_different_output_is_refused() -> None:
    commands = {"A": Command(["echo", "one"]), "B": Command(["echo", "two"])}
    with pytest.raises(CommandError, match="'B' printed something else"):
        run_interleaved(commands, "A", Budget(fewest=1, most=1))


def test_different_status_is_refused() -> None:
    commands = {"A": Command(["true"]), "B": Command(["sh", "-c", "echo broken heap >&2; exit 3"])}
    with pytest.raises(CommandError, match=r"'B' ended with exit status 3, .* exit status 0: broken heap"):
        run_interleaved(commands, "A", Budget(fewest=1, most=1))


def test_failing_alike_is_refused_too() -> None:
    commands = {"A": Command(["false"]), "B": Command(["false"])}
    with pytest.raises(CommandError, match="'A' ended with exit status 1"):
        run_interleaved(commands, "A", Budget(fewest=1, most=1))


def test_one_that_fails_leaves_the_others_running() -> None:
    failed = {}
    commands = {"A": Command(["true"]), "B": Command(["false"]), "C": Command(["true"])}
    rounds = run_interleaved(
        commands, "A", Budget(fewest=2, most=2), failed=lambda name, error: failed.update({name: str(error)})
    )
    assert list(failed) == ["B"]
    assert {name: len(runs) for name, runs in rounds.runs.items()} == {"A": 2, "C": 2}
