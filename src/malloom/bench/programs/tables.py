"""The suite's tables and its picture."""

from collections.abc import Sequence

from malloom.bench.debian.programs import Program, Role
from malloom.bench.general import BEST
from malloom.bench.means import MEAN
from malloom.bench.numbers import ONE
from malloom.bench.pictures import Picture, Shape
from malloom.bench.programs.held_out import BEST_ROW, KEPT, UNLIMITED, WITHOUT
from malloom.bench.programs.scale import MEMORY, TIME, Aim
from malloom.bench.programs.summary import PROGRAMS
from malloom.bench.tables import Table
from malloom.measure.rows import Row
from malloom.measure.variants import GLIBC

SUMMARY = "all"
"""The part that concludes over the programs."""
NAMES = {TIME: "CPU time", MEMORY: "Peak memory"}


def tables(programs: Sequence[Program], aim: Aim) -> list[Table]:
    """What is kept first, then a table for each program."""
    what, metric = NAMES[aim], aim.metric
    return [
        Table(f"{what} of what is kept, on held-out inputs", "", metric, shows=_is_kept),
        *_memory(aim),
        Table(f"{what}, means over programs, on held-out inputs", SUMMARY, metric, shows=_is_mean),
        Table("How many programs kept what", SUMMARY, PROGRAMS, ONE),
        _whose_gain(aim),
        *(
            Table(f"{each.name}: {what} against the program as it is", each.name, metric, GLIBC, turned=True)
            for each in programs
        ),
    ]


def _memory(aim: Aim) -> list[Table]:
    """What the time costs; where memory is the aim it is told already."""
    title = "Peak memory of what is kept, on held-out inputs"
    return [Table(title, "", aim.metric, shows=_is_kept, cell=_peak)] if aim is TIME else []


def _peak(row: Row) -> str:
    return "-" if row.peak_rss_ratio is None else f"{row.peak_rss_ratio:.2f}"


def _whose_gain(aim: Aim) -> Table:
    title = f"{NAMES[aim]} with each part of what is kept, against that without it"
    return Table(title, SUMMARY, aim.metric, WITHOUT)


def pictures(aim: Aim) -> list[Picture]:
    up = f"{NAMES[aim]} against the program as it is"
    return [Picture("programs-parts", _whose_gain(aim), Shape.STACKED, "program", up)]


def _is_kept(row: Row) -> bool:
    of_held_out = row.input.startswith(Role.HELD_OUT) and row.workload != MEAN
    return of_held_out and row.variant == KEPT and row.baseline in (GLIBC, BEST, UNLIMITED, BEST_ROW)


def _is_mean(row: Row) -> bool:
    return row.workload == MEAN
