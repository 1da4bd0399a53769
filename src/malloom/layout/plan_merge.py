"""What was learned of a program, brought together with other plans of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from malloom import formats
from malloom.errors import CommandError
from malloom.layout.layout import DEEPER_POOLS, NO_GROUP
from malloom.layout.plan import MATCHINGS, Plan, hash_table
from malloom.layout.plan_file import PlanFile, read_plan, write_plan
from malloom.layout.plan_header import has_flag
from malloom.profile import HeapProfile


def with_learned(profile: HeapProfile, plan: Plan, path: Path) -> Plan:
    """The plan, and beyond its places the pools, friends and prefetches that a run has learned.

    Contexts are those of the plan's depth: each has the pool to which its chain leads in the learned plan,
    unless it has a group. With groups that are found from the call site on they are those of both plans; what
    leads on for a group has no pool then. A plan that matches by sequence takes the prefetches alone. Raises
    CommandError where `path` is of another program, or was learned by tokens, which no profile has.
    """
    learned = read_plan(path)
    other = learned.header["program"]
    if plan.program and other and other != plan.program:
        raise CommandError(f"{path} is the plan of another program", remedy="learn from the one recorded")
    if has_flag(path, "by_token"):
        raise CommandError(
            f"{path} was learned by the compiler's tokens, and a profile is by call sites",
            remedy="learn it with --no-tokens",
        )
    merged = replace(plan, prefetches=learned.prefetches)
    if MATCHINGS[plan.matching - 1] == "sequence":
        return merged
    return replace(merged, contexts=_merged_contexts(profile, plan, learned))


def with_prefetches(plan: Path, prefetches: Path, written: Path) -> None:
    """Writes the first plan with the prefetches of the second."""
    base, other = read_plan(plan), read_plan(prefetches)
    header = base.header
    merged = Plan(
        strategy=header["strategy"].decode(),
        racy_requests=0,
        contexts=base.contexts,
        slots=base.slots,
        sequences=base.sequences,
        groups=base.groups,
        prefetches=other.prefetches,
        sites=base.sites,
        **{
            name: header[name]
            for name in (
                "program",
                "matching",
                "depth",
                "arena_bytes",
                "planned_requests",
                "profile_created",
                "flags",
            )
        },
    )
    write_plan(merged, written)


def _merged_contexts(profile: HeapProfile, plan: Plan, learned: PlanFile) -> npt.NDArray[Any]:
    """The plan's contexts with what each is told, and those that the learned plan alone knows."""
    told = {int(entry["hash"]): entry for entry in learned.contexts if entry["hash"]}
    merged = {int(entry["hash"]): entry.copy() for entry in plan.contexts if entry["hash"]}
    is_stepwise = bool(plan.flags & formats.load("plan").enums["PlanFlag"]["stepwise"])
    if plan.depth == 1 or not merged or is_stepwise:
        for hash_, entry in told.items():
            merged.setdefault(hash_, entry.copy())
    # Both are reached from the call site on.
    chains = {} if is_stepwise else _chains(profile, plan.depth)
    for hash_, chain in chains.items():
        entry = _reached(told, chain)
        if entry is None or (hash_ in merged and merged[hash_]["group"] != NO_GROUP):
            continue
        if hash_ not in merged:
            merged[hash_] = entry.copy()
            merged[hash_]["hash"] = hash_
        merged[hash_]["pool_bytes"] = entry["pool_bytes"]
        # Where the companion is kept is said of the learned context's own caller.
        for name in ("companion_place", "companion_offset", "companion_objects"):
            merged[hash_][name] = entry[name] if entry["hash"] == hash_ else 0
    return hash_table(np.array(list(merged.values()), dtype=plan.contexts.dtype))


def _chains(profile: HeapProfile, depth: int) -> dict[int, list[int]]:
    """By the hash of each context of so many frames: the hashes of its first frame, first two, and so on."""
    levels = [profile.at_depth(level) for level in range(1, depth + 1)]
    deepest = levels[-1]
    contexts, requests = np.unique(deepest.context, return_index=True)
    return {
        int(deepest.hashes[context]): [int(level.hashes[level.context[request]]) for level in levels]
        for context, request in zip(contexts.tolist(), requests.tolist(), strict=True)
    }


def _reached(told: dict[int, Any], chain: list[int]) -> Any | None:
    """The entry with a pool or a friend to which the learned plan leads along the chain, if any."""
    for hash_ in chain:
        entry = told.get(hash_)
        if entry is None:
            return None
        if entry["pool_bytes"] != DEEPER_POOLS:
            return entry
    return None
