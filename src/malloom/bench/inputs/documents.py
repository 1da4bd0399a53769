"""A catalogue of orders as XML with a stylesheet that sums it up, and the like as JSON."""

from pathlib import Path
from random import Random

from malloom.bench.inputs.words import below, generator, sentence, word

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
