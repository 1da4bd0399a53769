"""The ten programs of Zhao, Rabbah and Wong, with arguments for a heap of the size wanted.

`heap_bytes` is the memory that the C library's allocator has in use at the peak. The formulas stand at the
head of each program's source (workloads/NAME/NAME.c); a process's own 1.3 MB or so are not in them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import log, log2
from typing import Annotated

import typer

from malloom.bench.cases import Case
from malloom.errors import UsageProblem

SIZES = ("0.5x", "2x", "8x")
"""Of heaps against the last-level cache, that users choose of."""
FEW_REQUESTS = ("art",)
"""What allocates little: a few arrays, once."""

ChosenPrograms = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Measure this of the ten programs, or mst_requests; may be repeated. Default: all.",
        show_default=False,
    ),
]
"""The option of a suite that measures some of them."""


def sized(program: str, size: str, last_level: int, beside: str = "") -> Case:
    """The program with a heap of that size; `beside` is added to what rows call the input."""
    made = {**MADE, **BESIDE_THE_TEN}[program](heap_bytes(size, last_level))
    return replace(made, label=" ".join(filter(None, (size, beside))))


def heap_bytes(size: str, last_level: int) -> int:
    """Of a heap that is so many times, as `0.5x`, as large as the last-level cache."""
    return int(float(size.removesuffix("x")) * last_level)


def chosen_programs(names: Sequence[str] | None) -> Sequence[str]:
    """The ten where none is named. Raises UsageProblem for one that there is not."""
    return known("program", names or (), (*PROGRAMS, *BESIDE_THE_TEN)) or PROGRAMS


def known(what: str, names: Sequence[str], those: Sequence[str]) -> list[str]:
    """The names, once each and in the order of those that there are. Raises UsageProblem for another."""
    for name in names:
        if name not in those:
            raise UsageProblem(f"the suite has no {what} '{name}'", remedy=f"choose of {', '.join(those)}")
    return [name for name in those if name in names]


def ammp(heap_bytes: int) -> Case:
    """Steps enough for the neighbours to be found twice."""
    return Case("ammp", (str(max(heap_bytes // 1991, 10)), "8"), "step_time")


def art(heap_bytes: int) -> Case:
    """As many categories as SPEC's network has."""
    return Case("art", (str(max(heap_bytes // 304, 10)), "11", "2"), "match_time")


def em3d(heap_bytes: int) -> Case:
    """Ten neighbours per node; the iterations take some two thirds of the time."""
    degree = 10
    bytes_per_node = 64 + 16 + 96 + 2 * (8 * degree + 12)
    nodes = max(heap_bytes // (2 * bytes_per_node), degree)
    return Case("em3d", (str(nodes), str(degree), "40"), "compute_time")


def health(heap_bytes: int) -> Case:
    """As near 50 time steps as a number of levels allows: waiting lists grow with these."""
    levels = min(range(2, 14), key=lambda levels: abs(log(_health_steps(heap_bytes, levels) / 50)))
    return Case("health", (str(levels), str(_health_steps(heap_bytes, levels))), "simulate_time")


def _health_steps(heap_bytes: int, levels: int) -> int:
    """Every third step gives a village a patient with a cell of a list."""
    villages = ((1 << 2 * levels) - 1) // 3
    return max(round((heap_bytes / villages - 208) * 3 / 64), 1)


def mst(heap_bytes: int) -> Case:
    """Two entries for each pair of vertices; the five trees take four fifths of the time."""
    vertices = max(round((heap_bytes / 34) ** 0.5), 2)
    return Case("mst", (str(vertices), "5"), "tree_time")


def mst_requests(heap_bytes: int) -> Case:
    """The same, with a request for each entry, where the original carves them from blocks of its own."""
    vertices = max(round((heap_bytes / 50) ** 0.5), 2)
    return Case("mst_requests", (str(vertices), "5"), "tree_time")


def treeadd(heap_bytes: int) -> Case:
    """A full tree, so that the heap is at most 1.42 times as large or as small as wanted."""
    levels = max(round(log2(heap_bytes / 32 + 1)), 1)
    return Case("treeadd", (str(levels), "20"), "add_time")


def tsp(heap_bytes: int) -> Case:
    return Case("tsp", (str(max(heap_bytes // 64, 1)),), "tour_time")


def ft(heap_bytes: int) -> Case:
    """Five edges for each vertex; a heap node for six of ten vertices waits at the peak."""
    edges_per_vertex = 5
    vertices = max(heap_bytes // (64 + 96 * edges_per_vertex + 40), 10)
    return Case("ft", (str(vertices), str(edges_per_vertex * vertices)), "tree_time")


def equake(heap_bytes: int) -> Case:
    """A block of ground about as wide as long and deep; the steps take three quarters of the time."""
    side = max(round((heap_bytes / 1750) ** (1 / 3)), 2)
    layer = _equake_bytes(side, 3) - _equake_bytes(side, 2)
    depth = max(round((heap_bytes - _equake_bytes(side, 2)) / layer) + 2, 2)
    return Case("equake", (str(side), str(side), str(depth), "40"), "step_time")


def _equake_bytes(side: int, depth: int) -> int:
    nodes = side * side * depth
    elements = 6 * (side - 1) * (side - 1) * (depth - 1)
    blocks = (2 * side - 1) * (2 * side - 1) * (2 * depth - 1)
    return 404 * nodes + 40 * elements + 140 * blocks


def twolf(heap_bytes: int) -> Case:
    """Three moves for every five cells, which take most of the time."""
    cells = max(heap_bytes // 504, 10)
    return Case("twolf", (str(cells), str(cells * 3 // 5)), "anneal_time")


MADE: Mapping[str, Callable[[int], Case]] = {
    made.__name__: made for made in (em3d, health, mst, treeadd, tsp, ft, ammp, art, equake, twolf)
}
"""Each of the programs with a heap of so many bytes, in the order of the paper's tables."""
PROGRAMS = tuple(MADE)
BESIDE_THE_TEN: Mapping[str, Callable[[int], Case]] = {"mst_requests": mst_requests}
"""What is measured beside the ten, and counts in no mean over them."""
