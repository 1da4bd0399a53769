"""The suite's tables: a set of sizes, or a number of rehashes a line; the paper's figures beside today's."""

from malloom.bench.bins import paper
from malloom.bench.bins.bin_use import BEFORE, EVENNESS, SHARE, STEPS
from malloom.bench.bins.figure5 import CALL, FLUSHED, GENERATION, INSTRUCTION, ORIGINAL
from malloom.bench.bins.figure8 import BREAK_EVEN, COMPILED_IN, INITIAL, REHASH
from malloom.bench.bins.replays import CYCLES, PAIR, WITH_REHASH
from malloom.bench.splitting.numbers import ONE
from malloom.bench.tables import Table
from malloom.measure.rows import Row

SAVED = f"paper: {100 * paper.MEAN_SPEEDUP:.0f} % mean and {100 * paper.BEST_SPEEDUP:.0f} % best after 9"


def tables() -> list[Table]:
    """In the order of the parts."""
    generated = f"paper: {paper.GENERATION_CYCLES:,.0f}"
    instructions = f"paper: {paper.CYCLES_AN_INSTRUCTION:g} host instructions"
    return [
        Table(
            f"Figure 5: cycles of a call (paper: the search up to {paper.VARIABLE_RATIO:g} times)",
            "figure5",
            CALL,
            ONE,
            cell=_number,
        ),
        Table("Figure 5: a call, against the original", "figure5", CALL, ORIGINAL),
        Table(
            "Figure 5: cycles of a call from an empty instruction cache",
            "figure5",
            FLUSHED,
            ONE,
            cell=_number,
        ),
        Table("Figure 5: that, against the original", "figure5", FLUSHED, ORIGINAL),
        Table(f"Cycles to generate a function ({generated})", "figure5", GENERATION, ONE, cell=_number),
        Table(
            f"Cycles for an instruction that is generated ({instructions})",
            "figure5",
            INSTRUCTION,
            ONE,
            cell=_number,
        ),
        Table("Figures 6 and 7: insertions, per cent of all", "figure6-7", SHARE, ONE, cell=_number),
        Table(
            "Figures 6 and 7: bins that would share the insertions evenly",
            "figure6-7",
            EVENNESS,
            ONE,
            cell=_number,
        ),
        Table("Figures 6 and 7: steps in lists for a pair", "figure6-7", STEPS, ONE, cell=_number),
        Table(
            f"Figures 6 and 7: cycles of a pair (paper: {paper.PAIR_CYCLES:g} at first)",
            "figure6-7",
            PAIR,
            ONE,
            cell=_number,
        ),
        Table(
            f"Figures 6 and 7: cycles after so many rehashes (paper: {paper.FIRST_REHASH:g} after one)",
            "figure6-7",
            CYCLES,
            BEFORE,
        ),
        *_figure8("figure8-paper", "the paper's heap", INITIAL, f" ({SAVED})"),
        *_figure8("figure8-shipped", "the shipped heap", COMPILED_IN, ""),
        Table(
            "Ranges and functions: cycles, against the original bins compiled in",
            "functions",
            CYCLES,
            COMPILED_IN,
        ),
        Table("Ranges and functions: cycles of a pair", "functions", PAIR, ONE, cell=_number),
    ]


def _figure8(part: str, of: str, baseline: str, saved: str) -> list[Table]:
    title = f"Figure 8, {of}"
    return [
        Table(f"{title}: cycles after so many rehashes{saved}", part, CYCLES, baseline),
        Table(f"{title}: the same with the rehash before each run", part, WITH_REHASH, baseline),
        Table(
            f"{title}: cycles of a pair (paper: {paper.PAIR_CYCLES:g} at first)",
            part,
            PAIR,
            ONE,
            cell=_number,
        ),
        Table(f"{title}: cycles of the rehash", part, REHASH, ONE, cell=_number),
        Table(f"{title}: pairs after which the rehashes are paid for", part, BREAK_EVEN, ONE, cell=_number),
    ]


def _number(row: Row) -> str:
    return f"{row.ratio:,.1f}"
