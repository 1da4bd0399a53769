"""Where a plan places the requests of a recorded run: from a plan back to a layout.

Slots are found as the run time finds them. Of groups and pools the plan has no places: their requests are
laid out as the strategies do it for the simulation, one chunk or pool after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from malloom import formats
from malloom.errors import CommandError
from malloom.layout.layout import DEEPER_POOLS, GRANULE, NO_GROUP, NO_PLACE, Layout
from malloom.layout.packing import pack_apart
from malloom.layout.plan import MATCHINGS, NO_SLOT, program_hash
from malloom.layout.plan_file import PlanFile, read_plan
from malloom.layout.room import granules
from malloom.profile import HeapProfile
from malloom.profile.requests import I64

PAGE = 4096
"""Bytes. What has no slot begins a page of its own."""
NO_PART = -1
NO_ENTRY = -1


def plan_places(profile: HeapProfile, path: Path) -> Layout:
    """The plan's layout of the profile's requests. Raises CommandError where the plan is not good, is of
    another program, or places none of them."""
    plan = read_plan(path)
    own, other = program_hash(profile), plan.header["program"]
    if own and other and own != other:
        raise CommandError(
            f"{path} is the plan of another program", remedy="name one that was made from this profile"
        )
    layout = places_of(profile, plan)
    if not layout.planned:
        raise CommandError(f"{path} places none of the profile's requests", remedy="name another plan")
    return layout


def places_of(profile: HeapProfile, plan: PlanFile) -> Layout:
    """A place for each request that the plan has one for."""
    strategy = plan.header["strategy"].rstrip(b"\0").decode(errors="replace")
    offset = _slots(profile, plan)
    arena_bytes = int(plan.header["arena_bytes"])
    part = _parts(profile, plan)
    part[offset != NO_PLACE] = NO_PART
    if (part == NO_PART).all():
        return Layout(strategy, offset, arena_bytes)
    packed = pack_apart(profile, strategy, part, NO_PART)
    begin = -(-arena_bytes // PAGE) * PAGE
    has_part = packed.offset != NO_PLACE
    return Layout(strategy, np.where(has_part, packed.offset + begin, offset), begin + packed.arena_bytes)


def _slots(profile: HeapProfile, plan: PlanFile) -> I64:
    """Bytes from the arena's start for requests whose slot has their room; NO_PLACE for the others."""
    if not len(plan.slots):
        return np.full(len(profile.requests), NO_PLACE, dtype=np.int64)
    found = _slot_numbers(profile, plan)
    # What a plan says need not lie in its table.
    found = np.where((found >= 0) & (found < len(plan.slots)), found, NO_ENTRY)
    slot = plan.slots[np.maximum(found, 0)]
    fits = (found != NO_ENTRY) & (slot["start"] != NO_SLOT) & (slot["granules"] == granules(profile))
    return np.where(fits, slot["start"].astype(np.int64) * GRANULE, NO_PLACE)


def _slot_numbers(profile: HeapProfile, plan: PlanFile) -> I64:
    if MATCHINGS[plan.header["matching"] - 1] == "sequence":
        thread = profile.requests.thread
        return _nth(plan.sequences, _known(thread, len(plan.sequences)), _ranks(thread))
    refolded = profile.at_depth(plan.header["depth"])
    entry = _entries(plan, refolded.hashes)[refolded.context]
    return _nth(plan.contexts, entry, refolded.ordinal.astype(np.int64))


def _nth(table: npt.NDArray[Any], entry: I64, ordinal: I64) -> I64:
    """The slot of that ordinal of an entry of a table; NO_ENTRY where it has none."""
    if not len(table):
        return np.full(len(entry), NO_ENTRY, dtype=np.int64)
    row = table[np.maximum(entry, 0)]
    has_slot = (entry != NO_ENTRY) & (ordinal < row["slots"].astype(np.int64))
    return np.where(has_slot, row["first_slot"].astype(np.int64) + ordinal, NO_ENTRY)


def _known(number: Any, count: int) -> I64:
    return np.where(number < count, number.astype(np.int64), NO_ENTRY)


def _ranks(thread: Any) -> I64:
    """How many requests of the same thread came before each."""
    order = np.argsort(thread, kind="stable")
    counts = np.bincount(thread)
    ranks = np.empty(len(thread), dtype=np.int64)
    ranks[order] = np.arange(len(thread)) - np.repeat(np.cumsum(counts) - counts, counts)
    return ranks


def _entries(plan: PlanFile, hashes: Any) -> I64:
    """The entry of the plan's contexts for each hash, or NO_ENTRY."""
    used = np.flatnonzero(plan.contexts["hash"])
    if not len(used):
        return np.full(len(hashes), NO_ENTRY, dtype=np.int64)
    used = used[np.argsort(plan.contexts["hash"][used])]
    known = plan.contexts["hash"][used]
    at = np.minimum(np.searchsorted(known, hashes), len(used) - 1)
    return np.where(known[at] == hashes, used[at], NO_ENTRY)


def _parts(profile: HeapProfile, plan: PlanFile) -> I64:
    """The group or pool of each request: a number of its own for each, or NO_PART."""
    size = profile.requests.size
    part = np.full(len(size), NO_PART, dtype=np.int64)
    undecided = np.ones(len(size), dtype=np.bool_)
    for entry in _entries_by_depth(profile, plan):
        row = plan.contexts[np.maximum(entry, 0)]
        has_entry = undecided & (entry != NO_ENTRY)
        group = row["group"].astype(np.int64)
        in_group = has_entry & (group != NO_GROUP)
        part[in_group & (size <= _maximum(plan, group))] = group[in_group & (size <= _maximum(plan, group))]
        in_pool = has_entry & (group == NO_GROUP) & (row["pool_bytes"] == size)
        part[in_pool] = len(plan.groups) + entry[in_pool]
        undecided = has_entry & (row["pool_bytes"] == DEEPER_POOLS)
    return part


def _entries_by_depth(profile: HeapProfile, plan: PlanFile) -> Iterator[I64]:
    """Of each request the entry of its context: at the plan's depth where it has slots, or groups of one
    depth, else at one frame, at two and so on, as wrappers lead to it."""
    if MATCHINGS[plan.header["matching"] - 1] == "sequence" or not len(plan.contexts):
        return
    depth = int(plan.header["depth"])
    is_stepwise = bool(plan.header["flags"] & formats.load("plan").enums["PlanFlag"]["stepwise"])
    has_one = len(plan.slots) or (len(plan.groups) and not is_stepwise)
    deepest = max(depth, formats.load("plan").limits["most_pool_frames"])
    for each in (depth,) if has_one else range(1, deepest + 1):
        refolded = profile.at_depth(each)
        yield _entries(plan, refolded.hashes)[refolded.context]


def _maximum(plan: PlanFile, group: I64) -> npt.NDArray[np.uint64]:
    """Per request the largest that its group takes; 0 where it has none."""
    maximum = np.append(plan.groups["maximum_bytes"], np.uint64(0))
    return maximum[np.where(group < len(plan.groups), group, -1)]
