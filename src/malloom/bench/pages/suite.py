"""The suite pages: the PHK heap with a unit in hardware, as Li, Mohanty and Kavi measure theirs."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from malloom.bench.pages import cosimulation, host, locality, switches, table1, table3, table4, table5
from malloom.bench.pages.programs import PROGRAMS, Scale
from malloom.bench.pages.simulation import SimulatedCore
from malloom.bench.pages.tables import tables
from malloom.bench.suite import Prepared, Suite
from malloom.errors import CommandError

PARTS = {
    table1.PART: "gates and longest paths, beside an allocator with a bitmap of all of memory",
    table3.PART: "ten programs: what they ask for, and what memory management takes of their cycles",
    table4.PART: "their cycles with each way to search bitmaps, and what figure 3 shows of them",
    table5.PART: "cells and clock in FPGAs",
    cosimulation.PART: "the page heap with the unit and without, on recorded programs",
    switches.PART: "what changing between two heaps with one unit takes",
    locality.PART: "misses of ten recorded programs where the page heap and a buddy heap place their objects",
    host.COUNTS: "instructions for memory management on this machine, by each way to search bitmaps",
    host.TIMES: "CPU time and peak memory of programs with the page heap, and with general allocators",
}


def prepare(
    quick: bool,
    hardware: Annotated[
        Path, typer.Option(metavar="FOLDER", help="The source tree's folder of the unit's Verilog.")
    ] = Path("hardware"),
    built: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where setup/hardware.sh put the unit's simulation.")
    ] = Path("build/hardware"),
    processor: Annotated[
        Path, typer.Option(metavar="FILE", help="The core's Verilog, as setup/firmware.sh leaves it.")
    ] = Path("build/firmware/simulated_core/VexRiscv_FullCfu.v"),
    firmware: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where setup/firmware.sh put the simulator and programs.")
    ] = Path("build/firmware"),
    short: Annotated[bool, typer.Option("--short", help="Programs with smaller inputs.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Programs with the paper's inputs, where they have such.")
    ] = False,
) -> Prepared:
    """The suite with what was chosen. Quick: fewer sizes, one seed, and a program that takes a moment."""
    chunks = table1.MEMORY_CHUNKS[:3] if quick else table1.MEMORY_CHUNKS
    pages = table1.PAGES[:2] if quick else table1.PAGES
    seeds = table5.SEEDS[:1] if quick else table5.SEEDS
    cases = cosimulation.CASES[:1] if quick else cosimulation.CASES
    scale = Scale.QUICK if quick else Scale.SHORT if short else Scale.FULL if full else Scale.USUAL
    programs = PROGRAMS[:1] if quick else PROGRAMS
    core = SimulatedCore(firmware)
    parts = {
        table1.PART: partial(table1.steps, hardware, chunks, pages),
        table3.PART: partial(table3.steps, core, scale, programs),
        table4.PART: partial(table4.steps, core, scale, programs),
        table5.PART: partial(table5.steps, hardware, processor, seeds),
        cosimulation.PART: partial(cosimulation.steps, built, cases),
        switches.PART: partial(switches.steps, core),
        locality.PART: partial(locality.steps, locality.CASES[:1] if quick else locality.CASES),
        host.COUNTS: partial(host.count_steps, programs, scale),
        host.TIMES: partial(host.time_steps, quick),
    }
    return Prepared(parts, tables(), check=partial(_check, hardware))


def _check(hardware: Path, _workloads: Path) -> None:
    if not (hardware / "rtl").is_dir():
        raise CommandError(
            f"there is no {hardware}/rtl", remedy="run in malloom's source tree, or say --hardware"
        )


SUITE = Suite(
    "Li, Mohanty and Kavi: a page allocator whose bitmaps a unit in hardware searches",
    PARTS,
    prepare,
    groups={host.GROUP: (host.COUNTS, host.TIMES)},
)
