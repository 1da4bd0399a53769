"""Figures that documents quote, and the files of results that they must stand in.

A figure is a number with three decimals, one below 2 with two, or an interval such as [0.708 0.731]. It is
quoted whole: with its interval where the result has one there. Its result is a file that the same paragraph,
item of a list, or row of a table links; where that links none, the first that the section's text links.
There it stands in a row of a table, whose label shares a word with what quotes it, or in running text that
does.
Columns headed `claim ...`, `paper` or `limit` are not looked at: what others say, and what is asked.
"""

import os
import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

RESULTS = "docs/results/"

OF_OTHERS = re.compile(r"claim|paper|limit", re.IGNORECASE)
OF_A_PAPER = re.compile(r"[\d.]+(?: \\\| [\d.]+)? (?=→)")
"""In cells of results that read "paper → today"."""
FIGURE = re.compile(r"(?<![\w.])(?:\d+\.\d{3}|[01]\.\d{2})(?![\w.]*\d)")
INTERVAL = re.compile(r"(?:\d+\.\d+ )?\[\d+\.\d+ \d+\.\d+\]")
HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)
ITEM = re.compile(r"^ *(?:[-*]|\d+\.) ", re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)")
WORD = re.compile(r"[a-z]{2,}\d*|\d+(?:\.\d+)*x?")
FILLING = re.compile(
    "all|an|and|are|as|at|be|by|each|for|from|in|is|it|its|no|not|of|on|one|or|than|that|the|to|with"
)
"""Words that every label may have."""

Measured = Mapping[str, list[frozenset[str]]]
"""Figure -> the words of each label that it stands beside."""


class Unit(NamedTuple):
    """A paragraph, an item of a list or a row of a table."""

    own: str
    """Without the columns of others' figures."""
    whole: str
    label: str
    """A row's cells without figures; of running text all of it."""


def figures_in(text: str) -> list[str]:
    """All figures of a text, also of one that is broken into lines."""
    joined = " ".join(text.split())
    return [*INTERVAL.findall(joined), *FIGURE.findall(INTERVAL.sub("", joined))]


def words_in(text: str) -> frozenset[str]:
    """What a text names: its words without plurals, and its numbers that are no figures."""
    without_links = re.sub(r"\]\([^)]*\)", " ", text)
    plain = FIGURE.sub("", INTERVAL.sub("", without_links)).lower()
    return frozenset(word.removesuffix("s") for word in WORD.findall(plain) if not FILLING.fullmatch(word))


def measured_in(result: str) -> Measured:
    """What a file of results says was measured, and of what."""
    found: dict[str, list[frozenset[str]]] = {}
    for unit in units(result):
        for figure in figures_in(OF_A_PAPER.sub("", unit.own)):
            found.setdefault(figure, []).append(words_in(unit.label))
    return found


def units(text: str) -> Iterator[Unit]:
    for block in re.split(r"\n\s*\n", text):
        for is_table, group in groupby(block.splitlines(), lambda line: line.startswith("|")):
            lines = list(group)
            if is_table:
                yield from _rows(lines)
            else:
                yield from (Unit(item, item, item) for item in re.split(ITEM, "\n".join(lines)))


def _rows(table: list[str]) -> Iterator[Unit]:
    head, *rows = ([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))] for line in table)
    for row in rows:
        own = [cell for name, cell in zip(head, row, strict=False) if not OF_OTHERS.match(name)]
        label = [cell for cell in own if not figures_in(cell)]
        yield Unit(" | ".join(own), " | ".join(row), " | ".join(label))


def linked_results(document: str, text: str) -> list[str]:
    """The files of results that a part of the document links, from the root of the tree."""
    paths = [os.path.normpath(Path(document).parent / target) for target in LINK.findall(text)]
    return [path for path in paths if path.startswith(RESULTS) and path.endswith(".md")]


class Quoted(NamedTuple):
    """A figure of a document, the results that it may be of, and the words of what quotes it."""

    figure: str
    sources: list[str]
    words: frozenset[str]


def quoted(document: str, text: str) -> Iterator[Quoted]:
    """Every figure of a document."""
    for section in HEADING.split(text):
        running = "\n".join(line for line in section.splitlines() if not line.startswith("|"))
        first = linked_results(document, running)[:1]
        for unit in units(section):
            sources = linked_results(document, unit.own) or first
            words = words_in(unit.whole)
            yield from (Quoted(figure, sources, words) for figure in figures_in(unit.own))


def stands_in(each: Quoted, measured: Mapping[str, Measured]) -> bool:
    """Whether one of its results has the figure, beside a label that it is quoted with a word of."""
    labels = [label for source in each.sources for label in measured.get(source, {}).get(each.figure, [])]
    return any(label & each.words for label in labels)


def without_result(document: str, text: str, measured: Mapping[str, Measured]) -> list[str]:
    """The figures of a document that stand in none of their results."""
    return [each.figure for each in quoted(document, text) if not stands_in(each, measured)]
