"""Plans that no profile was made into."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from malloom import formats
from malloom.diff.plans import Place
from malloom.layout.layout import DEEPER_POOLS, NO_GROUP
from malloom.layout.plan import NO_SLOT, Plan, empty_sections, hash_table
from malloom.layout.plan_file import write_plan
from malloom.layout.plan_record import write_with_record
from malloom.sites.table import encode
from python.diff.summaries import numbers, summary

CHUNK = 4096


def placed_plan(path: Path, places: Mapping[str, Place], record: Mapping[str, Any] | None = None) -> Path:
    """A plan with what each function's call site has; their slots place nothing. Each is of another build."""
    table = summary(dict.fromkeys(places, numbers()), build_id=path.name.encode().hex()).sites
    entries = np.zeros(len(places), dtype=formats.dtype("plan", "PlanContext"))
    first = 0
    for at, (context, place) in enumerate(zip(table.contexts, places.values(), strict=True)):
        group = NO_GROUP if place.group is None else place.group
        pool_bytes = DEEPER_POOLS if place.leads_on else place.pool_bytes
        entries[at] = (context.hash, first, place.slots, group, pool_bytes, 0, 0, 0)
        first += place.slots
    sections = {**empty_sections(), "contexts": hash_table(entries)}
    sections["slots"] = np.zeros(first, dtype=formats.dtype("plan", "PlanSlot"))
    sections["slots"]["start"] = NO_SLOT
    known = [place.group for place in places.values() if place.group is not None]
    sections["groups"] = np.zeros(max(known, default=-1) + 1, dtype=formats.dtype("plan", "PlanGroup"))
    sections["groups"]["chunk_bytes"] = CHUNK
    plan = Plan(
        strategy="made",
        program=0,
        matching=formats.load("plan").enums["Matching"]["context"],
        depth=1,
        arena_bytes=0,
        planned_requests=0,
        profile_created=0,
        flags=0,
        racy_requests=0,
        sites=encode(table),
        **sections,
    )
    write_plan(plan, path)
    if record:
        write_with_record(path, path, record)
    return path
