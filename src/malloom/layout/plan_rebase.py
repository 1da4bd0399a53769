"""A plan for another build of its program."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from malloom.errors import CommandError
from malloom.layout.plan import NO_SLOT, Plan, hash_table
from malloom.layout.plan_file import PlanFile
from malloom.sites.rebase import Rebased
from malloom.sites.table import encode


def rebased_plan(plan: PlanFile, rebased: Rebased) -> Plan:
    """The plan's contexts as the new build has them, without those that it does not have.

    Prefetches are kept where their module was not rebuilt: they name one instruction of one build.
    """
    contexts, slots = _contexts(plan, rebased)
    header = plan.header
    prefetches = plan.prefetches[np.isin(plan.prefetches["module"], list(rebased.unchanged))]
    return Plan(
        strategy=header["strategy"].decode(errors="replace"),
        program=rebased.program,
        planned_requests=int(np.count_nonzero(slots["start"] != NO_SLOT)),
        racy_requests=0,
        contexts=contexts,
        slots=slots,
        sequences=plan.sequences,
        groups=plan.groups,
        prefetches=prefetches,
        sites=encode(rebased.table),
        **{name: header[name] for name in ("matching", "depth", "arena_bytes", "profile_created", "flags")},
    )


def _contexts(plan: PlanFile, rebased: Rebased) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The table of contexts, and the slots that it still leads to, in their order."""
    kept = plan.contexts[
        np.isin(plan.contexts["hash"], list(rebased.hashes)) & (plan.contexts["hash"] != 0)
    ].copy()
    kept["hash"] = [rebased.hashes[hash_] for hash_ in kept["hash"].tolist()]
    # So that a plan is the same however often it is rebased.
    kept.sort(order="hash")
    if int(kept["slots"].astype(np.int64).sum()) > len(plan.slots):
        raise CommandError("the plan is damaged: its contexts share slots", remedy="make it again")
    slots = [np.zeros(0, dtype=plan.slots.dtype)]
    first = 0
    for entry in kept:
        start, count = int(entry["first_slot"]), int(entry["slots"])
        slots.append(plan.slots[start : start + count])
        entry["first_slot"] = first
        first += count
    return hash_table(kept), np.concatenate(slots)
