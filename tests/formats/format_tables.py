"""The tables of docs/formats.md, made from formats/*.def. Run it to write them anew."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs/formats.md"

BYTES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "i32": 4, "c32": 32}

DEFINED = re.compile(
    r"^(?:STRUCT|ENUM)_BEGIN\((\w+), (\w+)\)\n(.*?)^(?:STRUCT|ENUM)_END", re.MULTILINE | re.DOTALL
)
FIELD = re.compile(r'^FIELD\((\w+), (\w+), "([^"]*)", "([^"]*)"\)$', re.MULTILINE)
VALUE = re.compile(r'^VALUE\(\w+, (\w+), (\w+), "([^"]*)"\)$', re.MULTILINE)
NAMES = ("profile", "plan", "sites", "fields")
"""Of the .def files."""
PLACE = re.compile(r"<!-- table (\w+) (\w+) -->\n.*?<!-- end -->", re.DOTALL)


def tables(name: str) -> dict[str, str]:
    """Name of a struct or enumeration of one .def file -> its table."""
    text = (ROOT / f"formats/{name}.def").read_text()
    return {title: table(title, kind, body) for title, kind, body in DEFINED.findall(text)}


def table(title: str, kind: str, body: str) -> str:
    if kind.isdigit():
        return struct_table(title, int(kind), FIELD.findall(body))
    rows = [f"| {number} | {name} | {meaning} |" for name, number, meaning in VALUE.findall(body)]
    return "\n".join([f"`{title}` ({kind}):", "", "| number | name | meaning |", "|---|---|---|", *rows])


def struct_table(title: str, size: int, fields: list[tuple[str, str, str, str]]) -> str:
    rows = []
    offset = 0
    for kind, name, unit, meaning in fields:
        rows.append(f"| {offset} | {kind} | {name} | {unit} | {meaning} |")
        offset += BYTES[kind]
    assert offset == size, f"{title} has {offset} bytes, not {size}"
    head = ["| offset | type | field | unit | meaning |", "|---|---|---|---|---|"]
    return "\n".join([f"`{title}`, {size} bytes:", "", *head, *rows])


def with_tables(document: str) -> str:
    """The document with every table as the .def files have it."""
    known = {name: tables(name) for name in NAMES}

    def fill(place: re.Match[str]) -> str:
        return f"<!-- table {place[1]} {place[2]} -->\n{known[place[1]][place[2]]}\n<!-- end -->"

    return PLACE.sub(fill, document)


if __name__ == "__main__":
    DOCUMENT.write_text(with_tables(DOCUMENT.read_text()))
