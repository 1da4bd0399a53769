"""Every strategy on random profiles, and on a tree whose orders are known."""

import numpy as np
import pytest
from hypothesis import given, settings

from malloom.cache.geometry import geometry_from
from malloom.errors import UsageProblem
from malloom.layout.registry import all_strategies, strategy, strategy_names
from malloom.layout.strategies.random import Random
from malloom.profile import HeapProfile
from python.layout.drawn_profiles import assert_valid, profiles, with_contexts

SHIPPED = [
    "context-groups",
    "first-use",
    "friends-depth-first",
    "friends-grouped",
    "hot-first-use",
    "keep-original",
    "lifetimes",
    "one-per-line",
    "overhead-only",
    "pools",
    "random",
    "reference-affinity",
    "sequential",
    "size",
    "smart",
    "subtree",
    "usage-depth-first",
    "usage-grouped",
]
GEOMETRY = geometry_from("p4")

# The shape of the thesis's figure 4.1: a root with two children that have two children each.
#       0
#     1   4      numbered by the time of their requests
#    2 3 5 6
PARENT = np.array([-1, 0, 1, 1, 0, 4, 4])


def tree() -> HeapProfile:
    """Friends and uses go from a node to its children, most often to the left child of the root; a walk comes
    back to the node before each child."""
    walk = [0, 1, 2, 1, 3, 1, 0, 4, 5, 4, 6, 4]
    size = np.full(7, 48)
    size[0] = 64
    return HeapProfile.from_arrays(size, friend=PARENT, accesses=[0, 1] * 8 + walk * 3)


def order_of(name: str, profile: HeapProfile) -> list[int]:
    return np.argsort(strategy(name).place(profile, GEOMETRY).offset, kind="stable").tolist()


def test_all_shipped_are_found() -> None:
    assert set(SHIPPED) <= set(strategy_names())


@pytest.mark.parametrize("name", SHIPPED)
def test_it_says_what_it_is(name: str) -> None:
    found = strategy(name)
    assert found.name == name
    assert 10 < len(found.summary) < 90


@pytest.mark.parametrize("name", SHIPPED)
@settings(max_examples=25, deadline=None)
@given(profile=profiles())
def test_any_profile_gets_a_valid_layout(name: str, profile: HeapProfile) -> None:
    if name == "keep-original":
        return test_kept_addresses_are_valid_where_the_recorded_were(profile)
    layout = strategy(name).place(profile, GEOMETRY)
    assert layout.strategy == name
    assert_valid(profile, layout)
    return None


def test_kept_addresses_are_valid_where_the_recorded_were(profile: HeapProfile | None = None) -> None:
    # Recorded addresses are made up as a bump allocator's, so only granules are kept, not larger alignments.
    if profile is None:
        profile = tree()
    kept = strategy("keep-original").place(profile, GEOMETRY).offset
    moved = kept - profile.requests.address.astype(np.int64)
    assert (moved == moved[0]).all()


@pytest.mark.parametrize("name", SHIPPED)
def test_the_same_profile_gives_the_same_layout(name: str) -> None:
    one, other = (strategy(name).place(tree(), GEOMETRY).offset for _ in range(2))
    assert (one == other).all()


def test_sequential_is_time_order() -> None:
    assert order_of("sequential", tree()) == [0, 1, 2, 3, 4, 5, 6]


def test_size_is_smallest_first() -> None:
    profile = HeapProfile.from_arrays([64, 16, 64, 32])
    assert order_of("size", profile) == [1, 3, 0, 2]


def test_depth_first_follows_figure_4_2() -> None:
    # The newest friend first, as table 5.1 tells; the order of use decides between equal uses.
    assert order_of("friends-depth-first", tree()) == [0, 4, 6, 5, 1, 3, 2]
    assert order_of("usage-depth-first", tree()) == [0, 1, 2, 3, 4, 5, 6]


def test_depth_first_starts_at_the_largest_and_goes_on_at_the_next_largest() -> None:
    profile = HeapProfile.from_arrays([16, 64, 32, 16], friend=[-1, -1, -1, 1])
    assert order_of("friends-depth-first", profile) == [1, 3, 2, 0]


def test_grouped_places_friends_without_their_hub_as_figure_4_3() -> None:
    # The groups of 0, 1 and 4 in the order of the hubs; then the root, which nobody named.
    assert order_of("friends-grouped", tree()) == [1, 4, 2, 3, 5, 6, 0]


def test_one_per_line_starts_every_object_on_a_line() -> None:
    offset = strategy("one-per-line").place(tree(), GEOMETRY).offset
    assert offset.tolist() == [64 * i for i in range(7)]


def test_random_is_seeded() -> None:
    profile = HeapProfile.from_arrays([16] * 100)
    one, same, other = (Random(seed).place(profile, GEOMETRY).offset for seed in (1, 1, 2))
    assert (one == same).all() and (one != other).any()


def test_overhead_only_moves_nothing() -> None:
    layout = strategy("overhead-only").place(tree(), GEOMETRY)
    assert layout.planned == 0 and layout.arena_bytes == 0


def test_first_use_ignores_the_order_of_building() -> None:
    built = np.arange(500, dtype=np.uint32)
    used = np.random.default_rng(5).permutation(500).astype(np.uint32)
    profile = HeapProfile.from_arrays([48] * 500, accesses=np.concatenate([built, *[used] * 20]))
    # The steady phase may begin in the middle of a round; the order is then the same, rotated.
    order = np.array(order_of("first-use", profile))
    start = int(np.flatnonzero(used == order[0])[0])
    assert (np.roll(used, -start) == order).all()


def test_hot_first_use_keeps_rarely_used_objects_apart() -> None:
    accesses = [0, 1, 2, 3] + [1, 3] * 100
    assert set(order_of("hot-first-use", HeapProfile.from_arrays([48] * 4, accesses=accesses))[:2]) == {1, 3}


def test_reference_affinity_keeps_what_alternates_together() -> None:
    accesses = [0, 1, 2, 3] + [0, 2] * 100 + [1, 3] * 100
    order = order_of("reference-affinity", HeapProfile.from_arrays([48] * 4, accesses=accesses))
    assert abs(order.index(0) - order.index(2)) == 1
    assert abs(order.index(1) - order.index(3)) == 1


def test_subtree_puts_the_top_of_a_tree_on_one_page() -> None:
    depth = 12
    ways = np.random.default_rng(3).integers(0, 2, (4000, depth))
    nodes = np.concatenate([_way(way) for way in ways]).astype(np.uint32)
    profile = HeapProfile.from_arrays([48] * 2**depth, accesses=nodes)
    offset = strategy("subtree").place(profile, GEOMETRY).offset
    # 85 nodes of 48 bytes fit a page, so a way down 12 levels meets 2 or 3 pages instead of up to 12.
    pages = [len(set((offset[_way(way)] // 4096).tolist())) for way in ways]
    assert np.mean(pages) < 4


def _way(turns: np.ndarray) -> np.ndarray:
    """Nodes from the root of a heap-ordered tree downwards; node 1 is the root."""
    node, way = 1, [1]
    for turn in turns[:-1]:
        node = 2 * node + int(turn)
        way.append(node)
    return np.array(way)


def test_smart_leaves_no_conflict_that_it_can_avoid() -> None:
    # A direct-mapped cache of two lines: 0 and 2 would share a set, and are used together.
    geometry = geometry_from("L1:128:1:64")
    accesses = [0, 1, 2, 3] + [0, 2] * 100
    offset = strategy("smart").place(HeapProfile.from_arrays([64] * 4, accesses=accesses), geometry).offset
    assert offset[0] // 64 % 2 != offset[2] // 64 % 2


def test_context_groups_join_what_is_used_together() -> None:
    context = np.tile([0, 1, 2, 3], 50)
    pairs = [[4 * i, 4 * i + 1] * 20 for i in range(50)] + [[4 * i + 2, 4 * i + 3] * 20 for i in range(50)]
    profile = with_contexts([32] * 200, context=context, accesses=np.concatenate(pairs))
    groups = strategy("context-groups").place(profile, GEOMETRY).groups
    assert groups is not None
    of = groups.of_context.tolist()
    assert of[0] == of[1] and of[2] == of[3] and of[0] != of[2]


def test_an_unknown_strategy_is_bad_use() -> None:
    with pytest.raises(UsageProblem, match="there is no strategy 'sequentail'"):
        strategy("sequentail")


def test_names_are_unique() -> None:
    names = [each.name for each in all_strategies()]
    assert len(names) == len(set(names))
