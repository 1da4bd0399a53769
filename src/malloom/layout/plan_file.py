"""Plans on disk: written whole or not at all, and read back for checks (formats/plan.def)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from malloom import _native, formats
from malloom.errors import CommandError
from malloom.layout.plan import Plan
from malloom.layout.plan_header import check_plan
from malloom.output_file import written_whole

REMEDY = "make it again with 'malloom plan'"


def write_plan(plan: Plan, path: Path) -> None:
    """Writes the plan: whoever opens `path` sees a whole one, old or new."""
    with written_whole(path) as file:
        for part in _encoded(plan):
            file.write(part)


def _encoded(plan: Plan) -> list[bytes]:
    """Header and body as they lie on disk."""
    sections = {
        "contexts": plan.contexts,
        "slots": plan.slots,
        "sequences": plan.sequences,
        "groups": plan.groups,
        "prefetches": plan.prefetches,
        "sites": np.frombuffer(plan.sites, dtype=np.uint8),
    }
    body = b"".join(section.tobytes() for section in sections.values())
    dtype = formats.dtype("plan", "PlanHeader")
    header = np.zeros(1, dtype=dtype)
    values: dict[str, Any] = {
        "magic": formats.magic("MALLPLAN"),
        "version": formats.load("plan").newest_version,
        "header_bytes": dtype.itemsize,
        "file_bytes": dtype.itemsize + len(body),
        "program": plan.program,
        "matching": plan.matching,
        "depth": plan.depth,
        "arena_bytes": plan.arena_bytes,
        "planned_requests": plan.planned_requests,
        "profile_created": plan.profile_created,
        "flags": plan.flags,
        "strategy": plan.strategy.encode(),
        "contexts_capacity": len(plan.contexts),
        "slots_count": len(plan.slots),
        "sequences_count": len(plan.sequences),
        "groups_count": len(plan.groups),
        "prefetches_count": len(plan.prefetches),
        "pools_count": plan.pools_count,
        "sites_bytes": len(plan.sites),
        "body_checksum": _checksum(body),
    }
    offset = dtype.itemsize
    for name, section in sections.items():
        values[f"{name}_offset"] = offset if name != "sites" or plan.sites else 0
        offset += section.nbytes
    for name, value in values.items():
        header[name] = value
    covered = header.tobytes()[: -header["header_checksum"].nbytes]
    header["header_checksum"] = _checksum(covered)
    return [header.tobytes(), body]


def _checksum(data: bytes) -> int:
    return _native.checksum(np.frombuffer(data, dtype=np.uint8))


@dataclass(frozen=True)
class PlanFile:
    """A plan read back: its header's fields by name, and its sections as structured arrays
    (formats/plan.def)."""

    header: dict[str, Any]
    contexts: Any
    slots: Any
    sequences: Any
    groups: Any
    prefetches: Any
    sites: bytes
    """The section of site keys; empty where there is none."""


def read_plan(path: Path | str) -> PlanFile:
    """Checks and reads a plan. Raises CommandError where it is not good."""
    check_plan(path)
    data = Path(path).read_bytes()
    row = np.frombuffer(data, dtype=formats.dtype("plan", "PlanHeader"), count=1)[0]
    header = {name: row[name].item() for name in row.dtype.names}

    start, size = header["sites_offset"], header["sites_bytes"]
    if start % 8 or start + size > len(data):
        raise CommandError(f"{path}: is damaged: its site keys lie outside the file", remedy=REMEDY)

    def section(struct: str, name: str, count: str) -> Any:
        dtype = formats.dtype("plan", struct)
        return np.frombuffer(data, dtype, count=header[count], offset=header[f"{name}_offset"])

    return PlanFile(
        header,
        section("PlanContext", "contexts", "contexts_capacity"),
        section("PlanSlot", "slots", "slots_count"),
        section("PlanSequence", "sequences", "sequences_count"),
        section("PlanGroup", "groups", "groups_count"),
        section("PlanPrefetch", "prefetches", "prefetches_count"),
        data[start : start + size],
    )
