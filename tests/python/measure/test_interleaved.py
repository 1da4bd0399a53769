"""Interleaved runs of real programs."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from malloom.commands.optimize import FEWEST_FOR_A_VERDICT
from malloom.errors import CommandError
from malloom.measure import interleaved
from malloom.measure.interleaved import Budget, Race, again, run_interleaved
from malloom.measure.interval import Verdict
from malloom.measure.process import Command, Run
from some import IS_SOAK

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
    monkeypatch.setattr(
        interleaved, "run_measured", lambda _, ready: Run(0, next(times), 0.0, 0.0, 1, {}, "", b"")
    )
    verdicts = []
    for _ in range(250 if IS_SOAK else 100):
        race = Race({"A": Command([]), "B": Command([])})
        race.run_until_enough(["A", "B"], "A", Budget(FEWEST_FOR_A_VERDICT, 60), "cpu_time")
        verdicts.append(race.rounds.ratio("B", "A").verdict)
    assert verdicts.count(Verdict.FASTER) <= 0.05 * len(verdicts)
    assert verdicts.count(Verdict.SLOWER) <= 0.05 * len(verdicts)


def test_more_work_is_slower_and_less_is_faster() -> None:
    commands = {"base": spin(20_000), "more": spin(60_000), "less": spin(5_000)}
    rounds = run_interleaved(commands, "base", Budget(fewest=6, most=8))
    assert rounds.ratio("more", "base").verdict is Verdict.SLOWER
    assert rounds.ratio("less", "base").verdict is Verdict.FASTER
    assert rounds.peak_ratio("more", "base") == pytest.approx(1, abs=0.1)


def test_memory_is_ready_as_the_largest_run_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    peaks, asked = iter([5, 9, 7, 3]), []

    def run(_command: Command, ready: int) -> Run:
        asked.append(ready)
        return Run(0, 1.0, 0.0, 1.0, next(peaks), {}, "", b"")

    monkeypatch.setattr(interleaved, "run_measured", run)
    race = Race({"A": Command([]), "B": Command([])})
    race.warm_up("A")
    race.run(["A", "B"])
    assert asked == [0, 5, 9, 9]


def test_after_a_pause_no_memory_is_made_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def run(_command: Command, ready: int) -> Run:
        asked.append(ready)
        return Run(0, 1.0, 0.0, 1.0, 100, {}, "", b"")

    monkeypatch.setattr(interleaved, "run_measured", run)
    monkeypatch.setattr("time.sleep", asked.append)
    race = Race({"A": Command([]), "B": Command([])}, pause=3.0)
    race.run(["A", "B"])
    assert asked == [3.0, 0, 3.0, 0]


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


def test_the_control_is_the_baseline_a_second_time(tmp_path: Path) -> None:
    log = tmp_path / "log"
    commands = {name: Command(["sh", "-c", f"echo {name} >> {log}"]) for name in "AB"}
    rounds = run_interleaved(commands, "A", Budget(fewest=3, most=3), controls=("A",))
    assert again("A") == "A again"
    assert {name: len(runs) for name, runs in rounds.runs.items()} == {"A": 3, "B": 3, "A again": 3}
    names = log.read_text().split()
    assert (names.count("A"), names.count("B")) == (8, 4), "with the warm-up"


def test_without_the_control_the_baseline_runs_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    rounds = run_interleaved({"A": Command(["sh", "-c", f"echo A >> {log}"])}, "A", Budget(fewest=3, most=3))
    assert list(rounds.runs) == ["A"]
    assert len(log.read_text().split()) == 4


def test_too_few_rounds_for_an_interval_are_never_precise() -> None:
    commands = {name: Command(["true"]) for name in "AB"}
    rounds = run_interleaved(commands, "A", Budget(fewest=2, most=4, width=1e9))
    assert len(rounds) == 4


def test_rounds_end_once_every_interval_is_narrow() -> None:
    commands = {name: Command(["true"]) for name in "AB"}
    rounds = run_interleaved(commands, "A", Budget(fewest=6, most=40, width=1e9))
    assert len(rounds) == 6


FAILS_LATER = 'echo run >> {log}; [ "$(wc -l < {log})" -lt 4 ] || exit 3'


def test_one_that_fails_in_the_middle_leaves_and_the_others_go_on(tmp_path: Path) -> None:
    later = Command(["sh", "-c", FAILS_LATER.format(log=tmp_path / "log")])
    failed: dict[str, str] = {}
    rounds = run_interleaved(
        {"A": Command(["true"]), "B": later, "C": Command(["true"])},
        "A",
        Budget(fewest=6, most=6),
        failed=lambda name, error: failed.update({name: str(error)}),
    )
    assert {name: len(runs) for name, runs in rounds.runs.items()} == {"A": 6, "C": 6}
    assert "exit status 3" in failed["B"]


def test_a_baseline_that_fails_in_the_middle_is_raised(tmp_path: Path) -> None:
    later = Command(["sh", "-c", FAILS_LATER.format(log=tmp_path / "log")])
    with pytest.raises(CommandError, match="exit status 3"):
        run_interleaved({"A": later, "B": Command(["true"])}, "A", Budget(fewest=6, most=6))


def test_the_number_of_rounds_is_settled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many that the width of the first ones is narrowed to what is wanted."""
    spread = 0.04
    times = iter([1.0, 1.0 + spread, 1.0, 1.0] * 500)
    monkeypatch.setattr(
        interleaved, "run_measured", lambda _, ready: Run(0, next(times), 0.0, 0.0, 1, {}, "", b"")
    )
    race = Race({"A": Command([]), "B": Command([])})
    race.run_until_enough(["A", "B"], "A", Budget(6, 1000, width=spread / 3), "cpu_time")
    assert 6 * 9 * 0.8 * 0.9 <= len(race.rounds) <= 6 * 9


def test_what_enters_begins_with_all_others() -> None:
    race = Race({"A": Command(["true"])})
    race.run(["A"])
    race.enter("B", Command(["true"]))
    assert race.rounds.runs == {"A": [], "B": []}
