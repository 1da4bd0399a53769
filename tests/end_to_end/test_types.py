"""Types of objects, as `malloom profile fields` names them, held against what the sources of programs say.

A line of a program that makes objects tells of which type, with its size where one line makes several; where
it only may make them, the type may be a guess.
"""

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from end_to_end.conftest import Finished
from some import some

C_SOURCE = """
#include <stdlib.h>
#define KEEP(made) __asm__ volatile("" : : "r"(made) : "memory")
#include <string.h>
struct point { int x, y; };
struct node {
    struct node* next;
    struct point at;
    union { long whole; char part[8]; };
    unsigned a : 3, b : 5;
    char name[20];
};
typedef struct { double at[4]; } vector_t;
struct holder { vector_t* vectors; struct point* points; } holder;
struct other { long a, b, c, d, e, f; };
struct store { long used; } store;
struct blob { long length; char text[]; };
#define TAKE(bytes) ({ struct store* from = &store; from->used += (bytes); get(bytes); })
static struct node* head;
__attribute__((noinline)) static void* get(size_t bytes) {
    void* made = malloc(bytes);
    if (!made) abort();
    return made;
}
__attribute__((noinline)) static void push(int i) {
    struct node* made = get(sizeof *made);  // makes struct node
    memset(made, 0, sizeof *made);
    made->at.x = i;
    made->next = head;
    head = made;
    KEEP(made);
}
int main(int count, char** words) {
    for (int i = 0; i < 200; i++) push(i);
    holder.vectors = malloc(100 * sizeof(vector_t));  // makes vector_t
    holder.points = calloc(50, sizeof *holder.points);  // makes struct point
    struct other* other = malloc(48);  // makes struct other
    char* text = malloc(100);  // makes char
    struct other** others = calloc(9, sizeof(struct other*));  // makes struct other*
    struct blob* blob = malloc(sizeof(struct blob) + 90);  // makes struct blob
    void* taken;
    taken = TAKE(88);  // may make nothing
    { struct other* each = malloc(3 * sizeof *each);  // makes struct other
      KEEP(each); each->a = 1; }
    { vector_t* each;
      each = malloc(12 * sizeof *each);  // may make vector_t
      KEEP(each); each->at[0] = 1; }
    others[1] = other, blob->text[7] = 1, *(char*)taken = 1;
    KEEP(others); KEEP(blob); KEEP(taken);
    KEEP(other); KEEP(text); KEEP(&holder);
    other->c = count, text[5] = words[0][0];
    for (int i = 0; i < 100; i++) holder.vectors[i].at[i % 4] = i;
    for (int i = 0; i < 50; i++) holder.points[i].y = i;
    return head->at.x + other->c + text[5] == 7;
}
"""
CPP_SOURCE = """
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>
#define KEEP(made) __asm__ volatile("" : : "r"(made) : "memory")
namespace shapes {
struct Shape { virtual ~Shape() = default; virtual double area() const = 0; int id = 0; };
struct Circle : Shape {
    double r;
    explicit Circle(double x) : r(x) {}
    double area() const override { return r * r; }
};
struct Same : Circle { using Circle::Circle; double area() const override { return 1; } };
template <class T> struct Box : Shape {
    T v{};
    double w{};
    Box(T x) : v(x) {}
    double area() const override { return v; }
};
}
struct Plain { int a; long b; };
int main() {
    std::map<int, std::string> names;
    std::unordered_map<long, short> numbers;
    std::list<Plain> plains;
    std::vector<shapes::Shape*> shapes;
    std::vector<std::unique_ptr<shapes::Shape>> owned;
    for (int i = 0; i < 100; i++) names[i];  // makes std::_Rb_tree_node<std::pair<const int, std::string>>
    for (long i = 0; i < 9; i++)
        numbers[i] = i;  // makes 24: std::__detail::_Hash_node<std::pair<const long, short>, false>
    plains.push_back({1, 2});  // makes std::_List_node<Plain>
    shapes.reserve(40);  // makes shapes::Shape*
    auto two = [&](auto* a, auto* b) { shapes.push_back(a); shapes.push_back(b); };
    for (int i = 0; i < 9; i++)
        two(new shapes::Box<int>(i), new shapes::Same(i));  // makes shapes::Box<int> or shapes::Same
    owned.reserve(9);  // makes std::unique_ptr<shapes::Shape>
    auto circle = std::make_unique<shapes::Circle>(3);  // makes shapes::Circle
    owned.push_back(std::move(circle));
    std::string text(100, 'x');  // makes char
    Plain* many = new Plain[10];  // makes Plain
    KEEP(many); KEEP(&text); KEEP(&names); KEEP(&plains); KEEP(&shapes); KEEP(&owned);
    many[3].b = 4;
    double sum = many[3].b + text[3];
    for (auto* each : shapes) sum += each->area();
    for (auto* each : shapes) delete each;
    delete[] many;
    return sum + names.size() + numbers.size() + plains.size() == 7;
}
"""
RUST_SOURCE = """
use std::collections::{BTreeMap, HashMap};
struct Node { next: Option<Box<Node>>, value: u64, name: String }
struct First(u64, u64);
struct Second(u64, u64);
enum Shape { Circle { radius: f64 }, Rect { width: f64, height: f64 }, Named(Box<u64>, u8), Empty }
enum Color { Red, Green }
enum Text { Owned(String), Missing, Unknown }
struct Painted { color: Color, shape: Shape, below: Option<Box<Painted>> }
#[inline(never)]
fn text(i: u64) -> Text {
    if i == 3 { Text::Missing } else if i == 4 { Text::Unknown } else { Text::Owned(String::new()) }
}
#[inline(never)]
fn area(shape: &Shape) -> f64 {
    match shape {
        Shape::Circle { radius } => radius * radius,
        Shape::Rect { width, height } => width * height,
        Shape::Named(size, kind) => (**size + *kind as u64) as f64,
        Shape::Empty => 0.0,
    }
}
#[inline(never)]
fn painted(all: &Painted) -> f64 {
    let own = if let Color::Green = all.color { area(&all.shape) } else { 1.0 };
    all.below.as_ref().map_or(own, |below| own + painted(below))
}
#[inline(never)]
fn first(all: &mut Vec<First>) {
    for i in 0..9 { all.push(First(i, i)); }  // makes types::First
}
#[inline(never)]
fn second(all: &mut Vec<Second>) {
    for i in 0..99 { all.push(Second(i, 2 * i)); }  // makes types::Second
}
fn main() {
    let mut head: Option<Box<Node>> = None;
    for i in 0..50u64 {
        let name = String::from("a name that lies in the heap");  // makes u8
        head = Some(Box::new(Node { next: head, value: i, name }));  // makes types::Node
    }
    let mut hashed: HashMap<u64, u32> = HashMap::new();
    let mut sorted: BTreeMap<u64, u64> = BTreeMap::new();
    for i in 0..50u64 { hashed.insert(i, 1); }  // may make (u64, u32)
    sorted.insert(1, 2);  // may make alloc::collections::btree::node::LeafNode<u64, u64>
    let numbers: Vec<u32> = Vec::with_capacity(1000);  // makes u32
    std::hint::black_box(&numbers);
    let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
    first(&mut firsts);
    second(&mut seconds);
    std::hint::black_box((firsts[3].0 + firsts[4].1, seconds[3].0 + seconds[4].1));
    let boxed = Box::new(Shape::Rect { width: 1.5, height: 2.5 });  // makes types::Shape
    let mut shapes = vec![Shape::Circle { radius: 1.0 }, Shape::Empty];  // makes types::Shape[2]
    for i in 0..30u64 {
        let named = Box::new(i);  // makes u64
        shapes.push(Shape::Named(named, 3));  // makes types::Shape
    }
    let texts: Vec<Text> = (0..30).map(text).collect();  // makes types::Text
    let below = Painted { color: Color::Red, shape: Shape::Empty, below: None };
    let below = Some(Box::new(below));  // makes types::Painted
    let shape = Shape::Rect { width: 3.0, height: 1.0 };
    let top = Box::new(Painted { color: Color::Green, shape, below });  // makes types::Painted
    let known = texts.iter().filter(|each| matches!(each, Text::Owned(text) if text.is_empty())).count();
    let areas: f64 = shapes.iter().map(area).sum();
    std::hint::black_box(area(&boxed) + areas + painted(&top) + known as f64);
    let mut at = &head;
    let mut sum = numbers.len() as u64;
    while let Some(each) = at { sum += each.value + each.name.len() as u64; at = &each.next; }
    std::process::exit((sum + hashed.len() as u64 + sorted.len() as u64 == 7) as i32);
}
"""


@dataclass(frozen=True)
class Made:
    """What a recorded program makes in one line of its source, and what was said of it."""

    line: int
    size: int
    name: str
    is_sure: bool
    truth: str
    may_be_a_guess: bool


def built(folder: Path, compiler: str, flags: list[str]) -> tuple[Path, str]:
    ending, text = SOURCES[compiler]
    source = folder / f"types.{ending}"
    source.write_text(text)
    subprocess.run([compiler, "-g", *flags, "-o", folder / "types", source], check=True)
    return source, text


SOURCES = {"gcc": ("c", C_SOURCE), "g++": ("cpp", CPP_SOURCE), "rustc": ("rs", RUST_SOURCE)}
SOURCES |= {"clang-19": SOURCES["gcc"], "clang++-19": SOURCES["g++"]}


def made_by(malloom: Callable[..., Finished], profile: Path, source: Path, text: str) -> list[Made]:
    """All objects that lines of the source make which tell their type."""
    truths = {
        number: (found[2].strip(), found[1] == "may make")
        for number, line in enumerate(text.split("\n"), 1)
        if (found := re.search(r"// (makes|may make) (.*)", line))
    }
    told = json.loads(malloom("profile", "fields", profile, "--json", "--depth", "32").stdout)
    found = []
    for kind in told["kinds"]:
        calls = [call for site in kind["sites"] for call in site["calls"]]
        lines = [call["line"] for call in calls if Path(call["file"]).name == source.name]
        line = next((each for each in lines if each in truths), 0)
        told_of, may_be_a_guess = truths.get(line, ("", False))
        size, _, truth = told_of.rpartition(": ")
        known = kind["type"] or {"name": "", "is_sure": False}
        if line and size in ("", str(kind["size"])):
            found.append(Made(line, kind["size"], known["name"], known["is_sure"], truth, may_be_a_guess))
    return found


BUILDS = [
    ("gcc", ["-O0"]),
    ("gcc", ["-O2"]),
    ("clang-19", ["-O2"]),
    ("g++", ["-O0"]),
    ("g++", ["-O2"]),
    ("clang++-19", ["-O2"]),
    ("rustc", ["-O"]),
    ("rustc", []),
]


FEW_BUILDS = [("gcc", ["-O2"]), ("clang++-19", ["-O2"]), ("rustc", ["-O"]), ("rustc", [])]
"""One of each language, optimised, and Rust's without: its library's functions are no others', then."""


@pytest.mark.parametrize(("compiler", "flags"), some(*FEW_BUILDS, of=BUILDS))
def test_types_are_those_of_the_source(
    malloom: Callable[..., Finished], tmp_path: Path, compiler: str, flags: list[str]
) -> None:
    source, text = built(tmp_path, compiler, flags)
    profile = tmp_path / "types.profile"
    assert malloom("record", "-o", profile, "--", tmp_path / "types").returncode == 0
    made = made_by(malloom, profile, source, text)
    assert len({each.line for each in made}) >= 3
    unsure = [each for each in made if not each.is_sure and not each.may_be_a_guess]
    assert not unsure, unsure
    source.rename(tmp_path / "gone")
    without = made_by(malloom, profile, source, text)
    for each in (*made, *without):
        assert not each.is_sure or same(each.name) in map(same, each.truth.split(" or ")), each
    # Without the source what remains is what debug information itself says.
    unsure = [each for each in without if not each.is_sure]
    # In C that is no more than what variables are declared as, which may have more than the call made; in
    # optimised Rust nothing else says which of several functions with the same code was called.
    assert len(unsure) <= len(without) / 2 or source.suffix == ".c" or flags == ["-O"], unsure


def test_what_the_linker_merged_is_never_certain_and_wrong(
    malloom: Callable[..., Finished], tmp_path: Path
) -> None:
    merging = ["-C", "link-arg=-fuse-ld=lld", "-C", "link-arg=-Wl,--icf=all"]
    source, text = built(tmp_path, "rustc", merging)
    assert malloom("record", "-o", tmp_path / "p", "--", tmp_path / "types").returncode == 0
    made = made_by(malloom, tmp_path / "p", source, text)
    # Both grow by the code of one of them.
    assert {"types::First", "types::Second"} <= {each.truth for each in made}
    for each in made:
        assert not each.is_sure or each.name in each.truth.split(" or "), each


COLLECTED_RUST = """
use std::sync::Arc;
fn main() {
    let words = ["sixteen letters.", "another sixteen.", "and sixteen more", "the last sixteen"];
    let shared: Vec<Arc<str>> = words.iter().copied().map(Arc::from).collect();
    let parts: Vec<Box<[u64]>> = words.iter().map(|_| &[7, 8][..]).map(Box::from).collect();
    let empty: Arc<[u128]> = Arc::from(Vec::new());
    let numbers: Vec<u32> = (0..empty.len() as u32 + 50).map(|each| each * each).collect();
    std::hint::black_box((empty.clone(), &numbers));
    let sum = shared.iter().fold(0, |sum, each| sum + each.as_bytes()[3] as u64);
    std::process::exit((sum + parts.iter().fold(0, |sum, each| sum + each[1]) == 7) as i32);
}
"""


@pytest.mark.parametrize("flags", some(["-O"], of=[["-O"], []]))
def test_what_makes_an_element_is_not_taken_for_the_vector_of_these(
    malloom: Callable[..., Finished], tmp_path: Path, flags: list[str]
) -> None:
    source = tmp_path / "collected.rs"
    source.write_text(COLLECTED_RUST)
    subprocess.run(["rustc", "-g", *flags, "-o", tmp_path / "collected", source], check=True)
    assert malloom("record", "-o", tmp_path / "p", "--", tmp_path / "collected").returncode == 0
    told = json.loads(malloom("profile", "fields", tmp_path / "p", "--json", "--depth", "32").stdout)
    certain = {
        (kind["size"], kind["type"]["name"])
        for kind in told["kinds"]
        if kind["type"] and kind["type"]["is_sure"]
    }
    # An Arc<str> of 16 letters has 32 bytes, as two pointers to such have; a part has 16, as a pointer to it,
    # and an empty Arc<[u128]> has the counts alone, as many bytes as a u128.
    assert certain == {(64, "alloc::sync::Arc<str>"), (64, "Box<[u64]>"), (200, "u32")}


HEADER = """
#include <string>
struct Env { virtual ~Env(); virtual int value() const; long kept; };
struct Scope : Env { explicit Scope(Env* of); int value() const override; std::string name; Env* of; };
"""
MAKING = """
#include "scope.h"
int main() {
    Env* env = nullptr;
    for (int i = 0; i < 9; i++)
        env = new Scope(env);
    return env->value() == 7;
}
"""
DEFINING = """
#include "scope.h"
Env::~Env() {}
int Env::value() const { return 1; }
Scope::Scope(Env* of) : name("a scope whose name is long"), of(of) {}
int Scope::value() const { return of ? of->value() : int(name.size()); }
"""


@pytest.mark.parametrize("compiler", some("g++", of=["g++", "clang++-19"]))
def test_a_class_that_another_unit_defines_is_found(
    malloom: Callable[..., Finished], tmp_path: Path, compiler: str
) -> None:
    for name, text in {"scope.h": HEADER, "main.cpp": MAKING, "scope.cpp": DEFINING}.items():
        (tmp_path / name).write_text(text)
    files = [tmp_path / "main.cpp", tmp_path / "scope.cpp"]
    subprocess.run([compiler, "-g", "-O2", "-o", tmp_path / "types", *files], check=True)
    assert malloom("record", "-o", tmp_path / "p", "--", tmp_path / "types").returncode == 0
    told = json.loads(malloom("profile", "fields", tmp_path / "p", "--json", "--depth", "4").stdout)
    made = [kind for kind in told["kinds"] if kind["type"] and kind["type"]["name"] == "Scope"]
    assert made
    assert all(kind["type"]["is_sure"] for kind in made)
    assert "of" in {field["name"] for kind in made for field in kind["fields"]}
    places = [kind["type"]["at"] for kind in made]
    assert {(Path(at["file"]).name, at["line"]) for at in places} == {("main.cpp", 6)}


def same(name: str) -> str:
    """Compilers write `int const` and `const int`, `long` and `long int`."""
    return re.sub(r"\b(\w+) const\b", r"const \1", re.sub(r"\b(long|short) int\b", r"\1", name))


def test_fields_have_names(malloom: Callable[..., Finished], tmp_path: Path) -> None:
    built(tmp_path, "gcc", ["-O0"])
    assert malloom("record", "-o", tmp_path / "p", "--", tmp_path / "types").returncode == 0
    told = json.loads(malloom("profile", "fields", tmp_path / "p", "--json", "--depth", "4").stdout)
    kinds = {kind["type"]["name"]: kind for kind in told["kinds"] if kind["type"]}
    node = {field["offset"]: field["name"] for field in kinds["struct node"]["fields"] if field["bytes"] <= 8}
    assert (node[0], node[8]) == ("next", "at.x")
    points = {field["offset"]: field["name"] for field in kinds["struct point"]["fields"]}
    assert (points[4], points[12]) == ("y", "[1].y")
    text = malloom("profile", "fields", tmp_path / "p", "--depth", "4").stdout
    assert re.search(r"^ +8 +4 [ \d,]*\n? +at\.x\b", text, re.MULTILINE)
    line = C_SOURCE[: C_SOURCE.index("// makes vector_t")].count("\n") + 1
    assert f"100 elements of vector_t, by what types.c:{line} names" in text


def test_fields_of_variants_have_names(malloom: Callable[..., Finished], tmp_path: Path) -> None:
    built(tmp_path, "rustc", [])
    assert malloom("record", "-o", tmp_path / "p", "--", tmp_path / "types").returncode == 0
    told = json.loads(malloom("profile", "fields", tmp_path / "p", "--json", "--depth", "32").stdout)
    names: dict[str, set[str]] = {}
    for kind in told["kinds"]:
        if kind["type"]:
            found = {field["name"].split("] ")[-1] for field in kind["fields"]}
            names.setdefault(kind["type"]["name"], set()).update(found)
    assert {"discriminant", "Circle.radius|Rect.width|Named.__0", "Rect.height"} <= names["types::Shape"]
    assert {"color", "shape.Rect.height", "below"} <= names["types::Painted"]


def test_a_program_without_debug_information_has_no_types(
    malloom: Callable[..., Finished], tmp_path: Path
) -> None:
    built(tmp_path, "gcc", ["-O2"])
    subprocess.run(["strip", "--strip-debug", tmp_path / "types"], check=True)
    assert malloom("record", "-o", tmp_path / "p", "--", tmp_path / "types").returncode == 0
    done = malloom("profile", "fields", tmp_path / "p", "--json")
    assert done.returncode == 0
    assert all(kind["type"] is None for kind in json.loads(done.stdout)["kinds"])
