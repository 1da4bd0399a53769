"""Which strategies are raced."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from malloom.cache.geometry import geometry_from
from malloom.errors import UsageProblem
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import write_plan
from malloom.layout.plan_flags import write_with_flags
from malloom.layout.plan_header import header_of
from malloom.layout.plan_record import write_with_record
from malloom.layout.registry import strategy
from malloom.measure import variants
from malloom.measure.allocators import KNOWN, Allocator, Version, Way, settings_of
from malloom.optimize.candidates import Candidate, chosen_from, sparing, without_places, without_twins
from malloom.optimize.keeping import keep, setting_record, write_empty
from malloom.optimize.parts import ALLOCATOR, PAGES, chain_of
from malloom.profile import HeapProfile
from malloom.settings import VARIABLE
from python.layout.drawn_profiles import with_contexts


def row(strategy: str, misses: int) -> dict[str, object]:
    return {"strategy": strategy, "cycles": misses * 10, "levels": [{"name": "L1", "misses": misses}]}


def test_layouts_with_the_same_counts_are_tried_once() -> None:
    ranking = [row("first-use", 5), row("subtree", 5), row("sequential", 7), row("size", 7), row("random", 9)]
    assert [each["strategy"] for each in without_twins(ranking)] == ["first-use", "sequential", "random"]
    ranking = [row("friends-grouped", 5), row("size", 6), row("sequential", 5)]
    assert [each["strategy"] for each in without_twins(ranking)] == ["sequential", "size"]


def test_the_best_three_and_what_is_always_tried() -> None:
    names = [
        "subtree",
        "smart",
        "usage-grouped",
        "size",
        "sequential",
        "first-use",
        "context-groups",
        "pools",
    ]
    ranking = [row(name, number) for number, name in enumerate(names)]
    chosen = chosen_from(ranking)
    assert chosen[:3] == ["subtree", "smart", "usage-grouped"]
    assert chosen[3:] == ["sequential", "first-use", "context-groups", "pools"]


def planned(folder: Path, name: str) -> Path:
    profile, path = HeapProfile.from_arrays([48] * 10), folder / f"{name}.plan"
    write_plan(make_plan(profile, strategy(name).place(profile, geometry_from("zen5"))), path)
    return path


def test_what_places_nothing_runs_with_the_fallback_alone(tmp_path: Path) -> None:
    alone = Candidate("overhead-only", planned(tmp_path, "overhead-only"))
    assert not alone.has_arena
    assert alone.environment == variants.fallback()


def test_preallocation_is_named_and_overrides_the_plan(tmp_path: Path) -> None:
    plan = planned(tmp_path, "sequential")
    assert Candidate("size", plan).has_arena
    assert Candidate("size", plan).name == "size"
    assert "preallocate" not in Candidate("size", plan).environment[VARIABLE]
    without = Candidate("size", plan, preallocate=False)
    assert without.name == "size not preallocated"
    assert "preallocate=0," in without.environment[VARIABLE]
    assert not any(without.flags.values())
    assert [way.name for way in without.other_setups()] == [
        "size preallocated",
        "size not preallocated with huge pages behind",
    ]


def test_groups_are_raced_in_huge_pages_too(tmp_path: Path) -> None:
    context = np.tile([0, 1], 50)
    pairs = [[2 * i, 2 * i + 1] * 20 for i in range(50)]
    profile = with_contexts([32] * 100, context=context, accesses=np.concatenate(pairs))
    plan = tmp_path / "groups.plan"
    write_plan(make_plan(profile, strategy("context-groups").place(profile, geometry_from("zen5"))), plan)
    groups = Candidate("context-groups", plan)
    assert [each.name for each in groups.other_setups()] == [
        "context-groups over the C library", "context-groups in huge pages",
        "context-groups with huge pages behind",
    ]  # fmt: skip
    huge = groups.other_setups()[1]
    assert huge.flags["huge_pages"] and not groups.flags["huge_pages"]
    assert huge.environment[VARIABLE].startswith("huge_pages=1,")


def test_what_has_no_arena_is_run_over_the_other_fallback(tmp_path: Path) -> None:
    plan = tmp_path / "pools.plan"
    profile = HeapProfile.from_arrays([48] * 100)
    write_plan(make_plan(profile, strategy("pools").place(profile, geometry_from("zen5"))), plan)
    pools = Candidate("pools", plan)
    assert not pools.has_arena and not pools.places_nothing
    assert (pools.name, pools.served_by) == ("pools", "mimalloc")
    other, huge, packed, behind, within, within_small = pools.other_setups()
    assert behind.name == "pools with huge pages behind"
    assert behind.environment[VARIABLE].startswith("fallback_huge_pages=1,")
    assert [name for name, is_set in behind.flags.items() if is_set] == ["fallback_huge_pages"]
    assert behind.other_setups()[3].setup == pools.setup
    assert (other.name, other.served_by) == ("pools over the C library", "system")
    assert other.environment[VARIABLE].startswith("fallback=system,")
    assert [name for name, is_set in other.flags.items() if is_set] == ["system_fallback"]
    assert huge.name == "pools in huge pages"
    assert huge.environment[VARIABLE].startswith("huge_pages=1,")
    assert huge.other_setups()[1].setup == pools.setup
    assert packed.name == "pools packed"
    assert packed.environment[VARIABLE].startswith("packed=1,")
    assert packed.other_setups()[2].setup == pools.setup
    assert within.name == "pools with huge pages behind within mimalloc"
    assert within_small.name == "pools without huge pages behind within mimalloc"
    assert within.environment[VARIABLE].startswith("pools_in_mimalloc=1,fallback_huge_pages=1,")
    assert [name for name, is_set in within.flags.items() if is_set] == [
        "pools_in_mimalloc", "fallback_huge_pages",
    ]  # fmt: skip
    assert within_small.is_in_mimalloc and not within_small.has_huge_fallback
    names = [each.name for each in within.other_setups()]
    assert names == [
        "pools over the C library with huge pages behind", "pools without huge pages behind within mimalloc",
        "pools with huge pages behind beside mimalloc",
    ]  # fmt: skip
    assert replace(within, huge_pages=True, packed=True).setup == within.setup
    assert not replace(within, fallback="system").is_in_mimalloc
    assert [each.name for each in huge.other_setups()[-2:]] == [within.name, within_small.name]
    assert within.other_setups()[-1].setup == behind.setup
    assert huge.other_setups()[0].flags == other.other_setups()[1].flags
    write_with_flags(plan, plan, other.other_setups()[1].flags)
    assert pools.is_in_huge_pages
    assert pools.served_by == "system"
    assert "fallback" not in pools.environment[VARIABLE]


def test_the_own_mimalloc_alone_is_a_plan_that_places_nothing(tmp_path: Path) -> None:
    empty, kept = tmp_path / "empty.plan", tmp_path / "kept.plan"
    write_empty(empty)
    small, huge = without_places(empty)
    assert (small.name, huge.name) == (
        "malloom's mimalloc without huge pages", "malloom's mimalloc with huge pages",
    )  # fmt: skip
    assert small.places_nothing and small.setup != huge.setup
    assert [part for part, _ in chain_of(small)] == [ALLOCATOR]
    assert [part for part, _ in chain_of(huge)] == [ALLOCATOR, PAGES]
    keep(small, setting_record(small), tmp_path, kept)
    assert variants.as_run(kept)[VARIABLE] == "heap=fallback"
    keep(huge, setting_record(huge), tmp_path, kept)
    assert variants.as_run(kept)[VARIABLE] == f"plan={kept}" and header_of(kept).has_flag(
        "fallback_huge_pages"
    )


def test_what_spares_memory_has_pools_for_all_small_requests(tmp_path: Path) -> None:
    empty, pools, kept = (tmp_path / f"{name}.plan" for name in ("empty", "pools", "kept"))
    write_empty(empty)
    profile = HeapProfile.from_arrays([48] * 100)
    write_plan(make_plan(profile, strategy("pools").place(profile, geometry_from("zen5"))), pools)
    layout = Candidate("sequential", planned(tmp_path, "sequential"))
    early, by_size, learned = sparing([layout, Candidate("pools", pools)], empty)
    assert sparing([layout], empty) == [early, by_size]
    assert (early.name, by_size.name, learned.name) == (
        "pools by size with early return packed", "pools by size packed",
        "pools with pools of all sizes packed",
    )  # fmt: skip
    assert "purge_delay=0," in early.environment[VARIABLE]
    for row in (early, by_size, learned):
        assert not row.places_nothing and row.setup != replace(row, small_in_pools=False).setup
        assert "heap=pools," in row.environment[VARIABLE] and "packed=1," in row.environment[VARIABLE]
        # What is kept runs as it was raced, and as it would not without its record.
        keep(row, setting_record(row), tmp_path, kept)
        assert variants.as_run(kept)[VARIABLE] == f"heap=pools,plan={kept}"
        write_with_record(kept, kept, {})
        assert variants.as_run(kept).get(VARIABLE, "") in ("", "heap=fallback", f"plan={kept}")


def test_a_plan_runs_with_no_other_heap(tmp_path: Path) -> None:
    plan = planned(tmp_path, "sequential")
    for heap in ("bins", 5, ["pools"]):
        write_with_record(plan, plan, {"heap": heap})
        with pytest.raises(UsageProblem, match="names a heap that no plan runs with"):
            variants.as_run(plan)


def test_a_plan_is_run_over_another_allocator(tmp_path: Path) -> None:
    other = Allocator(KNOWN[3], "lib.so", Version("1.2", "here"), "/there/lib.so")
    setting = settings_of(other, (Way.huge,))[0]
    plan = Candidate("size", planned(tmp_path, "sequential"), over=setting)
    assert plan.name == "size over jemalloc 1.2 with huge pages"
    assert plan.served_by == "system" and plan.flags["system_fallback"]
    run_time, _, preloaded = plan.environment["LD_PRELOAD"].partition(":")
    assert Path(run_time).name == "libmalloom.so" and preloaded.startswith("/there/lib.so")
    assert plan.environment["MALLOC_CONF"] == "thp:always"
    assert plan.environment[VARIABLE].startswith("fallback=system,")


def test_prefetches_can_be_left_out(tmp_path: Path) -> None:
    plan = Candidate("size", planned(tmp_path, "sequential"), without_prefetches=True)
    assert plan.name == "size without prefetches" and not plan.has_prefetches
    assert plan.environment[VARIABLE].startswith("prefetch=0,")
