"""`malloom bench splitting`: a little of every part, measured in `make soak`."""

import pytest

from end_to_end.conftest import Measured
from malloom.bench.splitting.comparing import FINALISTS

pytestmark = pytest.mark.long

BENCH = ("splitting", "--allocators")
TITLES = [
    "Figure 4: walking time against clang -O3",
    "llu: CPU time against clang -O3",
    "llu-one-list: walking time against clang -O3",
    "Figure 5: CPU time against clang -O3 -flto",
    "Figure 5: peak memory against clang -O3 -flto",
    "Builds, on training inputs: CPU time against clang -O3 -flto",
    "Table 2: instructions against clang -O3 -flto",
    "Instructions that maximal splitting adds",
    "Table 2, power4: L3 misses against clang -O3 -flto",
    "Table 2, power5: TLB misses against clang -O3 -flto",
    "Table 2, zen5: L1 misses against clang -O3 -flto",
    "Figure 6: prefetch streams begun, power4",
    "Figure 7b: lines prefetched from beyond into L2, power5",
    "Section 2.4: distinct lines of 64 bytes that are touched",
    "Real programs: alias sets, and the part of the heap's bytes in pools",
    "Real programs: CPU time of a clean build against clang -O2 -flto",
    "Real programs: the link alone",
    "Real programs: CPU time against clang -O2 -flto",
    "Real programs: CPU time against functions inlined and copied as by default, without pools",
    "Reasons for no pools, of the programs' heap bytes",
    "Reasons for no pools: what is proven of heap bytes",
    "Reasons for no pools: the share of heap bytes that each holds for",
    "Links: the programs' lines, and what a link takes",
    "Links: CPU time of the link alone against clang -O2 -flto",
    "Links: the link alone: peak memory against clang -O2 -flto",
    "Links: CPU time of a clean build against clang -O2 -flto",
    "What malloom must reach",
]
COMPILED = {"baseline", "lto", "gcc", "pool", "maximal", "default"}
OURS = {"pool", "maximal", "default"}
LINKED = ("bzip2", "lzip")
"""Whose links are measured, in so few pairs that the median is held as an absolute number."""
ALLOCATORS = {"glibc huge", "mimalloc 2", "mimalloc 2 huge", "mimalloc", "mimalloc huge", "jemalloc"}
ALLOCATORS |= {"jemalloc huge", "tcmalloc"}


def test_everything_is_measured(quick: Measured) -> None:
    assert quick.found["failures"] == []
    assert quick.done.returncode == 0, quick.done.stderr
    assert quick.found["suite"] == "splitting"


@pytest.mark.parametrize(("workload", "metric"), [("small_list", "walk_time"), ("llu", "cpu_time")])
def test_every_variant_is_timed(quick: Measured, workload: str, metric: str) -> None:
    rows = quick.rows(workload=workload, metric=metric, baseline="baseline")
    assert all(row["peak_rss_ratio"] > 0 for row in rows)
    beside = quick.rows(workload=workload, metric=metric, baseline="lto")
    for place in {row["input"] for row in rows}:
        raced = {row["variant"] for row in rows if row["input"] == place}
        guessing = {"default, links expected"} if workload == "llu" else set()
        assert raced - ALLOCATORS == (COMPILED - {"baseline"}) | {"baseline again"} | guessing
        assert len(raced & ALLOCATORS) == FINALISTS, "the fastest are in the race"
        others = {row["variant"] for row in beside if row["input"] == place}
        assert others & ALLOCATORS == ALLOCATORS - raced


def test_olden_is_held_against_lto_and_the_best(quick: Measured) -> None:
    for baseline, others in (("lto", {"baseline", "gcc", "lto again"} | ALLOCATORS), ("best", set())):
        rows = quick.rows(workload="tsp", metric="cpu_time", baseline=baseline)
        assert {row["variant"] for row in rows} == OURS | others


def test_every_goal_is_held(quick: Measured) -> None:
    held = {
        (goal["workload"], goal["variant"], goal["metric"], goal["limit"]) for goal in quick.found["goals"]
    }
    means = {each for each in held if each[0] == "geometric mean"}
    assert means <= {("geometric mean", "default", "cpu_time", 0.9)}, "none of races with unreliable controls"
    kept = {each for each in held if each[1] == "kept"}
    assert kept <= {("health", "kept", "cpu_time", 1.01)}, "where anything is kept"
    assert held - means - kept == {
        ("small_list", "default", "walk_time", 0.6),
        ("small_list", "default", "walk_time", 1.01),
        ("llu", "default", "cpu_time", 0.48),
        ("llu", "default", "cpu_time", 1.01),
        ("llu_many", "default", "cpu_time", 0.48),
        ("llu_many", "default", "cpu_time", 1.01),
        ("tsp", "default", "cpu_time", 1.01),
        ("tsp", "default", "peak_memory", 1.0),
        ("power", "default", "cpu_time", 1.01),
        ("power", "default", "peak_memory", 1.0),
        ("mawk", "default", "cpu_time", 1.01),
        ("mawk", "default", "build_cpu_time", 1.15),
        *((name, "default", "link_cpu_time", 1.0) for name in LINKED),
        *((name, "default", "build_cpu_time", 1.0) for name in LINKED),
    }


def test_counts_are_of_every_policy_and_machine(quick: Measured) -> None:
    for metric in ("instructions", "distinct_lines", "distinct_pages"):
        rows = quick.rows(workload="llu", metric=metric, baseline="lto")
        assert {row["variant"] for row in rows} == OURS
        assert all(row["low"] == row["ratio"] == row["high"] > 0 for row in rows)
    inputs = {row["input"] for row in quick.rows(workload="tsp", metric="l1_misses")}
    assert inputs == {"2x power4", "2x power5", "2x zen5"}
    streams = {row["input"] for row in quick.rows(workload="tsp", metric="prefetch_streams")}
    assert streams == {"2x power4", "2x power5"}


def test_splitting_touches_fewer_lines_of_long_lists(quick: Measured) -> None:
    (row,) = quick.rows(workload="llu", metric="l3_misses", input="2x zen5", variant="maximal")
    assert row["ratio"] > 0
    (pages,) = quick.rows(workload="llu", metric="distinct_pages", variant="maximal", baseline="lto")
    assert 0.5 < pages["ratio"] < 1.1


def test_reasons_are_told_by_heap_bytes(quick: Measured) -> None:
    reach = {row["variant"]: row["ratio"] for row in quick.rows(workload="mawk", metric="reach")}
    assert reach["MB requested"] > 0
    assert 0 <= reach["in pools"] <= reach["proven"] <= 1 - reach["of other code"]
    shares = [row["ratio"] for row in quick.rows(workload="mawk", metric="share_of_reason")]
    assert all(0 <= share <= 1 for share in shares)
    assert sum(shares) >= 1 - reach["of other code"] - reach["proven"] - 1e-9, "all else has a reason"


def test_a_real_program_is_built_counted_and_timed(quick: Measured) -> None:
    facts = {row["variant"]: row["ratio"] for row in quick.rows(workload="mawk", metric="facts")}
    assert facts["lines"] > 10_000 and facts["MB of heap"] > 1
    assert facts["sets"] >= facts["proven"] >= facts["pooled"] + facts["split"]
    assert 0 <= facts["heap share"] <= 1
    for metric in ("build_cpu_time", "build_wall_time"):
        ratios = {row["variant"]: row["ratio"] for row in quick.rows(workload="mawk", metric=metric)}
        assert 0.5 < ratios["default"] < 5 and 0.2 < ratios["lto again"] < 5
    of_pools = quick.rows(workload="mawk", metric="cpu_time", baseline="overhead-only")
    assert {row["variant"] for row in of_pools} == {"overhead-only again", "default"}


@pytest.mark.parametrize("name", LINKED)
def test_links_and_builds_are_measured(quick: Measured, name: str) -> None:
    facts = {row["variant"]: row["ratio"] for row in quick.rows(workload=name, metric="facts")}
    assert facts["lines"] > 3_000
    assert all(
        facts[f"{variant}: seconds"] > 0 and facts[f"{variant}: MB"] > 10 for variant in ("lto", "default")
    )
    for metric in ("link_cpu_time", "build_cpu_time"):
        ratios = {
            row["variant"]: row["ratio"] for row in quick.rows(workload=name, metric=metric, baseline="lto")
        }
        assert 0.5 < ratios["default"] < 5 and 0.2 < ratios["lto again"] < 5


@pytest.mark.parametrize("title", TITLES)
def test_tables_have_their_own_titles(quick: Measured, title: str) -> None:
    assert f"### {title}" in quick.markdown


def test_it_says_that_cycles_cannot_be_counted(quick: Measured) -> None:
    assert "cycles per instruction cannot be counted here" in quick.markdown
