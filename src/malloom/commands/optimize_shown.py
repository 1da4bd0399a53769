"""What `malloom optimize` prints of a verdict for people."""

import sys
from collections.abc import Sequence

from malloom.optimize import table
from malloom.optimize.verdict import Outcome
from malloom.printable import printable


def show(outcome: Outcome) -> None:
    """Tables and lines on standard output: with colours and rules at a terminal, plain elsewhere."""
    for title, head, rows in table.tables(outcome):
        if sys.stdout.isatty():
            print_rich(title, head, rows)
        else:
            print(table.plain_table(title, head, rows))
    for line in table.lines(outcome):
        print(printable_lines(line))


def printable_lines(text: str) -> str:
    """The lines with what a terminal would obey made visible."""
    return "\n".join(map(printable, text.split("\n")))


def print_rich(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    shown = Table(title=title, title_justify="left")
    for number, name in enumerate(head):
        shown.add_column(name, justify="left" if number == 0 else "right")
    for row in rows:
        shown.add_row(*(Text(printable(cell)) for cell in row))
    Console().print(shown)
