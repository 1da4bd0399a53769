"""Plans that differ from others in their header only: how they are run, not what they place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from malloom import _native, formats
from malloom.layout.plan_file import each_plan
from malloom.layout.plan_header import check_plan
from malloom.output_file import written_whole


def write_with_flags(
    plan: Path, written: Path, flags: Mapping[str, bool], purge_delay: int | None = None
) -> None:
    """Writes the plan again, or the several of its file, with some of their PlanFlags set or not as `flags`
    says, and with a delay in milliseconds where one is given. Both may be one file.

    Raises CommandError where a plan is not good or the other cannot be written.
    """
    check_plan(plan)
    changed = [_with_flags(data, flags, purge_delay) for data in each_plan(plan)]
    with written_whole(written) as file:
        for data in changed:
            file.write(data)


def _with_flags(plan: bytes, flags: Mapping[str, bool], purge_delay: int | None) -> bytes:
    dtype = formats.dtype("plan", "PlanHeader")
    header = np.frombuffer(plan, dtype=dtype, count=1).copy()
    for name, wanted in flags.items():
        flag = np.uint64(formats.load("plan").enums["PlanFlag"][name])
        header["flags"] = header["flags"] | flag if wanted else header["flags"] & ~flag
    if purge_delay is not None:
        header["purge_delay"] = purge_delay + 2
    covered = header.tobytes()[: -header["header_checksum"].nbytes]
    header["header_checksum"] = _native.checksum(np.frombuffer(covered, dtype=np.uint8))
    return header.tobytes() + plan[dtype.itemsize :]
