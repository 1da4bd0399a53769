"""Real programs from Debian, unmodified, chosen by what people use and given generated inputs."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from malloom.bench.inputs.documents import write_json, write_stylesheet, write_xml
from malloom.bench.inputs.graphs import write_graph

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class RealProgram:
    """A program, what to call its input in a Row, and how to make the input in a folder, once."""

    name: str
    input: str
    prepare: Callable[[Path], tuple[str, ...]]


def xsltproc(megabytes: int) -> RealProgram:
    """A report over a catalogue of orders."""

    def prepare(folder: Path) -> tuple[str, ...]:
        document, stylesheet = folder / f"orders-{megabytes}.xml", folder / "report.xsl"
        write_stylesheet(stylesheet)
        if not document.exists():
            write_xml(document, megabytes * MEGABYTE)
        return "xsltproc", str(stylesheet), str(document)

    return RealProgram("xsltproc", f"{megabytes} MB document", prepare)


def dot(nodes: int, edges: int) -> RealProgram:
    """A hierarchical drawing of a random graph."""

    def prepare(folder: Path) -> tuple[str, ...]:
        graph = folder / f"graph-{nodes}.gv"
        if not graph.exists():
            write_graph(graph, nodes, edges)
        return "dot", "-Tsvg", str(graph)

    return RealProgram("dot", f"{nodes} nodes {edges} edges", prepare)


def jq(megabytes: int) -> RealProgram:
    """Orders grouped by region and summed up."""

    def prepare(folder: Path) -> tuple[str, ...]:
        document = folder / f"orders-{megabytes}.json"
        if not document.exists():
            write_json(document, megabytes * MEGABYTE)
        program = "group_by(.region) | map({region: .[0].region, total: (map(.items[].price) | add)})"
        return "jq", program, str(document)

    return RealProgram("jq", f"{megabytes} MB document", prepare)


def full() -> list[RealProgram]:
    return [xsltproc(50), dot(250, 500), jq(20)]


def quick() -> list[RealProgram]:
    return [xsltproc(1), dot(30, 60), jq(1)]
