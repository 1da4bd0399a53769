"""Documents quote only figures of committed results, and every result says what it was measured on."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest

from structure.figures import RESULTS, Quoted, measured_in, quoted, stands_in, without_result
from structure.source_tree import files_with, text_of

RESULT_FILES = [name for name in files_with(".md") if name.startswith(RESULTS)]
DOCUMENTS = [name for name in files_with(".md") if not name.startswith(RESULTS)]
MEASURED = {name: measured_in(text_of(name)) for name in RESULT_FILES}

HEAD_LINES = 20
ON_HEAD = {
    "commit": r"\b[0-9a-f]{7,40}\b",
    "processor": r"\w{3}",
    "last level": r"\d+ [KM]i?B\b",
    "date": r"\b20\d\d\b",
}
"""What a result names in a table at its head, and how it looks."""


def missing_in_head(text: str) -> list[str]:
    head = "\n".join(text.splitlines()[:HEAD_LINES])
    rows = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", head, re.MULTILINE))
    return [name for name, pattern in ON_HEAD.items() if not re.search(pattern, rows.get(name, ""))]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_figures_are_of_results(document: str) -> None:
    assert without_result(document, text_of(document), MEASURED) == []


@pytest.mark.parametrize("result", RESULT_FILES)
def test_results_say_what_they_were_measured_on(result: str) -> None:
    assert missing_in_head(text_of(result)) == []


RESULT = f"{RESULTS}made_up.md"
OTHER = f"{RESULTS}other.md"
RESULT_TEXT = """The whole took 0.63, and the sum 0.571 [0.560
0.580] once.

| program | measured | limit |
|---|---|---|
| treeadd | 0.718 [0.708 0.731] | 0.85 |
| health | 0.99 \\| 0.98 → 1.024 [1.001 1.030] | 0.86 |
| mst | 0.963 → 0.992 | 0.87 |
"""
OTHER_TEXT = "It took 0.44, with results like 0.333."
TABLES = f"{RESULTS}tables.md"
TABLES_TEXT = """# Tables

## What must be reached

| workload | variant | against | metric | measured | limit | reached |
|---|---|---|---|---|---|---|
| walk 20 20 | optimize | glibc | cpu_time | 0.727 [0.710 0.751] | 0.25 | yes |
| walk 20 20 | optimize | glibc | peak_rss | 0.944 | 1.10 | yes |
| walk 16 10 | optimize | glibc | cpu_time | 0.794 [0.788 0.799] | 0.45 | NO |
| walk 18 10 | optimize | glibc | cpu_time | 0.288 [0.279 0.436] | 0.45 | yes, unreliable |

## Table 1: CPU time against the C library (paper → today)

| program | random | usage-depth-first | usage-depth-first, annotated | mimalloc huge |
|---|---|---|---|---|
| ft 2x | 1.879 [1.857 1.895] | 0.93 → 1.756 [1.736 1.778] | 0.996 [0.975 1.004] | 0.602 [0.538 0.629] |
| ft 8x | 1.286 [1.273 1.306] | 1.043 [1.037 1.054] | 0.349 [0.343 0.437] | 0.510 [0.499 0.525] |
| art 2x | 0.452 [0.440 0.457] | 0.895 [0.884 0.905] | 0.738 [0.662 0.786] | 0.440 [0.403 0.495] |

## Table 2, zen5: L1 misses against the C library

| program | random | usage-depth-first |
|---|---|---|
| ft 2x, latency 4 | 0.804 | 0.239 |
| ft 2x, latency 20 | 0.819 | 0.018 |

## Table 2, zen5: TLB misses against the C library

| program | random | usage-depth-first |
|---|---|---|
| ft 2x, latency 4 | 1.287 | 1.415 |
| ft 2x, latency 20 | 0.206 | 1.359 |
"""
MADE_UP = {
    RESULT: measured_in(RESULT_TEXT),
    OTHER: measured_in(OTHER_TEXT),
    TABLES: measured_in(TABLES_TEXT),
}


def refused(text: str) -> list[str]:
    return without_result("docs/made_up.md", text, MADE_UP)


def test_a_result_has_whole_figures_that_we_measured() -> None:
    ours = {"0.63", "0.571 [0.560 0.580]", "0.718 [0.708 0.731]", "1.024 [1.001 1.030]", "0.992"}
    assert MADE_UP[RESULT].keys() == ours


def test_figures_stand_in_the_result_that_their_paragraph_links() -> None:
    link = "See [them](results/made_up.md#times)."
    assert refused(f"Treeadd took 0.718 [0.708\n0.731]; version 2.0.9, section 4.1, 15 %. {link}") == []
    assert refused(f"Treeadd took 0.718 [0.708 0.732], or [0.708 0.731]. {link}") == [
        "0.718 [0.708 0.732]",
        "[0.708 0.731]",
    ]
    assert refused(f"It took 0.718 or 0.85 or 0.963, not 0.64. {link}") == ["0.718", "0.85", "0.963", "0.64"]
    assert refused(f"It took 0.63 or took 0.44. {link}") == ["0.44"], "that is another result's"
    assert refused(f"It took 0.63 or took 0.44. {link} [Others](results/other.md)") == []
    assert refused("It took 0.63.") == ["0.63"]
    assert refused("It took 0.63, says a [page](https://docs/results/made_up.md).") == ["0.63"]


ROW = "| heap | {} |\n|---|---|\n| {} | {} |\n"
"""A row of a document's table: the heading of the second column, the first cell, the second."""

QUOTES = {
    "input": (
        "`optimize` takes {} of the C library's time on walk 20 20",
        "0.727 [0.710 0.751]",
        "0.794 [0.788 0.799]",
    ),
    "metric": ("`optimize` takes {} of glibc's CPU time on walk 20 20", "0.727 [0.710 0.751]", "0.944"),
    "size": (
        "annotated, usage depth-first takes on ft at 8x {} of glibc's time",
        "0.349 [0.343 0.437]",
        "0.996 [0.975 1.004]",
    ),
    "program": (
        "of glibc's time random takes {} (art) to 1.879 [1.857 1.895] (ft at 2x)",
        "0.452 [0.440 0.457]",
        "1.286 [1.273 1.306]",
    ),
    "said twice": (
        "of glibc's time random on ft at 8x 1.286 [1.273 1.306], usage depth-first {}",
        "1.043 [1.037 1.054]",
        "1.286 [1.273 1.306]",
    ),
    "variant": (
        "of glibc's time on ft at 2x usage depth-first takes {}",
        "1.756 [1.736 1.778]",
        "1.879 [1.857 1.895]",
    ),
    "more of a variant": (
        "of glibc's time on ft at 2x usage depth-first takes {}",
        "1.756 [1.736 1.778]",
        "0.996 [0.975 1.004]",
    ),
    "less of a variant": (
        "of glibc's time on art usage depth-first from annotations takes {}",
        "0.738 [0.662 0.786]",
        "0.895 [0.884 0.905]",
    ),
    "allocator": (
        "of glibc's time on art mimalloc 3 with huge pages takes {}",
        "0.440 [0.403 0.495]",
        "0.738 [0.662 0.786]",
    ),
    "table": ("first-level misses at a latency of 4: random {}", "0.804", "1.287"),
    "latency": (ROW.format("L1 misses, random", "ft, latency 4", "{}"), "0.804", "0.819"),
    "column": (ROW.format("L1 misses, usage depth-first", "ft, latency 20", "{}"), "0.018", "0.819"),
}
"""What may be wrong of a quoted row -> what quotes it, its figure, and one of another row or column."""


@pytest.mark.parametrize("wrong", QUOTES)
def test_figures_stand_beside_the_label_of_their_row(wrong: str) -> None:
    quote, right, other = QUOTES[wrong]
    link = "See [them](results/tables.md#times).\n\n"
    assert refused(link + quote.format(right)) == []
    assert refused(link + quote.format(other)) == [other]


def test_rows_with_an_unreliable_control_are_not_quoted() -> None:
    quote = "See [them](results/tables.md). `optimize` takes {} of glibc's CPU time on walk {}"
    assert refused(quote.format("0.794 [0.788 0.799]", "16 10")) == []
    assert refused(quote.format("0.288 [0.279 0.436]", "18 10")) == ["0.288 [0.279 0.436]"]


def test_a_label_is_named_whole() -> None:
    link = "See [them](results/tables.md#times).\n\n"
    assert refused(f"{link}Random takes 1.286 [1.273 1.306] of glibc's time on ft.") == [
        "1.286 [1.273 1.306]"
    ]
    assert refused(f"{link}It takes 1.286 [1.273 1.306] of glibc's time on ft at 8x.") == [
        "1.286 [1.273 1.306]"
    ]
    assert refused(f"{link}Random has 1.286 [1.273 1.306] of misses on ft at 8x.") == ["1.286 [1.273 1.306]"]


def test_what_links_none_is_of_the_first_that_its_section_links() -> None:
    section = "# A\n\nSee [it](results/made_up.md) and [more](results/other.md).\n\n"
    assert refused(f"{section}It took 0.63.\n") == []
    assert refused(f"{section}It took 0.44.\n") == ["0.44"]
    assert refused(f"{section}It took 0.44 of [it](results/other.md).\n") == []
    assert refused(f"{section}## B\n\nIt took 0.63.\n") == ["0.63"]


def test_items_and_rows_have_results_of_their_own() -> None:
    items = "- took 0.63 [it](results/made_up.md)\n- took 0.63\n  took 0.44 [more](results/other.md)\n"
    assert refused(items) == ["0.63"]
    link = "took [it](results/made_up.md)"
    rows = f"| took 0.63 | {link} |\n| took 0.333 | {link} |\n| took 0.63 | took |\n"
    assert refused(f"| measured | result |\n|---|---|\n{rows}") == ["0.333", "0.63"]


def test_columns_of_others_are_not_looked_at() -> None:
    head = "| claim (1.234) | measured | paper | limit of it |\n|---|---|---|---|\n"
    assert refused(f"{head}| took 0.64 | 1.024 | 0.572 | 0.85 |\n") == ["1.024"]


def other_figures(figure: str) -> Iterator[str]:
    """The figure with its first number a little larger or smaller: what an old run or a slip would give."""
    number, *_ = re.findall(r"\d+\.\d+", figure)
    decimals = len(number.partition(".")[2])
    for step in (*range(-10, 0), *range(1, 11)):
        other = f"{float(number) + step / 10**decimals:.{decimals}f}"
        yield figure.replace(number, other, 1)


def share_refused(others: Sequence[Quoted]) -> float:
    """The part of other figures that the results of the quoted ones do not have with the same label."""
    return sum(not stands_in(other, MEASURED) for other in others) / len(others)


def near(figures: Sequence[Quoted]) -> list[Quoted]:
    return [each._replace(figure=other) for each in figures for other in other_figures(each.figure)]


def of_other_rows(figures: Sequence[Quoted]) -> list[Quoted]:
    """In each place every other figure of its results that looks alike."""
    return [
        each._replace(figure=other)
        for each in figures
        for source in each.sources
        for other in MEASURED[source]
        if other != each.figure and ("[" in other) == ("[" in each.figure)
    ]


QUOTED = [figure for document in DOCUMENTS for figure in quoted(document, text_of(document))]


def test_figures_that_were_not_measured_are_refused() -> None:
    """However near: all with an interval but where two rows differ in one number, nearly all with three
    decimals, most with two."""
    intervals = [each for each in QUOTED if "[" in each.figure]
    thousandths = [each for each in QUOTED if re.fullmatch(r"\d+\.\d{3}", each.figure)]
    hundredths = [each for each in QUOTED if re.fullmatch(r"\d\.\d{2}", each.figure)]
    assert min(len(intervals), len(thousandths), len(hundredths)) >= 6
    assert share_refused(near(intervals)) > 0.998
    assert share_refused(near(thousandths)) > 0.85
    assert share_refused(near(hundredths)) > 0.6


@pytest.mark.parametrize("document", ["README.md", "docs/papers.md"])
def test_figures_of_other_rows_are_refused(document: str) -> None:
    """Nearly all: some tables tell apart what a document need not, such as two machines with like figures."""
    assert share_refused(of_other_rows(list(quoted(document, text_of(document))))) > 0.9


def exchanged(figures: Sequence[Quoted]) -> Iterator[tuple[Quoted, Quoted]]:
    """Any two figures that look alike and are of the same results, each in the place of the other."""
    for one, other in combinations(figures, 2):
        alike = ("[" in one.figure) == ("[" in other.figure)
        if alike and one.figure != other.figure and one.sources == other.sources:
            yield one._replace(figure=other.figure), other._replace(figure=one.figure)


@pytest.mark.parametrize("document", ["README.md", "docs/papers.md"])
def test_exchanged_figures_are_refused(document: str) -> None:
    pairs = list(exchanged(list(quoted(document, text_of(document)))))
    assert len(pairs) >= 10
    assert [pair for pair in pairs if all(stands_in(each, MEASURED) for each in pair)] == []


@pytest.mark.parametrize("result", RESULT_FILES)
def test_a_result_knows_few_of_all_figures(result: str) -> None:
    known = [number for number in range(700, 1101) if f"{number / 1000:.3f}" in MEASURED[result]]
    assert len(known) <= 401 / 4


def test_misses_what_a_head_leaves_out() -> None:
    head = "# Times\n\n| commit | 0a1b2c3d |\n| processor | Xeon |\n| date | today |\n"
    assert missing_in_head(head) == ["last level", "date"]
