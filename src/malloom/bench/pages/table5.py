"""Table 5: the chunk unit in FPGAs. Cells of an iCE40 and of the paper's Virtex II Pro by Yosys; the clock of
the iCE40 by nextpnr, as no free tool places and routes for the other."""

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median

from malloom.bench.gathered import Gathered
from malloom.bench.goals import Goal, against_limit
from malloom.bench.numbers import number_rows
from malloom.bench.pages.netlist import Design, Netlist, run_tool
from malloom.bench.steps import Bench, Step, conclusion
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
UNITS = {
    "chunk unit": "registered_chunk_unit",
    "window unit": "registered_window_unit",
    "search with 21 pins": "prototype",
}
"""Whole units with registers at their ports; and what the paper's prototype may have had."""
CORE = "VexRiscv with its function unit's port"


class Frequencies(Gathered[float]):
    """MHz, by a unit and a seed."""

    kind = float


def steps(hardware: Path, processor: Path, seeds: Sequence[int]) -> list[Step]:
    """A step a seed, as each takes a minute. `processor` is the core's Verilog."""
    found: list[Step] = []
    for name, top in UNITS.items():
        design, frequencies = Design(hardware, top), Frequencies()
        place = partial(_place, design=design, name=name, frequencies=frequencies)
        found += [
            Step(PART, f"{name}, seed {seed}", partial(place, seed=seed), 60.0, gathers=frequencies)
            for seed in seeds
        ]
        found.append(conclusion(PART, f"{name}, clock", partial(_clock_rows, name, frequencies)))
        found.append(Step(PART, f"{name}, cells", partial(_cell_rows, design=design, name=name), 60.0))
    return [*found, Step(PART, CORE, partial(_core_rows, processor=processor), 120.0)]


def _place(bench: Bench, design: Design, name: str, frequencies: Frequencies, seed: int) -> list[Row]:
    """Synthesises once a run of the suite, then places and routes."""
    made = bench.scratch / f"{design.top}.json"
    if not made.is_file():
        bench.say(f"synthesising {name} for {ICE40}")
        _synthesised(design, made)
    bench.say(f"placing and routing {name}, seed {seed}")
    frequency = _frequency(made, seed)
    frequencies[name, f"seed {seed}"] = frequency
    return number_rows((name, ICE40), CLOCK, {f"seed {seed}": frequency})


def _synthesised(design: Design, made: Path) -> Netlist:
    return design.netlist(f"synth_ice40 -top {design.top} -json {made}")


def _clock_rows(name: str, frequencies: Frequencies) -> list[Row | Goal]:
    place: Place = (name, ICE40)
    found = list(frequencies.values())
    if not found:
        return []
    middle = median(found)
    rows = number_rows(place, CLOCK, {f"median {FREQUENCY}": middle, PERIOD: 1000 / middle})
    goal = against_limit(
        place, f"period, median of {len(found)} seeds", PERIOD, [1000 / middle], WANTED_PERIOD
    )
    return [*rows, goal]


def _cell_rows(bench: Bench, design: Design, name: str) -> list[Row]:
    bench.say(f"counting cells of {name}")
    netlist = _synthesised(design, bench.scratch / f"{design.top}.json")
    rows = number_rows((name, ICE40), AREA, {**_ice40_cells(netlist.cells()), PINS: netlist.ports()})
    cells = design.netlist(f"synth_xilinx -family xc2vp -flatten -top {design.top}").cells()
    logic = sum(count for cell, count in cells.items() if cell.startswith(LOGIC))
    registers = sum(count for cell, count in cells.items() if cell.startswith("FD"))
    virtex = {BELS: logic, REGISTERS: registers, PINS: netlist.ports()}
    return [*rows, *number_rows((name, VIRTEX), AREA, virtex)]


def _ice40_cells(cells: Counter[str]) -> dict[str, float]:
    registers = sum(count for cell, count in cells.items() if cell.startswith("SB_DFF"))
    return {LUTS: cells["SB_LUT4"], REGISTERS: registers}


def _frequency(netlist: Path, seed: int) -> float:
    """MHz, as nextpnr reports it after routing."""
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
