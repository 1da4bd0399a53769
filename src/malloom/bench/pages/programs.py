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
    TRACED = auto()
    """At most some million accesses, each of which is recorded and simulated."""
    TIMED = auto()
    """On a host: about a second, or the largest that there is; else the usual."""


@dataclass(frozen=True)
class Program:
    """A workload, and the paper's benchmark that it is or stands for. Inputs are arguments as in a shell."""

    workload: str
    benchmark: str
    quick: str
    short: str
    usual: str
    traced: str
    full: str = ""
    timed: str = ""
    """Empty of one that the suite of ten programs gives a size (malloom.bench.ten_programs)."""

    def case(self, scale: Scale) -> Case:
        texts = {
            Scale.QUICK: self.quick,
            Scale.SHORT: self.short,
            Scale.USUAL: self.usual,
            Scale.FULL: self.full or self.usual,
            Scale.TRACED: self.traced,
            Scale.TIMED: self.timed or self.usual,
        }
        return Case(self.workload, tuple(texts[scale].split()), "")


PROGRAMS: Sequence[Program] = (
    Program(
        "continued_fraction",
        "cfrac",
        quick="1000000016000000063",
        short="18133765060888532819",
        usual="1813376492712703137631",
        traced="1000000016000000063",
        timed="10000000000000000000000013",
    ),
    Program(
        "logic_covers",
        "espresso",
        quick="1 5 8",
        short="1 10 250",
        usual="1 12 120",
        traced="4 8 40",
        timed="400 10 80",
    ),
    Program("spheres", "boxed-sim", quick="5 1", short="10 2", usual="10 19", traced="10 2", timed="30 4000"),
    Program(
        "sentences",
        "parser",
        quick="2 50",
        short="30 300",
        usual="300 300",
        traced="100 100",
        timed="20000 2000",
    ),
    Program("perfect_numbers", "perlbmk", quick="20", short="140", usual="800", traced="140", timed="40000"),
    Program("treeadd", "treeadd", quick="9 1", short="15 1", usual="18 1", traced="15 4", full="20 1"),
    Program(
        "voronoi",
        "voronoi",
        quick="100",
        short="1024",
        usual="8192",
        traced="4096",
        full="20000 1",
        timed="32768",
    ),
    Program(
        "bisort",
        "bisort",
        quick="500",
        short="4096",
        usual="32768",
        traced="32768",
        full="250000 1",
        timed="1048576",
    ),
    Program("perimeter", "perimeter", quick="5", short="9", usual="12", traced="9", full="12", timed="15"),
    Program(
        "health",
        "health",
        quick="3 10 1",
        short="5 18 1",
        usual="5 110 1",
        traced="5 110 1",
        full="5 500 1",
    ),
)

HOLES = Program("holes", "", quick="10 3", short="100 50", usual="1000 100", traced="100 50")
"""No program of the paper's: of each page one object is released, and as many are made anew, in rounds. So
each request is for another page."""
