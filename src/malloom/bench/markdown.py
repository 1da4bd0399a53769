"""A suite's tables as Markdown: the goals first, then every table, then what has no number."""

from collections.abc import Sequence

from malloom.bench.tables import GOALS, Shown


def to_markdown(tables: Sequence[Shown]) -> str:
    """A heading and a table each, as they are printed."""
    ordered = sorted(tables, key=lambda table: table.title != GOALS)
    return "\n".join(_section(table) for table in ordered)


def _section(table: Shown) -> str:
    separator = ("---",) * len(table.headings)
    lines = [_line(cells) for cells in (table.headings, separator, *table.rows)]
    return "\n".join([f"### {table.title}", "", *lines, ""])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
