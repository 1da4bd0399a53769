"""A random graph in the language of graphviz."""

from pathlib import Path

from malloom.bench.inputs.words import below, generator, word


def write_graph(path: Path, nodes: int, edges: int) -> None:
    """Writes a directed graph of labelled nodes; the edges' ends are drawn evenly."""
    random = generator()
    lines = [f'  n{number} [label="{word(random)}"];' for number in range(nodes)]
    lines += [f"  n{below(random, nodes)} -> n{below(random, nodes)};" for _ in range(edges)]
    path.write_text("digraph generated {\n" + "\n".join(lines) + "\n}\n", encoding="utf-8")
