"""What a debugger says of a program whose structures were split: what is so, or that it does not know."""

import re
import subprocess
from pathlib import Path

import pytest

from compiler import compiling
from some import some

SOURCES = Path(__file__).parent / "debugged"
NODES, SHAPES, ROWS = SOURCES / "nodes.c", SOURCES / "shapes.cpp", SOURCES / "rows.c"
POLICIES = some("maximal", of=("maximal", "default"))
VALUE = re.compile(r"^\$\d+ = (.*)$", re.MULTILINE)

LAST = 99
"""The number of the node that is made last, which the lists begin with."""


def build(source: Path, policy: str, folder: Path, level: str = "-O2", *options: str) -> Path:
    bitcode = compiling.compile_object(source, level, folder / "bitcode.o", *options)
    compiling.link(source, [bitcode], level, policy, folder / "program")
    return folder / "program"


def line_of(source: Path, mark: str) -> int:
    return next(i for i, line in enumerate(source.read_text().splitlines(), 1) if f"/* {mark} */" in line)


def debug(program: Path, source: Path, mark: str, *commands: str) -> str:
    """All that gdb says where the program comes to a line for the first time."""
    words = ["gdb", "-nx", "-batch", "-ex", f"break {source.name}:{line_of(source, mark)}", "-ex", "run"]
    for command in commands:
        words += ["-ex", command]
    done = subprocess.run(
        [*words, str(program)],
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert "Breakpoint 1, " in done.stdout, done.stdout + done.stderr
    return done.stdout + done.stderr


def printed(program: Path, source: Path, mark: str, *expressions: str) -> list[str]:
    """What gdb prints of each expression, without the braces of arrays of one element."""
    said = debug(program, source, mark, *(f"print {each}" for each in expressions))
    values = VALUE.findall(said)
    assert len(values) == len(expressions), said
    return [re.sub(r"^\{(.*)\}$", r"\1", value) if "," not in value else value for value in values]


@pytest.mark.parametrize("level", compiling.LEVELS)
@pytest.mark.parametrize("policy", POLICIES)
def test_fields_have_their_values_wherever_they_lie(policy: str, level: str, tmp_path: Path) -> None:
    program = build(NODES, policy, tmp_path, level)
    found = printed(
        program,
        NODES,
        "stop here",
        "node->value",
        "node->key",
        "node->small",
        "node->weight",
        "node->next->value",
        "node->next->next->key",
        "*inside",
        "table.first->value",
        "table.by_key[3]->key",
        "table.count",
    )
    assert found[:3] == [str(LAST * 3), str(LAST + 1), str(LAST + 2)]
    assert found[3:6] == [str(LAST + 0.5), str((LAST - 1) * 3), str(LAST - 1)]
    assert found[6:] == [str((LAST - 1) * 3), str(LAST * 3), str(LAST + 1), "100"]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_whole_node_is_printed(policy: str, tmp_path: Path) -> None:
    """With nested structures and arrays; without the member that nobody accesses, which lies nowhere."""
    said = debug(build(NODES, policy, tmp_path), NODES, "stop here", "print *node", "ptype node")
    text = re.sub(r"[{}]", "", said)

    for member in (f"value = {LAST * 3}", f"key = {LAST + 1}", f"small = {LAST + 2}", f"x = {LAST + 3}"):
        assert re.search(rf"\b{member}\b", text), said
    assert re.search(r"long value(\[variable length\])?;", said), said
    for member in (f"y = {LAST + 4}", f"weight = {LAST + 0.5}", 'letters = "odd one"'):
        assert member in text, said
    assert "never" not in said
    assert "type = struct node [split by malloom: " in said


@pytest.mark.parametrize("policy", POLICIES)
def test_the_same_type_stays_as_it_is_where_nothing_is_split(policy: str, tmp_path: Path) -> None:
    said = debug(
        build(NODES, policy, tmp_path), NODES, "stop here", "print *other", "print whole.never", "ptype other"
    )
    assert 'value = 7, key = 8, small = 9, at = {x = 10, y = 11}, weight = 0.5, letters = "whole' in said
    assert "never = 12}" in said
    assert "$2 = 12" in said
    assert "type = const struct node {" in said


def test_pools_alone_change_no_type(tmp_path: Path) -> None:
    said = debug(
        build(NODES, "pool", tmp_path), NODES, "stop here", "print *node", "ptype node", "info scope look"
    )
    assert f"value = {LAST * 3}, key = {LAST + 1}, small = {LAST + 2}" in said
    assert "split by malloom" not in said


@pytest.mark.parametrize("policy", POLICIES)
def test_lines_frames_and_locals_are_found(policy: str, tmp_path: Path) -> None:
    """Also in a function that is part of its caller."""
    program = build(NODES, policy, tmp_path)
    said = debug(program, NODES, "stop here", "backtrace", "info args")
    assert re.search(
        r"#0 +look \(node=0x[0-9a-f]+, other=0x[0-9a-f]+ <whole>, inside=0x[0-9a-f]+\) at ", said
    ), said
    assert re.search(r"#1 +0x[0-9a-f]+ in main \(\) at .*nodes\.c:\d+", said), said
    said = debug(program, NODES, "in a step", "up", "print node->value", "print node->key", "ptype node")
    assert [value.strip("{}") for value in VALUE.findall(said)] == [str(LAST * 3), str(LAST + 1)], said
    assert "type = const struct node [split by malloom: " in said


@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_not_the_same_everywhere_is_not_shown(policy: str, tmp_path: Path) -> None:
    """A debugger knows one type of a variable, wherever its function has become part of others."""
    program = build(NODES, policy, tmp_path)
    said = debug(program, NODES, "in either", "up", "ptype some")
    assert "type = const struct node [split by malloom: in more than one way] {" in said, said
    assert "small;" not in said.split("in more than one way] {")[1], said


@pytest.mark.parametrize("policy", POLICIES)
def test_classes_and_references(policy: str, tmp_path: Path) -> None:
    program = build(SHAPES, policy, tmp_path)
    names = (
        "one.name",
        "one.width_",
        "one.height_",
        "one.next_->width_",
        "other.width_",
        "other.name",
        "shapes->height_",
    )
    found = printed(program, SHAPES, "stop here", *names)
    assert found == [str(LAST * 5), str(LAST + 1), str(LAST + 0.25), str(LAST), "4", "3", str(LAST + 0.25)]
    said = debug(program, SHAPES, "stop here", "ptype one", "ptype other")
    assert re.search(r"class shape \[split by malloom: .*\bname\b.*\] : public named", said), said
    assert "double area(void) const;" in said
    assert "class shape : public named {" in said
    assert printed(program, SHAPES, "in a function of it", "this->width_", "width_") == [str(LAST + 1)] * 2


@pytest.mark.parametrize("version", ("-gdwarf-4", "-gdwarf-5"))
@pytest.mark.parametrize("policy", compiling.POLICIES)
@pytest.mark.parametrize("source", (NODES, SHAPES), ids=lambda path: path.name)
def test_debug_information_is_well_formed(source: Path, policy: str, version: str, tmp_path: Path) -> None:
    program = build(source, policy, tmp_path, "-O2", version)
    done = subprocess.run(
        ["llvm-dwarfdump-19", "--verify", str(program)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, "No errors." in done.stdout) == (0, True), done.stdout[-2000:]


@pytest.mark.parametrize("source", (NODES, SHAPES), ids=lambda path: path.name)
def test_the_same_program_has_the_same_bytes(source: Path, tmp_path: Path) -> None:
    first = build(source, "maximal", tmp_path).read_bytes()
    assert build(source, "maximal", tmp_path).read_bytes() == first


def remarks(source: Path, folder: Path, *options: str) -> str:
    bitcode = compiling.compile_object(source, "-O2", folder / "bitcode.o", *options)
    plugin = [f"-Wl,-mllvm=-load={compiling.PLUGIN}", f"-Wl,--load-pass-plugin={compiling.PLUGIN}"]
    plugin += [f"-Wl,-mllvm,{option}" for option in ("-malloom-policy=maximal", "-pass-remarks=malloom")]
    command = [compiling.driver(source), "-O2", "-flto=full", "-fuse-ld=lld", *plugin, str(bitcode)]
    command += [str(compiling.POOLS), "-o", str(folder / "program")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout + done.stderr


def test_remarks_name_structures_and_fields(tmp_path: Path) -> None:
    said = remarks(NODES, tmp_path)
    assert "objects of struct node (56 bytes) come from pools, split into: next | value | key | " in said
    assert " at.x | at.y | weight | letters; arrays of 0+8, 8+8, 16+4" in said
    assert "objects of shape (32 bytes) come from pools, split into: next_ | " in remarks(SHAPES, tmp_path)


def test_remarks_without_debug_information_say_offsets(tmp_path: Path) -> None:
    said = remarks(NODES, tmp_path, "-g0")
    assert "objects of 56 bytes come from pools, split into arrays of 0+8, 8+8, 16+4" in said


@pytest.mark.parametrize("level", compiling.LEVELS)
def test_rows_say_that_they_are_split_and_show_no_wrong_value(level: str, tmp_path: Path) -> None:
    """Where their other arrays begin, the program alone knows."""
    values = {"key": "1060", "count": "120", "weight": "60.5", "kind": "4"}
    program = build(ROWS, "maximal", tmp_path, level)
    said = debug(program, ROWS, "stop at a row", "ptype row", *(f"print row->{name}" for name in values))
    assert "[split by malloom: " in said
    found = VALUE.findall(said)
    lost = said.count("There is no member named")
    assert found
    assert lost > 0
    assert len(found) + lost == len(values)
    assert set(found) <= set(values.values())
