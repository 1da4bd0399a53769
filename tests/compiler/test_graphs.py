"""The comparison of points-to graphs itself: names mean nothing, everything else does."""

import pytest

from compiler.graphs import are_same

TREE = """graph: 0 is heap 24
graph: 1 is global
graph: 0+0 -> 0+0
graph: 0+8 -> 0+0
graph: 1+0 -> 0+0
"""


def test_names_and_the_order_of_lines_mean_nothing() -> None:
    renamed = (
        TREE.replace("graph: 1", "graph: root").replace("0+", "node+").replace("graph: 0", "graph: node")
    )
    assert are_same(TREE, "\n".join(reversed(renamed.replace("-> 0", "-> node").splitlines())))
    assert not are_same(TREE, "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("heap 24", "heap 32"),
        ("is global", "is global, escaped"),
        ("0+8 -> 0+0", "0+16 -> 0+0"),
        ("0+8 -> 0+0", "0+8 -> 0+8"),
        ("1+0 -> 0+0", "0+8 -> 1+0"),
        ("graph: 0+8 -> 0+0\n", ""),
        ("graph: 1 is global", "graph: 2 is global\ngraph: 1 is global"),
    ],
)
def test_everything_else_does(old: str, new: str) -> None:
    assert old in TREE
    assert not are_same(TREE, TREE.replace(old, new))


def test_lines_that_cannot_be_read_are_not_passed_over() -> None:
    with pytest.raises(AssertionError):
        are_same(TREE, TREE + "graph: 0+x -> 1\n")
