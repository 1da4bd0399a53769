"""What is piped to the command: kept for every run, and refused where it does not end."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from malloom.errors import CommandError
from malloom.optimize import standard_input
from malloom.optimize.standard_input import repeatable_input


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The end to write to, of which standard input is the other."""
    read_end, write_end = os.pipe()
    with os.fdopen(read_end) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield write_end


def test_what_is_piped_is_a_file_while_it_is_needed(pipe: int) -> None:
    os.write(pipe, b"one\ntwo\n")
    os.close(pipe)
    with repeatable_input(False, 10.0) as copy:
        assert copy is not None and copy.read_bytes() == b"one\ntwo\n"
    assert not copy.exists()


@pytest.mark.parametrize(
    ("most", "seconds", "words"),
    [
        (20, 0.1, r"did not end within 0\.1 s; .*< /dev/null"),
        (10, 10.0, r"has more than .*--train '@FILE'"),
    ],
)
def test_a_pipe_without_an_end_is_refused(
    pipe: int, monkeypatch: pytest.MonkeyPatch, most: int, seconds: float, words: str
) -> None:
    monkeypatch.setattr(standard_input, "MOST_BYTES", most)
    os.write(pipe, b"12345678901")
    with pytest.raises(CommandError, match=words), repeatable_input(False, seconds):
        pass
    os.close(pipe)


def test_a_file_may_be_as_long_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standard_input, "MOST_BYTES", 10)
    (tmp_path / "input").write_text("12345678901")
    with (tmp_path / "input").open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with repeatable_input(False, 10.0) as copy:
            assert copy is not None and copy.read_text() == "12345678901"


def test_what_is_told_otherwise_is_not_read(pipe: int) -> None:
    with repeatable_input(True, 0.0) as copy:
        assert copy is None
    os.close(pipe)
