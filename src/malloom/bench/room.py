"""Whether a heap of a size fits into memory."""

from malloom.memory import in_megabytes

ROOM = 1.5
"""Bytes of memory that must be available for a byte of heap: for the variants that use more than the
program itself, and for whatever else runs."""


def lack_of_room(heap: int, available: float) -> str:
    """Why a heap of so many bytes is not measured; empty where it fits into memory."""
    needed = ROOM * heap
    if needed <= available:
        return ""
    return f"not measured: it needs {in_megabytes(needed)} of memory, and {in_megabytes(available)} are free"
