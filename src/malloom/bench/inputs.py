"""Inputs for real programs, generated: the same bytes from the same size on every machine.

A catalogue of orders as XML, with a stylesheet that sums it up, and as JSON; a graph in the language of
graphviz; a file of C functions for a compiler.
"""

from pathlib import Path
from random import Random

SYLLABLES = (
    "ka",
    "lo",
    "mi",
    "ner",
    "tos",
    "ui",
    "ver",
    "za",
    "bel",
    "dan",
    "fro",
    "gil",
    "hum",
    "jas",
    "quo",
    "ri",
)
SEED = 2004


def generator() -> Random:
    """Random.random and getrandbits keep their sequence over Python's versions; use nothing else of it."""
    return Random(SEED)


def below(random: Random, bound: int) -> int:
    return int(random.random() * bound)


def word(random: Random) -> str:
    return "".join(SYLLABLES[below(random, len(SYLLABLES))] for _ in range(1 + below(random, 4)))


def sentence(random: Random, words: int) -> str:
    return " ".join(word(random) for _ in range(words))


STYLESHEET = """<?xml version="1.0"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html" indent="yes"/>
<xsl:key name="by-region" match="order" use="@region"/>
<xsl:template match="/orders">
<html><body><table>
<xsl:for-each select="order[generate-id() = generate-id(key('by-region', @region)[1])]">
<xsl:sort select="@region"/>
<tr><td><xsl:value-of select="@region"/></td>
<td><xsl:value-of select="count(key('by-region', @region))"/></td>
<td><xsl:value-of select="sum(key('by-region', @region)/item/@price)"/></td></tr>
</xsl:for-each>
</table><ul><xsl:apply-templates select="order[item/@price &gt; 9990]"/></ul></body></html>
</xsl:template>
<xsl:template match="order">
<li><xsl:value-of select="customer/name"/>: <xsl:value-of select="note"/></li>
</xsl:template>
</xsl:stylesheet>
"""
REGIONS = 2000


def write_stylesheet(path: Path) -> None:
    path.write_text(STYLESHEET, encoding="utf-8")


def write_xml(path: Path, size: int) -> None:
    """Writes orders until the file has at least `size` bytes."""
    random = generator()
    with path.open("w", encoding="utf-8") as file:
        file.write("<orders>\n")
        number = 0
        while file.tell() < size:
            file.write("".join(_xml_order(random, number + i) for i in range(100)))
            number += 100
        file.write("</orders>\n")


def write_json(path: Path, size: int) -> None:
    """Writes an array of orders of at least `size` bytes."""
    random = generator()
    with path.open("w", encoding="utf-8") as file:
        file.write("[\n")
        number = 0
        while file.tell() < size:
            separator = ",\n" if number else ""
            file.write(separator + ",\n".join(_json_order(random, number + i) for i in range(100)))
            number += 100
        file.write("\n]\n")


def _xml_order(random: Random, number: int) -> str:
    items = "".join(
        f'  <item code="{word(random)}" price="{below(random, 10000)}">{sentence(random, 3)}</item>\n'
        for _ in range(1 + below(random, 6))
    )
    return (
        f'<order id="{number}" region="r{below(random, REGIONS)}">\n'
        f"  <customer><name>{word(random)} {word(random)}</name><city>{word(random)}</city></customer>\n"
        f"{items}  <note>{sentence(random, 8)}</note>\n</order>\n"
    )


def _json_order(random: Random, number: int) -> str:
    items = ", ".join(
        f'{{"code": "{word(random)}", "price": {below(random, 10000)}}}' for _ in range(1 + below(random, 6))
    )
    return (
        f'{{"id": {number}, "region": "r{below(random, REGIONS)}", "customer": "{word(random)}", '
        f'"items": [{items}], "note": "{sentence(random, 8)}"}}'
    )


def write_graph(path: Path, nodes: int, edges: int) -> None:
    """Writes a directed graph of labelled nodes; the edges' ends are drawn evenly."""
    random = generator()
    lines = [f'  n{number} [label="{word(random)}"];' for number in range(nodes)]
    lines += [f"  n{below(random, nodes)} -> n{below(random, nodes)};" for _ in range(edges)]
    path.write_text("digraph generated {\n" + "\n".join(lines) + "\n}\n", encoding="utf-8")


OPERATORS = ("+", "-", "*", "^", "|", "&")


def write_source(path: Path, functions: int) -> None:
    """Writes functions that loop over arrays, branch, and call earlier ones."""
    random = generator()
    text = "".join(_function(random, number) for number in range(functions))
    path.write_text("struct list { struct list* next; long values[8]; };\n" + text, encoding="utf-8")


def _function(random: Random, number: int) -> str:
    lines = "".join(f"        {_statement(random, number)}\n" for _ in range(4 + below(random, 8)))
    head = (
        f"/* {word(random)} */\nlong f{number}(struct list* list, long count) {{\n    long sum = {number};\n"
    )
    return (
        f"{head}    for (long i = 0; i < count && list; ++i, list = list->next) {{\n{lines}    }}\n"
        "    return sum;\n}\n"
    )


def _statement(random: Random, number: int) -> str:
    operator, place = OPERATORS[below(random, len(OPERATORS))], below(random, 8)
    kind = below(random, 3)
    if kind == 0 and number:
        return f"if (sum > {below(random, 1000)}) sum {operator}= f{below(random, number)}(list, i);"
    if kind == 1:
        return f"list->values[{place}] = (sum {operator} list->values[{below(random, 8)}]) + i;"
    return f"sum = sum {operator} list->values[(i + {place}) & 7];"
