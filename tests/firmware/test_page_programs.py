"""The page allocator's ten programs on the simulated core: each way to search gives what the host gives."""

import json
import subprocess
from pathlib import Path

import pytest

from malloom.bench.pages.programs import HOLES, PROGRAMS, Program, Scale
from malloom.bench.pages.simulation import BETTER, COUNTED, HARDWARE, LINEAR, VARIANTS, SimulatedCore
from structure.source_tree import ROOT

CORE = SimulatedCore(ROOT / "build/firmware")
MALLOOM = ROOT / ".venv/bin/malloom"
FEW = [pytest.param(each, marks=pytest.mark.long) for each in PROGRAMS[1:]]
SHORTEST = 10
"""Cycles from the call of a malloc or a free to its return that the unit of windows may take."""


def on_host(program: Program) -> str:
    case = program.case(Scale.QUICK)
    command = [ROOT / "build/release/workloads" / case.workload / case.workload, *case.arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("program", [PROGRAMS[0], HOLES, *FEW], ids=str)
@pytest.mark.parametrize("variant", VARIANTS)
def test_each_search_gives_the_hosts_output(program: Program, variant: str) -> None:
    printed, cycles = CORE.run(program.case(Scale.QUICK), variant)
    assert printed == on_host(program)
    assert 0 < cycles.set_up + cycles.transfer < cycles.management < cycles.all
    assert (cycles.transfer > 0) == (variant == HARDWARE)


@pytest.mark.parametrize("program", [PROGRAMS[0], *FEW], ids=str)
def test_requests_are_counted(program: Program) -> None:
    requests = CORE.requests(program.case(Scale.QUICK))
    assert 0 <= requests.releases <= requests.count
    assert requests.bytes > 0


def test_sizes_of_requests_are_those_of_table_3() -> None:
    requests = CORE.requests(PROGRAMS[5].case(Scale.QUICK))
    assert requests.bytes == 24 * requests.count == 24 * (2**9 - 1)
    assert requests.releases == 0


def test_windows_serve_each_call_in_few_cycles() -> None:
    software, windows = (CORE.cycles_of_pairs(variant) for variant in ("ctz_instruction", BETTER))
    assert windows.keys() == software.keys() == {"one", "twenty"}
    assert all(0 < windows[name] <= 2 * SHORTEST < software[name] for name in windows)


def test_arguments_have_to_be_lines(tmp_path: Path) -> None:
    (tmp_path / "arguments").write_text("9 1")
    core = CORE.folder / "simulated_core/malloom-core"
    program = CORE.folder / "riscv_core/programs" / f"treeadd_{COUNTED}"
    command = [core, "--data", tmp_path / "arguments", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("\n")) == (98, 1)
    assert "is no list of at most" in done.stdout


@pytest.mark.long
def test_the_suite_has_its_tables(tmp_path: Path) -> None:
    rows = tmp_path / "rows.json"
    parts = ("--only", "table3", "--only", "table4")
    command = [MALLOOM, "bench", "pages", "--quick", *parts, "--json", rows]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    found = json.loads(rows.read_text())["rows"]
    cycles = {row["variant"]: row for row in found if row["metric"] == "management_cycles"}
    goals = {name for name in cycles if name.startswith("better, of ")}
    management = {name: row for name, row in cycles.items() if name not in goals}
    assert goals
    assert management.keys() == {*VARIANTS} - {LINEAR}
    assert all(row["low"] == row["ratio"] == row["high"] for row in management.values())
    assert {"bytes a request", "percent for management"} <= {row["variant"] for row in found}
