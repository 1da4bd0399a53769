"""The suite oracle as `--quick` runs it, on one workload."""

import pytest

from end_to_end.conftest import Measured

pytestmark = pytest.mark.long

BENCH = ("oracle", "--only", "treeadd", "--only", "all")


def test_everything_is_measured(quick: Measured) -> None:
    assert quick.found["failures"] == []
    assert quick.done.returncode == 0, quick.done.stderr
    assert {row["workload"] for row in quick.rows()} == {"treeadd", "geometric mean", "what the oracle gains"}


def test_layouts_of_the_input_and_of_others_are_raced_together(quick: Measured) -> None:
    against = {row["variant"] for row in quick.rows(workload="treeadd", baseline="best")}
    assert {"oracle", "places of the very input", "best rule", "pools", "pools within mimalloc"} <= against
    assert {row["input"] for row in quick.rows(workload="treeadd")} == {"2.8x"}


def test_the_share_of_the_time_that_waits_is_told(quick: Measured) -> None:
    shares = {row["variant"]: row["ratio"] for row in quick.rows(metric="share of the time that waits")}
    assert 0 < shares["for heap objects"] <= 1
    assert 0 <= shares["of that for translations"] <= shares["for heap objects"]


def test_the_program_is_counted_once(quick: Measured) -> None:
    assert sum(row["ratio"] for row in quick.rows(metric="programs")) == 1
