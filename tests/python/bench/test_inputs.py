"""Generated inputs: what they say they are, and the same on every machine."""

import hashlib
import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from malloom.bench import real_programs
from malloom.bench.cases import OtherProgram
from malloom.bench.inputs import write_graph, write_json, write_source, write_xml
from malloom.bench.real_programs import readme_dot
from structure.source_tree import text_of

SIZE = 200_000


def test_json_is_an_array_of_orders_of_the_size_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "orders.json"
    write_json(path, SIZE)
    assert SIZE <= path.stat().st_size < 1.3 * SIZE
    orders = json.loads(path.read_text())
    assert [order["id"] for order in orders] == list(range(len(orders)))
    assert all(0 <= item["price"] < 10000 for order in orders for item in order["items"])


def test_xml_is_the_same_kind_of_catalogue(tmp_path: Path) -> None:
    path = tmp_path / "orders.xml"
    write_xml(path, SIZE)
    assert SIZE <= path.stat().st_size < 1.3 * SIZE
    orders = ElementTree.parse(path).getroot()
    assert [int(order.attrib["id"]) for order in orders] == list(range(len(orders)))
    assert all(order.find("customer/name") is not None and order.findall("item") for order in orders)


def test_graph_has_the_nodes_and_edges_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "graph.gv"
    write_graph(path, 30, 60)
    text = path.read_text()
    assert text.count("->") == 60
    drawn = subprocess.run(["dot", "-Tplain", path], capture_output=True, text=True, check=True).stdout
    assert sum(line.startswith("node ") for line in drawn.splitlines()) == 30


@pytest.mark.parametrize(
    ("write", "digest"),
    [
        (lambda path: write_json(path, 10_000), "b021eb56fb1ab5e1"),
        (lambda path: write_xml(path, 10_000), "5d790e8f1e6625be"),
        (lambda path: write_graph(path, 20, 40), "acd185f07e6ae7f6"),
        (lambda path: write_source(path, 20), "f72cc7190ba2d29b"),
    ],
)
def test_bytes_are_the_same_everywhere(write, digest: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "input"
    write(path)
    assert hashlib.sha256(path.read_bytes()).hexdigest()[:16] == digest


@pytest.mark.parametrize(
    "program", [real_programs.xsltproc(1), real_programs.dot(30, 60), real_programs.jq(1)]
)
def test_real_programs_accept_their_inputs(program: OtherProgram, tmp_path: Path) -> None:
    done = subprocess.run(program.prepare(tmp_path), capture_output=True, text=True, check=True)
    assert len(done.stdout) > 1000
    assert done.stderr == ""


def test_generated_c_compiles_without_a_complaint(tmp_path: Path) -> None:
    path = tmp_path / "source.c"
    write_source(path, 50)
    subprocess.run(["gcc", "-fsyntax-only", "-Wall", "-Werror", path], check=True)


def test_the_example_is_readmes(tmp_path: Path) -> None:
    """The same graph from README's function, and the same program."""
    function = next(line.strip() for line in text_of("README.md").splitlines() if "graph() {" in line)
    done = subprocess.run(
        ["sh", "-c", f"{function}\ngraph 1 150"], check=True, capture_output=True, text=True
    )
    *command, graph = readme_dot(150, 300).prepare(tmp_path)
    assert done.stdout == Path(graph).read_text()
    assert f"-- {' '.join(command)} {{}}" in text_of("README.md")


def test_the_examples_graph_has_as_many_edges_as_asked_for(tmp_path: Path) -> None:
    *command, graph = readme_dot(20, 30).prepare(tmp_path)
    assert command == ["dot", "-Tplain"]
    assert Path(graph).read_text().count(" -> ") == 30
