"""The paper's figures, drawn of what the suite measures."""

from malloom.bench.bins import cores
from malloom.bench.bins.bin_use import SHARE
from malloom.bench.bins.figure5 import CALL, FLUSHED
from malloom.bench.bins.figure8 import COMPILED_IN, INITIAL
from malloom.bench.bins.guests import REQUEST
from malloom.bench.bins.others import WORST
from malloom.bench.bins.replays import CYCLES, PAIR
from malloom.bench.numbers import ONE
from malloom.bench.pictures import Picture, Shape
from malloom.bench.tables import Table

REHASHES = "rehashes"


def pictures() -> list[Picture]:
    """In the order of the paper."""
    return [
        _cycles("figure5", "Figure 5: a call of a bin function, in the cache", "figure5", CALL),
        _cycles("figure5-flushed", "The same from an empty instruction cache", "figure5", FLUSHED),
        Picture(
            "figure6-7",
            Table("Figures 6 and 7: insertions by bins", "figure6-7", SHARE, ONE),
            Shape.BARS,
            "bins, from the smallest sizes on",
            "per cent of all insertions",
        ),
        _figure8("figure8-paper", "the paper's heap", INITIAL),
        _figure8("figure8-raced", "the paper's heap, ranges and number of bins raced", INITIAL),
        _figure8("figure8-shipped", "the shipped heap", COMPILED_IN),
        _cycles("ways", "Instance and function: a pair of calls", "ways", PAIR),
        _cycles("where", "Where the cycles of a pair go", "where", PAIR),
        _cycles("cores", "Cores: until the last task has ended", "cores", cores.TOTAL),
        _cycles("automatic", "Automatic rehash: a pair of calls, rehash included", "automatic", PAIR),
        _cycles("counters", "Counters: a pair of calls", "counters", PAIR),
        _cycles("counting", "What a rehash goes by: a pair of calls", "counting", PAIR),
        _cycles("functions", "Ranges and functions: a pair of calls", "functions", PAIR),
        Picture(
            "guests",
            Table("Recorded guests: a request and what frees it", "guests", REQUEST, ONE),
            Shape.BARS,
            "",
            "instructions",
        ),
        _cycles("others", "Other heaps: a pair of calls", "others", PAIR),
        _cycles("others-worst", "Other heaps: the worst call", "others", WORST),
        _cycles("traces", "Real programs: a pair of calls", "traces", PAIR),
    ]


def _cycles(name: str, title: str, part: str, metric: str) -> Picture:
    return Picture(name, Table(title, part, metric, ONE), Shape.BARS, "", "cycles")


def _figure8(part: str, of: str, baseline: str) -> Picture:
    table = Table(f"Figure 8, {of}: cycles after each rehash", part, CYCLES, baseline)
    return Picture(part, table, Shape.LINES, REHASHES, f"of the cycles: {baseline}")
