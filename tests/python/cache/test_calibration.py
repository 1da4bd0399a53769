"""What is made of measurements: on machines that are made up, as a real one differs from day to day."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from malloom.cache import calibration_file
from malloom.cache.calibration import LEAST_HIDDEN_SHARE, Calibration, Implausible, ThisMachine, measure
from malloom.cache.calibration_file import calibration_of_host, load, machine_key, store

K, M = 1 << 10, 1 << 20
SIZES = (48 * K, 2 * M, 480 * M)
FOUND = Calibration((10.0, 120.0), 500.0, 50.0, 0.03, 48 * M, 480 * M, 0.4)


class MadeUp:
    """A machine with as much last level as it is told, whatever it shows."""

    def __init__(self, last_level: int, cycles: tuple[float, ...] = (5, 15, 125, 525)) -> None:
        self.sizes = (*SIZES[:2], last_level)
        self.cycles = cycles
        self.cycle_nanoseconds = 0.4
        self.asked: list[int] = []

    def random_access(self, working_set: int, nearer: int) -> float:
        self.asked.append(working_set)
        level = next((i for i, size in enumerate(self.sizes) if working_set <= size), 3)
        if level < 3:
            return self.cycles[level]
        misses = 1 - self.sizes[2] / working_set
        return self.cycles[2] + misses * (self.cycles[3] - self.cycles[2])

    def sequential_access(self, working_set: int, nearer: int) -> float:
        return 5 + 0.04 * (self.random_access(working_set, nearer) - 5)

    def page_walk(self) -> float:
        return 50


def test_levels_are_beyond_the_first() -> None:
    found = measure(MadeUp(48 * M), SIZES, 256 * M)
    assert found.levels == (10, 120)
    assert found.memory == pytest.approx(520, rel=0.15)
    assert found.hidden_share == pytest.approx(0.04)
    assert found.page_walk == 50 and found.cycle_nanoseconds == 0.4


@pytest.mark.parametrize("last_level", [16 * M, 32 * M, 48 * M])
def test_the_last_level_is_what_the_machine_gets_of_it(last_level: int) -> None:
    found = measure(MadeUp(last_level), SIZES, 256 * M)
    assert last_level <= found.effective_last_level_bytes <= 2 * last_level
    assert found.shown_last_level_bytes == 480 * M


@pytest.mark.parametrize("last_level", [9 * M, 48 * M, 104 * M, 128 * M])
def test_memory_is_free_of_what_the_last_level_still_hits(last_level: int) -> None:
    """However much of the largest working set that still is."""
    assert measure(MadeUp(last_level), SIZES, 256 * M).memory == pytest.approx(520, rel=0.16)


@pytest.mark.parametrize("sizes", [(48 * K, 0, 480 * M), (0, 2 * M, 480 * M), (0, 0, 0)])
def test_a_cache_without_a_size_is_none(sizes: tuple[int, ...]) -> None:
    with pytest.raises(Implausible, match="it shows a cache of 0 bytes"):
        measure(MadeUp(48 * M), sizes, 256 * M)


def test_no_more_than_the_machine_shows() -> None:
    found = measure(MadeUp(32 * M), (*SIZES[:2], 32 * M), 128 * M)
    assert found.effective_last_level_bytes == 32 * M


def test_memory_that_is_not_reached_is_not_known() -> None:
    machine = MadeUp(480 * M)
    found = measure(machine, SIZES, 256 * M)
    assert found.memory is None and found.effective_last_level_bytes == 256 * M
    assert max(machine.asked) == 256 * M


def test_working_sets_keep_to_the_bound_and_end_with_memory() -> None:
    machine = MadeUp(9 * M)
    measure(machine, SIZES, 40 * M)
    assert max(machine.asked) <= 40 * M
    machine = MadeUp(9 * M)
    measure(machine, SIZES, 4096 * M)
    assert max(machine.asked) <= 64 * M


@pytest.mark.parametrize(
    ("cycles", "problem"),
    [
        ((5, 4, 100, 500), "no slower than a nearer one"),
        ((5, 15, 14, 500), "no slower than a nearer one"),
        ((5, 15, 100, 90_000), "seems to take 78758 cycles"),
        ((5, 5, 5, 5), "no slower|as fast as the first"),
    ],
)
def test_what_cannot_be_is_refused(cycles: tuple[float, ...], problem: str) -> None:
    with pytest.raises(Implausible, match=problem):
        measure(MadeUp(16 * M, cycles), SIZES, 256 * M)


def test_one_level_is_too_few() -> None:
    with pytest.raises(Implausible, match="single level"):
        measure(MadeUp(16 * M), SIZES[:1], 256 * M)


def test_perfect_prefetching_still_costs_something() -> None:
    machine = MadeUp(48 * M)
    machine.sequential_access = lambda working_set, nearer: 5.0  # type: ignore[method-assign]
    assert measure(machine, SIZES, 256 * M).hidden_share == LEAST_HIDDEN_SHARE


def test_this_machine_answers() -> None:
    machine = ThisMachine(4 * M)
    assert 0 < machine.random_access(24 * K, 0) < 1000
    assert machine.random_access(4 * M, 48 * K) > 0 and machine.sequential_access(4 * M, 48 * K) > 0


def test_this_machine_is_not_measured_with_more_than_may_be_used() -> None:
    # The largest inner working set is 8 MiB: four times the second level.
    with pytest.raises(Implausible, match=r"takes 8\.0 MiB, and 4\.0 MiB may be used"):
        measure(ThisMachine(4 * M), (48 * K, 2 * M, 32 * M), 4 * M)


@pytest.mark.parametrize("available", [-1 * M, 0, 1 * M, 63 * M])
def test_little_memory_is_a_reason_and_no_failure(available: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration_file, "available_memory", lambda: available)
    assert "may be used" in str(calibration_file._measured((48 * K, 2 * M, 32 * M)))


def test_a_kept_calibration_comes_back(tmp_path: Path) -> None:
    key = machine_key(SIZES)
    store(tmp_path / "kept.json", key, FOUND)
    assert load(tmp_path / "kept.json", key) == FOUND
    assert [file.name for file in tmp_path.iterdir()] == ["kept.json"]
    assert load(tmp_path / "kept.json", {**key, "version": 0}) is None


def damaged(changes: dict[str, object]) -> bytes:
    return json.dumps({"key": machine_key(SIZES), "calibration": {**asdict(FOUND), **changes}}).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b"[" * 100_000,
        damaged({"levels": 7}),
        damaged({"levels": ["a", "b"]}),
        damaged({"levels": [10.0]}),
        damaged({"levels": [float("nan"), 120.0]}),
        damaged({"memory": 3.0}),
        damaged({"effective_last_level_bytes": 0.5}),
        damaged({"unknown": 1}),
        damaged({"cycle_nanoseconds": 0.0}),
        damaged({"cycle_nanoseconds": float("nan")}),
        damaged({"cycle_nanoseconds": 1e9}),
    ],
)
def test_a_damaged_file_holds_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "kept.json").write_bytes(content)
    assert load(tmp_path / "kept.json", machine_key(SIZES)) is None


def test_a_calibration_holds_for_one_setting_of_huge_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kept.json"
    monkeypatch.setattr(calibration_file, "chosen_huge_pages", lambda: "never")
    store(file, machine_key(SIZES), FOUND)
    assert load(file, machine_key(SIZES)) == FOUND
    monkeypatch.setattr(calibration_file, "chosen_huge_pages", lambda: "always")
    assert load(file, machine_key(SIZES)) is None


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Callable[[Calibration | str], list[int]]:
    """Lets the machine be measured with this result; the list grows by one each time."""

    def prepare(result: Calibration | str) -> list[int]:
        times: list[int] = []

        def measure_again(sizes: object) -> Calibration | str:
            times.append(1)
            return result

        monkeypatch.setattr(calibration_file, "_measured", measure_again)
        calibration_of_host.cache_clear()
        return times

    yield prepare
    calibration_of_host.cache_clear()


def found_anew() -> Calibration | str:
    calibration_of_host.cache_clear()
    return calibration_of_host(SIZES)


def test_a_machine_is_measured_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measured: Callable[[Calibration | str], list[int]]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    times = measured(FOUND)
    assert [found_anew(), found_anew()] == [FOUND, FOUND] and len(times) == 1
    next((tmp_path / "malloom").iterdir()).write_text("damaged")
    assert [found_anew(), found_anew()] == [FOUND, FOUND] and len(times) == 2


def test_a_failure_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measured: Callable[[Calibration | str], list[int]]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    times = measured("too noisy")
    assert [found_anew(), found_anew()] == ["too noisy"] * 2 and len(times) == 2


def test_a_folder_that_cannot_be_written_fails_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measured: Callable[[Calibration | str], list[int]]
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    measured(FOUND)
    assert found_anew() == FOUND


def test_it_is_said_in_one_line() -> None:
    assert "\n" not in str(FOUND)
    assert "this machine gets about 48 MiB of the last-level cache of 480 MiB" in str(FOUND)
    assert "beyond what was measured" in str(replace(FOUND, memory=None))
