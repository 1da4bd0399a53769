"""The suite's tables, with the paper's figures in their titles."""

from malloom.bench.numbers import ONE
from malloom.bench.pages import cosimulation, paper, table1, table5
from malloom.bench.tables import Table
from malloom.measure.rows import Row


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
        _numbers(f"Table 5: cells ({virtex})", table5.PART, table5.AREA),
        Table(f"Table 5: clock (paper: {paper.PERIOD} ns)", table5.PART, table5.CLOCK, ONE, cell=_hundredths),
        _numbers(
            "Co-simulation: what the unit was asked; every object lay where it does without",
            cosimulation.PART,
            cosimulation.ASKED,
        ),
    ]


def _numbers(title: str, part: str, metric: str) -> Table:
    return Table(title, part, metric, ONE, cell=_whole)


def _whole(row: Row) -> str:
    return f"{row.ratio:,.0f}"


def _hundredths(row: Row) -> str:
    return f"{row.ratio:.2f}"
