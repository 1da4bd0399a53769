"""What plans that were made from several inputs of one program agree on, as one plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from malloom import formats
from malloom.errors import CommandError
from malloom.layout.layout import NO_GROUP
from malloom.layout.plan import Plan, hash_table
from malloom.layout.plan_file import PlanFile, read_plan, write_plan

Table = npt.NDArray[Any]


@dataclass(frozen=True)
class Agreement:
    """How many pools, contexts in groups, and prefetches all plans have, and how many only some have."""

    kept: int
    left_out: int


def write_agreed(plans: Sequence[Path], written: Path) -> Agreement:
    """Writes what all the plans say alike: contexts with the same pool and companion, contexts that are
    together in a group of each, and prefetches.

    Raises CommandError for plans that place requests by ordinal, which is for one input, and for plans whose
    contexts all have one depth, but not the same.
    """
    read = [read_plan(plan) for plan in plans]
    for plan, path in zip(read, plans, strict=True):
        if len(plan.slots):
            raise CommandError(f"{path.stem} places requests by ordinal, which is for one input")
    stepwise = formats.load("plan").enums["PlanFlag"]["stepwise"]
    are_of_one_depth = [len(plan.groups) and not plan.header["flags"] & stepwise for plan in read]
    if len({plan.header["depth"] for plan in read}) > 1 and any(are_of_one_depth):
        raise CommandError("the inputs want contexts of different depths")
    contexts, groups = _agreed_contexts(read)
    prefetches = _agreed_prefetches(read)
    depth = max(int(plan.header["depth"]) for plan in read)
    write_plan(_plan_of(read[0], depth, contexts, groups, prefetches), written)
    kept = len(contexts) + len(prefetches)
    told = {("context", hash_) for plan in read for hash_ in _by_hash(plan)}
    told |= {("prefetch", *each) for plan in read for each in plan.prefetches.tolist()}
    return Agreement(kept, len(told) - kept)


def _agreed_contexts(plans: Sequence[PlanFile]) -> tuple[Table, Table]:
    """The contexts of all the plans, and the groups that they are in."""
    tables = [_by_hash(plan) for plan in plans]
    shared = reduce(set.intersection, (set(table) for table in tables))
    together: dict[tuple[int, ...], int] = {}
    entries = []
    for hash_ in sorted(shared):
        told = [table[hash_] for table in tables]
        if any(_pool(each) != _pool(told[0]) for each in told):
            continue
        groups = tuple(int(each["group"]) for each in told)
        entry = told[0].copy()
        entry["group"] = NO_GROUP
        if NO_GROUP not in groups:
            entry["group"] = together.setdefault(groups, len(together))
        if entry["group"] != NO_GROUP or entry["pool_bytes"] or entry["companion_place"]:
            entries.append(entry)
    contexts = np.array(entries, dtype=plans[0].contexts.dtype)
    return contexts, _merged_groups(plans, list(together))


def _merged_groups(plans: Sequence[PlanFile], together: Sequence[tuple[int, ...]]) -> Table:
    """Of each group the smallest chunks and the largest needs of those that it is the common part of; small
    pages where all have them."""
    table = np.zeros(len(together), dtype=plans[0].groups.dtype)
    for place, members in enumerate(together):
        groups = [plan.groups[member] for plan, member in zip(plans, members, strict=True)]
        table[place]["chunk_bytes"] = min(group["chunk_bytes"] for group in groups)
        for name in ("maximum_bytes", "expected_bytes"):
            table[place][name] = max(group[name] for group in groups)
        table[place]["small_pages"] = min(group["small_pages"] for group in groups)
    return table


def _agreed_prefetches(plans: Sequence[PlanFile]) -> Table:
    """Those that every plan has, alike in all fields."""
    shared = reduce(set.intersection, (set(plan.prefetches.tolist()) for plan in plans))
    return np.array(sorted(shared), dtype=plans[0].prefetches.dtype)


def _by_hash(plan: PlanFile) -> dict[int, Any]:
    return {int(entry["hash"]): entry for entry in plan.contexts if entry["hash"]}


def _pool(entry: Any) -> tuple[int, ...]:
    names = ("pool_bytes", "companion_place", "companion_offset", "companion_objects")
    return tuple(int(entry[name]) for name in names)


def _plan_of(first: PlanFile, depth: int, contexts: Table, groups: Table, prefetches: Table) -> Plan:
    header = {**first.header, "depth": depth}
    same = ("program", "matching", "depth", "planned_requests", "profile_created", "flags")
    return Plan(
        strategy=header["strategy"].decode(),
        racy_requests=0,
        arena_bytes=0,
        contexts=hash_table(contexts),
        slots=first.slots,
        sequences=first.sequences,
        groups=groups,
        prefetches=prefetches,
        sites=first.sites,
        **{name: header[name] for name in same},
    )
