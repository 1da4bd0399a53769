"""Whether the text of a caller in Rust names the function that runs."""

from dataclasses import replace
from pathlib import Path

import pytest

from malloom.sites.keys import Call
from malloom.types.rust_calls import is_meant

TEXT = """
use crate::inner::Node;
use some::{place::{Item, self}, Other as Known};
use super::*;
fn make(x: u64) -> u64 { x }  // fn made
fn run() {
    make(1);
    Node::new(1);
    inner::Node::new(1);
    crate::inner::Node::new(1);
    Item::new::<u8>(1);
    Known::new(1);
    Self::new(1);
    self.grow(1);
    self.part.grow(1);
    made(1);
}
"""
CASES = {
    "make(1);": ["own::make", "own::outer::make"],
    "Node::new(1);": ["own::inner::Node::new"],
    "inner::Node::new(1);": [],
    "crate::inner::Node::new(1);": ["own::inner::Node::new"],
    "Item::new::<u8>(1);": ["some::place::Item::new", "own::some::place::Item::new"],
    "Known::new(1);": [],
    "Self::new(1);": ["own::outer::Type::new"],
    "self.grow(1);": ["own::outer::Type::grow"],
    "self.part.grow(1);": [],
    "made(1);": [],
}
"""Lines of the text, and the functions that a method of own::outer::Type may mean by them."""
FUNCTIONS = {each for known in CASES.values() for each in known} | {
    *("own::other::Node::new", "some::Other::new", "own::other::make", "own::grow", "own::made", "own::run"),
    *("own::inner::Other::grow", "all::Node::new", "own::outer::Node::new", "own::remake"),
}
LONG_AGO, LATER = 1, 1 << 62


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "own.rs").write_text(TEXT)
    return str(tmp_path / "own.rs")


def test_what_may_come_with_another_module_is_not_told(file: str) -> None:
    Path(file).write_text(TEXT.replace("use super", "use all"))
    assert meant_by(called("make(1);", file)) == []
    assert meant_by(called("Node::new(1);", file)) == ["own::inner::Node::new"]


@pytest.mark.parametrize(
    ("place", "is_told"),
    [("use all::*;\n", True), ("    use all::*;\n", False), ("    use all::Kind::*;\n", True)],
)
def test_what_a_module_defines_comes_before_what_it_has_of_another(
    file: str, place: str, is_told: bool
) -> None:
    own = "struct Own;\n" + place + "fn run() {\nOwn::new();\n}\n"
    Path(file).write_text(own)
    call = Call("own::run", file, own.count("\n", 0, own.index("Own::")) + 1, 1)
    assert is_meant("own::Own::new", call, file, LATER) == is_told


def called(line: str, file: str, caller: str = "own::outer::Type::run") -> Call:
    """The call in a line as rustc tells its place: that of a method is its name."""
    lines = TEXT.split("\n")
    number = lines.index(f"    {line}")
    return Call(caller, file, number + 1, 5 + line.rfind(".") + 1)


def meant_by(call: Call, built: int = LATER) -> list[str]:
    return sorted(each for each in FUNCTIONS if is_meant(each, call, call.file, built))


@pytest.mark.parametrize("line", CASES)
def test_a_path_means_what_is_imported_or_defined_beside_it(file: str, line: str) -> None:
    assert meant_by(called(line, file)) == sorted(CASES[line])


def test_a_method_of_a_trait_has_the_type_of_its_impl(file: str) -> None:
    caller = "<own::outer::Type as own::Trait>::run"
    assert meant_by(called("self.grow(1);", file, caller)) == ["own::outer::Type::grow"]
    closure = "own::outer::Type::run::{closure#0}"
    assert meant_by(called("self.grow(1);", file, closure)) == ["own::outer::Type::grow"]


def test_what_is_newer_or_begins_elsewhere_tells_nothing(file: str) -> None:
    call = called("make(1);", file)
    assert meant_by(call, LONG_AGO) == []
    assert meant_by(replace(call, column=call.column + 1)) == []
    assert meant_by(replace(call, column=0)) == []
    assert meant_by(replace(call, line=call.line + 100)) == []


def test_functions_of_another_file_are_not_meant_without_an_import(file: str) -> None:
    assert not is_meant("own::make", called("make(1);", file), "other.rs", LATER)
