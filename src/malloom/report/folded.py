"""The report as folded stacks, which flame graph tools read: for each chain its calls and a number."""

from __future__ import annotations

from collections import Counter
from typing import IO

from malloom.printable import printable
from malloom.report.report import Report
from malloom.report.symbols import Place

summary = "folded stacks, for flame graph tools"


def write(report: Report, output: IO[str]) -> None:
    """Writes a line for each chain, outermost call first; the number is of what the report is sorted by."""
    found: Counter[str] = Counter()
    for row, chain in zip(report.rows, report.chains, strict=True):
        calls = [report.process.name, *(frame_name(place) for place in reversed(chain))]
        found[";".join(map(_plain, calls))] += getattr(row, report.sort) or 0
    for stack, number in found.items():
        if number:
            output.write(f"{stack} {number}\n")


def frame_name(place: Place) -> str:
    """A call with its place, where that is known."""
    return f"{place.function} ({place.where})" if place.function and place.where else str(place)


def _plain(name: str) -> str:
    """Without what separates calls and lines, and what a terminal would obey."""
    return printable(" ".join(name.replace(";", ":").split())) or "?"
