"""Points-to graphs as the plugin prints them, and whether two are the same but for the names of sets."""

import re

import networkx
from networkx.algorithms.isomorphism import categorical_multiedge_match, categorical_node_match

NODE = re.compile(r"^graph: (\w+) is (.+)$", re.MULTILINE)
EDGE = re.compile(r"^graph: (\w+)\+(-?\d+) -> (\w+)\+(-?\d+)$", re.MULTILINE)


def graph_of(text: str) -> networkx.MultiDiGraph:
    """Its nodes have what is known of a set, its edges from which offset to which a pointer leads."""
    graph = networkx.MultiDiGraph()
    for name, facts in NODE.findall(text):
        graph.add_node(name, facts=tuple(sorted(facts.split(", "))))
    for begin, at, end, to in EDGE.findall(text):
        assert begin in graph and end in graph, f"one of {begin} and {end} is not said what it is"
        graph.add_edge(begin, end, offsets=(int(at), int(to)))
    lines = [line for line in text.splitlines() if line.startswith("graph: ")]
    assert len(lines) == len(graph.nodes) + len(graph.edges), f"lines that say nothing are among {lines}"
    return graph


def are_same(one: str, other: str) -> bool:
    """Whether there is a renaming of sets by which one becomes the other."""
    return networkx.is_isomorphic(
        graph_of(one),
        graph_of(other),
        node_match=categorical_node_match("facts", ()),
        edge_match=categorical_multiedge_match("offsets", ()),
    )
