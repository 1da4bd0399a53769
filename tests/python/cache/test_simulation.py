"""The native simulator against a plain model of the same machine, and its own invariants."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from malloom.cache.cost import stall_cycles, stall_cycles_by_context
from malloom.cache.geometry import Geometry, geometry_from
from malloom.cache.simulate import Sample, Simulation, simulate
from malloom.profile import HeapProfile

SHAPES = [
    "L1:128:1:32",
    "L1:256:4:64,L2:1K:2:64",
    "L1:192:1:64,L2:768:3:64,TLB:2:1:4096",
    "L1:256:4:32,L2:1K:2:64,L3:3K:3:128,TLB1:2:2:4096,TLB2:4:2:4096",
]


class PlainCache:
    """Sets as lists of lines, the most recently used first."""

    def __init__(self, sets: int, ways: int, line_bytes: int) -> None:
        self.sets: list[list[int]] = [[] for _ in range(sets)]
        self.ways, self.line_bytes, self.misses = ways, line_bytes, 0

    def hits(self, address: int, size: int) -> bool:
        first, last = address // self.line_bytes, (address + size - 1) // self.line_bytes
        found = [self._line(line) for line in dict.fromkeys((first, last))]
        self.misses += not all(found)
        return all(found)

    def _line(self, line: int) -> bool:
        lines = self.sets[line % len(self.sets)]
        found = line in lines
        if found:
            lines.remove(line)
        lines.insert(0, line)
        del lines[self.ways :]
        return found


def plain_misses(geometry: Geometry, addresses: list[int]) -> list[int]:
    """Misses of every cache, then of every TLB, for accesses of 8 bytes."""
    groups = [
        [PlainCache(level.sets, level.ways, level.line_bytes) for level in levels]
        for levels in (geometry.caches, geometry.tlbs)
    ]
    for address in addresses:
        for group in groups:
            for cache in group:
                if cache.hits(address, 8):
                    break
    return [cache.misses for group in groups for cache in group]


def small_profile(requests: list[int], offsets: list[int], count: int = 64) -> HeapProfile:
    return HeapProfile.from_arrays([96] * count, accesses=requests, offsets=offsets)


ACCESSES = st.lists(st.tuples(st.integers(0, 63), st.integers(0, 88)), max_size=300)


@settings(deadline=None)
@given(accesses=ACCESSES, shape=st.sampled_from(SHAPES), seed=st.integers(0, 99))
def test_it_counts_what_a_plain_model_counts(accesses: list[tuple[int, int]], shape: str, seed: int) -> None:
    geometry = geometry_from(shape)
    profile = small_profile([request for request, _ in accesses], [offset for _, offset in accesses])
    arena = np.random.default_rng(seed).permutation(64) * 112
    counted = simulate(profile, {"moved": arena, "recorded": np.full(64, -1)}, geometry)
    recorded = profile.requests.address.astype(np.int64)
    # Recorded addresses are renumbered by regions of 2 MiB, which no cache here can tell.
    for name, starts in (("moved", arena), ("recorded", recorded - recorded[0] // 2**21 * 2**21)):
        wanted = plain_misses(geometry, [int(starts[request]) + offset for request, offset in accesses])
        counts = counted[name]
        assert [level.misses for level in (*counts.caches, *counts.tlbs)] == wanted
        assert counts.caches[0].references == len(accesses)
        assert all(0 <= level.hidden <= level.misses for level in counts.caches)


@pytest.mark.parametrize("replacement", ["lru", "tree-plru", "random"])
def test_what_fits_misses_once_a_line(replacement: str) -> None:
    geometry = geometry_from(f"L1:8K:4:64,{replacement}")
    profile = small_profile(list(range(64)) * 50, [0] * 3200)
    counts = simulate(profile, {"packed": np.arange(64) * 96}, geometry)["packed"]
    # 64 objects of 96 bytes lie in 6 KiB; each is accessed in its first line only.
    assert counts.caches[0].misses <= 96 if replacement == "random" else counts.caches[0].misses == 64


def misses_in_one_set(lines: list[int], replacement: str, ways: int) -> int:
    profile = HeapProfile.from_arrays([64] * 9, accesses=lines)
    geometry = geometry_from(f"L1:{64 * ways}:{ways}:64,{replacement}")
    return simulate(profile, {"x": np.arange(9) * 64}, geometry)["x"].caches[0].misses


def test_random_replacement_keeps_some_of_a_loop_that_is_too_long_for_lru() -> None:
    loop = list(range(9)) * 200
    assert misses_in_one_set(loop, "lru", 8) == 1800
    assert misses_in_one_set(loop, "random", 8) < 1500


def test_tree_plru_points_away_from_the_latest_use() -> None:
    # After 0 1 2 3 0 the tree's root points to the right half, and that to 2; 1 is the least recently used.
    assert misses_in_one_set([0, 1, 2, 3, 0, 4, 1], "lru", 4) == 6
    assert misses_in_one_set([0, 1, 2, 3, 0, 4, 1], "tree-plru", 4) == 5
    assert misses_in_one_set([0, 1, 2, 3, 0, 4, 2], "tree-plru", 4) == 6


def test_a_walk_in_memory_order_is_hidden_and_a_shuffled_one_is_not() -> None:
    count = 4096
    profile = HeapProfile.from_arrays([64] * count, accesses=np.tile(np.arange(count), 4))
    shuffled = np.random.default_rng(1).permutation(count) * 64
    counts = simulate(profile, {"in order": np.arange(count) * 64, "shuffled": shuffled}, geometry_from("p4"))
    ordered, unordered = counts["in order"].caches[0], counts["shuffled"].caches[0]
    assert ordered.misses == unordered.misses == 4 * count
    assert ordered.hidden > 0.98 * ordered.misses
    # The first quarter is new memory, which is hidden in any order.
    assert unordered.hidden < 0.4 * unordered.misses


def test_footprint_is_the_lines_and_pages_of_accessed_objects() -> None:
    profile = HeapProfile.from_arrays([64] * 4, accesses=[0, 1, 3])
    counts = simulate(profile, {"x": np.array([0, 4096, 1 << 20, 4096 + 64])}, geometry_from("p4"))["x"]
    assert (counts.lines, counts.pages) == (3, 2)


def test_windows_count_only_after_their_warm_up() -> None:
    profile = HeapProfile.from_arrays([64] * 10, accesses=list(range(10)) * 100)
    counts = simulate(
        profile, {"x": np.arange(10) * 64}, geometry_from("p4"), sample=Sample(skip=100, take=400)
    )
    # Two windows of 400; a quarter of each warms up, and by then all ten lines are in.
    assert counts["x"].caches[0].references == 600 and counts["x"].caches[0].misses == 0


@settings(deadline=None)
@given(
    accesses=ACCESSES,
    shape=st.sampled_from(SHAPES),
    contexts=st.lists(st.integers(0, 4), min_size=64, max_size=64),
    take=st.sampled_from([0, 40]),
)
def test_contexts_have_parts_of_the_counts(
    accesses: list[tuple[int, int]], shape: str, contexts: list[int], take: int
) -> None:
    geometry = geometry_from(shape)
    named, offsets = [request for request, _ in accesses], [offset for _, offset in accesses]
    profile = HeapProfile.from_arrays([96] * 64, accesses=named, offsets=offsets, context=contexts)
    simulation = Simulation(profile, geometry, by_context=True)
    for name, layout in (("moved", np.arange(64)[::-1] * 112), ("recorded", np.full(64, -1))):
        simulation.add(name, layout)
    for _ in range(2):
        for counts in simulation.run(Sample(0, take)).values():
            parts = counts.by_context
            assert parts is not None
            caches = zip(parts.misses, parts.hidden, strict=True)
            assert [(int(missed.sum()), int(hidden.sum())) for missed, hidden in caches] == [
                (level.misses, level.hidden) for level in counts.caches
            ]
            assert [int(missed.sum()) for missed in parts.tlb_misses] == [
                level.misses for level in counts.tlbs
            ]
            cycles = stall_cycles_by_context(parts, geometry)
            assert cycles.sum() == pytest.approx(stall_cycles(counts, geometry))
            unused = sorted({*range(len(profile.contexts))} - {contexts[request] for request in named})
            assert not cycles[unused].any()
        simulation.retain(["moved", "recorded"])


@pytest.mark.parametrize("replacement", ["lru", "tree-plru", "random"])
def test_a_huge_page_takes_one_entry_of_a_tlb(replacement: str) -> None:
    """A line of each of 1024 small pages, four times over: 512 of them are in a huge page."""
    profile = HeapProfile.from_arrays([16] * 1024, accesses=[*range(1024)] * 4, offsets=[0] * 4096)
    shape = geometry_from(f"L1:256:4:64,TLB1:8:8:4096,TLB2:64:4:4096,{replacement}")
    layout, counted = np.arange(1024) * 4096, {}
    for name, geometry in (("none", shape), ("has", replace(shape, has_huge_pages=True))):
        for huge_bytes in (0, 2 << 20, 4 << 20):
            simulation = Simulation(profile, geometry)
            simulation.add("placed", layout, huge_bytes)
            counted[name, huge_bytes] = simulation.run()["placed"]
    assert counted["has", 2 << 20].caches == counted["none", 0].caches
    missed = {key: [level.misses for level in counts.tlbs] for key, counts in counted.items()}
    assert missed["none", 0] == missed["none", 4 << 20] == missed["has", 0]
    assert missed["has", 4 << 20] == [2, 2]
    if replacement != "random":
        assert missed["none", 0] == [4096, 4096]
        # The small pages between two turns push the huge one out, where they all go through the same sets.
        assert missed["has", 2 << 20] == [4 * 513, 4 * 513]


def test_a_sample_stands_for_the_run() -> None:
    assert Sample(0, 0).scale == 1
    assert Sample(skip=60, take=40).scale == pytest.approx(100 / 30)


def test_skipped_first_uses_are_not_taken_for_new_memory() -> None:
    # Half of the objects are built before the window and walked in shuffled order in it.
    count = 4096
    walk = np.random.default_rng(2).permutation(count)
    profile = HeapProfile.from_arrays([64] * count, accesses=np.concatenate([np.arange(count), walk]))
    counts = simulate(
        profile, {"x": np.arange(count) * 64}, geometry_from("p4"), sample=Sample(skip=count, take=count)
    )
    assert counts["x"].caches[1].hidden < 0.2 * counts["x"].caches[1].misses + 100


def test_progress_is_told() -> None:
    told: list[int] = []
    profile = HeapProfile.from_arrays([64] * 2, accesses=np.zeros(9_000_000, dtype=np.uint32))
    simulate(profile, {"x": np.arange(2) * 64}, geometry_from("p4"), progress=told.append)
    assert len(told) == 2 and told == sorted(told)


@pytest.mark.parametrize("offset", [8, -5, 1 << 40])
def test_a_wrong_offset_is_refused(offset: int) -> None:
    with pytest.raises(ValueError, match="not a multiple of 16 below 64 GiB"):
        simulate(HeapProfile.from_arrays([16]), {"x": np.array([offset])}, geometry_from("p4"))
