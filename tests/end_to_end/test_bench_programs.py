"""The suite programs as `--quick` runs it, on one program."""

import pytest

from end_to_end.conftest import Measured

pytestmark = pytest.mark.long

BENCH = ("programs", "--only", "jq", "--only", "all")


def test_everything_is_measured(quick: Measured) -> None:
    assert quick.found["failures"] == []
    assert quick.done.returncode == 0, quick.done.stderr
    assert {row["workload"] for row in quick.rows()} == {"jq", "geometric mean", "what is kept"}


def test_each_input_has_rows_and_only_held_out_ones_have_what_is_kept(quick: Measured) -> None:
    inputs = {row["input"] for row in quick.rows(workload="jq", baseline="glibc")}
    assert {given.split()[0] for given in inputs} == {"train", "check", "held-out"}
    assert len(inputs) == 5
    kept = {row["input"] for row in quick.rows(workload="jq", variant="kept", baseline="best")}
    assert kept == {given for given in inputs if given.startswith("held-out")}


def test_the_gain_and_the_regret_are_told_and_not_judged_by_two_pairs(quick: Measured) -> None:
    means = {row["baseline"] for row in quick.rows(workload="geometric mean", variant="kept")}
    assert means == {"glibc", "best", "best whatever it needs", "best row"}
    assert all(goal["reached"] is None for goal in quick.found["goals"] if goal["metric"] == "cpu_time")


def test_what_is_kept_is_of_one_kind_at_least(quick: Measured) -> None:
    counts = {row["variant"]: row["ratio"] for row in quick.rows(metric="programs")}
    assert {*counts} == {"nothing", "only a setting", "a layout", "pools", "prefetches"}
    assert sum(counts.values()) >= 1
