"""The suite predictions as `--quick` runs it, on one program."""

import pytest

from end_to_end.conftest import Measured

pytestmark = pytest.mark.long

BENCH = ("predictions", "--only", "jq", "--only", "all")


def test_everything_is_measured(quick: Measured) -> None:
    assert quick.found["failures"] == []
    assert quick.done.returncode == 0, quick.done.stderr
    assert "jq" in {row["workload"] for row in quick.rows()}


def test_each_layout_is_predicted_and_measured(quick: Measured) -> None:
    measured = {row["variant"] for row in quick.rows(metric="cpu_time", baseline="overhead-only")}
    predicted = {row["variant"]: row["ratio"] for row in quick.rows(metric="predicted CPU time")}
    assert measured - {"overhead-only again"} == predicted.keys() and len(predicted) >= 6
    assert all(0.01 < ratio < 10 for ratio in predicted.values())


def test_agreement_is_told_and_not_judged_by_two_pairs(quick: Measured) -> None:
    (row,) = quick.rows(workload="jq", variant="rank correlation")
    assert -1 <= row["ratio"] <= 1 and row["low"] is None
    (apart,) = quick.rows(workload="jq", variant="slowest against fastest")
    assert apart["ratio"] >= 1
