"""Programs on every target that firmware is for: what they print, how they end, and what time they take."""

import re
import subprocess
from pathlib import Path

import pytest

from firmware.targets import CORE, CORE_FIRST
from structure.source_tree import ROOT

BUILD = ROOT / "build/firmware"
BARE_METAL = CORE_FIRST[:2]
HUNG, FAULTED = 124, 125

Done = subprocess.CompletedProcess[str]


def run(target: str, program: str, *options: str | Path) -> Done:
    path = BUILD / target / "programs" / program
    command = [ROOT / "firmware/run.sh", target, *options, path]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def numbers_in(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def assert_ended_well(done: Done) -> None:
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("target", CORE_FIRST)
def test_hello(target: str) -> None:
    done = run(target, "hello")
    assert_ended_well(done)
    found = re.fullmatch(r"hello, the sum of 4096 words took (\d+) cycles\n", done.stdout)
    assert found
    assert int(found[1]) > 0


@pytest.mark.parametrize("target", CORE_FIRST)
def test_exit_status_is_the_programs(target: str) -> None:
    done = run(target, "status")
    assert (done.returncode, done.stderr) == (42, "")
    assert done.stdout == f"0 {2**64 - 1}\n"


@pytest.mark.parametrize("target", CORE_FIRST)
def test_a_program_that_hangs_is_ended(target: str) -> None:
    limit = ("--limit", "1000000") if target == CORE else ("--seconds", "2")
    done = run(target, "hangs", *limit)
    assert (done.returncode, done.stdout) == (HUNG, "begun\n")
    assert "the program was ended after" in done.stderr


@pytest.mark.parametrize("target", BARE_METAL)
def test_a_fault_ends_the_program(target: str) -> None:
    done = run(target, "faults")
    assert done.returncode == FAULTED
    assert re.match(r"begun\n(trap 2|fault 65536) at ", done.stdout)


@pytest.mark.parametrize("target", CORE_FIRST)
def test_data_reaches_the_program(target: str, tmp_path: Path) -> None:
    content = bytes(range(256)) * 17 + b"rest"
    (tmp_path / "data").write_bytes(content)
    done = run(target, "data", "--data", tmp_path / "data")
    assert_ended_well(done)
    assert numbers_in(done.stdout) == [len(content), sum(content)]


@pytest.mark.parametrize("target", CORE_FIRST)
def test_there_may_be_no_data(target: str) -> None:
    done = run(target, "data")
    assert_ended_well(done)
    assert numbers_in(done.stdout) == [0, 0]


@pytest.mark.parametrize("target", CORE_FIRST)
def test_written_code_runs_after_the_flush(target: str) -> None:
    done = run(target, "self_written")
    assert_ended_well(done)
    first, before, after, another = numbers_in(done.stdout)
    assert (first, after, another) == (1, 2, 3)
    # The core's cache has the old code still: it shows what a program forgot. Elsewhere nothing is sure.
    assert before == 1 or target != CORE


@pytest.mark.long
def test_all_memory_is_there() -> None:
    (steps, _) = numbers_in(run("mps2_an385", "memory_walk").stdout)
    assert (3 << 20) // 64 < steps < (4 << 20) // 64


def walk(*options: str) -> list[int]:
    done = run(CORE, "memory_walk", *options)
    assert_ended_well(done)
    return numbers_in(done.stdout)


def test_memory_is_as_large_and_as_slow_as_asked() -> None:
    """A line that misses takes as many cycles more as its first word does."""
    quick_steps, quick = walk("--memory", "1M", "--latency", "4")
    steps, slow = walk("--memory", "1M", "--latency", "20")
    assert quick_steps == steps
    assert steps * 16 <= slow - quick <= steps * 17
    assert walk("--memory", "2M")[0] == steps + (1 << 20) // 64


def test_writes_are_as_slow_as_asked() -> None:
    cycles = {latency: traffic("--write-latency", latency)["cycles"][0] for latency in ("1", "20")}
    words = traffic()["data"][2]
    # Two writes wait aside, so what else the program does meanwhile costs nothing.
    assert words * 8 < cycles["20"] - cycles["1"] <= words * 19


def traffic(*options: str) -> dict[str, list[int]]:
    done = run(CORE, "memory_walk", "--memory", "1M", "--traffic", *options)
    assert done.returncode == 0
    return {line.split(":")[0]: numbers_in(line) for line in done.stderr.splitlines()}


def test_traffic_is_counted() -> None:
    steps, _ = walk("--memory", "1M")
    counts = traffic()
    lines, _, written = counts["data"]
    assert steps <= lines < steps + 100
    assert steps <= written < steps + 1000 + (64 << 10)
    assert counts["instructions"][0] < 100


def test_a_second_level_that_holds_all_answers_for_the_memory() -> None:
    """The first walk has written all of it: the second one takes as long as memory of its latency does."""
    (_, held) = walk("--memory", "1M", "--latency", "100", "--second-level", "2M")
    (_, behind) = walk("--memory", "1M", "--latency", "6")
    assert behind <= held < behind * 1.01


def test_a_second_level_forgets_what_was_used_longest_ago() -> None:
    """The walk goes round more than it holds, and finds nothing again: each step waits for both."""
    small = ("--second-level", "256K", "--second-level-latency", "9", "--latency", "20")
    (steps, cycles) = walk("--memory", "1M", *small)
    (_, quick) = walk("--memory", "1M", "--latency", "4")
    assert steps * 25 <= cycles - quick <= steps * 26
    hits, misses = traffic(*small)["second level"]
    assert 2 * steps <= misses < 2 * steps + 4 * hits


def test_every_run_of_the_core_is_the_same() -> None:
    assert traffic("--latency", "7") == traffic("--latency", "7")


def test_without_a_function_unit_the_answer_is_zero() -> None:
    done = run(CORE, "function_unit")
    assert_ended_well(done)
    assert done.stdout == "0 0 0\n"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--latency", "0"], "--latency is from 1"),
        (["--latency", "x"], "--latency takes a number, not x"),
        (["--memory", "3G"], "no room for so much memory"),
        (["--memory", "4K"], "does not fit into the memory"),
        (["--data", "no such file"], "cannot read no such file"),
        (["--data", f"{__file__}@0x10"], "cannot lie there"),
        (["--second-level", "100K"], "--second-level is a power of two from 128"),
        (["--second-level-latency", "0"], "--second-level-latency is from 1"),
        (["--walk"], "--walk"),
    ],
)
def test_bad_options_are_refused(options: list[str], reason: str) -> None:
    done = run(CORE, "hello", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert reason in done.stderr


@pytest.mark.long
def test_programs_of_others_are_refused() -> None:
    done = run(CORE, "../../mps2_an385/programs/hello")
    assert done.returncode == 2
    assert "is no program for RV32" in done.stderr


def test_null_pointers_are_noticed(tmp_path: Path) -> None:
    """A program that is no ELF file begins where the memory does."""
    program = tmp_path / "wild"
    program.write_bytes((0x00002023).to_bytes(4, "little") + (0x0000006F).to_bytes(4, "little"))
    command = [ROOT / "firmware/run.sh", CORE, program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == FAULTED
    assert "the program wrote at 0x00000000, where there is nothing" in done.stderr


def test_cycles_are_told_by_instruction(tmp_path: Path) -> None:
    done = run(CORE, "hello", "--traffic", "--profile", tmp_path / "profile")
    assert done.returncode == 0
    lines = [line.split() for line in (tmp_path / "profile").read_text().splitlines()]
    counts = {int(line[0], 16): (int(line[1]), int(line[2])) for line in lines}
    total, code_lines, data_lines = (numbers_in(line)[0] for line in done.stderr.splitlines()[:3])
    assert total - 100 < sum(cycles for _, cycles in counts.values()) <= total
    assert code_lines - 2 <= sum(int(line[3]) for line in lines) <= code_lines
    assert sum(int(line[4]) for line in lines) == data_lines > 0
    # The loop over 4096 words, and one that writes them.
    assert sum(4096 <= times < 5000 for times, _ in counts.values()) >= 6
    assert max(counts.values())[0] < 5000
