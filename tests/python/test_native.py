"""What the core refuses is a ValueError, and no end of the interpreter."""

from collections.abc import Callable

import numpy as np
import pytest

from malloom import _native

GRAPH = (
    np.array([0, 1, 1], dtype=np.uint64),
    np.array([1], dtype=np.uint32),
    np.array([5], dtype=np.uint32),
)


def nodes(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.uint32)


@pytest.mark.parametrize("walk", [_native.grouped, _native.depth_first])
def test_a_node_that_the_graph_does_not_have_is_refused(walk: Callable[..., np.ndarray]) -> None:
    assert sorted(walk(*GRAPH, nodes(0)).tolist()) == [0, 1]
    for stranger in (2, 3, 2**32 - 1):
        with pytest.raises(ValueError, match="a node that the graph does not have"):
            walk(*GRAPH, nodes(0, stranger))


@pytest.mark.parametrize("working_set", [0, 63])
def test_a_working_set_without_a_line_is_refused(working_set: int) -> None:
    latency = _native.MemoryLatency(4096)
    for measure in (latency.random_access, latency.sequential_access):
        with pytest.raises(ValueError, match="a working set without a line"):
            measure(working_set, 0)
        assert measure(64, 0) > 0
