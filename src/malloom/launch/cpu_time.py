"""CPU time of a process that runs, and of its descendants."""

from __future__ import annotations

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
UTIME = 11
"""Place of utime behind the name in /proc/PID/stat; stime, cutime and cstime follow."""


def cpu_seconds(pid: int) -> float:
    """Of the process, of its children that have ended, and of those that live; 0 where it is gone."""
    fields = _stat(pid)
    if not fields:
        return 0.0
    own = sum(map(int, fields[UTIME : UTIME + 4])) / TICKS
    return own + sum(map(cpu_seconds, children_of(pid)))


def is_running(pid: int) -> bool:
    """False also for one that has ended and that nobody has waited for yet."""
    return _stat(pid)[:1] not in ([], ["Z"], ["X"])


def _stat(pid: int) -> list[str]:
    """The fields behind the name; none where the process is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def children_of(pid: int) -> list[int]:
    """Those that live, whichever thread has made them."""
    found = []
    for thread in _listed(Path(f"/proc/{pid}/task")):
        try:
            found += [int(child) for child in (thread / "children").read_text().split()]
        except OSError:
            continue
    return found


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []
