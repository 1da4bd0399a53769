"""Groups by as few frames as tell them apart, against what a run finds that goes from call to caller."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malloom import formats
from malloom.errors import CommandError
from malloom.layout.layout import DEEPER_POOLS, NO_GROUP, Groups
from malloom.layout.plan import hash_table
from malloom.layout.plan_agreement import Agreement, write_agreed
from malloom.layout.plan_file import read_plan, write_plan
from malloom.layout.plan_header import has_flag
from malloom.layout.stepwise import stepwise_contexts
from malloom.profile import Contexts, HeapProfile, Module
from python.layout.test_plan_agreement import placed

Chain = tuple[int, ...]
"""Frames, the innermost first."""


def profile_of(chains: list[Chain]) -> HeapProfile:
    """A request of each chain."""
    lengths = [len(chain) for chain in chains]
    frames = np.array([64 * frame for chain in chains for frame in chain], dtype=np.uint64)
    contexts = Contexts(
        offsets=np.cumsum([0, *lengths]).astype(np.uint64),
        frame_module=np.zeros(len(frames), dtype=np.uint32),
        frame_offset=frames,
        hashes=np.arange(1, len(chains) + 1, dtype=np.uint64),
    )
    program = Module("", "", base=0, end=1 << 20, bias=0, hash=77)
    context = list(range(len(chains)))
    return HeapProfile.from_arrays([48] * len(chains), context=context, contexts=contexts, modules=[program])


def entries_of(
    groups: dict[Chain, int], depth: int, leads: tuple[int, ...] = ()
) -> tuple[dict[int, tuple[int, int]], int]:
    """Group and bytes of the pool by hash, and the deepest."""
    profile = profile_of(list(groups))
    level = profile.at_depth(depth)
    of_context = np.full(len(level.hashes), NO_GROUP, dtype=np.uint32)
    of_context[level.context] = list(groups.values())
    none = np.zeros(1 + max([0, *(group for group in groups.values() if group != NO_GROUP)]), dtype=np.uint64)
    found, deepest = stepwise_contexts(profile, Groups(depth, of_context, none, none, none, none > 0), leads)
    told = {int(each["hash"]): (int(each["group"]), int(each["pool_bytes"])) for each in found}
    return told, deepest


def hashes_of(chains: list[Chain], depth: int) -> list[int]:
    level = profile_of(chains).at_depth(depth)
    return [int(level.hashes[context]) for context in level.context.tolist()]


def group_reached(entries: dict[int, tuple[int, int]], chain: Chain) -> int:
    """As a run does."""
    for depth in range(1, len(chain) + 1):
        (hash_,) = hashes_of([chain], depth)
        group, pool = entries.get(hash_, (NO_GROUP, 0))
        if pool != DEEPER_POOLS:
            return group
    return NO_GROUP


def test_a_call_site_of_one_group_needs_no_callers() -> None:
    groups = {(1, 5): 0, (1, 6): 0, (2, 5): 1, (2, 6): NO_GROUP, (3, 5): NO_GROUP}
    entries, deepest = entries_of(groups, 2)
    one, _, two, _, _ = hashes_of(list(groups), 1)
    deeper = hashes_of(list(groups), 2)[2]
    assert entries == {one: (0, 0), two: (NO_GROUP, DEEPER_POOLS), deeper: (1, 0)}
    assert deepest == 2
    alone = {chain: group for chain, group in groups.items() if chain[0] == 1}
    assert entries_of(alone, 2) == ({one: (0, 0)}, 1)


def test_what_leads_on_elsewhere_does_so_here_too() -> None:
    groups = {(1, 5): 0, (1, 6): 0, (2, 5): 1}
    (one, _, two), deeper = hashes_of(list(groups), 1), hashes_of(list(groups), 2)
    entries, deepest = entries_of(groups, 1, (one, 4711))
    assert entries == {one: (NO_GROUP, DEEPER_POOLS), deeper[0]: (0, 0), deeper[1]: (0, 0), two: (1, 0)}
    assert deepest == 2


@given(
    st.dictionaries(
        st.lists(st.integers(1, 4), min_size=4, max_size=4).map(tuple),
        st.sampled_from([0, 1, 2, NO_GROUP]),
        min_size=1,
        max_size=30,
    )
)
def test_a_run_finds_each_chain_s_group(groups: dict[Chain, int]) -> None:
    leading = (*hashes_of(list(groups), 1)[:3], *hashes_of(list(groups), 2)[3:5])
    for leads in ((), leading):
        entries, deepest = entries_of(groups, 4, leads)
        assert_found(groups, entries, deepest)


def assert_found(groups: dict[Chain, int], entries: dict[int, tuple[int, int]], deepest: int) -> None:
    assert {chain: group_reached(entries, chain) for chain in groups} == groups
    assert 1 <= deepest <= 4


@pytest.mark.parametrize("stepwise", [True, False])
def test_plans_of_other_depths_agree_where_they_are_found_stepwise(tmp_path: Path, stepwise: bool) -> None:
    plans = []
    for depth in (1, 3):
        contexts = np.zeros(2, dtype=formats.dtype("plan", "PlanContext"))
        contexts["hash"], contexts["group"] = [2, 5], NO_GROUP
        contexts[0]["group"], contexts[1]["pool_bytes"] = 0, DEEPER_POOLS
        groups = np.zeros(1, dtype=formats.dtype("plan", "PlanGroup"))
        groups["chunk_bytes"] = 4096
        flags = formats.load("plan").enums["PlanFlag"]["stepwise"] * stepwise
        made = {"contexts": hash_table(contexts), "groups": groups, "depth": depth, "flags": flags}
        plans.append(tmp_path / f"{depth}.plan")
        write_plan(replace(placed(), **made), plans[-1])
    if not stepwise:
        with pytest.raises(CommandError, match="contexts of different depths"):
            write_agreed(plans, tmp_path / "both")
        return
    assert write_agreed(plans, tmp_path / "both") == Agreement(kept=2, left_out=0)
    both = read_plan(tmp_path / "both")
    assert both.header["depth"] == 3 and has_flag(tmp_path / "both", "stepwise")
