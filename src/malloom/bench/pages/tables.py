"""The suite's tables, with the paper's figures in their titles."""

from collections.abc import Callable

from malloom.bench.numbers import ONE
from malloom.bench.pages import cosimulation, host, locality, paper, switches, table1, table3, table4, table5
from malloom.bench.pages.simulation import LINE_CYCLES, LINEAR
from malloom.bench.tables import Table
from malloom.measure.rows import Row
from malloom.measure.variants import GLIBC

OTHERS = (
    "an allocator of equal cells in hardware, dalnefre's alloc.v, takes a request a clock, without a call; "
    "Mallacc halves malloc's latency"
)
"""What others' units say of themselves, beside pairs."""


def tables() -> list[Table]:
    """In the order of the parts."""
    ours = f"paper: {paper.GATES:,} gates, {paper.DELAYS} delays"
    theirs = f"whole memory of 2 GB: {paper.MEMORY_GATES}, {paper.MEMORY_DELAYS}"
    trees = f"paper: {paper.TREE_GATES} AND and as many OR in the trees"
    virtex = f"paper, Virtex II Pro: {paper.BELS:,} BELs, {paper.PINS} pins"
    return [
        _numbers(f"Table 1: gates and delays ({ours}; {theirs})", table1.PART, table1.COMPARED),
        _numbers(f"Cells before optimisation ({trees})", table1.PART, table1.CELLS),
        _numbers("Gates and delays of units for other pages", table1.PART, table1.GROWTH),
        *_programs(),
        _numbers(f"Table 5: cells ({virtex})", table5.PART, table5.AREA),
        Table(f"Table 5: clock (paper: {paper.PERIOD} ns)", table5.PART, table5.CLOCK, ONE, cell=_hundredths),
        _numbers(
            "Co-simulation: what the unit was asked; every object lay where it does without",
            cosimulation.PART,
            cosimulation.ASKED,
        ),
        _numbers("Cycles from one heap to another", switches.PART, switches.CYCLES),
        *_on_host(),
    ]


def _programs() -> list[Table]:
    """Tables 3 and 4, and figure 3."""
    saved = f"cfrac {100 * paper.SAVED_BY_CFRAC:.1f}, espresso {100 * paper.SAVED_BY_ESPRESSO:.1f}"
    by_tables = f"paper: {saved}; `paper` is what its tables 3 and 4 make"
    part = table4.PART
    return [
        _number_table("Table 3: what programs ask for", table3.PART, table3.ASKED, _tenths),
        _number_table("Table 3: per cent of cycles, searched linearly", table3.PART, table3.SHARE, _tenths),
        _number_table("Table 4: million cycles", part, table4.MILLIONS, _hundredths),
        _number_table("Table 4: speed-up against linear", part, table4.SPEEDUP, _thousandths),
        _number_table(f"Figure 3: per cent of management saved ({by_tables})", part, table4.SAVED, _tenths),
        Table("Management cycles, against linear", part, table4.MANAGEMENT, LINEAR),
        Table("Cycles outside of management, against linear", part, table4.OTHERS, LINEAR),
        _numbers("Lines of code that the cache read outside of management", part, table4.CODE_LINES),
        _numbers("Lines of data that the cache read outside of management", part, table4.DATA_LINES),
        _number_table(
            f"Cycles outside of management, per cent more than linear's and {LINE_CYCLES} a line",
            part,
            table4.UNEXPLAINED,
            _hundredths,
        ),
        _number_table("Management, million cycles of them", part, table4.PARTS, _hundredths),
        _number_table(
            f"Cycles of a malloc and its free, calls included ({OTHERS})", part, table4.PAIR, _hundredths
        ),
    ]


def _on_host() -> list[Table]:
    """Table 1's line on locality, and the page heap behind programs of this machine."""
    simulated = "16 KB 4-way and 256 KB 4-way, lines of 32 bytes"
    part, title = locality.PART, "Table 1, locality"
    return [
        Table(f"{title}: misses, first level ({simulated})", part, locality.FIRST_LEVEL, locality.BUDDY),
        Table(f"{title}: misses of the second level", part, locality.SECOND_LEVEL, locality.BUDDY),
        Table(f"{title}: pages touched", part, locality.TOUCHED, locality.BUDDY),
        Table("Instructions for memory management, against linear", host.COUNTS, host.INSTRUCTIONS, LINEAR),
        _number_table("Million instructions for memory management", host.COUNTS, host.MILLIONS, _hundredths),
        Table("CPU time", host.TIMES, "cpu_time", GLIBC),
        Table("Peak memory", host.TIMES, host.PEAK, GLIBC),
    ]


def _number_table(title: str, part: str, metric: str, cell: Callable[[Row], str]) -> Table:
    return Table(title, part, metric, ONE, cell=cell)


def _numbers(title: str, part: str, metric: str) -> Table:
    return Table(title, part, metric, ONE, cell=_whole)


def _whole(row: Row) -> str:
    return f"{row.ratio:,.0f}"


def _tenths(row: Row) -> str:
    return f"{row.ratio:,.1f}"


def _thousandths(row: Row) -> str:
    return f"{row.ratio:.3f}"


def _hundredths(row: Row) -> str:
    return f"{row.ratio:.2f}"
