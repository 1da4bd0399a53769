"""Whether what quotes a figure names the row and the column of the table that it stands in.

Each cell before a row's figures, the heading of the figure's column, and the title of its table are slots:
what stands there is one of several. The words that tell it from the others are looked for beside the quoted
figure, the nearest part of the text first. The first part that names one decides, as it does for a reader.
"""

import functools
import re
from collections.abc import Callable, Collection, Sequence
from itertools import takewhile
from typing import NamedTuple

Words = frozenset[str]

WORD = re.compile(r"[a-z]{2,}\d*|[a-z]\d+|\d+(?:\.\d+)*[a-z]?\b")
SIZE = re.compile(r"\d.*|original|power\d|zen\d")
"""Words for an input or a machine, which need no naming where a table has its program once."""
PLURAL = re.compile(r"(?<=ch|sh|ss)es$|s$")
LINKED = re.compile(r"\(\[[^]]*\]\([^)]*\)\)|\]\([^)]*\)")
"""What a link leads to, and its text too where it stands apart in brackets."""
NO_TITLE = re.compile(r"^(?:Tables?|Figure|Section) \d[\w.]*(?:(?:,| to) \d[\w.]*)*|\([^)]*→[^)]*\)")
"""Where a table has its number from the paper, and the order of its figures."""
FILLING = re.compile(
    "against|an|and|are|as|at|be|by|cpu|each|for|from|in|is|it|its|no|of|on|one|or|than|that|the|to|with"
)
"""Words that every label may have. Time is of the processor where nothing else is said."""

SAID_OTHERWISE = {
    r"splitting alone": "maximal",
    r"guesses of links": "links expected",
    r"c library": "glibc",
    r"first[- ]level": "l1",
    r"second[- ]level": "l2",
    r"third[- ]level": "l3",
    r"annotations": "annotated",
    r"in turn": "now",
    r"pools and prefetches": "all",
    r"zen 5": "zen5",
}
"""How documents say plainly what results have short names for."""

LOOSE = re.compile("against|metric")
NO_VARIANT = re.compile("limit|reached")


class Slot(NamedTuple):
    """What a label says in one place, and what it could say there instead."""

    own: Words
    others: tuple[Words, ...]
    whole: bool
    """Whether all of its words must be named, or more than of any other."""


Label = tuple[Slot, ...]


@functools.cache
def words_in(text: str) -> Words:
    """The words of a text without plurals, its numbers, and the short names of what it says otherwise."""
    plain = LINKED.sub(" ", text).lower()
    for said, name in SAID_OTHERWISE.items():
        plain = re.sub(said, name, plain)
    return frozenset(PLURAL.sub("", word) for word in WORD.findall(plain) if not FILLING.fullmatch(word))


def slot(own: Words, all_of_them: Sequence[Words], whole: bool) -> Slot:
    """With the words alone that tell one from the others."""
    common = frozenset.intersection(*all_of_them)
    telling = {each - common for each in all_of_them}
    told = {each: _without_size(each, telling) if whole else each for each in telling}
    return Slot(told[own - common], tuple(set(told.values()) - {told[own - common]}), whole)


def _without_size(words: Words, all_of_them: Collection[Words]) -> Words:
    """The words without those for a size, where they are of no other so."""
    rest = frozenset(word for word in words if not SIZE.fullmatch(word))
    return words if any(rest <= other for other in all_of_them if other != words) else rest


def in_running_text(text: str) -> Slot:
    """Of the sentence that a part of a text ends with."""
    return Slot(words_in(text.rsplit(". ", maxsplit=1)[-1]), (), whole=False)


class Table(NamedTuple):
    """A table of results with the words of its title."""

    title: Words
    head: list[str]
    rows: list[list[str]]
    labels: int
    """How many columns stand before the first with numbers."""


def table_of(title: str, cells: Sequence[list[str]], has_figure: Callable[[str], bool]) -> Table:
    head, *rows = cells

    def is_label(column: int) -> bool:
        below = [row[column] for row in rows if column < len(row)]
        return any(re.search("[a-z]", cell) for cell in below) and not any(map(has_figure, below))

    labels = sum(1 for _ in takewhile(is_label, range(len(head))))
    return Table(words_in(NO_TITLE.sub("", title)), head, rows, labels)


def label_of(table: Table, row: Sequence[str], column: int, titles: Sequence[Words]) -> Label:
    """The label of one cell.

    More than one column of labels tells all, without the table's title. A table of one cell has no other cell
    to be told from, and is named like running text.
    """
    slots = [_slot_in_column(table, row, each) for each in range(table.labels)]
    headings = [words_in(name) for name in table.head[table.labels :] if not NO_VARIANT.match(name)]
    slots.append(slot(words_in(table.head[column]), headings, whole=True))
    if table.labels == 1:
        slots.append(slot(table.title, titles, whole=False))
    told = tuple(each for each in slots if each.others)
    return told or (in_running_text(" ".join(row[: table.labels])),)


def _slot_in_column(table: Table, row: Sequence[str], column: int) -> Slot:
    cells = [words_in(other[column]) for other in table.rows]
    return slot(words_in(row[column]), cells, whole=not LOOSE.match(table.head[column]))


def is_named(label: Label, said: Sequence[Words]) -> bool:
    return all(_names_all(each, said) if each.whole else _names_most(each, said) for each in label)


def _names_all(each: Slot, said: Sequence[Words]) -> bool:
    """Whether the words that are named first are all of its own, and all of no other that says more."""
    named: Words = frozenset()
    for part in said:
        named |= part
        whole = [one for one in (each.own, *each.others) if one and one <= named]
        if whole:
            return each.own <= named and not any(each.own < one for one in whole)
    return not each.own


def _names_most(each: Slot, said: Sequence[Words]) -> bool:
    """Whether no other has more of its words in the first part that has any.

    Of running text, that has no others, half of its words must stand in the nearest part.
    """
    if not each.others:
        return 2 * len(each.own & said[0]) >= max(len(each.own), 1)
    for part in said:
        most = max(len(one & part) for one in each.others)
        if most or each.own & part:
            return len(each.own & part) >= max(most, 1)
    return not each.own
