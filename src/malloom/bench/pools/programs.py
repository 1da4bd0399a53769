"""The programs that the suite runs, each with one input."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from malloom.bench.dynamic.sizes import sized
from malloom.bench.inputs.documents import write_json
from malloom.bench.inputs.sources import write_source
from malloom.bench.placement.real_programs import MEGABYTE, RealProgram, dot, jq, xsltproc
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case, cover, hexapawn, traverse
from malloom.measure.process import Command
from malloom.measure.valgrind import installed

SUMMING = """
import collections, json, sys
totals = collections.Counter()
for order in json.load(open(sys.argv[1], encoding="utf-8")):
    totals[order["region"]] += sum(item["price"] for item in order["items"])
print(sorted(totals.items()))
"""


@dataclass(frozen=True)
class Program:
    """What rows call a program and its input, and how to start it."""

    workload: str
    input: str
    command: Callable[[Bench], Command]

    @property
    def place(self) -> tuple[str, str]:
        return self.workload, self.input

    def __str__(self) -> str:
        return f"{self.workload} {self.input}".strip()


def of_case(case: Case) -> Program:
    return Program(*case.place, lambda bench: case.command(bench.workloads))


def of_real(program: RealProgram) -> Program:
    return Program(program.name, program.input, lambda bench: Command(program.prepare(bench.scratch)))


START_UP = Program("start-up", "true", lambda _bench: Command(["/bin/true"]))
"""A program that does nothing: all that it costs is its start and its end."""


def the_ten(names: Sequence[str], size: str, last_level: int) -> list[Program]:
    """Programs of the suite dynamic with a heap of that size."""
    return [of_case(sized(name, size, last_level)) for name in names]


def few_live() -> list[Program]:
    """Programs whose pools bring nothing: what they make is soon released, or walked in the order of making,
    or made at one call site."""
    runs = {"fibonacci": 32, "sort": 1, "words": 4, "streams": 2500}
    cases = [
        Case("factors", ("100000000000880000000001887",), "factor_time"),
        Case("list_walk", ("100000", "2000"), "walk_time"),
        Case("list_walk", ("1000000", "60"), "walk_time"),
        *(Case("interpreter", (script, str(rounds)), "run_time") for script, rounds in runs.items()),
    ]
    return [of_case(case) for case in cases]


def few_live_small() -> list[Program]:
    cases = [Case("factors", ("77",), "factor_time"), Case("interpreter", ("sort", "1"), "run_time")]
    return [of_case(case) for case in cases]


def real() -> list[Program]:
    """Programs from Debian, as they are, with inputs for a second or two."""
    return [of_real(each) for each in (cc1(150), python3(40), xsltproc(20), jq(20), dot(150, 300))]


def real_small() -> list[Program]:
    return [of_real(each) for each in (cc1(20), python3(1))]


def others() -> list[Program]:
    """The tree's other programs, whose memory counts too."""
    cases = [traverse(18, 4), cover(300), hexapawn(4, 3), Case("ebb", (str(64 << 20),), "empty_bytes")]
    return [of_case(case) for case in cases]


def cc1(functions: int) -> RealProgram:
    """The C compiler proper, over one generated file."""

    def prepare(folder: Path) -> tuple[str, ...]:
        source = folder / f"functions-{functions}.c"
        if not source.exists():
            write_source(source, functions)
        return _compiler(), "-quiet", "-O2", str(source), "-o", "/dev/null"

    return RealProgram("cc1", f"{functions} functions", prepare)


def _compiler() -> str:
    """Where gcc keeps it: gcc itself only starts it."""
    asked = [installed("gcc"), "-print-prog-name=cc1"]
    path = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    return installed(path, "gcc")


def python3(megabytes: int) -> RealProgram:
    """Orders read, grouped by region and summed up, with the interpreter's own small-object allocator."""

    def prepare(folder: Path) -> tuple[str, ...]:
        document = folder / f"orders-{megabytes}.json"
        if not document.exists():
            write_json(document, megabytes * MEGABYTE)
        return str(Path(sys.executable).resolve()), "-I", "-S", "-c", SUMMING, str(document)

    return RealProgram("python3", f"{megabytes} MB document", prepare)
