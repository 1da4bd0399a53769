"""What waiting for memory costs on a machine, measured: the latencies and the last level of geometry `host`.

The unit is the processor's cycle, as in the latencies that makers publish: the time of an instruction that
waits for the one before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from malloom import _native

VERSION = 3
"""Of the measurement: what another one has found is not taken over."""
MOST_BYTES = 256 << 20
"""Limit of cost: touching and reading more takes longer than a second."""
LEVELS_BEYOND = 4
"""Working sets go up to so many times the last level that the machine shows: two doublings beyond it."""
LEFT = 2.0
"""A level is left where an access takes this many times what it takes within it (or half of the accesses
miss)."""
STEADY = 1.25
"""Memory is reached where twice the working set makes an access less than this much longer."""
LEAST_BYTES = 1024
"""A cache of less is none: the kernel does not say its size."""
LEAST_HIDDEN_SHARE = 0.01
"""So that an order that matches the walk ranks before one that does not, however good the prefetchers are."""
LONGEST = 10_000
"""Cycles, some microseconds: whatever takes longer is no access to memory but an interruption of it."""

LONGEST_CYCLE = 100.0
"""Nanoseconds: no processor with caches has a clock of 10 MHz."""


class Implausible(Exception):
    """What was measured cannot be, or cannot be measured: its text says why."""


class Machine(Protocol):
    """What can be measured of a machine, in cycles. `nearer` is the size of the level before; 0: there is
    none."""

    cycle_nanoseconds: float

    def random_access(self, working_set: int, nearer: int) -> float:
        """A load that no hardware prefetcher covers, with so many bytes in use."""

    def sequential_access(self, working_set: int, nearer: int) -> float:
        """The same for one line after the other."""

    def page_walk(self) -> float:
        """What an access takes longer where no TLB knows the page."""


class ThisMachine:
    """The machine at hand; resident memory is at most `most_bytes` and 33 MiB."""

    def __init__(self, most_bytes: int) -> None:
        self._latency = _native.MemoryLatency(most_bytes)
        self.cycle_nanoseconds = _native.cycle_nanoseconds()

    def random_access(self, working_set: int, nearer: int) -> float:
        return self._latency.random_access(working_set, nearer) / self.cycle_nanoseconds

    def sequential_access(self, working_set: int, nearer: int) -> float:
        return self._latency.sequential_access(working_set, nearer) / self.cycle_nanoseconds

    def page_walk(self) -> float:
        return _native.page_walk_nanoseconds() / self.cycle_nanoseconds


@dataclass(frozen=True)
class Calibration:
    """Cycles are beyond what the first level takes."""

    levels: tuple[float, ...]
    """Cycles to get the data from each level, from the second on."""
    memory: float | None
    """Cycles to get them from memory; None where no working set that may be measured is larger than the
    caches."""
    page_walk: float
    hidden_share: float
    """Part of its latency that a miss still costs when the hardware prefetcher covers it."""
    effective_last_level_bytes: int
    """Of the last level, what this machine gets: guests that it does not see may have the rest."""
    shown_last_level_bytes: int
    """What the kernel shows of it."""
    cycle_nanoseconds: float
    """What a cycle took when these were measured: with another clock, or a neighbour on the same core, it is
    half or twice as much, where the same access to memory takes the same time."""

    def __post_init__(self) -> None:
        _check(self)

    def __str__(self) -> str:
        levels = [f"L{number} {cycles:.0f}" for number, cycles in enumerate(self.levels, start=2)]
        memory = "beyond what was measured" if self.memory is None else f"{self.memory:.0f}"
        effective, shown = (
            f"{each / 2**20:.0f} MiB"
            for each in (self.effective_last_level_bytes, self.shown_last_level_bytes)
        )
        return (
            f"{', '.join(levels)}, memory {memory}, page walk {self.page_walk:.0f} cycles of "
            f"{self.cycle_nanoseconds:.2f} ns; "
            f"a prefetched miss costs {self.hidden_share:.0%} of a full miss; "
            f"this machine gets about {effective} of the last-level cache of {shown}"
        )


def measure(machine: Machine, sizes: Sequence[int], most_bytes: int) -> Calibration:
    """Calibrates a machine whose caches have these sizes, in bytes. Raises Implausible."""
    if len(sizes) < 2:
        raise Implausible("it shows a single level of cache")
    if min(sizes) < LEAST_BYTES:
        raise Implausible(f"it shows a cache of {min(sizes)} bytes")
    inner = [(_working_set(size, nearer), nearer) for nearer, size in pairwise(sizes)]
    _check_room(max(working_set for working_set, _ in inner), most_bytes)
    first = machine.random_access(sizes[0] // 2, 0)
    levels = [machine.random_access(*each) for each in inner]
    curve = _curve(machine, (inner[-1][0], levels[-1]), sizes[-2], most_bytes)
    reached = curve[-1][1] > LEFT * levels[-1]
    sequential = [machine.sequential_access(*each) for each in inner]
    at_random = list(levels)
    if reached:
        sequential.append(machine.sequential_access(curve[-1][0], sizes[-2]))
        at_random.append(curve[-1][1])
    return Calibration(
        levels=tuple(cycles - first for cycles in levels),
        memory=_memory(curve) - first if reached else None,
        page_walk=machine.page_walk(),
        hidden_share=_share(sequential, at_random, first),
        effective_last_level_bytes=min(max(_left_at(curve), sizes[-2]), sizes[-1]),
        shown_last_level_bytes=sizes[-1],
        cycle_nanoseconds=machine.cycle_nanoseconds,
    )


def _working_set(size: int, nearer: int) -> int:
    """Bytes that lie in a level for certain: well within it, and enough to displace what is nearer."""
    return min(size // 2, 4 * nearer)


def _check_room(needed: int, most_bytes: int) -> None:
    if needed > most_bytes:
        wanted, allowed = (f"{each / 2**20:.1f} MiB" for each in (needed, most_bytes))
        raise Implausible(f"to measure its caches takes {wanted}, and {allowed} may be used")


def _curve(
    machine: Machine, start: tuple[int, float], nearer: int, most_bytes: int
) -> list[tuple[int, float]]:
    """Working sets and what an access takes, from the last level until memory is reached."""
    curve = [start]
    while 2 * curve[-1][0] <= most_bytes:
        curve.append((2 * curve[-1][0], machine.random_access(2 * curve[-1][0], nearer)))
        if LEFT * start[1] < curve[-1][1] < STEADY * curve[-2][1]:
            break
    return curve


def _memory(curve: Sequence[tuple[int, float]]) -> float:
    """What an access to memory takes. Beyond the last level its size divided by the working set still hits,
    half as often with twice the working set; where that counts, what it tends to is as far again."""
    (_, before), (_, last) = curve[-2:]
    return last if last < STEADY * before else 2 * last - before


def _left_at(curve: list[tuple[int, float]]) -> int:
    """The working set with which the level is left, between two that were measured; else the largest of
    them."""
    within, beyond = curve[0][1], curve[-1][1]
    bound = min(LEFT * within, (within + beyond) / 2)
    if beyond <= LEFT * within:
        return curve[-1][0]
    for (smaller, before), (larger, after) in pairwise(curve):
        if after >= bound:
            return int(smaller + (larger - smaller) * (bound - before) / (after - before))
    return curve[-1][0]


def _share(sequential: Sequence[float], at_random: Sequence[float], first: float) -> float:
    """Over all levels, so that each counts by what it costs."""
    beyond_first = sum(at_random) - len(at_random) * first
    if beyond_first <= 0:
        raise Implausible("all levels are as fast as the first")
    share = (sum(sequential) - len(sequential) * first) / beyond_first
    return min(max(share, LEAST_HIDDEN_SHARE), 1.0)


def _check(found: Calibration) -> None:
    rising = [0.0, *found.levels, *([] if found.memory is None else [found.memory])]
    if not all(nearer < further for nearer, further in pairwise(rising)):
        cycles = ", ".join(f"{each:.0f}" for each in rising[1:])
        raise Implausible(f"a further level seems no slower than a nearer one ({cycles} cycles)")
    if not rising[-1] < LONGEST:
        raise Implausible(f"an access seems to take {rising[-1]:.0f} cycles")
    if not 0 < found.page_walk < LONGEST:
        raise Implausible(f"a page walk seems to take {found.page_walk:.0f} cycles")
    if not LEAST_HIDDEN_SHARE <= found.hidden_share <= 1:
        raise Implausible(f"a prefetched miss seems to cost {found.hidden_share:.2f} of another")
    if not 0 < found.cycle_nanoseconds < LONGEST_CYCLE:
        raise Implausible(f"a cycle seems to take {found.cycle_nanoseconds:.2f} ns")
    sizes = found.effective_last_level_bytes, found.shown_last_level_bytes
    if not (all(isinstance(each, int) for each in sizes) and 0 < sizes[0] <= sizes[1]):
        raise Implausible(f"{found.effective_last_level_bytes} bytes seem to be left of the last level")
