"""The report for people: tables, with colours where the output is a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import pairwise
from typing import IO

from rich.console import Console
from rich.markup import escape

from malloom.output_width import output_width
from malloom.printable import printable
from malloom.quantities import counted
from malloom.report.context_rows import ContextRow, Totals
from malloom.report.names import is_of_library, short_name
from malloom.report.report import Report
from malloom.report.symbols import Place

summary = "tables to read"

CALLERS = 3
"""Frames of a chain that a row shows."""

HEADINGS = ("requests", "bytes", "live peak", "lifetime", "to end", "accesses", "accessed")

GAP = 2
"""Blanks between columns."""

NARROWEST = 60
"""Columns that a chain has beside the numbers; where there are fewer it stands below them."""

INDENTED = 4
"""Blanks before a chain that stands below the numbers."""

SHORTEST = 20
"""Columns that a function has on however small a terminal, which then wraps the lines."""


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
    for cells, chain in zip(rows, report.chains, strict=True):
        if is_beside:
            yield _aligned(cells, widths) + " " * GAP + chain_text(chain, width - numbers)
        else:
            yield _aligned(cells, widths)
            yield " " * INDENTED + chain_text(chain, width - INDENTED)


def _narrow_lines(report: Report, rows: list[tuple[str, ...]], width: int) -> Iterator[str]:
    """The same where a row does not fit: each number with its heading, in as many lines as it takes."""
    yield "contexts"
    for cells, chain in zip(rows, report.chains, strict=True):
        parts = [f"{name} {cell}," for name, cell in zip(HEADINGS, cells, strict=True)]
        yield from in_columns([*parts[:-1], parts[-1].rstrip(",")], width)
        yield " " * INDENTED + chain_text(chain, width - INDENTED)


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


def chain_text(chain: list[Place], room: int) -> str:
    """The innermost frames of a chain, callers to the right: as many as fit, up to CALLERS."""
    shown = without_libraries_own(chain)
    frames = [frame_text(place, room) for place in shown[:CALLERS]]
    for count in range(len(frames), 0, -1):
        text = " < ".join(frames[:count]) + (" < ..." if count < len(shown) else "")
        if len(text) <= room:
            return text
    return frame_text(shown[0], room - len(" < ...")) + " < ..." if len(shown) > 1 else "".join(frames) or "?"


def without_libraries_own(chain: list[Place]) -> list[Place]:
    """The chain without what a standard library calls in itself: of it there is what the program called."""
    library = [is_of_library(short_name(place.function), place.file) for place in chain]
    calls_itself = [inner and outer for inner, outer in pairwise(library)]
    return [place for place, left_out in zip(chain, [*calls_itself, False], strict=False) if not left_out]


def frame_text(place: Place, room: int) -> str:
    """A frame in so many columns: its name may lose its beginning, its file and line are always whole."""
    where = f" {place.where}" if place.where else ""
    name = printable(short_name(place.function) if place.function else str(place))
    left = max(room - len(where), SHORTEST)
    return (name if len(name) <= left else "…" + name[len(name) - left + 1 :]) + printable(where)


def bytes_text(count: int) -> str:
    """A size in the largest unit that leaves at least one before the point."""
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"
