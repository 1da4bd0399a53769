"""From a layout to a plan: how the run time will find each request's place again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from malloom import formats
from malloom.errors import UsageProblem
from malloom.layout.layout import DEEPER_POOLS, GRANULE, NO_GROUP, NO_PLACE, Groups, Layout, Pools
from malloom.layout.live_bytes import peak_bytes
from malloom.layout.pooling import pools_of
from malloom.layout.room import granules
from malloom.layout.stepwise import stepwise_contexts
from malloom.profile import HeapProfile, Refolded
from malloom.profile.requests import I64, U32

NO_SLOT = 2**32 - 1
MATCHINGS = ("context", "sequence")
PREALLOCATE_SHARE = 0.8
"""Preallocation pays where at least this share of the arena was in use at the peak: nearly every page is
touched."""
DEEPEST = 8
"""Frames: deeper contexts cost the run time more than they tell apart."""
DEEPEST_CERTAIN = 3
"""Frames, for a program of one thread."""
MIXED_SHARE = 0.02


@dataclass(frozen=True)
class Plan:
    """A plan in memory; the sections are structured arrays as formats/plan.def defines them."""

    strategy: str
    program: int
    matching: int
    depth: int
    arena_bytes: int
    planned_requests: int
    profile_created: int
    flags: int
    contexts: npt.NDArray[Any]
    slots: npt.NDArray[Any]
    sequences: npt.NDArray[Any]
    groups: npt.NDArray[Any]
    prefetches: npt.NDArray[Any]
    racy_requests: int
    """Planned requests whose context several threads use: their ordinals may differ from run to run."""
    sites: bytes = b""
    """The section of site keys (formats/sites.def); empty: none."""

    @property
    def is_preallocated(self) -> bool:
        """Whether a run gets the arena's memory at its start."""
        return bool(self.flags & formats.load("plan").enums["PlanFlag"]["preallocate"])

    @property
    def pools_count(self) -> int:
        """Contexts with a pool, or with objects beside which theirs belong."""
        pool_bytes = self.contexts["pool_bytes"]
        has_pool = (pool_bytes != 0) & (pool_bytes != DEEPER_POOLS)
        return int(np.count_nonzero(has_pool | (self.contexts["companion_place"] != 0)))


def make_plan(
    profile: HeapProfile,
    layout: Layout,
    *,
    match: str = "context",
    depth: int | None = None,
    preallocate: bool | None = None,
    pools: bool = False,
    leads: Collection[int] = (),
) -> Plan:
    """The plan for a layout. `depth` (frames) and `preallocate` are chosen where not given. With `pools` the
    contexts that are worth one have it for requests that the layout leaves over. `leads` as stepwise_contexts
    has them.

    Raises UsageProblem where the layout's groups and the matching do not go together.
    """
    if match not in MATCHINGS:
        raise UsageProblem(f"there is no matching '{match}'", remedy="use context or sequence")
    if match == "sequence" and (pools or not layout.has_slots):
        what = "pools are" if pools else f"{layout.strategy} places"
        raise UsageProblem(f"{what} by context", remedy="leave --match out")
    sections = _sections(profile, layout, match, depth, leads)
    if pools and layout.groups is not None:
        sections |= _beside_groups(profile, sections)
    elif pools and layout.pools is None:
        sections["contexts"] = _with_pools(profile, sections["contexts"], sections["depth"])
    wanted = preallocate if preallocate is not None else worth_preallocating(profile, layout)
    return Plan(
        strategy=layout.strategy,
        program=program_hash(profile),
        matching=formats.load("plan").enums["Matching"][match],
        arena_bytes=_aligned(layout.arena_bytes) if layout.has_slots else 0,
        planned_requests=layout.planned if layout.has_slots else 0,
        profile_created=profile.created,
        flags=_flags(wanted, layout.groups is not None),
        **sections,
    )


def _flags(preallocate: bool, stepwise: bool) -> int:
    flags = formats.load("plan").enums["PlanFlag"]
    return preallocate * flags["preallocate"] | stepwise * flags["stepwise"]


def _sections(
    profile: HeapProfile, layout: Layout, match: str, depth: int | None, leads: Collection[int]
) -> dict[str, Any]:
    empty = empty_sections()
    if match == "sequence":
        slots, sequences = _sequences(profile, layout)
        return {**empty, "slots": slots, "sequences": sequences, "depth": 0, "racy_requests": 0}
    if layout.groups is not None:
        contexts, deepest = stepwise_contexts(profile, layout.groups, leads)
        groups = group_table(layout.groups)
        return {
            **empty,
            "contexts": hash_table(contexts),
            "groups": groups,
            "depth": deepest,
            "racy_requests": 0,
        }
    if layout.pools is not None:
        return {
            **empty,
            "contexts": pool_contexts(layout.pools),
            "depth": layout.pools.depth,
            "racy_requests": 0,
        }
    chosen = depth if depth is not None else best_depth(profile)
    refolded = profile.at_depth(chosen)
    contexts, slots = _contexts(profile, layout, refolded)
    racy = int((racy_contexts(profile, refolded)[refolded.context] & (layout.offset >= 0)).sum())
    return {**empty, "contexts": contexts, "slots": slots, "depth": chosen, "racy_requests": racy}


def empty_sections() -> dict[str, Any]:
    """The sections of a plan that says nothing."""
    return {
        name: np.zeros(0, dtype=formats.dtype("plan", struct))
        for name, struct in (
            ("contexts", "PlanContext"),
            ("slots", "PlanSlot"),
            ("sequences", "PlanSequence"),
            ("groups", "PlanGroup"),
            ("prefetches", "PlanPrefetch"),
        )
    }


def _aligned(size: int) -> int:
    return -(-size // GRANULE) * GRANULE


def program_hash(profile: HeapProfile) -> int:
    """The hash of the executable's module; 0 where the profile does not tell."""
    modules = profile.modules
    for module in modules:
        if module.path == profile.process.executable:
            return module.hash
    return modules[0].hash if len(modules) else 0


def racy_contexts(profile: HeapProfile, refolded: Refolded) -> npt.NDArray[np.bool_]:
    """Which contexts several threads use."""
    count = len(refolded.hashes)
    thread = profile.requests.thread
    least = np.full(count, 2**32 - 1, dtype=np.uint32)
    most = np.zeros(count, dtype=np.uint32)
    np.minimum.at(least, refolded.context, thread)
    np.maximum.at(most, refolded.context, thread)
    differs: npt.NDArray[np.bool_] = least != most
    return differs


def best_depth(profile: HeapProfile) -> int:
    """The smallest depth at which ordinals are as certain as going deeper would make them.

    Of several threads: hardly fewer requests would be left in contexts of one thread. Of one: hardly any
    request is followed in its context by one of another size from another place. Where it is, a run that
    makes one request more or less there, for a longer environment say, would match none of those after it.
    """
    if int(profile.requests.thread.max(initial=0)) == 0:
        deepest = min(DEEPEST_CERTAIN, max(profile.contexts.depth, 1))
        shares = [_mixed_share(profile, depth, deepest) for depth in range(1, deepest + 1)]
        return next(depth for depth, share in enumerate(shares, 1) if share <= MIXED_SHARE)
    deepest = min(DEEPEST, max(profile.contexts.depth, 1))
    shares = [_racy_share(profile, depth) for depth in range(1, deepest + 1)]
    return next(depth for depth, share in enumerate(shares, 1) if share <= min(shares) + 0.01)


def _mixed_share(profile: HeapProfile, depth: int, deepest: int) -> float:
    """Share of the requests that differ in room and in deepest context from the next one of their context."""
    if depth >= deepest or not len(profile.requests):
        return 0.0
    context = profile.at_depth(depth).context
    order = np.argsort(context, kind="stable")
    room, place = granules(profile)[order], profile.at_depth(deepest).context[order]
    is_same = np.diff(context[order]) == 0
    return float((is_same & (np.diff(room) != 0) & (np.diff(place) != 0)).sum() / len(order))


def _racy_share(profile: HeapProfile, depth: int) -> float:
    refolded = profile.at_depth(depth)
    return float(racy_contexts(profile, refolded)[refolded.context].mean()) if len(refolded.context) else 0.0


def worth_preallocating(profile: HeapProfile, layout: Layout) -> bool:
    """Whether nearly all of the arena is in use at some time."""
    return is_preallocated(layout, peak_bytes(profile, layout.offset >= 0))


def is_preallocated(layout: Layout, peak: int) -> bool:
    """The same, where the bytes of what it places are known at their peak."""
    return layout.has_slots and layout.arena_bytes > 0 and peak >= PREALLOCATE_SHARE * layout.arena_bytes


def _slot_table(offset: I64, room: U32) -> npt.NDArray[Any]:
    slots = np.zeros(len(offset), dtype=formats.dtype("plan", "PlanSlot"))
    slots["start"] = np.where(offset == NO_PLACE, NO_SLOT, offset // GRANULE)
    slots["granules"] = room
    return slots


def _sequences(profile: HeapProfile, layout: Layout) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    thread = profile.requests.thread
    order = np.argsort(thread, kind="stable")
    counts = np.bincount(thread)
    sequences = np.zeros(len(counts), dtype=formats.dtype("plan", "PlanSequence"))
    sequences["slots"] = counts
    sequences["first_slot"] = np.cumsum(counts) - counts
    return _slot_table(layout.offset[order], granules(profile)[order]), sequences


def _contexts(
    profile: HeapProfile, layout: Layout, refolded: Refolded
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Slots up to the last ordinal of each context that has a place, and the table that leads to them."""
    count = len(refolded.hashes)
    placed = layout.offset != NO_PLACE
    lengths = np.zeros(count, dtype=np.int64)
    np.maximum.at(lengths, refolded.context[placed], refolded.ordinal[placed].astype(np.int64) + 1)
    first = np.cumsum(lengths) - lengths
    kept = refolded.ordinal < lengths[refolded.context]
    index = first[refolded.context[kept]] + refolded.ordinal[kept]
    slots = np.zeros(int(lengths.sum()), dtype=formats.dtype("plan", "PlanSlot"))
    slots[index] = _slot_table(layout.offset[kept], granules(profile)[kept])
    entries = np.zeros(count, dtype=formats.dtype("plan", "PlanContext"))
    entries["hash"], entries["first_slot"], entries["slots"] = refolded.hashes, first, lengths
    entries["group"] = NO_GROUP
    return hash_table(entries), slots


def pool_contexts(pools: Pools) -> npt.NDArray[Any]:
    entries = np.zeros(len(pools.hashes), dtype=formats.dtype("plan", "PlanContext"))
    entries["hash"], entries["pool_bytes"], entries["group"] = pools.hashes, pools.bytes, NO_GROUP
    return hash_table(entries)


def _with_pools(profile: HeapProfile, contexts: npt.NDArray[Any], depth: int) -> npt.NDArray[Any]:
    """The table with pools for contexts of the same depth."""
    pools, _ = pools_of(profile, depth, depth)
    entries = contexts[contexts["hash"] != 0]
    added = pool_contexts(pools)
    added = added[added["hash"] != 0]
    merged = {int(entry["hash"]): entry for entry in added} | {int(entry["hash"]): entry for entry in entries}
    table = np.array(list(merged.values()), dtype=contexts.dtype)
    bytes_of = dict(zip(pools.hashes.tolist(), pools.bytes.tolist(), strict=True))
    table["pool_bytes"] = [bytes_of.get(each, 0) for each in table["hash"].tolist()]
    return hash_table(table)


def _beside_groups(profile: HeapProfile, sections: dict[str, Any]) -> dict[str, Any]:
    """The contexts with pools for those that the groups say nothing of, and the frames of the deepest: both
    are reached from the call site on."""
    pools, _ = pools_of(profile)
    entries = [table[table["hash"] != 0] for table in (pool_contexts(pools), sections["contexts"])]
    merged = {int(entry["hash"]): entry for table in entries for entry in table}
    table = np.array(list(merged.values()), dtype=entries[0].dtype)
    return {"contexts": hash_table(table), "depth": max(pools.depth, sections["depth"])}


def group_table(groups: Groups) -> npt.NDArray[Any]:
    table = np.zeros(len(groups.chunk_bytes), dtype=formats.dtype("plan", "PlanGroup"))
    table["chunk_bytes"] = groups.chunk_bytes
    table["maximum_bytes"] = groups.maximum_bytes
    table["expected_bytes"] = groups.expected_bytes
    table["small_pages"] = groups.small_pages
    return table


def hash_table(entries: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Open addressing by the low bits of the hash, at most half full."""
    if not len(entries):
        return entries
    capacity = 1 << max(len(entries) * 2 - 1, 1).bit_length()
    table = np.zeros(capacity, dtype=entries.dtype)
    taken = bytearray(capacity)
    for entry, hash_ in zip(entries, entries["hash"].tolist(), strict=True):
        place = hash_ & (capacity - 1)
        while taken[place]:
            place = (place + 1) & (capacity - 1)
        taken[place] = 1
        table[place] = entry
    return table
