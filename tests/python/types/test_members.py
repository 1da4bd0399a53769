"""Fields of Rust's enumerations and of C++'s classes, as debug information of small programs has them."""

import subprocess
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile

from malloom.types.members import Member, members_of

SOURCE = """
enum Shape { Circle { radius: f64 }, Rect { width: f64, height: f64 }, Named(Box<u64>, u8), Empty }
enum Tree { Leaf, Node(Box<Tree>, u64) }
enum Only { One(u64, u32) }
enum Many { A(u64), B(u64), C(u64), D(u64), E(u64) }
enum Uneven { Long(u64, u64), Short(u8, u8, u32) }
enum Color { Red, Green }
struct Holder { next: Option<Box<u64>>, color: Color, maybe: Option<Color>, shape: Shape, only: Only }
fn main() {
    let holder = Holder {
        next: None, color: Color::Green, maybe: Some(Color::Red), shape: Shape::Empty, only: Only::One(1, 2),
    };
    let all = [Shape::Circle { radius: 1.0 }, Shape::Rect { width: 1.0, height: 2.0 }];
    let trees = [Tree::Leaf, Tree::Node(Box::new(Tree::Leaf), 3)];
    let many = [Many::A(1), Many::B(1), Many::C(1), Many::D(1), Many::E(1)];
    let uneven = [Uneven::Long(1, 2), Uneven::Short(1, 2, 3)];
    std::hint::black_box((&holder, &all, Shape::Named(Box::new(1), 2), &trees, &many, &uneven));
}
"""


@pytest.fixture(scope="module")
def structures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Member, ...]]:
    """The fields of each structure of the program's own, by its name."""
    folder = tmp_path_factory.mktemp("members")
    (folder / "members.rs").write_text(SOURCE)
    subprocess.run(["rustc", "-g", "-A", "warnings", "-o", "program", "members.rs"], cwd=folder, check=True)
    with (folder / "program").open("rb") as file:
        dwarf: Any = ELFFile(file).get_dwarf_info()
        unit = next(unit for unit in dwarf.iter_CUs() if b"members.rs" in _name(unit.get_top_DIE()))
        return {
            _name(entry).decode(): members_of(entry)
            for entry in unit.iter_DIEs()
            if entry.tag == "DW_TAG_structure_type"
        }


def _name(entry: Any) -> bytes:
    return entry.attributes["DW_AT_name"].value if "DW_AT_name" in entry.attributes else b""


def names(members: tuple[Member, ...]) -> set[str]:
    return {member.name for member in members}


def test_what_one_variant_has_is_its_field_and_what_several_have_is_one_of_all(
    structures: dict[str, tuple[Member, ...]],
) -> None:
    shape = structures["Shape"]
    several = "Circle.radius|Rect.width|Named.__0"
    assert names(shape) == {"discriminant", "Named.__1", several, "Rect.height"}
    assert {(member.size, member.type) for member in shape if member.name == several} == {
        (8, "members::Shape")
    }


def test_where_a_field_tells_the_variant_both_have_the_bytes(
    structures: dict[str, tuple[Member, ...]],
) -> None:
    assert names(structures["Tree"]) == {"discriminant|Node.__0", "Node.__1"}


def test_an_enumeration_of_one_field_is_that_field_of_its_owner(
    structures: dict[str, tuple[Member, ...]],
) -> None:
    holder = names(structures["Holder"])
    assert {"next", "color", "maybe", "shape.discriminant", "shape.Rect.height"} < holder
    assert {"only.One.__0", "only.One.__1"} < holder


def test_of_many_names_some_are_shown(structures: dict[str, tuple[Member, ...]]) -> None:
    assert names(structures["Many"]) == {"discriminant", "A.__0|B.__0|C.__0|…"}


def test_no_two_fields_of_variants_have_a_byte_in_common(
    structures: dict[str, tuple[Member, ...]],
) -> None:
    for name in ("Shape", "Tree", "Many", "Uneven", "Holder"):
        members = structures[name]
        ends = [member.offset + member.size for member in members]
        assert all(end <= other.offset for end, other in zip(ends, members[1:], strict=False)), members


PLACES_SOURCE = """
struct Top { long top = 1; virtual ~Top() {} };
struct Left : virtual Top { long left = 2; };
struct Right : virtual Top { long right = 3; };
struct Diamond : Left, Right { long own = 4; };
struct Plain { long first; };
struct Derived : Plain { long second; };
struct Holder { long begin; Diamond diamond; };
struct Unions {
    union { struct { int i, j; }; double d; };
    union { struct { int only; }; };
    union { char a[8]; char b[8]; char c[8]; char e[8]; char f[8]; };
};
int main() {
    Diamond diamond; Derived derived{}; Holder holder; Unions unions{};
    return (diamond.own + derived.second + holder.begin + unions.only) == 7;
}
"""


@pytest.fixture(scope="module", params=["g++", "clang++-19"])
def classes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[Member, ...]]:
    """The fields of each class of a program in C++."""
    folder = tmp_path_factory.mktemp("classes")
    (folder / "classes.cpp").write_text(PLACES_SOURCE)
    subprocess.run([request.param, "-g", "-w", "-o", "program", "classes.cpp"], cwd=folder, check=True)
    with (folder / "program").open("rb") as file:
        dwarf: Any = ELFFile(file).get_dwarf_info()
        return {
            _name(entry).decode(): members_of(entry)
            for unit in dwarf.iter_CUs()
            for entry in unit.iter_DIEs()
            if entry.tag == "DW_TAG_structure_type"
        }


def test_a_virtual_base_whose_place_each_object_tells_has_no_names(
    classes: dict[str, tuple[Member, ...]],
) -> None:
    places = {member.name.replace("$", "."): member.offset for member in classes["Diamond"]}
    assert places == {"_vptr.Left": 0, "left": 8, "_vptr.Right": 16, "right": 24, "own": 32}
    assert {member.name: member.offset for member in classes["Derived"]} == {"first": 0, "second": 8}
    assert not {"diamond.top", "top"} & names(classes["Holder"])


def test_a_union_has_the_names_of_what_lies_in_it(classes: dict[str, tuple[Member, ...]]) -> None:
    assert [member.name for member in classes["Unions"]] == ["i|j|d", "only", "a|b|c|…"]
