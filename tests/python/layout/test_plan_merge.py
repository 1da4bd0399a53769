"""Learned pools, friends and prefetches beside the places of a strategy."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from malloom import formats
from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.layout.layout import DEEPER_POOLS, NO_GROUP
from malloom.layout.plan import Plan, make_plan
from malloom.layout.plan_file import read_plan, write_plan
from malloom.layout.plan_merge import with_learned, with_prefetches
from malloom.layout.registry import strategy
from malloom.profile import Contexts, HeapProfile, Module

REGISTER = 3


def profile_of(callers: int) -> HeapProfile:
    """A wrapper's one call site, asked by so many callers."""
    frames = np.array([[8, 64 * (caller + 1)] for caller in range(callers)], dtype=np.uint64)
    contexts = Contexts(
        offsets=np.arange(0, 2 * callers + 1, 2, dtype=np.uint64),
        frame_module=np.zeros(2 * callers, dtype=np.uint32),
        frame_offset=frames.ravel(),
        hashes=np.arange(1, callers + 1, dtype=np.uint64),
    )
    program = Module("", "", base=0, end=1 << 20, bias=0, hash=77)
    context = list(range(callers)) * 10
    return HeapProfile.from_arrays([48] * len(context), context=context, contexts=contexts, modules=[program])


def planned(profile: HeapProfile, name: str, **options: Any) -> Plan:
    return make_plan(profile, strategy(name).place(profile, geometry_from("zen5")), **options)


def written(
    folder: Path, profile: HeapProfile, entries: list[tuple[int, int, int]], program: int = 77
) -> Path:
    """A learned plan: hash, bytes of the pool, register of the companion of each context; and a prefetch."""
    contexts = np.zeros(2 * len(entries), dtype=formats.dtype("plan", "PlanContext"))
    prefetches = np.zeros(1, dtype=formats.dtype("plan", "PlanPrefetch"))
    for place, entry in enumerate(entries):
        contexts[place] = (entry[0], 0, 0, NO_GROUP, entry[1], entry[2], 0, 0)
    plan = replace(
        planned(profile, "overhead-only"), contexts=contexts, prefetches=prefetches, program=program
    )
    write_plan(plan, folder / "learned.plan")
    return folder / "learned.plan"


def told(plan: Plan) -> dict[int, tuple[int, int, int]]:
    return {
        int(entry["hash"]): (int(entry["slots"]), int(entry["pool_bytes"]), int(entry["companion_place"]))
        for entry in plan.contexts
        if entry["hash"]
    }


def test_a_call_site_has_its_places_and_its_pool(tmp_path: Path) -> None:
    profile = profile_of(1)
    (site,) = profile.at_depth(1).hashes.tolist()
    learned = written(tmp_path, profile, [(site, 48, REGISTER), (999, 64, 0)])
    merged = with_learned(profile, planned(profile, "sequential", depth=1), learned)
    assert told(merged) == {site: (10, 48, REGISTER), 999: (0, 64, 0)}
    assert len(merged.prefetches) == 1
    assert merged.pools_count == 2


def test_deeper_contexts_have_the_pool_to_which_their_chain_leads(tmp_path: Path) -> None:
    profile = profile_of(2)
    (wrapper,) = profile.at_depth(1).hashes.tolist()
    one, other = profile.at_depth(2).hashes.tolist()
    plan = planned(profile, "sequential", depth=2)
    merged = with_learned(profile, plan, written(tmp_path, profile, [(wrapper, 48, REGISTER)]))
    assert told(merged) == {one: (10, 48, 0), other: (10, 48, 0)}
    learned = written(tmp_path, profile, [(wrapper, DEEPER_POOLS, 0), (other, 48, 0)])
    merged = with_learned(profile, plan, learned)
    assert told(merged) == {one: (10, 0, 0), other: (10, 48, 0)}
    shallow = with_learned(profile, planned(profile, "sequential", depth=1), learned)
    assert told(shallow)[wrapper] == (20, 0, 0)


def test_groups_and_sequences_keep_what_they_serve(tmp_path: Path) -> None:
    profile = profile_of(1)
    (site,) = profile.at_depth(1).hashes.tolist()
    learned = written(tmp_path, profile, [(site, 48, 0)])
    grouped = planned(profile, "sequential", depth=1)
    grouped.contexts["group"] = 0
    assert told(with_learned(profile, grouped, learned))[site][1] == 0
    by_sequence = with_learned(profile, planned(profile, "sequential", match="sequence"), learned)
    assert len(by_sequence.contexts) == 0 and len(by_sequence.prefetches) == 1


def test_another_programs_plan_is_refused(tmp_path: Path) -> None:
    profile = profile_of(1)
    with pytest.raises(CommandError, match="of another program"):
        with_learned(
            profile, planned(profile, "sequential"), written(tmp_path, profile, [(5, 48, 0)], program=78)
        )


def test_prefetches_of_one_plan_go_into_another(tmp_path: Path) -> None:
    profile = profile_of(1)
    learned = written(tmp_path, profile, [(5, 48, 0)])
    write_plan(planned(profile, "sequential"), tmp_path / "plan")
    with_prefetches(tmp_path / "plan", learned, tmp_path / "both.plan")
    was, now = read_plan(tmp_path / "plan"), read_plan(tmp_path / "both.plan")
    assert len(now.prefetches) == 1
    assert now.slots.tolist() == was.slots.tolist() and now.contexts.tolist() == was.contexts.tolist()
    unchanged = ("program", "depth", "arena_bytes", "flags", "strategy")
    assert [now.header[name] for name in unchanged] == [was.header[name] for name in unchanged]
