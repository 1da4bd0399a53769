"""Whether there are the memory and the disk that a step needs."""

import shutil
from pathlib import Path

from malloom.memory import available_memory, in_megabytes

ROOM = 1.5
"""Bytes of memory that must be available for a byte of heap: for the variants that use more than the
program itself, and for whatever else runs."""


def memory_for(heap: int) -> int:
    """Bytes that a step needs whose programs have heaps of so many."""
    return int(ROOM * heap)


def lack_of_room(memory: int, disk: int, folder: Path) -> str:
    """Why a step is not measured that needs so many bytes of memory, and of disk in a folder; empty where
    both are there."""
    free_memory, free_disk = available_memory(), float(shutil.disk_usage(folder).free)
    if memory > free_memory:
        return _lack(memory, "memory", free_memory)
    return _lack(disk, f"disk in {folder.parent}", free_disk) if disk > free_disk else ""


def _lack(needed: float, of: str, free: float) -> str:
    return f"not measured: it needs {in_megabytes(needed)} of {of}, and {in_megabytes(free)} are free"
