"""Text from outside, as a terminal may have it."""

import io

import pytest

from malloom.commands.main import as_it_can_be
from malloom.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain \u00e9", "plain \u00e9"),
        ("a\x1b[31mb\n", "a\\x1b[31mb\\n"),
        ("byte \udcff", "byte \\xff"),
        ("half \ud800", "half \\ud800"),
    ],
)
def test_what_no_terminal_may_have_is_spelled_out(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize("encoding", ["ascii", "iso-8859-1", "utf-8"])
def test_a_locale_without_a_letter_has_it_spelled_out(encoding: str) -> None:
    written = io.BytesIO()
    text = io.TextIOWrapper(written, encoding=encoding, errors="malloom")
    text.write("\u2039x\u203a \udcff")
    text.flush()
    spelled = "\u2039x\u203a".encode() if encoding == "utf-8" else b"\\u2039x\\u203a"
    assert written.getvalue() == spelled + b" \xff"


def test_halves_of_characters_are_spelled_out() -> None:
    error = UnicodeEncodeError("utf-8", "\ud800", 0, 1, "no")
    assert as_it_can_be(error) == (b"\\ud800", 1)
