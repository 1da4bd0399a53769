"""Pools: contexts whose requests agree, as few frames deep as will do."""

from pathlib import Path

import numpy as np
import pytest

from malloom.cache.geometry import geometry_from
from malloom.errors import UsageProblem
from malloom.layout.layout import DEEPER_POOLS, NO_GROUP, NO_PLACE
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import read_plan, write_plan
from malloom.layout.plan_header import places_nothing
from malloom.layout.pooling import LEAST_REQUESTS, NO_POOL, pools_of
from malloom.layout.registry import strategy
from malloom.profile import Contexts, HeapProfile, Module
from python.layout.drawn_profiles import with_contexts

GEOMETRY = geometry_from("zen5")
MANY = 2 * LEAST_REQUESTS


def wrapped(sizes: list[list[int]]) -> HeapProfile:
    """A wrapper's one call site, asked by as many callers as there are lists of sizes."""
    callers = len(sizes)
    frames = np.array([[8, 64 * (caller + 1)] for caller in range(callers)], dtype=np.uint64)
    contexts = Contexts(
        offsets=np.arange(0, 2 * callers + 1, 2, dtype=np.uint64),
        frame_module=np.zeros(2 * callers, dtype=np.uint32),
        frame_offset=frames.ravel(),
        hashes=np.arange(1, callers + 1, dtype=np.uint64),
    )
    context = [caller for turn in range(len(sizes[0])) for caller in range(callers)]
    size = [sizes[caller][turn] for turn in range(len(sizes[0])) for caller in range(callers)]
    program = Module("program", "", base=0, end=1 << 20, bias=0, hash=77)
    return HeapProfile.from_arrays(size, context=context, contexts=contexts, modules=[program])


def bytes_of(profile: HeapProfile) -> list[int]:
    return sorted(pools_of(profile)[0].bytes.tolist())


def test_a_call_site_of_one_size_has_a_pool() -> None:
    profile = with_contexts([48] * MANY + [64] * MANY, context=[0] * MANY + [1] * MANY)
    pools, pool = pools_of(profile)
    assert pools.depth == 1 and pools.bytes.tolist() == [48, 64]
    assert pools.hashes.tolist() == profile.at_depth(1).hashes.tolist()
    assert (pool == profile.at_depth(1).context).all()


def test_few_requests_large_ones_and_odd_alignments_have_none() -> None:
    assert bytes_of(with_contexts([48] * (LEAST_REQUESTS - 1), context=[0] * (LEAST_REQUESTS - 1))) == []
    assert bytes_of(with_contexts([8192] * MANY, context=[0] * MANY)) == []
    assert bytes_of(with_contexts([48] * MANY, context=[0] * MANY, alignment=[0] * (MANY - 1) + [64])) == []


def test_a_few_requests_of_other_sizes_stay_outside() -> None:
    size = [48] * MANY
    size[5] = 100
    pools, pool = pools_of(with_contexts(size, context=[0] * MANY))
    assert pools.bytes.tolist() == [48]
    assert pool[5] == NO_POOL and (np.delete(pool, 5) == 0).all()


def test_the_callers_of_a_wrapper_have_pools() -> None:
    profile = wrapped([[48] * MANY, [96] * MANY, [16 + 16 * (i % 7) for i in range(MANY)]])
    pools, pool = pools_of(profile)
    assert pools.depth == 2 and pools.bytes.tolist() == [48, 96, DEEPER_POOLS]
    assert pools.hashes[2] == profile.at_depth(1).hashes[0]
    assert (pool[2::3] == NO_POOL).all() and (pool[::3] == 0).all()


def test_a_wrapper_whose_callers_agree_is_one_pool() -> None:
    pools, _ = pools_of(wrapped([[48] * MANY, [48] * MANY]))
    assert pools.depth == 1 and pools.bytes.tolist() == [48]


def test_a_plan_of_pools_has_no_slots(tmp_path: Path) -> None:
    profile = wrapped([[48] * MANY, [96] * MANY])
    layout = strategy("pools").place(profile, GEOMETRY)
    assert (layout.offset != NO_PLACE).all()
    write_plan(make_plan(profile, layout), tmp_path / "a.plan")
    plan = read_plan(tmp_path / "a.plan")
    assert len(plan.slots) == 0 and plan.header["depth"] == 2 and plan.header["pools_count"] == 2
    assert (plan.contexts[plan.contexts["hash"] != 0]["group"] == NO_GROUP).all()
    assert not places_nothing(tmp_path / "a.plan")
    with pytest.raises(UsageProblem, match="places by context"):
        make_plan(profile, layout, match="sequence")


def test_slots_and_pools_go_together() -> None:
    profile = with_contexts([48] * MANY, context=[0] * MANY)
    layout = strategy("sequential").place(profile, GEOMETRY)
    plan = make_plan(profile, layout, depth=1, pools=True)
    entry = plan.contexts[plan.contexts["hash"] != 0]
    assert entry["slots"].tolist() == [MANY] and entry["pool_bytes"].tolist() == [48]
    with pytest.raises(UsageProblem, match="by context"):
        make_plan(profile, layout, match="sequence", pools=True)
