"""docs/formats.md says what formats/*.def define, all of it."""

from formats.format_tables import DOCUMENT, NAMES, PLACE, tables, with_tables


def test_tables_are_those_of_the_definitions() -> None:
    text = DOCUMENT.read_text()
    assert text == with_tables(text), "run 'python tests/formats/format_tables.py'"


def test_every_definition_has_its_table() -> None:
    shown = {(place[1], place[2]) for place in PLACE.finditer(DOCUMENT.read_text())}
    assert shown == {(name, title) for name in NAMES for title in tables(name)}
