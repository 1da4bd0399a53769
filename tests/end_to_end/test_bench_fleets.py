"""The suite fleets as `--quick` runs it."""

import pytest

from end_to_end.conftest import Measured

pytestmark = pytest.mark.long

BENCH = ("fleets",)


def test_everything_is_measured(quick: Measured) -> None:
    assert quick.found["failures"] == []
    assert quick.done.returncode == 0, quick.done.stderr
    times = {row["variant"] for row in quick.rows(baseline="here", metric="wall_time")}
    assert times == {"1 worker", "2 workers", "4 workers", "here again"}


def test_what_is_moved_is_small_beside_what_is_read(quick: Measured) -> None:
    moved = quick.rows(baseline="profile", metric="bytes_moved")
    assert len(moved) == 3
    assert all(row["ratio"] > 0 for row in moved)


def test_the_model_is_held_against_what_was_measured(quick: Measured) -> None:
    rows = quick.rows(baseline="model")
    assert {row["variant"] for row in rows} == {"2 workers", "4 workers"}
    many = quick.rows(baseline="1 worker, 100 profiles")
    assert [row["variant"] for row in many] == ["1000 workers, 100 profiles"]
    assert 0.001 <= many[0]["ratio"] < 1
