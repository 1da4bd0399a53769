"""Interleaved runs of real programs."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from malloom.commands.optimize import FEWEST_PAIRS
from malloom.errors import CommandError
from malloom.measure import interleaved, interval
from malloom.measure.interleaved import Budget, Race, run_interleaved
from malloom.measure.interval import Verdict
from malloom.measure.process import Command, Run

SPIN = "i=0; while [ $i -lt {} ]; do i=$((i+1)); done; echo done"


def spin(count: int) -> Command:
    return Command(["sh", "-c", SPIN.format(count)])


def test_order_is_interleaved_after_a_warm_up(tmp_path: Path) -> None:
    log = tmp_path / "log"
    commands = {name: Command(["sh", "-c", f"echo {name} >> {log}"]) for name in "AB"}
    rounds = run_interleaved(commands, "A", Budget(fewest=3, most=3))
    assert log.read_text().split() == ["A", "B", *"ABBAAB"]
    assert len(rounds) == 3


def test_neighbours_change(tmp_path: Path) -> None:
    log = tmp_path / "log"
    commands = {name: Command(["sh", "-c", f"echo {name} >> {log}"]) for name in "ABCD"}
    run_interleaved(commands, "A", Budget(fewest=20, most=20))
    names = log.read_text().split()
    rounds = [names[at : at + 4] for at in range(4, len(names), 4)]
    assert all(sorted(order) == list("ABCD") for order in rounds)
    before_b = {order[order.index("B") - 1] for order in rounds if order[0] != "B"}
    assert before_b == {"A", "C", "D"}


def noise(kind: str, random: np.random.Generator) -> Iterator[float]:
    """Times of a program that never changes, on a quiet machine or on one that others use in bursts."""
    while True:
        burst = 1.0 if kind == "quiet" else random.choice([1.0, 1.3, 1.8])
        for _ in range(random.integers(1, 8)):
            yield burst * random.normal(1, 0.003 if kind == "quiet" else 0.02)


@pytest.mark.parametrize("kind", ["quiet", "shared"])
def test_a_program_against_itself_is_hardly_ever_faster(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    times = noise(kind, np.random.default_rng(11))
    monkeypatch.setattr(interleaved, "run_measured", lambda _: Run(0, next(times), 0.0, 0.0, 1, {}, "", b""))
    monkeypatch.setattr(interval, "RESAMPLES", 500)
    verdicts = []
    for _ in range(250):
        race = Race({"A": Command([]), "B": Command([])})
        race.run_until_enough(["A", "B"], "A", Budget(FEWEST_PAIRS, 60), "cpu_time")
        verdicts.append(race.rounds.ratio("B", "A").verdict)
    assert verdicts.count(Verdict.FASTER) <= 0.05 * len(verdicts)
    assert verdicts.count(Verdict.SLOWER) <= 0.05 * len(verdicts)


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
