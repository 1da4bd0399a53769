"""The ten programs of tables 3 and 4, and what they are given."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from malloom.bench.cases import Case


class Scale(Enum):
    """How much the programs do."""

    QUICK = auto()
    """A moment, for tests."""
    SHORT = auto()
    """Seconds; at most half of the usual cycles."""
    USUAL = auto()
    """The largest with at most 100 million cycles with `linear`."""
    FULL = auto()
    """What table 3 names, where there is that; else the usual."""


@dataclass(frozen=True)
class Program:
    """A workload, and the paper's benchmark that it is or stands for. Inputs are arguments as in a shell."""

    workload: str
    benchmark: str
    quick: str
    short: str
    usual: str
    full: str = ""

    def case(self, scale: Scale) -> Case:
        texts = {
            Scale.QUICK: self.quick,
            Scale.SHORT: self.short,
            Scale.USUAL: self.usual,
            Scale.FULL: self.full or self.usual,
        }
        return Case(self.workload, tuple(texts[scale].split()), "")


PROGRAMS: Sequence[Program] = (
    Program(
        "continued_fraction", "cfrac", "1000000016000000063", "18133765060888532819", "1813376492712703137631"
    ),
    Program("logic_covers", "espresso", "1 5 8", "1 10 250", "1 12 120"),
    Program("spheres", "boxed-sim", "5 1", "10 2", "10 19"),
    Program("sentences", "parser", "2 50", "30 300", "300 300"),
    Program("perfect_numbers", "perlbmk", "20", "140", "800"),
    Program("treeadd", "treeadd", "9 1", "15 1", "18 1", "20 1"),
    Program("voronoi", "voronoi", "100", "1024", "8192", "20000 1"),
    Program("bisort", "bisort", "500", "4096", "32768", "250000 1"),
    Program("perimeter", "perimeter", "5", "9", "12", "12"),
    Program("health", "health", "3 10 1", "5 18 1", "5 110 1", "5 500 1"),
)

HOLES = Program("holes", "", "10 3", "100 50", "1000 100")
"""No program of the paper's: of each page one object is released, and as many are made anew, in rounds. So
each request is for another page."""
