"""`malloom bench dynamic`: one program in small, once through every part, in `make soak`."""

import json
import os
import re
from pathlib import Path

import pytest

from end_to_end.conftest import WORKLOADS, Measured
from malloom.bench.dynamic.suite import PARTS

pytestmark = pytest.mark.long

BENCH = ("dynamic", "--program", "ft")
TITLES = [
    "Tables 1, 2: CPU time against native",
    "Tables 1, 2: CPU time against DynamoRIO alone",
    "Peak memory against native",
    "Table 3: prefetches",
    "athlon-mp: last-level misses against native",
    "p4: first-level misses against native",
    "A malloc and a free: CPU time against native",
    "Programs that allocate little",
    "Memory in use when all are released",
    "What malloom must reach",
]
GENERAL = {"glibc huge", "mimalloc 2", "mimalloc 2 huge", "mimalloc", "mimalloc huge", "jemalloc"}
GENERAL |= {"jemalloc huge", "tcmalloc"}
NATIVELY = {"glibc again", "pools", "carried"}
UNDER_DYNAMORIO = {"dynamorio", "dynamorio again", "pool", "prefetch", "all"}


def test_everything_is_measured(quick: Measured) -> None:
    assert quick.found["failures"] == []
    assert quick.done.returncode == 0, quick.done.stderr
    assert quick.found["suite"] == "dynamic"


def test_every_variant_has_a_time_and_a_peak(quick: Measured) -> None:
    of_ft = quick.rows(metric="cpu_time", baseline="glibc", workload="ft", input="0.5x")
    assert {row["variant"] for row in of_ft} == GENERAL | NATIVELY | UNDER_DYNAMORIO
    assert {row["last_level"] for row in of_ft} == {1 << 20}
    assert all(row["peak_rss_ratio"] > 0 for row in of_ft)


def test_what_is_kept_is_tried_at_a_quarter_to_sixteen_times_the_learned_size(quick: Measured) -> None:
    rows = quick.rows(metric="cpu_time", variant="kept", workload="ft")
    inputs = [f"{size} learned near 0.5x" for size in ("0.125x", "0.5x", "2x", "8x")]
    assert [row["input"] for row in rows] == inputs
    assert all(row["peak_rss_ratio"] > 0 for row in rows)
    assert "What is kept, at other sizes: CPU time against native" in quick.done.stdout


def test_misses_are_counted_on_both_of_the_papers_machines(quick: Measured) -> None:
    rows = [row for row in quick.rows() if row["metric"].endswith("_misses")]
    levels = {(row["input"], row["last_level"]) for row in rows}
    assert levels == {("0.5x athlon-mp", 256 << 10), ("0.5x p4", 512 << 10)}
    assert {row["variant"] for row in rows} == {"fallback", "pools", "auto"}
    assert all(row["low"] == row["ratio"] == row["high"] for row in rows)


def test_prefetches_are_counted_without_pools_and_with_them(quick: Measured) -> None:
    assert [row["variant"] for row in quick.rows(metric="prefetches")] == ["prefetch", "all"]


def test_every_goal_of_one_program_is_held(quick: Measured) -> None:
    held = {(goal["workload"], goal["variant"], goal["metric"]) for goal in quick.found["goals"]}
    # Whether anything is kept on two training inputs is not for two pairs to say.
    assert held - {("ft", "kept", "cpu_time")} == {
        ("ft", "carried", "cpu_time"),
        ("ft", "carried", "peak_rss"),
        ("ft", "auto", "llc_misses"),
        ("gzip", "all", "cpu_time"),
        ("sha256sum", "all", "cpu_time"),
        ("pairs", "fallback", "pair_time"),
        ("pairs", "pools", "pair_time"),
        ("pairs", "pools, two threads", "pair_time"),
        ("pairs", "pool heap", "pair_time"),
        ("pairs", "pool heap, two threads", "pair_time"),
        ("release_all", "pools", "empty_bytes"),
    }


def test_only_counts_peaks_and_absolute_limits_are_judged_by_two_pairs(quick: Measured) -> None:
    judged = {goal["metric"] for goal in quick.found["goals"] if goal["reached"] is not None}
    assert judged == {"llc_misses", "peak_rss", "empty_bytes"}


@pytest.mark.parametrize("title", TITLES)
def test_tables_have_their_own_titles(quick: Measured, title: str) -> None:
    assert title in quick.done.stdout
    assert f"### {title}" in quick.markdown


def test_what_is_carried_is_told(quick: Measured) -> None:
    (note,) = (note["note"] for note in quick.found["notes"] if note["part"] == "times")
    assert re.match(r"carried: (nothing|[a-z-]+), learned at 0\.5x(; |$)", note)


def test_a_size_that_does_not_fit_is_left_out(malloom, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    options = ["--only", "times", "--program", "ft", "--sizes", "8x", "--last-level", "1000G"]
    done = malloom("bench", "dynamic", *options, "--workloads", WORKLOADS, "--json", "rows.json")
    assert done.returncode == 0
    found = json.loads((tmp_path / "rows.json").read_text())
    assert found["rows"] == []
    (left,) = found["left_out"]
    assert (left["part"], left["what"]) == ("times", "ft 8x")
    assert left["why"].startswith("not measured: it needs 12,884,902 MB of memory")


def test_choices_that_there_are_not_are_bad_use(malloom) -> None:  # type: ignore[no-untyped-def]
    for options in (["--program", "mcf"], ["--sizes", "3x"], ["--last-level", "huge"], ["--only", "some"]):
        done = malloom("bench", "dynamic", *options)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_help_names_every_part_and_option(malloom) -> None:  # type: ignore[no-untyped-def]
    text = malloom("bench", "dynamic", "--help", env={**os.environ, "COLUMNS": "200"}).stdout
    for part, what in PARTS.items():
        assert f"{part}: {what}" in text
    for option in ("--program NAME", "--sizes SIZES", "--last-level BYTES", "--seconds", "--quick"):
        assert option in text
