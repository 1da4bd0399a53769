"""Files and names that a profile only tells of."""

import os
from pathlib import Path

import pytest

from malloom.errors import UsageProblem
from malloom.output_file import check_replaced
from malloom.profile.process import _number
from malloom.report.debug_files import debug_files, find_debug_information
from malloom.report.folded import _plain
from malloom.sites.build import build_id_at


def test_what_is_no_ordinary_file_is_not_opened(tmp_path: Path) -> None:
    """A pipe that nobody writes to would be waited for."""
    pipe = tmp_path / "library.so"
    os.mkfifo(pipe)
    assert debug_files(pipe, "") == []
    assert find_debug_information(pipe, "") is None
    assert build_id_at(pipe) is None


def test_names_reach_no_terminal_raw() -> None:
    assert _plain("a;b \x1b[31m c") == "a:b \\x1b[31m c"


def test_numbers_are_as_long_as_numbers_are() -> None:
    assert (_number("42"), _number("9" * 5000), _number("-1"), _number("x")) == (42, 0, 0, 0)


@pytest.mark.parametrize(
    ("kind", "content"),
    [("page", b"<!doctype html><title>my own page</title>"), ("table of a host", b"PAR1 sales PAR1")],
)
def test_files_that_begin_like_ours_are_not_replaced(tmp_path: Path, kind: str, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(UsageProblem, match=f"exists and is no {kind}"):
        check_replaced(path, kind)  # type: ignore[arg-type]
    ours = b"<!doctype html><title>x - malloom</title>" if kind == "page" else b"PAR1 malloom_table PAR1"
    path.write_bytes(ours)
    check_replaced(path, kind)  # type: ignore[arg-type]
