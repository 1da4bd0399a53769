"""Table 5: the chunk unit in FPGAs. Cells of an iCE40 and of the paper's Virtex II Pro by Yosys; the clock of
the iCE40 by nextpnr, as no free tool places and routes for the other."""

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median

from malloom.bench.goals import Goal, against_limit
from malloom.bench.numbers import number_rows
from malloom.bench.pages.netlist import Design, run_tool
from malloom.bench.steps import Bench, Step
from malloom.errors import CommandError
from malloom.measure.rows import Place, Row

PART = "table5"
AREA, CLOCK = "fpga_cells", "clock"
ICE40, VIRTEX = "iCE40 hx8k", "Virtex II Pro"
LUTS, BELS, REGISTERS, PINS, PERIOD, FREQUENCY = "LUT4", "BELs", "flip-flops", "pins", "period in ns", "MHz"
WANTED_PERIOD = 20.0
"""Nanoseconds: 50 MHz."""
SEEDS = (1, 2, 3, 4, 5)
LOGIC = ("LUT", "MUXF", "MUXCY", "XORCY", "INV", "GND", "VCC")
"""Cells of Xilinx's that ISE counts as basic elements."""
UNITS = {"chunk unit": "registered_chunk_unit", "search with 21 pins": "prototype"}
"""The whole unit with registers at its ports; and what the paper's prototype may have had."""
CORE = "VexRiscv with its function unit's port"


def steps(hardware: Path, processor: Path, seeds: Sequence[int]) -> list[Step]:
    """`processor` is the core's Verilog."""
    ice40 = partial(_ice40_rows, hardware=hardware, seeds=seeds)
    return [
        *(Step(PART, f"{name}, {ICE40}", partial(ice40, name=name), 100.0) for name in UNITS),
        Step(PART, VIRTEX, partial(_virtex_rows, hardware=hardware), 60.0),
        Step(PART, CORE, partial(_core_rows, processor=processor), 120.0),
    ]


def _ice40_rows(bench: Bench, hardware: Path, seeds: Sequence[int], name: str) -> list[Row | Goal]:
    bench.say(f"synthesising {name} for {ICE40}")
    design, place = Design(hardware, UNITS[name]), (name, ICE40)
    with tempfile.TemporaryDirectory(prefix="malloom-pages-") as folder:
        made = Path(folder) / "unit.json"
        netlist = design.netlist(f"synth_ice40 -json {made} -top {design.top}")
        frequencies = [_frequency(bench, made, seed) for seed in seeds]
    rows: list[Row | Goal] = [
        *number_rows(place, AREA, {**_ice40_cells(netlist.cells()), PINS: netlist.ports()})
    ]
    rows += number_rows(
        place, CLOCK, {f"seed {seed}": each for seed, each in zip(seeds, frequencies, strict=True)}
    )
    middle = median(frequencies)
    rows += number_rows(place, CLOCK, {f"median {FREQUENCY}": middle, PERIOD: 1000 / middle})
    return [
        *rows,
        against_limit(place, f"period, median of {len(seeds)} seeds", PERIOD, [1000 / middle], WANTED_PERIOD),
    ]


def _ice40_cells(cells: Counter[str]) -> dict[str, float]:
    registers = sum(count for cell, count in cells.items() if cell.startswith("SB_DFF"))
    return {LUTS: cells["SB_LUT4"], REGISTERS: registers}


def _frequency(bench: Bench, netlist: Path, seed: int) -> float:
    """MHz, as nextpnr reports it after routing."""
    bench.say(f"placing and routing, seed {seed}")
    with tempfile.NamedTemporaryFile(prefix="malloom-nextpnr-", suffix=".json") as report:
        options = ["--hx8k", "--package", "ct256", "--seed", str(seed), "--freq", str(1000 / WANTED_PERIOD)]
        # What misses the wanted clock is a result, and no failure.
        run_tool(
            "nextpnr-ice40",
            "-q",
            *options,
            "--timing-allow-fail",
            "--json",
            str(netlist),
            "--report",
            report.name,
        )
        clocks = json.loads(Path(report.name).read_bytes())["fmax"]
    if len(clocks) != 1:
        raise CommandError(f"nextpnr tells of {len(clocks)} clocks, and not of one")
    return float(next(iter(clocks.values()))["achieved"])


def _virtex_rows(bench: Bench, hardware: Path) -> list[Row]:
    rows: list[Row] = []
    for name, top in UNITS.items():
        bench.say(f"synthesising {name} for {VIRTEX}")
        netlist = Design(hardware, top).netlist(f"synth_xilinx -family xc2vp -flatten -top {top}")
        cells = netlist.cells()
        logic = sum(count for cell, count in cells.items() if cell.startswith(LOGIC))
        registers = sum(count for cell, count in cells.items() if cell.startswith("FD"))
        rows += number_rows((name, VIRTEX), AREA, {BELS: logic, REGISTERS: registers, PINS: netlist.ports()})
    return rows


def _core_rows(bench: Bench, processor: Path) -> list[Row]:
    """The core, to compare the unit's area with."""
    if not processor.is_file():
        raise CommandError(f"there is no {processor}", remedy="run 'make firmware' in malloom's source tree")
    bench.say(f"synthesising {CORE} for {ICE40}")
    place: Place = (CORE, ICE40)
    with tempfile.NamedTemporaryFile(prefix="malloom-core-", suffix=".json") as made:
        run_tool(
            "yosys", "-q", "-p", f"read_verilog {processor}; synth_ice40 -top VexRiscv -json {made.name}"
        )
        cells = json.loads(Path(made.name).read_bytes())["modules"]["VexRiscv"]["cells"].values()
    return number_rows(place, AREA, _ice40_cells(Counter(cell["type"] for cell in cells)))
