"""The ten programs of Zhao, Rabbah and Wong, with arguments for a heap of the size wanted.

`heap_bytes` is the memory that the C library's allocator has in use at the peak. The formulas stand at the
head of each program's source (workloads/NAME/NAME.c); a process's own 1.3 MB or so are not in them.
"""

from malloom.bench.workloads import Case


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
