"""A suite's tables as Markdown: what was measured on, the goals, then every table, then what has no
number."""

from collections.abc import Sequence

from malloom.bench.tables import GOALS, Shown


def to_markdown(tables: Sequence[Shown]) -> str:
    """A heading, a table and its remarks each, as they are printed."""
    first, *others = tables
    ordered = [first, *sorted(others, key=lambda table: table.title != GOALS)]
    return "\n".join(_section(table) for table in ordered)


def _section(table: Shown) -> str:
    separator = ("---",) * len(table.headings)
    lines = [_line(cells) for cells in (table.headings, separator, *table.rows)]
    remarks = [line for remark in table.remarks for line in (f"*{remark}*", "")]
    return "\n".join([f"### {table.title}", "", *lines, "", *remarks])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
