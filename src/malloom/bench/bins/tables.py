"""The suite's tables: a set of sizes, or a number of rehashes a line; the paper's figures beside today's."""

from malloom.bench.bins import automatic, cores, counting, paper, ways, where
from malloom.bench.bins.bin_use import BEFORE, EVENNESS, SHARE, STEPS
from malloom.bench.bins.figure5 import CALL, FLUSHED, GENERATION, INSTRUCTION, INSTRUCTIONS, ORIGINAL
from malloom.bench.bins.figure8 import BREAK_EVEN, COMPILED_IN, INITIAL, REHASH
from malloom.bench.bins.guests import ALLOCATOR_INSTRUCTIONS, REQUEST
from malloom.bench.bins.others import HELD, WORST
from malloom.bench.bins.replays import CYCLES, PAIR, WITH_REHASH
from malloom.bench.numbers import ONE
from malloom.bench.tables import Table
from malloom.measure.rows import Row

SAVED = f"paper: {100 * paper.MEAN_SPEEDUP:.0f} % mean and {100 * paper.BEST_SPEEDUP:.0f} % best after 9"
AT_FIRST = f"paper: {paper.PAIR_CYCLES:g} at first"


def tables() -> list[Table]:
    """In the order of the parts."""
    ranges = "Ranges and functions"
    heaps = "Other heaps"
    by_itself = "Automatic rehash"
    return [
        *_figure5(),
        *_bin_use(),
        *_figure8("figure8-paper", "the paper's heap", INITIAL, f" ({SAVED})"),
        *_figure8(
            "figure8-raced", "the paper's heap, ranges and number of bins raced", INITIAL, f" ({SAVED})"
        ),
        *_figure8("figure8-shipped", "the shipped heap", COMPILED_IN, ""),
        _numbers("Instance and function: cycles of a pair", "ways", PAIR),
        _numbers(
            f"Instance and function: cycles more than before (paper: less than {paper.POINTER_CYCLES:g})",
            "ways",
            ways.MORE,
        ),
        Table("Instance and function: cycles, against the way before", "ways", CYCLES),
        _numbers("Where cycles go: of a pair", "where", PAIR),
        _numbers("Where cycles go: lines of instructions for a pair", "where", where.INSTRUCTION_LINES),
        _numbers("Where cycles go: lines of data for a pair", "where", where.DATA_LINES),
        Table(
            f"Where cycles go: part that steps in lists take (paper: {paper.LISTS_SHARE:g} at first)",
            "where",
            where.SHARE,
            ONE,
        ),
        *_cores(),
        Table(f"{by_itself}: cycles of ten runs, rehash included", "automatic", CYCLES),
        _numbers(f"{by_itself}: cycles of a pair, rehash included", "automatic", PAIR),
        _numbers(f"{by_itself}: rehashes", "automatic", automatic.REHASHES),
        Table("Counters: cycles, against nothing counted", "counters", CYCLES, automatic.UNCOUNTED),
        _numbers("Counters: cycles of a pair", "counters", PAIR),
        *_counting(),
        Table(f"{ranges}: cycles, against the original bins inlined", "functions", CYCLES, COMPILED_IN),
        _numbers(f"{ranges}: cycles of a pair", "functions", PAIR),
        _numbers(f"{heaps}: cycles of a pair", "others", PAIR),
        _numbers(f"{heaps}: cycles of the worst call", "others", WORST),
        Table(f"{heaps}: bytes held for a byte asked for, at the peaks", "others", HELD, ONE),
        Table(f"{heaps}: cycles, against each", "others", CYCLES),
        _numbers("Real programs: cycles of a pair", "traces", PAIR),
        _numbers("Real programs: cycles of the worst call", "traces", WORST),
        Table("Real programs: bytes held for a byte asked for, at the peaks", "traces", HELD, ONE),
        Table("Real programs: cycles, against each", "traces", CYCLES),
        _numbers("Guests: instructions of the allocator for a request and what frees it", "guests", REQUEST),
        Table("Guests: instructions, against each", "guests", ALLOCATOR_INSTRUCTIONS),
        Table("Guests: bytes held for a byte asked for, at the peaks", "guests", HELD, ONE),
        *(
            Table(f"{heaps}: {what}, against each", "others", metric, shows=lambda row: row.baseline != ONE)
            for metric, what in ((WORST, "the worst call"), (HELD, "bytes held"))
        ),
    ]


def _cores() -> list[Table]:
    title, part = "Cores", "cores"
    return [
        _numbers(f"{title}: cycles until the last task has ended", part, cores.TOTAL),
        Table(f"{title}: that, against one locked heap", part, cores.TOTAL, cores.ONE),
        _numbers(f"{title}: cycles of a pair of calls", part, PAIR),
        _numbers(f"{title}: cycles of the worst call", part, WORST),
        _numbers(f"{title}: objects that another core gives back, per cent", part, cores.FOREIGN),
        _numbers(f"{title}: objects without room in the core's own heap, per cent", part, cores.OVERFLOWS),
        _numbers(f"{title}: objects made by code of another core, per cent", part, cores.ELSEWHERE),
    ]


def _figure5() -> list[Table]:
    search = f"paper: the search up to {paper.VARIABLE_RATIO:g} times"
    generated = f"paper: {paper.GENERATION_CYCLES:,.0f}"
    instructions = f"paper: about {paper.GENERATION_CYCLES / paper.CYCLES_AN_INSTRUCTION:,.0f}"
    instruction = f"paper: {paper.CYCLES_AN_INSTRUCTION:g} host instructions"
    return [
        _numbers("Figure 5: cycles of a call", "figure5", CALL),
        Table(f"Figure 5: a call, against the original ({search})", "figure5", CALL, ORIGINAL),
        _numbers("Figure 5: cycles of a call from an empty instruction cache", "figure5", FLUSHED),
        Table("Figure 5: that, against the original", "figure5", FLUSHED, ORIGINAL),
        _numbers(f"Cycles to generate a function ({generated})", "figure5", GENERATION),
        _numbers(f"Instructions of a generated function ({instructions})", "figure5", INSTRUCTIONS),
        _numbers(f"Cycles for an instruction that is generated ({instruction})", "figure5", INSTRUCTION),
    ]


def _bin_use() -> list[Table]:
    title, part = "Figures 6 and 7", "figure6-7"
    after = f"cycles after so many rehashes (paper: {paper.FIRST_REHASH:g} after one)"
    return [
        _numbers(f"{title}: insertions, per cent of all", part, SHARE),
        _numbers(f"{title}: bins that would share the insertions evenly", part, EVENNESS),
        _numbers(f"{title}: steps in lists for a pair", part, STEPS),
        _numbers(f"{title}: cycles of a pair ({AT_FIRST})", part, PAIR),
        Table(f"{title}: {after}", part, CYCLES, BEFORE),
    ]


def _counting() -> list[Table]:
    title, part = "What a rehash goes by", "counting"
    each, compiled = f"against counting {counting.EACH}", "the shipped heap with bins compiled in"
    return [
        _numbers(f"{title}: cycles of a pair after so many rehashes", part, PAIR),
        Table(f"{title}: cycles, {each}", part, CYCLES, counting.EACH),
        Table(f"{title}: cycles with the rehash, {each}", part, WITH_REHASH, counting.EACH),
        Table(f"{title}: cycles, against the same heap's before the first", part, CYCLES, INITIAL),
        Table(f"{title}: cycles, against {compiled}", part, CYCLES, COMPILED_IN),
        Table(f"{title}: cycles with the rehash, against {compiled}", part, WITH_REHASH, COMPILED_IN),
        _numbers(f"{title}: cycles of the rehash", part, REHASH),
    ]


def _figure8(part: str, of: str, baseline: str, saved: str) -> list[Table]:
    title = f"Figure 8, {of}"
    return [
        Table(f"{title}: cycles after so many rehashes{saved}", part, CYCLES, baseline),
        Table(f"{title}: the same with the rehash before each run", part, WITH_REHASH, baseline),
        _numbers(f"{title}: cycles of a pair ({AT_FIRST})", part, PAIR),
        _numbers(f"{title}: cycles of the rehash", part, REHASH),
        _numbers(f"{title}: pairs after which the rehashes are paid for", part, BREAK_EVEN),
    ]


def _numbers(title: str, part: str, metric: str) -> Table:
    return Table(title, part, metric, ONE, cell=_number)


def _number(row: Row) -> str:
    return f"{row.ratio:,.1f}"
