"""Documents that programs read: XML with a stylesheet each, JSON with a filter."""

import json
from pathlib import Path

from malloom.bench.debian.draw import Draw

ORDERS_SHEET = """<?xml version="1.0"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html" indent="yes"/>
<xsl:key name="by-town" match="order" use="customer/@town"/>
<xsl:template match="/orders">
<html><body>
<xsl:for-each select="order[generate-id() = generate-id(key('by-town', customer/@town)[1])]">
<xsl:sort select="customer/@town"/>
<h2><xsl:value-of select="customer/@town"/></h2>
<p><xsl:value-of select="sum(key('by-town', customer/@town)/item/@cents)"/></p>
<table><xsl:apply-templates select="key('by-town', customer/@town)"/></table>
</xsl:for-each>
</body></html>
</xsl:template>
<xsl:template match="order">
<tr><td><xsl:value-of select="@id"/></td><td><xsl:value-of select="customer"/></td>
<td><xsl:for-each select="item"><xsl:sort select="@cents" data-type="number"/>
<xsl:value-of select="."/><xsl:if test="position() != last()">, </xsl:if></xsl:for-each></td></tr>
</xsl:template>
</xsl:stylesheet>
"""


def write_orders(folder: Path, draw: Draw, size: int) -> None:
    """So many orders, and a stylesheet that groups them by town."""
    (folder / "orders.xsl").write_text(ORDERS_SHEET, encoding="utf-8")
    towns, most_items, words = draw.vocabulary(draw.between(50, 400)), draw.between(2, 9), draw.between(2, 8)
    with (folder / "orders.xml").open("w", encoding="utf-8") as file:
        file.write("<orders>\n")
        for number in range(size):
            items = "".join(
                f'  <item cents="{draw.below(10_000)}">{draw.sentence(words)}</item>\n'
                for _ in range(draw.between(1, most_items))
            )
            customer = f'<customer town="{draw.often_first(towns)}">{draw.word()} {draw.word()}</customer>'
            file.write(f'<order id="{number}">\n  {customer}\n{items}</order>\n')
        file.write("</orders>\n")


BOOK_SHEET = """<?xml version="1.0"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html"/>
<xsl:key name="sections" match="section" use="@id"/>
<xsl:template match="/book">
<html><body><ul><xsl:apply-templates select="section" mode="contents"/></ul>
<xsl:apply-templates select="section"/></body></html>
</xsl:template>
<xsl:template match="section" mode="contents">
<li><xsl:number level="multiple" count="section"/> <xsl:value-of select="title"/>
<xsl:if test="section"><ul><xsl:apply-templates select="section" mode="contents"/></ul></xsl:if></li>
</xsl:template>
<xsl:template match="section">
<div id="{@id}"><h2><xsl:value-of select="title"/></h2>
<xsl:apply-templates select="p | section"/></div>
</xsl:template>
<xsl:template match="p"><p><xsl:apply-templates/></p></xsl:template>
<xsl:template match="em"><b><xsl:value-of select="."/></b></xsl:template>
<xsl:template match="see">
<a href="#{@to}"><xsl:value-of select="key('sections', @to)/title"/></a>
</xsl:template>
</xsl:stylesheet>
"""


def write_book(folder: Path, draw: Draw, size: int) -> None:
    """A book of so many sections, some within others, and a stylesheet that makes contents and references."""
    (folder / "book.xsl").write_text(BOOK_SHEET, encoding="utf-8")
    deepest, paragraphs, words = draw.between(2, 5), draw.between(1, 6), draw.between(6, 30)
    depth = 0
    with (folder / "book.xml").open("w", encoding="utf-8") as file:
        file.write("<book>\n")
        for number in range(size):
            wanted = draw.between(1, min(depth + 1, deepest))
            file.write("</section>\n" * (depth - wanted + 1))
            depth = wanted
            file.write(f'<section id="s{number}"><title>{draw.sentence(3)}</title>\n')
            file.writelines(_paragraph(draw, words, size) for _ in range(draw.between(1, paragraphs)))
        file.write("</section>\n" * depth + "</book>\n")


def _paragraph(draw: Draw, words: int, sections: int) -> str:
    stressed = f"<em>{draw.sentence(2)}</em> " if draw.chance(0.4) else ""
    seen = f'<see to="s{draw.below(sections)}"/> ' if draw.chance(0.2) else ""
    return f"<p>{draw.sentence(words)} {stressed}{seen}{draw.sentence(words)}</p>\n"


PACKAGES_FILTER = """
[.[] | select(.size > 500)]
| group_by(.section)
| map({
    section: .[0].section,
    packages: length,
    size: (map(.size) | add),
    newest: (map({name, version}) | sort_by(.version) | reverse | .[0:3]),
    needed: ([.[].depends[]] | group_by(.) | map({name: .[0], times: length})
      | sort_by(-.times, .name) | .[0:5]),
    words: ([.[].description | ascii_downcase | split(" ")[]] | unique | length)
  })
"""


def write_packages(folder: Path, draw: Draw, size: int) -> None:
    """A list of so many packages with what they depend on, and a filter that makes a report by section."""
    (folder / "report.jq").write_text(PACKAGES_FILTER, encoding="utf-8")
    sections, most, words = draw.vocabulary(draw.between(10, 60)), draw.between(2, 10), draw.between(3, 20)
    names = [f"{draw.word()}{number}" for number in range(size)]
    packages = [
        {
            "name": name,
            "version": f"{draw.below(9)}.{draw.below(30)}",
            "section": draw.often_first(sections),
            "size": draw.below(90_000),
            "depends": [draw.often_first(names) for _ in range(draw.below(most))],
            "description": draw.sentence(words),
        }
        for name in names
    ]
    _write_json(folder / "packages.json", packages)


def write_stations(folder: Path, draw: Draw, size: int) -> None:
    """So many observations of weather stations, for the Python script."""
    stations, kinds = draw.vocabulary(draw.between(100, 900)), draw.vocabulary(draw.between(4, 12))
    most = draw.between(2, 6)
    observations = [
        {
            "station": draw.often_first(stations),
            "day": draw.below(365),
            "values": {draw.one_of(kinds): draw.below(4000) / 100 for _ in range(draw.between(1, most))},
            "remark": draw.sentence(draw.below(6)),
        }
        for _ in range(size)
    ]
    _write_json(folder / "stations.json", observations)


def _write_json(path: Path, entries: list[dict[str, object]]) -> None:
    """An entry a line."""
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
