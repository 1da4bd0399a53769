"""Table 1: gates and longest paths of the chunk unit, and of an allocator of Chang and Gehringer's kind,
which has a bitmap of all of memory."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from malloom.bench.goals import Goal, against_limit
from malloom.bench.numbers import number_rows
from malloom.bench.pages import paper
from malloom.bench.pages.netlist import Design, Netlist, flat, gates_of, registers_of, simple
from malloom.bench.steps import Bench, Step
from malloom.measure.rows import Place, Row

PART = "table1"
CELLS, COMPARED, GROWTH = "cells", "gates_and_delays", "gates_of_pages"
GATES, TREES, REGISTERS, FIND, CHOSEN, CLOCK = (
    "gates",
    "gates of the trees",
    "flip-flops",
    "delays of a find",
    "of a find in a class",
    "register to register",
)
WHOLE_MEMORY = "whole memory"
MEMORY_CHUNKS = (64, 128, 256, 512, 1024)
PAGES = (1024, 2048, 4096, 8192, 16384)
BOXES = {
    "or_tree": "OR-trees",
    "and_tree": "AND-trees",
    "multiplexer": "multiplexers",
    "demultiplexer": "demultiplexers",
    "bit_flipper": "bit-flippers",
    "bitmap_register": "flip-flops of the bitmaps",
    "page_unit": "rest of the pages",
    "size_class": "rest of the classes",
    "chunk_unit": "rest of the unit",
}
"""Modules as the paper's figures call them."""
KINDS = {
    "$_AND_": "AND",
    "$_OR_": "OR",
    "$_NOT_": "NOT",
    "$_XOR_": "XOR",
    "$_MUX_": "multiplexer",
    "$_DFF_P_": "flip-flop",
}
UNIT = ("chunk unit", "a page of 4096 bytes a class")


def steps(hardware: Path, memory_chunks: Sequence[int], pages: Sequence[int]) -> list[Step]:
    return [
        Step(PART, "the unit", partial(_unit_rows, hardware=hardware), 10.0),
        Step(PART, "pages", partial(_page_rows, hardware=hardware, pages=pages), 15.0),
        Step(PART, WHOLE_MEMORY, partial(_memory_rows, hardware=hardware, sizes=memory_chunks), 30.0),
    ]


def _unit_rows(bench: Bench, hardware: Path) -> list[Row | Goal]:
    """Each box's cells, the sums, the depths, and what the paper says that there may be at most."""
    bench.say("counting the unit's gates")
    unit = simple(Design(hardware, "chunk_unit"))
    rows: list[Row | Goal] = []
    for name, cells in unit.boxes().items():
        rows += number_rows((BOXES[name], ""), CELLS, {KINDS[kind]: count for kind, count in cells.items()})
    rows += number_rows(("all", ""), CELLS, {KINDS[kind]: count for kind, count in unit.cells().items()})
    find = flat(Design(hardware, "page_unit")).depth_to("found_o")
    chosen = flat(Design(hardware, "chunk_unit")).depth_to_signal("found")
    clock = flat(Design(hardware, "registered_chunk_unit")).depth_to_registers()
    rows += number_rows(UNIT, COMPARED, {**_sums(unit), FIND: find, CHOSEN: chosen, CLOCK: clock})
    trees = unit.boxes()
    for kind, box in (("$_AND_", "and_tree"), ("$_OR_", "or_tree")):
        rows.append(
            against_limit(
                UNIT, f"{KINDS[kind]} gates of the trees", CELLS, [trees[box][kind]], paper.TREE_GATES
            )
        )
    return [*rows, against_limit(UNIT, FIND, COMPARED, [find], paper.DELAYS)]


def _sums(netlist: Netlist) -> dict[str, float]:
    boxes = netlist.boxes()
    trees = boxes["and_tree"]["$_AND_"] + boxes["or_tree"]["$_OR_"]
    cells = netlist.cells()
    return {GATES: gates_of(cells), TREES: trees, REGISTERS: registers_of(cells)}


def _page_rows(bench: Bench, hardware: Path, pages: Sequence[int]) -> list[Row]:
    """Units for other pages: gates grow as pages do."""
    rows: list[Row] = []
    for page in pages:
        bench.say(f"counting gates for pages of {page} bytes")
        unit = simple(Design(hardware, "chunk_unit", (("PAGE_BYTES", page),)))
        find = flat(Design(hardware, "page_unit", (("CHUNKS", page // 16),))).depth_to("found_o")
        rows += number_rows(("chunk unit", f"pages of {page} bytes"), GROWTH, {**_sums(unit), FIND: find})
    return rows


def _memory_rows(bench: Bench, hardware: Path, sizes: Sequence[int]) -> list[Row]:
    """As many chunks as can be synthesised, and by a fit the paper's 2 GB."""
    found: dict[int, Mapping[str, float]] = {}
    for chunks in sizes:
        bench.say(f"counting gates of an allocator for {chunks} chunks")
        netlist = flat(Design(hardware, "whole_memory_allocator", (("CHUNKS", chunks),)))
        cells = netlist.cells()
        found[chunks] = {
            GATES: gates_of(cells),
            TREES: 2 * (chunks - 1),
            REGISTERS: registers_of(cells),
            FIND: netlist.depth_to("found_o"),
            CLOCK: netlist.depth_to_registers(),
        }
    chunks = 1 << paper.MEMORY_LEVELS
    beyond = {**fitted(found, chunks), TREES: 2 * (chunks - 1), REGISTERS: chunks}
    rows = [
        each
        for chunks, numbers in found.items()
        for each in number_rows(_memory(f"{chunks} chunks"), COMPARED, numbers)
    ]
    return [*rows, *number_rows(_memory(f"by a fit, 2^{paper.MEMORY_LEVELS} chunks"), COMPARED, beyond)]


def _memory(chunks: str) -> Place:
    return WHOLE_MEMORY, chunks


def fitted(found: Mapping[int, Mapping[str, float]], chunks: int) -> dict[str, float]:
    """Gates as a n log2 n + b n, delays as a log2 n + b, by least squares."""
    sizes = np.asarray(list(found), float)
    logarithms, wanted = np.log2(sizes), np.log2(chunks)
    gates = np.asarray([numbers[GATES] for numbers in found.values()])
    straight = np.column_stack((logarithms, np.ones_like(sizes)))

    def delays(name: str) -> float:
        slope, begin = np.linalg.lstsq(
            straight, np.asarray([numbers[name] for numbers in found.values()]), rcond=None
        )[0]
        return float(round(slope * wanted + begin))

    # Weighed by their inverse, so that the largest does not decide alone.
    a, b = np.linalg.lstsq(straight, gates / sizes, rcond=None)[0]
    return {GATES: float(round(chunks * (a * wanted + b))), FIND: delays(FIND), CLOCK: delays(CLOCK)}
