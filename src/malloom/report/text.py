"""The report for people: tables, with colours where the output is a terminal."""

from __future__ import annotations

from typing import IO

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from malloom.quantities import counted
from malloom.report.context_rows import ContextRow, Totals
from malloom.report.report import Report
from malloom.report.symbols import Place

summary = "tables to read"

PIPE_WIDTH = 10_000
"""Columns of an output that is no terminal: a row is never wrapped or cut."""

CALLERS = 3
"""Frames of a chain that a row shows."""


HEADINGS = ("requests", "bytes", "live peak", "lifetime", "to end", "accesses", "accessed")

GAP = 2
"""Blanks between columns."""

NARROWEST = 40
"""Columns that a context has on however small a terminal, which then wraps the lines."""


def write(report: Report, output: IO[str]) -> None:
    """Writes the tables; names are cut to fit a terminal only."""
    console = Console(file=output, highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console = Console(file=output, highlight=False, width=PIPE_WIDTH, color_system=None)
    process, totals = report.process, report.totals
    console.print(f"[bold]{escape(printable(process.executable or process.name))}[/bold]  pid {process.pid}")
    for gap in report.gaps:
        console.print(f"[yellow]note:[/yellow] {escape(printable(gap))}")
    console.print(totals_text(totals))
    _print_table(report, console, output)
    if len(report.rows) < totals.contexts:
        console.print(f"{counted(totals.contexts - len(report.rows), 'more context')} ('--top 0' shows all)")
    for note in report.notes:
        console.print(f"[yellow]note:[/yellow] {escape(printable(note))}")


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


def _print_table(report: Report, console: Console, output: IO[str]) -> None:
    """Prints a row a context; where there is little room, the chains are cut and never the numbers."""
    rows = [_cells(row) for row in report.rows]
    columns = list(zip(HEADINGS, *rows, strict=True))
    numbers = sum(max(map(len, column)) + GAP for column in columns)
    room = max(console.width - numbers, NARROWEST)
    table = Table(box=None, pad_edge=False, padding=(0, GAP // 2), header_style="bold", width=numbers + room)
    for heading in HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("context", no_wrap=True, overflow="ellipsis", width=room)
    for cells, chain in zip(rows, report.chains, strict=True):
        table.add_row(*cells, chain_text(chain))
    with console.capture() as printed:
        console.print(table)
    output.write("".join(line.rstrip() + "\n" for line in printed.get().splitlines()))


def _cells(row: ContextRow) -> list[str]:
    return [
        f"{row.requests:,}",
        bytes_text(row.bytes),
        bytes_text(row.live_peak),
        _known(row.median_lifetime, ","),
        _known(row.to_end, ".0%"),
        _known(row.accesses, ","),
        _known(row.accessed, ".0%"),
    ]


def _known(number: float | None, form: str) -> str:
    return "-" if number is None else format(number, form)


def chain_text(chain: list[Place]) -> str:
    """The innermost frames of a chain, callers to the right."""
    shown = " < ".join(str(place) for place in chain[:CALLERS])
    return escape(printable(shown + (" < ..." if len(chain) > CALLERS else "")) or "?")


def printable(text: str) -> str:
    """The text with what a terminal would obey, and what is no text at all, made visible."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def bytes_text(count: int) -> str:
    """A size in the largest unit that leaves at least one before the point."""
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"
