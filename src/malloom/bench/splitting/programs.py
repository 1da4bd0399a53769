"""The programs of the suite: their sources, and arguments for a heap of the size wanted.

A heap's bytes are those that the C library's allocator has in use at the peak; the formulas stand at the head
of each source.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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

LLU, LLU_MANY = "llu", "llu_many"
WALKS_OF_LLU = {LLU: "two_fields.c", LLU_MANY: "six_fields.c"}
"""The source of the walk, by how many of an element's eight fields it touches."""

NODE_BYTES = 80
"""Of an object of 64 bytes in glibc's malloc."""
FEWEST_NODES = 16


def sources_of(program: str, tree: Path) -> list[Path]:
    """The program's C files. Raises CommandError where the tree has none."""
    workloads = tree / "workloads"
    if program.startswith(SMALL):
        folder = workloads / "small_structures"
        found = [folder / "run.c", folder / f"{program.removeprefix(SMALL)}.c"]
    elif program in WALKS_OF_LLU:
        folder = workloads / "llu"
        found = [folder / "llu.c", folder / WALKS_OF_LLU[program]]
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


@dataclass(frozen=True)
class Lists:
    """Of llu: how many, with a heap of so many bytes in the end; how they come about, and what is walked."""

    count: int
    bytes: int
    label: str
    program: str = LLU
    in_rounds: bool = False
    """An element of each list after the other, as Zilles makes them; otherwise list after list."""
    grows: bool = False
    """From half of their length on, in equal parts after each walk."""

    @property
    def length(self) -> int:
        """In the end."""
        return max(self.bytes // NODE_BYTES // self.count, 1)

    def case(self, walks: int) -> Case:
        """Walked so often. Walks write, and elements come at the tail."""
        first = self.length - self.length // 2 if self.grows else self.length
        arguments = ["-i", str(walks), "-n", str(self.count), "-l", str(first), "-d", "-t"]
        arguments += ["-r"] if self.in_rounds else []
        arguments += ["-g", f"{(self.length - first) / walks:.6f}"] if self.grows else []
        return Case(self.program, tuple(arguments), WALK_TIME, self.label)


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
