"""What a plan's header says, read without NumPy: `malloom run` asks it before every run of a program."""

from __future__ import annotations

import struct
from pathlib import Path

from malloom import formats

_CODES = {"u32": "I", "i32": "i", "u64": "Q", "c32": "32s"}


def header_fields(plan: Path) -> dict[str, int | bytes]:
    """The fields of PlanHeader (formats/plan.def) by name. The plan must have passed check_plan."""
    definition = formats.load("plan").structs["PlanHeader"]
    layout = "<" + "".join(_CODES[field.type] for field in definition.fields)
    with plan.open("rb") as file:
        values = struct.unpack(layout, file.read(struct.calcsize(layout)))
    return dict(zip((field.name for field in definition.fields), values, strict=True))


def has_flag(plan: Path, flag: str) -> bool:
    """Whether the plan's header has a PlanFlag, by name. The plan must have passed check_plan."""
    flags = header_fields(plan)["flags"]
    assert isinstance(flags, int)
    return bool(flags & formats.load("plan").enums["PlanFlag"][flag])


def has_pools(plan: Path) -> bool:
    """Whether a context has a pool. The plan must have passed check_plan."""
    return bool(header_fields(plan)["pools_count"])


def places_nothing(plan: Path) -> bool:
    """Whether the plan says nothing: all requests would be the fallback's, and the code runs as it is."""
    fields = header_fields(plan)
    counts = ("slots_count", "groups_count", "pools_count", "prefetches_count")
    return not any(fields[count] for count in counts)
