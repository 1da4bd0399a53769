"""How large the programs' heaps are: by the last-level cache, as far as memory goes."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from malloom.bench.dynamic import inputs
from malloom.bench.workloads import Case

MADE: Mapping[str, Callable[[int], Case]] = {
    "em3d": inputs.em3d,
    "health": inputs.health,
    "mst": inputs.mst,
    "treeadd": inputs.treeadd,
    "tsp": inputs.tsp,
    "ft": inputs.ft,
    "ammp": inputs.ammp,
    "art": inputs.art,
    "equake": inputs.equake,
    "twolf": inputs.twolf,
}
"""Each of the paper's programs with a heap of so many bytes."""

FACTORS: Mapping[str, float] = {"0.5x": 0.5, "1x": 1.0, "2x": 2.0, "4x": 4.0, "8x": 8.0}
"""Bytes of the heap against those of the last-level cache."""
LEARNED_AT = "0.5x"
"""Where what is carried to larger heaps is learned."""
CHOSEN_AT = {"2x": "1x", "8x": "4x"}
"""Where it is chosen: at half of the size, so neither on what was learned on nor on what is measured."""
MEASURED = (LEARNED_AT, *CHOSEN_AT)

ROOM = 1.5
"""Bytes of memory that must be available for a byte of heap: for the variants that use more than the
program itself, and for whatever else runs."""


def sized(program: str, size: str, last_level: int, beside: str = "") -> Case:
    """The program with a heap of that size; `beside` is added to what rows call the input."""
    made = MADE[program](heap_bytes(size, last_level))
    return replace(made, label=" ".join(filter(None, (size, beside))))


def learned_and_chosen_at(size: str) -> tuple[str, str]:
    """The sizes for what is carried to a heap of the size; to the smallest one it is from the very same."""
    return (LEARNED_AT, CHOSEN_AT[size]) if size in CHOSEN_AT else (size, size)


def heap_bytes(size: str, last_level: int) -> int:
    return int(FACTORS[size] * last_level)


def lack_of_room(size: str, last_level: int, available: float) -> str:
    """Why a heap of that size is not measured; empty where it fits into memory."""
    needed = ROOM * heap_bytes(size, last_level)
    if needed <= available:
        return ""
    return f"not measured: it needs {in_megabytes(needed)} of memory, and {in_megabytes(available)} are free"


def available_memory(meminfo: Path = Path("/proc/meminfo"), group: Path = Path("/sys/fs/cgroup")) -> float:
    """Bytes that programs can have, of the machine's and of what its control group may use."""
    fields = dict(line.split(":") for line in meminfo.read_text(encoding="ascii").splitlines())
    free = float(fields["MemAvailable"].split()[0]) * 1024
    return min(free, _left_to_group(group))


def _left_to_group(group: Path) -> float:
    try:
        limit, used = (
            (group / name).read_text(encoding="ascii") for name in ("memory.max", "memory.current")
        )
    except OSError:
        return math.inf
    return math.inf if limit.strip() == "max" else float(limit) - float(used)


def in_megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f} MB"
