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
