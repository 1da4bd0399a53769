"""Documents quote only figures of committed results, and every result says what it was measured on.

A figure is a number with three decimals, one below 2 with two, or an interval such as [0.708 0.731], together
with the number before it where there is one. Each stands, to the letter, in a file of docs/results. Columns
headed `claim ...`, `paper` or `limit` are not looked at: what others say, and what is asked.
"""

import re
from collections.abc import Iterator

import pytest

from structure.source_tree import files_with, text_of

RESULTS = [name for name in files_with(".md") if name.startswith("docs/results/")]
QUOTING = [
    name
    for name in files_with(".md")
    if name in ("README.md", "docs/papers.md") or name.startswith(("docs/guide/", "docs/decisions/"))
]

OF_OTHERS = re.compile(r"claim|paper|limit", re.IGNORECASE)
FIGURE = re.compile(r"(?<![\w.])(?:\d+\.\d{3}|[01]\.\d{2})(?![\w.]*\d)")
INTERVAL = re.compile(r"(?:\d+\.\d+ )?\[\d+\.\d+ \d+\.\d+\]")

HEAD_LINES = 20
ON_HEAD = {
    "commit": r"\b[0-9a-f]{7,40}\b",
    "processor": r"\w{3}",
    "last level": r"\d+ [KM]i?B\b",
    "date": r"\b20\d\d\b",
}
"""What a result names in a table at its head, and how it looks."""


def measured_lines(text: str) -> Iterator[str]:
    """The document's lines, those of tables without what stands in columns of others' figures."""
    headings: list[str] = []
    for line in text.splitlines():
        if not line.startswith("|"):
            headings = []
            yield " ".join(line.split())
            continue
        cells = re.split(r"(?<!\\)\|", line.strip("|"))
        if not headings:
            headings = [cell.strip() for cell in cells]
        else:
            yield " | ".join(
                cell for heading, cell in zip(headings, cells, strict=False) if not OF_OTHERS.match(heading)
            )


def figures_in(text: str) -> set[str]:
    """Lines are joined first, as an interval may be broken between two."""
    joined = " ".join(measured_lines(text))
    return {*FIGURE.findall(joined), *INTERVAL.findall(joined)}


def all_in(text: str) -> set[str]:
    joined = " ".join(text.split())
    return {*FIGURE.findall(joined), *INTERVAL.findall(joined), *re.findall(r"\[[\d.]+ [\d.]+\]", joined)}


def without_result(text: str, results: list[str]) -> list[str]:
    known = {figure for result in results for figure in all_in(result)}
    return sorted(figures_in(text) - known)


def missing_in_head(text: str) -> list[str]:
    head = "\n".join(text.splitlines()[:HEAD_LINES])
    rows = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", head, re.MULTILINE))
    return [name for name, pattern in ON_HEAD.items() if not re.search(pattern, rows.get(name, ""))]


@pytest.mark.parametrize("document", QUOTING)
def test_figures_are_of_results(document: str) -> None:
    assert without_result(text_of(document), [text_of(name) for name in RESULTS]) == []


@pytest.mark.parametrize("result", RESULTS)
def test_results_say_what_they_were_measured_on(result: str) -> None:
    assert missing_in_head(text_of(result)) == []


MADE_UP = """It takes 0.718 [0.708
0.731] of the time, 0.87 at best; version 2.0.9, section 4.1, 15 %.

| claim (1.234) | measured | paper | limit |
|---|---|---|---|
| took 0.63 | 1.024 | 0.571 | 0.85 |
"""


def test_finds_figures_where_we_measured() -> None:
    assert figures_in(MADE_UP) == {"0.718", "0.708", "0.731", "0.718 [0.708 0.731]", "0.87", "1.024"}


def test_misses_what_stands_in_no_result() -> None:
    result = "| treeadd | 0.718 [0.708 0.732] |\n| health | 0.731, 0.87 |"
    assert without_result(MADE_UP, [result]) == ["0.718 [0.708 0.731]", "1.024"]
    assert without_result(MADE_UP, [result, "0.718 [0.708 0.731] and 1.024"]) == []


def test_misses_what_a_head_leaves_out() -> None:
    head = "# Times\n\n| commit | 0a1b2c3d |\n| processor | Xeon |\n| date | today |\n"
    assert missing_in_head(head) == ["last level", "date"]
