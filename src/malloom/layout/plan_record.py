"""A plan's record: under which allocator it runs, and what was measured of it (docs/formats.md).

Without NumPy for readers: every run asks.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from malloom import formats
from malloom.errors import CommandError
from malloom.layout.plan_header import check_plan, header_of
from malloom.output_file import written_whole

MOST_RECORD_BYTES = 16 << 20
"""Far more than the results of years: what is larger is none, and is not read."""

ALIGNMENT = 8
"""Bytes: sections begin at multiples."""


@dataclass(frozen=True)
class PlanSetting:
    """The general allocator under a plan: `library` is its file, empty where it is the C library's own, and
    `variables` set it. Where `up_to` is not 0, the program leaves another one than the C library's for that
    one when it has so many bytes resident, with huge pages if `huge_beyond`."""

    allocator: str
    library: str
    variables: Mapping[str, str] = field(default_factory=dict)
    up_to: int = 0
    huge_beyond: bool = False


def read_record(plan: Path) -> dict[str, Any]:
    """The record of a plan that has passed check_plan; empty where it has none.

    What it holds may have been made up. Raises CommandError where it is no JSON object.
    """
    fields = header_of(plan).fields
    start, size = int(fields["record_offset"]), int(fields["record_bytes"])
    if not size:
        return {}
    found = None
    if size <= MOST_RECORD_BYTES and start + size <= int(fields["file_bytes"]):
        with plan.open("rb") as file:
            file.seek(start)
            found = _decoded(file.read(size))
    if not isinstance(found, dict):
        raise CommandError(f"{plan}: is damaged: its record makes no sense", remedy="make it again")
    return found


def _decoded(data: bytes) -> object:
    """None for what is no JSON, which has no infinite numbers, or nested deeper than any record."""
    try:
        return json.loads(data, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(number: str) -> float:
    value = float(number)
    return value if math.isfinite(value) else _refuse(number)


def _encoded(record: Mapping[str, Any]) -> bytes:
    try:
        told = json.dumps(record, allow_nan=False).encode() if record else b""
    except (ValueError, RecursionError):
        raise CommandError("the plan's record cannot be written", remedy="make the plan again") from None
    if len(told) > MOST_RECORD_BYTES:
        raise CommandError("the plan's record is full", remedy="make the plan again")
    return told


def write_with_record(plan: Path, written: Path, record: Mapping[str, Any]) -> None:
    """Writes the plan again with another record; of several in a file the first has it. Both may be one file.

    Raises CommandError where the plan is not good, the record is too large, or the other cannot be written.
    """
    import numpy as np  # noqa: PLC0415

    from malloom import _native  # noqa: PLC0415  (readers need none of these)
    from malloom.layout.plan_file import each_plan  # noqa: PLC0415

    def checksum(data: bytes) -> int:
        return _native.checksum(np.frombuffer(data, dtype=np.uint8))

    check_plan(plan)
    data, *others = each_plan(plan)
    dtype = formats.dtype("plan", "PlanHeader")
    header = np.frombuffer(data, dtype=dtype, count=1).copy()
    body = data[dtype.itemsize :]
    if header["record_bytes"][0]:
        body = body[: int(header["record_offset"][0]) - dtype.itemsize]
    body += bytes(-len(body) % ALIGNMENT)
    told = _encoded(record)
    header["record_offset"] = dtype.itemsize + len(body) if told else 0
    header["record_bytes"] = len(told)
    body += told
    header["file_bytes"] = dtype.itemsize + len(body)
    header["body_checksum"] = checksum(body)
    header["header_checksum"] = checksum(header.tobytes()[: -header["header_checksum"].nbytes])
    with written_whole(written) as file:
        for part in (header.tobytes(), body, *others):
            file.write(part)
