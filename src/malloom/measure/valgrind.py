"""Exact miss counts from valgrind's cachegrind, at a geometry of one's choice."""

import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from malloom.cache.geometry import Geometry
from malloom.errors import CommandError
from malloom.measure.interval import exact
from malloom.measure.process import Command, ended, last_line
from malloom.measure.rows import Place, Row, row

# The thesis's simulated Pentium 4 (section 5.2): 8 KB 4-way and 512 KB 8-way, 64-byte lines. Its first-level
# instruction cache had 32-byte lines.
THESIS_GEOMETRY = ("--I1=16384,8,32", "--D1=8192,4,64", "--LL=524288,8,64")

METRICS = ("l1d_misses", "llc_misses")


def options_of(geometry: Geometry) -> tuple[str, ...]:
    """The first and the last cache of a machine; the instruction cache is the thesis's, which nothing asks
    about."""
    first, last = geometry.caches[0], geometry.caches[-1]
    named = (("D1", first), ("LL", last))
    data = [f"--{name}={cache.size_bytes},{cache.ways},{cache.line_bytes}" for name, cache in named]
    return THESIS_GEOMETRY[0], *data


@dataclass(frozen=True)
class Misses:
    """Counts of one run: data references, misses of the first-level data cache, last-level misses of data."""

    references: int
    l1d_misses: int
    llc_misses: int


def count_misses(command: Command, geometry: tuple[str, ...] = THESIS_GEOMETRY) -> Misses:
    """Runs a command under cachegrind. Raises CommandError where valgrind is missing or the program fails."""
    return _misses_of(_totals(output_of_valgrind(command, "cachegrind", "--cache-sim=yes", *geometry)))


def count_instructions(command: Command) -> int:
    """Of a whole run, as callgrind counts them."""
    return _totals(output_of_valgrind(command, "callgrind"))["Ir"]


def output_of_valgrind(command: Command, tool: str, *options: str, addresses: int = 0) -> str:
    """What cachegrind or callgrind writes about a run, with at most so many bytes of address space where that
    is not 0. Raises CommandError where it is missing or fails."""
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts"
        limit = [installed("prlimit", "util-linux"), f"--as={addresses}"] if addresses else []
        prefix = [*limit, installed("valgrind"), f"--tool={tool}", *options, f"--{tool}-out-file={counts}"]
        with ended(command, prefix) as run:
            if run.status != 0 or not counts.is_file():
                why = last_line(run.errors.read())
                raise CommandError(f"{command.arguments[0]} failed under {tool}: {why}")
        return counts.read_text(encoding="utf-8", errors="replace")


def installed(program: str, package: str = "") -> str:
    """The path of a program that measuring needs. Raises CommandError where it is not installed."""
    path = shutil.which(program)
    if path is None:
        raise CommandError(
            f"{program} is not installed", remedy=f"install Debian's package {package or program}"
        )
    return path


def _totals(text: str) -> Mapping[str, int]:
    events = re.search(r"^events: (.*)$", text, re.MULTILINE)
    summary = re.search(r"^summary: (.*)$", text, re.MULTILINE)
    if events is None or summary is None:
        raise CommandError("cachegrind wrote no totals")
    return dict(zip(events[1].split(), map(int, summary[1].split()), strict=True))


def _misses_of(totals: Mapping[str, int]) -> Misses:
    return Misses(
        totals["Dr"] + totals["Dw"], totals["D1mr"] + totals["D1mw"], totals["DLmr"] + totals["DLmw"]
    )


def miss_rows(place: Place, counts: Mapping[str, Misses], baseline: str) -> list[Row]:
    """A row for every metric and every other variant that was counted."""
    base = counts[baseline]
    return [
        row(place, name, baseline, metric, exact(getattr(counted, metric) / getattr(base, metric)))
        for name, counted in counts.items()
        if name != baseline
        for metric in METRICS
    ]
