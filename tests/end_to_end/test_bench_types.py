"""The suite types: its smallest program, and a draw."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import Finished

pytestmark = pytest.mark.long


def test_a_program_is_built_and_its_types_are_told_and_drawn(
    malloom: Callable[..., Finished], tmp_path: Path
) -> None:
    drawn, rows = tmp_path / "drawn.md", tmp_path / "rows.json"
    options = ["--quick", "--only", "mawk", "--only", "mean", "--draw", drawn, "--seed", "7", "--json", rows]
    done = malloom("bench", "types", *options)
    assert done.returncode == 0, done.stderr
    found = json.loads(rows.read_text())
    assert found["failures"] == []
    shares = {(row["workload"], row["variant"]): row["ratio"] for row in found["rows"]}
    assert 0.5 < shares["mawk", "named"] <= 1
    assert [goal["metric"] for goal in found["goals"]] == ["not named", "not named"]
    assert "drawn with the seed 7" in drawn.read_text()
