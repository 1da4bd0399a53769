"""Real programs from Debian, unmodified, chosen by what people use and given generated inputs."""

import subprocess
import sys
from pathlib import Path

from malloom.bench.cases import OtherProgram
from malloom.bench.inputs import write_graph, write_json, write_source, write_stylesheet, write_xml
from malloom.measure.valgrind import installed

MEGABYTE = 1_000_000
SUMMING = """
import collections, json, sys
totals = collections.Counter()
for order in json.load(open(sys.argv[1], encoding="utf-8")):
    totals[order["region"]] += sum(item["price"] for item in order["items"])
print(sorted(totals.items()))
"""


def xsltproc(megabytes: int) -> OtherProgram:
    """A report over a catalogue of orders."""

    def prepare(folder: Path) -> tuple[str, ...]:
        document, stylesheet = folder / f"orders-{megabytes}.xml", folder / "report.xsl"
        write_stylesheet(stylesheet)
        if not document.exists():
            write_xml(document, megabytes * MEGABYTE)
        return "xsltproc", str(stylesheet), str(document)

    return OtherProgram("xsltproc", f"{megabytes} MB document", prepare)


def dot(nodes: int, edges: int) -> OtherProgram:
    """A hierarchical drawing of a random graph."""

    def prepare(folder: Path) -> tuple[str, ...]:
        graph = folder / f"graph-{nodes}.gv"
        if not graph.exists():
            write_graph(graph, nodes, edges)
        return "dot", "-Tsvg", str(graph)

    return OtherProgram("dot", f"{nodes} nodes {edges} edges", prepare)


README_GRAPH = (
    'BEGIN { srand(1); print "digraph g {"; for (i = 0; i < EDGES; i++) '
    'print "n" int(NODES * rand()) " -> n" int(NODES * rand()) ";"; print "}" }'
)
"""For awk; the words in capitals are numbers in README."""


def readme_dot(nodes: int, edges: int) -> OtherProgram:
    """The command line of README's example, on a graph that is made as there."""

    def prepare(folder: Path) -> tuple[str, ...]:
        graph = folder / f"network-{nodes}.dot"
        if not graph.exists():
            script = README_GRAPH.replace("NODES", str(nodes)).replace("EDGES", str(edges))
            text = subprocess.run(
                [installed("awk"), script], check=True, capture_output=True, text=True
            ).stdout
            graph.write_text(text, encoding="utf-8")
        return "dot", "-Tplain", str(graph)

    return OtherProgram("dot", f"-Tplain {nodes} nodes {edges} edges", prepare)


def jq(megabytes: int) -> OtherProgram:
    """Orders grouped by region and summed up."""

    def prepare(folder: Path) -> tuple[str, ...]:
        document = _orders(folder, megabytes)
        program = "group_by(.region) | map({region: .[0].region, total: (map(.items[].price) | add)})"
        return "jq", program, str(document)

    return OtherProgram("jq", f"{megabytes} MB document", prepare)


def cc1(functions: int) -> OtherProgram:
    """The C compiler proper, over one generated file."""

    def prepare(folder: Path) -> tuple[str, ...]:
        source = folder / f"functions-{functions}.c"
        if not source.exists():
            write_source(source, functions)
        return _compiler(), "-quiet", "-O2", str(source), "-o", "/dev/null"

    return OtherProgram("cc1", f"{functions} functions", prepare)


def _compiler() -> str:
    """Where gcc keeps it: gcc itself only starts it."""
    asked = [installed("gcc"), "-print-prog-name=cc1"]
    path = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    return installed(path, "gcc")


def python3(megabytes: int) -> OtherProgram:
    """Orders read, grouped by region and summed up, with the interpreter's own small-object allocator."""

    def prepare(folder: Path) -> tuple[str, ...]:
        document = _orders(folder, megabytes)
        return str(Path(sys.executable).resolve()), "-I", "-S", "-c", SUMMING, str(document)

    return OtherProgram("python3", f"{megabytes} MB document", prepare)


def gzip(megabytes: int) -> OtherProgram:
    """A program that allocates little."""
    return OtherProgram(
        "gzip",
        f"{megabytes} MB document",
        lambda folder: ("gzip", "-9", "-c", str(_orders(folder, megabytes))),
    )


def sha256sum(megabytes: int) -> OtherProgram:
    """Another."""
    return OtherProgram(
        "sha256sum",
        f"{megabytes} MB document",
        lambda folder: ("sha256sum", str(_orders(folder, megabytes))),
    )


def _orders(folder: Path, megabytes: int) -> Path:
    """The generated document, written once."""
    document = folder / f"orders-{megabytes}.json"
    if not document.exists():
        write_json(document, megabytes * MEGABYTE)
    return document
