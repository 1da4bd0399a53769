"""Summaries on disk: what is written is read back, and damage is said in one line."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from malloom.diff.summary_file import read_summary, write_summary
from malloom.errors import CommandError
from malloom.output_file import is_kind
from python.diff.summaries import numbers, summary

WHOLE = summary({"push": numbers(lifetime=None), "pop<T>": numbers(accesses=None, misses=None)})


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    write_summary(WHOLE, path)
    read = read_summary(path)
    assert (read.totals, read.numbers, read.sites, read.depth) == (
        WHOLE.totals,
        WHOLE.numbers,
        WHOLE.sites,
        WHOLE.depth,
    )
    assert is_kind(path, "summary")
    first = path.read_bytes()
    write_summary(WHOLE, path)
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    "change",
    [
        {"malloom_summary": 2},
        {"numbers": []},
        {"numbers": [[1, 2, 3, 4, 5, -1]] * 2},
        {"numbers": [[None, 2, 3, 4, 5, 6]] * 2},
        {"numbers": [[1, 2, 3]] * 2},
        {"sites": "AAAA"},
        {"sites": "no base64!"},
        {"totals": {}},
        {"depth": "x"},
        {"depth": float("inf")},
        {"depth": 10**400},
        {"numbers": [[10**400, 2, 3, 4, 5, 6]] * 2},
        {"is_cut": True, "gaps": []},
        {"arguments": [3]},
        {"gaps": 7},
        {"executable": None},
    ],
)
def test_damage_is_said_in_one_line(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "s.json"
    write_summary(WHOLE, path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(CommandError, match=r"s\.json: "):
        read_summary(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 10_000), new=st.binary(max_size=4), cut=st.integers(0, 10_000))
def test_any_bytes_are_read_or_refused(tmp_path: Path, at: int, new: bytes, cut: int) -> None:
    path = tmp_path / "s.json"
    write_summary(WHOLE, path)
    data = path.read_bytes()
    path.write_bytes((data[:at] + new + data[at + len(new) :])[: len(data) - cut % len(data)])
    try:
        read_summary(path)
    except CommandError as refused:
        assert "\n" not in str(refused)
