"""Plans on disk: written whole or not at all, and read back for checks (formats/plan.def). A file may have
several, one behind the other, each for another executable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from malloom import _native, formats
from malloom.errors import CommandError
from malloom.layout.plan import Plan
from malloom.layout.plan_header import check_plan, headers_of
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
    """Checks and reads a plan. Raises CommandError where it is not good, or the file has several."""
    plans = read_plans(path)
    if len(plans) > 1:
        raise CommandError(
            f"{path} has the plans of {len(plans)} executables, and one is wanted",
            remedy="make one of the executable that is meant",
        )
    return plans[0]


def read_plans(path: Path | str) -> list[PlanFile]:
    """The same, of each plan in the file: they are for different executables."""
    check_plan(path)
    return [_decoded(data, path) for data in each_plan(Path(path))]


def each_plan(path: Path) -> list[bytes]:
    """The bytes of each plan of a file that has passed check_plan."""
    data, start, found = path.read_bytes(), 0, []
    for header in headers_of(path):
        end = start + int(header.fields["file_bytes"])
        found.append(data[start:end])
        start = end
    return found


def join_plans(plans: Sequence[Path], written: Path) -> None:
    """Writes the plans of different executables as one file. What the first says of how the program is
    started holds for all. Raises CommandError where one is not good, or the other cannot be written."""
    for plan in plans:
        check_plan(plan)
    parts = [plan.read_bytes() for plan in plans]
    with written_whole(written) as file:
        for part in parts:
            file.write(part)


def _decoded(data: bytes, path: Path | str) -> PlanFile:
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
