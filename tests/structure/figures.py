"""Figures that documents quote, and the files of results that they must stand in.

A figure is a number with three decimals, one below 2 with two, or an interval such as [0.708 0.731]. It is
quoted whole: with its interval where the result has one there. Its result is a file that the same paragraph,
item of a list, or row of a table links; where that links none, the first that the section's text links.
Columns headed `claim ...`, `paper` or `limit` are not looked at: what others say, and what is asked.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

RESULTS = "docs/results/"

OF_OTHERS = re.compile(r"claim|paper|limit", re.IGNORECASE)
OF_A_PAPER = re.compile(r"[\d.]+(?: \\\| [\d.]+)? (?=→)")
"""In cells of results that read "paper → today"."""
FIGURE = re.compile(r"(?<![\w.])(?:\d+\.\d{3}|[01]\.\d{2})(?![\w.]*\d)")
INTERVAL = re.compile(r"(?:\d+\.\d+ )?\[\d+\.\d+ \d+\.\d+\]")
HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)
ITEM = re.compile(r"^ *(?:[-*]|\d+\.) ", re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)")


def figures_in(text: str) -> list[str]:
    """All figures of a text, also of one that is broken into lines."""
    joined = " ".join(text.split())
    return [*INTERVAL.findall(joined), *FIGURE.findall(INTERVAL.sub("", joined))]


def measured_in(result: str) -> set[str]:
    """What a file of results says was measured."""
    return {figure for unit in units(result) for figure in figures_in(OF_A_PAPER.sub("", unit))}


def units(text: str) -> Iterator[str]:
    """The paragraphs, items of lists and rows of tables, these without the columns of others' figures."""
    for block in re.split(r"\n\s*\n", text):
        for is_table, group in groupby(block.splitlines(), lambda line: line.startswith("|")):
            lines = list(group)
            if is_table:
                yield from _own_columns(lines)
            else:
                yield from re.split(ITEM, "\n".join(lines))


def _own_columns(table: list[str]) -> Iterator[str]:
    head, *rows = ([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))] for line in table)
    for row in rows:
        yield " | ".join(cell for name, cell in zip(head, row, strict=False) if not OF_OTHERS.match(name))


def linked_results(document: str, text: str) -> list[str]:
    """The files of results that a part of the document links, from the root of the tree."""
    paths = [os.path.normpath(Path(document).parent / target) for target in LINK.findall(text)]
    return [path for path in paths if path.startswith(RESULTS) and path.endswith(".md")]


def quoted(document: str, text: str) -> Iterator[tuple[str, list[str]]]:
    """Every figure of a document, with the results that it may be of."""
    for section in HEADING.split(text):
        running = "\n".join(line for line in section.splitlines() if not line.startswith("|"))
        first = linked_results(document, running)[:1]
        for unit in units(section):
            sources = linked_results(document, unit) or first
            yield from ((figure, sources) for figure in figures_in(unit))


def stands_in(figure: str, sources: Iterable[str], measured: Mapping[str, set[str]]) -> bool:
    return any(figure in measured.get(source, set()) for source in sources)


def without_result(document: str, text: str, measured: Mapping[str, set[str]]) -> list[str]:
    """The figures of a document that stand in none of their results."""
    return [figure for figure, sources in quoted(document, text) if not stands_in(figure, sources, measured)]
