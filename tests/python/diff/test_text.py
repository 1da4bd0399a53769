"""What a difference looks like on terminals and in pipes."""

import io

import pytest

from malloom.diff.changes import difference
from malloom.diff.text import broken, fitted, lines
from python.diff.summaries import numbers, summary

LONG = "/src/prog.c:5: live peak 2.5 KiB is 1.30 of the baseline's 2.0 KiB, the limit is 1.05: push prog.c:5"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")


def test_a_line_is_broken_on_a_terminal_alone() -> None:
    assert fitted(f"{LONG}\033", io.StringIO()) == f"{LONG}\\x1b"
    first, *rest = fitted(LONG, Terminal()).split("\n")
    assert all(len(line) <= 60 for line in (first, *rest))
    assert all(line.startswith("    ") for line in rest)
    assert " ".join([first, *(line.strip() for line in rest)]) == LONG
    assert fitted("1 limit kept", Terminal()) == "1 limit kept"


def test_how_much_was_matched_fits_as_well() -> None:
    side = summary({"push": numbers()})
    told = list(lines(difference(side, side, "live_peak"), 20, 60))
    assert all(len(line) <= 60 for line in told)
    assert "sites found in both make 100% of the old bytes and 100% of" in told


def test_notes_and_names_fit_too_and_lose_nothing() -> None:
    before, after = summary({"push": numbers()}), summary({"push": numbers()})
    found = difference(before, after, "live_peak")
    found.notes.append(LONG)
    told = list(lines(found, 20, 60))
    assert all(len(line) <= 60 for line in told)
    assert f"note: {LONG}" in " ".join(line.strip() for line in told)
    assert f"note: {LONG}" in list(lines(found, 20, 160))


def test_a_word_that_is_longer_than_a_line_stays_whole() -> None:
    path = f"/{'long/' * 30}program"
    assert broken(f"note: {path} is gone", 60) == ["note:", f"    {path}", "    is gone"]
    assert broken("", 60) == [""]
