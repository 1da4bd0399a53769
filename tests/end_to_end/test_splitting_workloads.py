"""The programs that splitting is measured with compute what small models in Python compute."""

import subprocess
from pathlib import Path

import pytest

from end_to_end.xorshift import Xorshift

WORKLOADS = Path(__file__).parents[2] / "build/release/workloads"
STRUCTURES = ["list", "doubly_linked", "tree", "graph", "hash_table"]


def run(folder: str, name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [WORKLOADS / folder / name, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def llu_sum(walks: int, lists: int, length: int, growth: float, dirty: bool) -> int:
    """All counts begin with 1; of a list of which all are dirtied, each has been walked since it was made."""
    total, owed, counts = 0, 0.0, [1] * length
    for _ in range(walks):
        total += sum(counts)
        counts = [count + dirty for count in counts]
        owed += growth
        counts += [1] * int(owed)
        owed -= int(owed)
    return lists * total


@pytest.mark.parametrize("tail", [[], ["-t"], ["-t", "-r"]])
@pytest.mark.parametrize("dirty", [[], ["-d"]])
@pytest.mark.parametrize(("walks", "lists", "length", "growth"), [(1, 1, 1, 0), (9, 3, 4, 0.5), (5, 7, 0, 2)])
def test_llu_sums_the_counts_of_all_walks(
    walks: int, lists: int, length: int, growth: float, dirty: list[str], tail: list[str]
) -> None:
    sizes = ["-i", walks, "-n", lists, "-l", length, "-g", growth]
    done = run("llu", "llu", *sizes, *dirty, *tail, "--times")
    assert done.stdout == f"sum {llu_sum(walks, lists, length, growth, bool(dirty))}\n"
    assert [line.split()[1] for line in done.stderr.splitlines()] == ["build_time", "walk_time"]


def others_sum(made_in_walk: int, number: int) -> int:
    """Of four further fields of an element."""
    return (made_in_walk ^ number) + (made_in_walk + 1 ^ made_in_walk + 2)


@pytest.mark.parametrize("order", [[], ["-r"]])
def test_llu_many_sums_five_fields(order: list[str]) -> None:
    walks, lists, length = 3, 4, 5
    elements = [(0, number) for number in range(lists) for _ in range(length)]
    total = 0
    for at in range(1, walks + 1):
        total += sum(1 + others_sum(*element) for element in elements)
        elements += [(at, number) for number in range(lists)]
    done = run("llu", "llu_many", "-i", walks, "-n", lists, "-l", length, "-g", 1, *order)
    assert done.stdout == f"sum {total}\n"


@pytest.mark.parametrize("arguments", [["1"], ["-n", "0"], ["-x"], ["-g", "-1"]])
def test_llu_refuses_bad_arguments(arguments: list[str]) -> None:
    done = run("llu", "llu", *arguments)
    assert done.returncode == 2 and "usage: llu " in done.stderr


def fields_sum(nodes: list[int], walk: str, walks: int) -> int:
    """The walks' sum over the visited nodes, whose four fields begin with their number and the next three."""
    if walk == "several":
        return walks * sum(4 * number + 6 for number in nodes)
    if walk == "one":
        return walks * sum(nodes)
    values, total = {number: number for number in nodes}, 0
    for number in walks * nodes:
        total += values[number]
        values[number] += 1
    return total


def visited(structure: str, nodes: int) -> list[int]:
    numbers = list(range(nodes))
    if structure != "graph":
        return numbers
    random = Xorshift(2)
    return [number for each in numbers for number in (each, random.below(nodes))]


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("walk", ["one", "several", "write"])
@pytest.mark.parametrize("nodes", [1, 2, 1000])
def test_each_way_through_a_structure_meets_all_nodes(structure: str, walk: str, nodes: int) -> None:
    expected = f"sum {fields_sum(visited(structure, nodes), walk, 3)}\n"
    for build in ("sequential", "shuffled"):
        done = run("small_structures", f"small_{structure}", walk, build, nodes, 3)
        assert (done.stdout, done.stderr) == (expected, "")


@pytest.mark.parametrize("structure", STRUCTURES)
def test_structures_refuse_bad_arguments(structure: str) -> None:
    name = f"small_{structure}"
    for arguments in (
        ["one"],
        ["two", "shuffled", "5", "5"],
        ["one", "sorted", "5", "5"],
        ["one", "shuffled", "0", "1"],
    ):
        done = run("small_structures", name, *arguments)
        assert done.returncode == 2 and name in done.stderr
