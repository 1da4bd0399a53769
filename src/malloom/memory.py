"""How much memory programs can have on this machine."""

import math
import os
from pathlib import Path


def available_memory(meminfo: Path = Path("/proc/meminfo"), group: Path = Path("/sys/fs/cgroup")) -> float:
    """Bytes that programs can have, of the machine's and of what its control group may use.

    Pages of files that can be read again count as available: the kernel gives them up where memory is wanted.
    """
    return min(_left_to_machine(meminfo), _left_to_group(group))


def _left_to_machine(meminfo: Path) -> float:
    try:
        fields = dict(line.split(":") for line in meminfo.read_text(encoding="ascii").splitlines())
        return float(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError):  # no /proc: what is free is less, but known
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def _left_to_group(group: Path) -> float:
    try:
        limit, used, statistics = (
            (group / name).read_text(encoding="ascii").strip()
            for name in ("memory.max", "memory.current", "memory.stat")
        )
    except OSError:
        return math.inf
    if limit == "max":
        return math.inf
    fields = dict(line.split() for line in statistics.splitlines())
    return float(limit) - float(used) + float(fields.get("inactive_file", 0))


def in_megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f} MB"
