"""The programs of the suite: their sources, and arguments for a heap of the size wanted.

A heap's bytes are those that the C library's allocator has in use at the peak; the formulas stand at the head
of each source.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from malloom.bench.cases import Case
from malloom.bench.ten_programs import MADE, heap_bytes
from malloom.errors import CommandError

STRUCTURES = ("list", "doubly_linked", "tree", "graph", "hash_table")
WALKS = ("one", "several", "write")
ORDERS = ("shuffled", "sequential")
SMALL = "small_"
WALK_TIME = "walk_time"

SIZED = ("em3d", "health", "tsp")
"""Programs of Olden whose heaps have a size against the last level."""
ORIGINAL_INPUTS = {
    "bh": Case("bh", ("8192", "10"), "simulate_time", "original"),
    "power": Case("power", ("10",), "compute_time", "original"),
}
OLDEN = ("em3d", "health", "tsp", "bh", "power")

NODE_BYTES = 80
"""Of an object of 64 bytes in glibc's malloc."""
FEWEST_NODES = 16


def sources_of(program: str, tree: Path) -> list[Path]:
    """The program's C files. Raises CommandError where the tree has none."""
    workloads = tree / "workloads"
    if program.startswith(SMALL):
        folder = workloads / "small_structures"
        found = [folder / "run.c", folder / f"{program.removeprefix(SMALL)}.c"]
    else:
        found = sorted((workloads / program).glob("*.c"))
    if not found or not all(source.is_file() for source in found):
        raise CommandError(
            f"{tree} has no sources of {program}",
            remedy="measure in malloom's source tree, with --workloads build/release/workloads",
        )
    return found


def small(structure: str, walk: str, order: str, size: str, last_level: int, walks: int) -> Case:
    """A structure that is gone through so many times."""
    nodes = str(max(heap_bytes(size, last_level) // NODE_BYTES, FEWEST_NODES))
    return Case(f"{SMALL}{structure}", (walk, order, nodes, str(walks)), WALK_TIME, f"{walk} {order} {size}")


def llu(lists: int, bytes_of_heap: int, walks: int, label: str) -> Case:
    """Lists as long as the heap has room for, without growth; walks write, and elements come at the tail."""
    length = max(bytes_of_heap // NODE_BYTES // lists, 1)
    arguments = ("-i", str(walks), "-n", str(lists), "-l", str(length), "-d", "-t")
    return Case("llu", arguments, WALK_TIME, label)


def olden(program: str, size: str, bytes_of_heap: int) -> Case:
    """With a heap of the size, or with the original's input."""
    if program in ORIGINAL_INPUTS:
        return ORIGINAL_INPUTS[program]
    return replace(MADE[program](bytes_of_heap), label=size)


def cases_of_olden(programs: Sequence[str], sizes: Sequence[str], last_level: int) -> list[tuple[Case, int]]:
    """Each with the bytes of its heap, 0 where it is small. Those with the original's input come once."""
    sized = [
        (olden(program, size, heap_bytes(size, last_level)), heap_bytes(size, last_level))
        for size in sizes
        for program in programs
        if program in SIZED
    ]
    return [*sized, *((ORIGINAL_INPUTS[program], 0) for program in programs if program in ORIGINAL_INPUTS)]
