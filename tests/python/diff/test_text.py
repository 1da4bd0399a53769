"""What a difference looks like on terminals and in pipes."""

import io

import pytest

from malloom.diff.changes import difference
from malloom.diff.text import fitted, lines
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
