"""What the system takes for memory that a program uses for the first time, on this machine: in a virtual one
a small page may cost more than a thousand accesses, and a huge one little more than a small one."""

from __future__ import annotations

import contextlib
import mmap
import time
from dataclasses import dataclass

SMALL_PAGE = 4096
REGION = 32 << 20
"""Bytes that are touched: some milliseconds of small pages."""
ROUNDS = 5
"""The least of so many: whatever takes longer was interrupted."""


@dataclass(frozen=True)
class PageCosts:
    """Seconds of CPU time for each 4 KiB."""

    small: float
    huge: float
    """In huge pages where the system makes them; else as small."""


def measured_page_costs() -> PageCosts:
    """Takes a tenth of a second or so."""
    return PageCosts(_seconds(mmap.MADV_NOHUGEPAGE), _seconds(mmap.MADV_HUGEPAGE))


def _seconds(advice: int) -> float:
    pages = REGION // SMALL_PAGE
    return min(_touched(advice) for _ in range(ROUNDS)) / pages


def _touched(advice: int) -> float:
    with mmap.mmap(-1, REGION, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as region:
        with contextlib.suppress(OSError):  # a kernel without huge pages has small ones
            region.madvise(advice)
        begin = time.thread_time()
        region[::SMALL_PAGE] = bytes(REGION // SMALL_PAGE)
        return time.thread_time() - begin
