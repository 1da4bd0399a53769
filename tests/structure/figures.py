"""Figures that documents quote, and the files of results that they must stand in.

A figure is a number with three decimals, one below 2 with two, or an interval such as [0.708 0.731]. It is
quoted whole: with its interval where the result has one there. Its result is a file that the same paragraph,
item of a list, or cell's row links; where that links none, the first that the section's text links.
There it stands in a table, and what quotes it names its row and column (`structure.labels`), or in running
text alone, and what quotes it shares words with that. Rows that call themselves unreliable are not quoted.
Columns headed `claim ...`, `paper` or `limit` are not looked at: what others say, and what is asked.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import NamedTuple

from structure.labels import (
    LINKED,
    Label,
    Table,
    Words,
    in_running_text,
    is_named,
    label_of,
    table_of,
    words_in,
)

RESULTS = "docs/results/"

OF_OTHERS = re.compile(r"claim|paper|limit", re.IGNORECASE)
OF_A_PAPER = re.compile(r"[\d.]+(?: \\\| [\d.]+)? (?=→)")
"""In cells of results that read "paper → today"."""
FIGURE = re.compile(r"(?<![\w.])(?:\d+\.\d{3}|[01]\.\d{2})(?![\w.]*\d)")
INTERVAL = re.compile(r"(?:\d+\.\d+ )?\[\d+\.\d+ \d+\.\d+\]")
QUOTED = re.compile(f"{INTERVAL.pattern}|{FIGURE.pattern}")
HEADING = re.compile(r"^#{1,6} (.*)$", re.MULTILINE)
ITEM = re.compile(r"^ *(?:[-*]|\d+\.) ", re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)")
CODE = re.compile(r"`[^`]*`")
BELONGS = re.compile(r"(?:\s*\([^)]*\))?")
"""What directly follows a figure and is said of it alone."""
UNRELIABLE = re.compile(r"\bunreliable\b")
"""What a cell says of a row whose control differed too much from itself, so that none may quote it."""
PARTED = re.compile(r"[,;|/]|\. | to | and ")

Measured = Mapping[str, Sequence[Label]]
"""Figure -> each label that it stands beside."""


class Unit(NamedTuple):
    """A paragraph, an item of a list or a cell of a table."""

    own: str
    row: str
    """The heading of a cell's column, and the other cells of its row that hold no figures of ours."""
    links: str
    """Where its results are linked: of a cell, its row."""


def figures_in(text: str) -> list[str]:
    """All figures of a text, also of one that is broken into lines."""
    return QUOTED.findall(" ".join(text.split()))


def measured_in(result: str) -> Measured:
    """What a file of results says was measured, and of what."""
    blocks = [(title, *block) for title, text in _sections(result) for block in _blocks(text)]
    tables = [table_of(title, _cells(lines), _has_figure) for title, is_table, lines in blocks if is_table]
    texts = ["\n".join(lines) for _, is_table, lines in blocks if not is_table]
    in_text = [
        (figure, (in_running_text(nearest),))
        for text in texts
        for item in re.split(ITEM, text)
        for figure, (nearest, *_) in parts_beside(item)
    ]
    return _by_figure(in_text) | _by_figure(_in_tables(tables))


def _by_figure(labelled: Iterable[tuple[str, Label]]) -> dict[str, list[Label]]:
    found: dict[str, list[Label]] = {}
    for figure, label in labelled:
        found.setdefault(figure, []).append(label)
    return found


def _has_figure(cell: str) -> bool:
    return bool(figures_in(cell))


def _in_tables(tables: Sequence[Table]) -> Iterator[tuple[str, Label]]:
    titles = [
        table.title for table in tables if table.labels == 1 and any(map(_has_figure, chain(*table.rows)))
    ]
    for table in tables:
        for row in (row for row in table.rows if not any(map(UNRELIABLE.search, row))):
            for column, cell in list(enumerate(row))[table.labels :]:
                figures = figures_in(OF_A_PAPER.sub("", cell))
                if figures and not OF_OTHERS.match(table.head[column]):
                    label = label_of(table, row, column, titles)
                    yield from ((figure, label) for figure in figures)


def _sections(text: str) -> list[tuple[str, str]]:
    """Each heading with the text below it."""
    before, *rest = HEADING.split(text)
    return [("", before), *zip(rest[::2], rest[1::2], strict=True)]


def _blocks(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Tables and paragraphs with their lines."""
    for block in re.split(r"\n\s*\n", text):
        for is_table, group in groupby(block.splitlines(), lambda line: line.startswith("|")):
            yield is_table, list(group)


def _cells(table: list[str]) -> list[list[str]]:
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))] for line in table]
    return [row for row in rows if not re.fullmatch(r"[-: ]*", "".join(row))]


def units(text: str) -> Iterator[Unit]:
    for is_table, lines in _blocks(text):
        if is_table:
            yield from _units_of_rows(_cells(lines))
        else:
            yield from (Unit(item, "", item) for item in re.split(ITEM, "\n".join(lines)))


def _units_of_rows(table: list[list[str]]) -> Iterator[Unit]:
    head, *rows = table
    for row in rows:
        named = list(zip(head, row, strict=False))
        own = [(name, cell) for name, cell in named if not OF_OTHERS.match(name)]
        for name, cell in own:
            others = [
                other
                for title, other in named
                if title != name and (OF_OTHERS.match(title) or not figures_in(other))
            ]
            beside = CODE.sub("", " | ".join([name, *others]))
            yield Unit(cell, beside, " | ".join(cell for _, cell in own))


def linked_results(document: str, text: str) -> list[str]:
    """The files of results that a part of the document links, from the root of the tree."""
    paths = [os.path.normpath(Path(document).parent / target) for target in LINK.findall(text)]
    return [path for path in paths if path.startswith(RESULTS) and path.endswith(".md")]


class Quoted(NamedTuple):
    """A figure of a document, the results that it may be of, and what is said of it."""

    figure: str
    sources: list[str]
    said: tuple[Words, ...]
    """The words of each part of the text that may name its row, the nearest first."""


def parts_beside(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each figure of a text with the parts of that text, the nearest first.

    A part ends behind a figure and what belongs to it. The part behind the next figure is looked at last:
    it ends a sentence such as "0.97 (of one) to 1.01 (of another) of the C library's time".
    """
    joined = LINKED.sub("", " ".join(text.split()))
    figures = list(QUOTED.finditer(joined))
    begins = [0]
    for figure, limit in zip(figures, [each.start() for each in figures[1:]] + [len(joined)], strict=False):
        behind = BELONGS.match(joined, figure.end())
        end = behind.end() if behind else figure.end()
        parted = PARTED.search(joined, end, limit)
        begins.append(parted.start() if parted else limit if limit == len(joined) else end)
    parts = [joined[begin:end] for begin, end in zip(begins, [*begins[1:], len(joined)], strict=True)]
    parts = [QUOTED.sub("", part) for part in parts]
    for index, figure in enumerate(figures):
        yield figure.group(), [*parts[index::-1], *parts[index + 1 : index + 2]]


def quoted(document: str, text: str) -> Iterator[Quoted]:
    """Every figure of a document."""
    for heading, section in _sections(text):
        running = "\n".join(line for line in section.splitlines() if not line.startswith("|"))
        first = linked_results(document, running)[:1]
        for unit in units(section):
            sources = linked_results(document, unit.links) or first
            for figure, parts in parts_beside(unit.own):
                said = tuple(words_in(part) for part in (*parts, unit.row, heading))
                yield Quoted(figure, sources, said)


def stands_in(each: Quoted, measured: Mapping[str, Measured]) -> bool:
    """Whether one of its results has the figure, with a label that is named beside it."""
    labels = [label for source in each.sources for label in measured.get(source, {}).get(each.figure, [])]
    return any(is_named(label, each.said) for label in labels)


def without_result(document: str, text: str, measured: Mapping[str, Measured]) -> list[str]:
    """The figures of a document that stand in none of their results."""
    return [each.figure for each in quoted(document, text) if not stands_in(each, measured)]
