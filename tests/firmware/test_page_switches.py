"""Two heaps with one unit in hardware, and one heap with an interrupt's handler: what keeps them apart."""

import itertools
import subprocess
from pathlib import Path

import pytest

from malloom.bench.pages.simulation import BETTER, CORES, HARDWARE, LINEAR, SimulatedCore
from malloom.bench.pages.switches import CASE, COUNTED
from some import some
from structure.source_tree import ROOT

CORE = SimulatedCore(ROOT / "build/firmware")
WORDS = 19
MOST_CYCLES = "8000000"
"""A heap that is damaged may be searched for ever."""


def run(folder: Path, variant: str, between: str) -> subprocess.CompletedProcess[str]:
    (folder / "data").write_text(f"{between}\n")
    core = CORE.folder / CORES.get(variant, "simulated_core") / "malloom-core"
    program = CORE.folder / "riscv_core/programs" / f"switches_{variant}"
    command = [core, "--limit", MOST_CYCLES, "--data", folder / "data", program]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def is_right(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether no object has changed and both heaps are whole."""
    return done.returncode == 0 and done.stdout.split()[:2] == ["0", "1"]


@pytest.mark.parametrize(
    ("variant", "between"),
    some(
        *[(LINEAR, "tasks"), (HARDWARE, "shared"), (HARDWARE, "tasks"), (BETTER, "handler")],
        of=itertools.product([LINEAR, HARDWARE, BETTER], ["handler", "tasks", "shared"]),
    ),
)
def test_interrupts_leave_heaps_and_unit_right(variant: str, between: str, tmp_path: Path) -> None:
    done = run(tmp_path, variant, between)
    assert is_right(done), done
    interrupts, within_calls = map(int, done.stdout.split()[2:])
    assert interrupts > 500
    assert within_calls == 0 if between == "shared" else within_calls > 50


@pytest.mark.parametrize(
    ("variant", "between"),
    some(
        *[(HARDWARE, "tasks"), (BETTER, "handler")],
        of=itertools.product([HARDWARE, BETTER], ["handler", "tasks"]),
    ),
)
def test_a_unit_that_is_not_saved_is_noticed(variant: str, between: str, tmp_path: Path) -> None:
    assert not is_right(run(tmp_path, variant, f"{between}!"))


@pytest.mark.parametrize("variant", [LINEAR, HARDWARE, BETTER])
def test_a_heap_that_is_interrupted_by_its_own_user_is_noticed(variant: str, tmp_path: Path) -> None:
    assert not is_right(run(tmp_path, variant, "shared!"))


def test_saving_takes_some_cycles_a_word_and_nothing_without_a_unit() -> None:
    cycles = {
        variant: dict(zip(COUNTED, map(int, CORE.printed(CASE, variant).split()), strict=True))
        for variant in (LINEAR, HARDWARE, BETTER)
    }
    assert all(2 * WORDS <= cycles[name_of][name] <= 8 * WORDS for name_of in CORES for name in COUNTED)
    assert all(cycles[LINEAR][name] < 10 for name in COUNTED)
