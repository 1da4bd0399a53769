"""The report for people: tables, with colours where the output is a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import IO

from rich.console import Console
from rich.markup import escape

from malloom.output_width import output_width
from malloom.printable import printable
from malloom.quantities import counted
from malloom.report.chains import SHORTEST, told_apart
from malloom.report.context_rows import ContextRow, Totals
from malloom.report.report import Report

summary = "tables to read"

HEADINGS = ("requests", "bytes", "live peak", "lifetime", "to end", "accesses", "accessed")

GAP = 2
"""Blanks between columns."""

NARROWEST = 60
"""Columns that a chain has beside the numbers; where there are fewer it stands below them."""

INDENTED = 4
"""Blanks before a chain that stands below the numbers."""


def write(report: Report, output: IO[str]) -> None:
    """Writes the tables, fitted to the output's width."""
    width = output_width(output)
    console = Console(file=output, highlight=False, soft_wrap=True, width=width)
    if not console.is_terminal:
        console = Console(file=output, highlight=False, soft_wrap=True, width=width, color_system=None)
    process, totals = report.process, report.totals
    console.print(f"[bold]{escape(printable(process.executable or process.name))}[/bold]  pid {process.pid}")
    for said in (*report.gaps, *report.notes):
        console.print(f"[yellow]note:[/yellow] {escape(printable(said))}")
    console.print("\n".join(in_columns([f"{part};" for part in totals_text(totals).split("; ")], width))[:-1])
    header, *lines = table_lines(report, width)
    console.print(f"[bold]{header}[/bold]")
    output.write("".join(f"{line}\n" for line in lines))
    if len(report.rows) < totals.contexts:
        console.print(f"{counted(totals.contexts - len(report.rows), 'more context')} ('--top 0' shows all)")


def totals_text(totals: Totals) -> str:
    """The totals in a line, without those that the profile cannot tell."""
    parts = [
        f"{counted(totals.requests, 'request')} of {bytes_text(totals.bytes)} "
        f"from {counted(totals.contexts, 'context')}, {counted(totals.threads, 'thread')}",
        f"at most {bytes_text(totals.live_peak)} at once",
    ]
    if totals.to_end is not None:
        parts.append(f"{totals.to_end:.0%} live to the end")
    if totals.accesses is not None:
        parts.append(counted(totals.accesses, "access", "es"))
    return "; ".join(parts)


def table_lines(report: Report, width: int) -> Iterator[str]:
    """A heading, and for each context a row: its numbers, and beside or below them its chain."""
    rows = [_cells(row) for row in report.rows]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *rows, strict=True)]
    numbers = sum(widths) + GAP * len(widths)
    if numbers - GAP > width:
        yield from _narrow_lines(report, rows, width)
        return
    is_beside = width - numbers >= NARROWEST
    yield _aligned(HEADINGS, widths) + (" " * GAP + "context" if is_beside else "")
    before = numbers if is_beside else INDENTED
    for cells, lines in zip(rows, told_apart(report.chains, width - before), strict=True):
        if is_beside:
            yield _aligned(cells, widths) + " " * GAP + lines.pop(0)
        else:
            yield _aligned(cells, widths)
        yield from (" " * before + line for line in lines)


def _narrow_lines(report: Report, rows: list[tuple[str, ...]], width: int) -> Iterator[str]:
    """The same where a row does not fit: each number with its heading, in as many lines as it takes."""
    yield "contexts"
    for cells, lines in zip(rows, told_apart(report.chains, width - INDENTED), strict=True):
        parts = [f"{name} {cell}," for name, cell in zip(HEADINGS, cells, strict=True)]
        yield from in_columns([*parts[:-1], parts[-1].rstrip(",")], width)
        yield from (" " * INDENTED + line for line in lines)


def in_columns(parts: list[str], width: int) -> list[str]:
    """The parts in lines of so many columns; a part is broken only where it must be."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + 1 + len(part) <= width:
            lines[-1] += f" {part}"
        else:
            lines += textwrap.wrap(part, max(width, SHORTEST), break_long_words=False, break_on_hyphens=False)
    return lines


def _aligned(cells: tuple[str, ...], widths: list[int]) -> str:
    return (" " * GAP).join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _cells(row: ContextRow) -> tuple[str, ...]:
    return (
        f"{row.requests:,}",
        bytes_text(row.bytes),
        bytes_text(row.live_peak),
        _known(row.median_lifetime, ","),
        _known(row.to_end, ".0%"),
        _known(row.accesses, ","),
        _known(row.accessed, ".0%"),
    )


def _known(number: float | None, form: str) -> str:
    return "-" if number is None else format(number, form)


def bytes_text(count: int) -> str:
    """A size in the largest unit that leaves at least one before the point."""
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"
