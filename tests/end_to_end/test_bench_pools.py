"""`malloom bench pools`: its cheapest part in small, once through."""

import os

from end_to_end.conftest import Measured
from malloom.bench.pools.suite import PARTS

BENCH = ("pools", "--part", "malloc-free")
GENERAL = {"glibc", "glibc huge", "mimalloc 2", "mimalloc 2 huge", "mimalloc", "mimalloc huge", "jemalloc"}
GENERAL |= {"jemalloc huge", "tcmalloc"}


def test_everything_is_measured(quick: Measured) -> None:
    assert quick.found["failures"] == []
    assert quick.done.returncode == 0, quick.done.stderr
    assert quick.found["suite"] == "pools"


def test_every_pattern_is_held_against_the_best(quick: Measured) -> None:
    goals = quick.found["goals"]
    held = {(goal["workload"], goal["input"], goal["baseline"], goal["limit"]) for goal in goals}
    limits = {"now": 1.0, "lifo": 1.05, "fifo": 1.0, "random": 1.0}
    assert held == {("pairs", f"{name} 64 bytes", "best", limit) for name, limit in limits.items()}
    assert {goal["reached"] for goal in goals} == {None}, "two pairs decide nothing"


def test_the_pool_heap_has_a_row_against_every_allocator(quick: Measured) -> None:
    for pattern in ("now", "lifo", "fifo", "random"):
        rows = quick.rows(variant="pool heap", input=f"{pattern} 64 bytes", metric="pair_time")
        assert {row["baseline"] for row in rows} == {*GENERAL, "best"}
        (control,) = quick.rows(variant="glibc again", input=f"{pattern} 64 bytes")
        assert control["baseline"] == "glibc"


def test_tables_say_what_they_were_measured_on_and_that_they_judge_nothing(quick: Measured) -> None:
    head = ("| commit |", "| processor |", "| last level |", "| general allocators |", "| compared with |")
    for said in (*head, "| what it judges | nothing: --quick", "last level 1 MiB", "not judged: 2 pairs"):
        assert said in quick.markdown
    assert " n 2 |" in quick.markdown
    assert "fewer than 6 pairs give no interval, and decide nothing" in quick.markdown


def test_help_names_every_part_and_option(malloom) -> None:  # type: ignore[no-untyped-def]
    text = malloom("bench", "pools", "--help", env={**os.environ, "COLUMNS": "200"}).stdout
    for part, what in PARTS.items():
        assert f"{part}: {what}" in text
    for option in ("--program NAME", "--last-level BYTES", "--against COMMIT", "--quick"):
        assert option in text
