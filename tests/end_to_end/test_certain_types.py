"""Types that are certain, held against what each line of a program makes: none may be wrong.

A line that makes objects tells of which types; after `; all certain` it must be certain where its source is.
"""

import json
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import Finished
from end_to_end.test_types import same
from some import some

NESTED_C = """
#include <stdlib.h>
#include <string.h>
#define KEEP(made) __asm__ volatile("" : : "r"(made) : "memory")
struct reader { long a[4]; } one;
struct item { int id, kind; } items[4];
struct node { struct node* next; long value; } kept;
__attribute__((noinline)) static struct reader* opened(void* buffer) {
    ((char*)buffer)[3] = 1; KEEP(buffer); return &one;
}
__attribute__((noinline)) static void* list_new(size_t each) {
    void* made = malloc(32); *(size_t*)made = each; KEEP(made); return made;
}
__attribute__((noinline)) static void* found(int key) {
    char* scratch = malloc(16); memset(scratch, key, 16); KEEP(scratch); return &items[key & 3]; }
__attribute__((noinline)) static void* get(size_t n) {
    void* made = malloc(n); if (!made) abort(); return made; }
int main(int count, char** words) {
    struct item* mine = found(count); KEEP(mine);  // makes none
    struct node* got = get(sizeof(struct node)); KEEP(got);  // makes struct node; all certain
    struct reader* reader = opened(malloc(64)); KEEP(reader);  // makes none
    struct item* item = &items[atoi(strdup("0000002"))]; KEEP(item);  // makes none
    void* list = list_new(sizeof(struct node)); KEEP(list);  // makes none
    void* said = malloc(48 /* three of sizeof(struct node) */); KEEP(said);  // makes none
    void* half = malloc(4 * sizeof(struct node) / 2); KEEP(half);  // makes none
    long* either = malloc(count == 0 ? sizeof(struct node) : 16 * sizeof(long)); KEEP(either);  // makes long
    struct node* node = malloc(sizeof(struct node)); KEEP(node);  // makes struct node; all certain
    ((long*)said)[1] = ((long*)half)[1] = either[1] = node->value = got->value = 1;
    return reader->a[1] + item->id + words[0][0] == 7;
}
"""
NESTED_CPP = """
#define KEEP(made) __asm__ volatile("" : : "r"(made) : "memory")
struct Small { long x; Small() : x(1) {} };
struct Has { long z; Small* of; explicit Has(Small* s) : z(s->x), of(s) {} };
struct Inner { long x, y; Inner() : x(1), y(2) {} };
struct Plain { long x, y; };
struct Outer { Inner* of; long z; explicit Outer(Inner* i) : of(i), z(i->y) {} };
struct Far { Plain* of; long z; explicit Far(Plain* p); };
struct List { Inner* one; List* next; List(Inner* o, List* n) : one(o), next(n) {} };
__attribute__((noinline)) Far::Far(Plain* p) : of(p), z(1) { p->x = 1; }
int main() {
    Outer* outer = new Outer(new Inner()); KEEP(outer);  // makes Outer, Inner
    List* list = new List(new Inner(), new List(new Inner(), nullptr));  // makes List, Inner, List, Inner
    KEEP(list);
    Has* has = new Has(new Small()); KEEP(has);  // makes Has, Small
    Far* far = new Far(new Plain()); KEEP(far);  // makes Far, Plain
    Outer* apart = new Outer(  // makes Outer
        new Inner()); KEEP(apart);  // makes Outer, Inner
    Inner* inner = new Inner(); KEEP(inner);  // makes Inner; all certain
    return 0;
}
"""


@pytest.mark.parametrize(
    ("compiler", "flag"),
    some(
        *[("gcc", "-O0"), ("clang++-19", "-O2")],
        of=[("gcc", "-O0"), ("clang-19", "-O2"), ("g++", "-O0"), ("g++", "-O2"), ("clang++-19", "-O2")],
    ),
)
def test_what_is_made_within_an_argument_is_never_certain_and_wrong(
    malloom: Callable[..., Finished], tmp_path: Path, compiler: str, flag: str
) -> None:
    ending, texts = ("cpp", (NESTED_CPP, WRAPPED_CPP)) if "++" in compiler else ("c", (NESTED_C,))
    for text in texts:
        source = tmp_path / f"nested.{ending}"
        source.write_text(text)
        subprocess.run([compiler, "-g", flag, "-o", tmp_path / "nested", source], check=True)
        check_each_line(malloom, tmp_path, tmp_path / "nested", source)


def check_each_line(malloom: Callable[..., Finished], folder: Path, program: Path, source: Path) -> None:
    """That a program's certain types are those that its lines tell, with its source and without."""
    text = source.read_text()
    assert malloom("record", "--force", "-o", folder / "p", "--", program).returncode == 0
    for is_there in (True, False):
        if not is_there:
            source.rename(folder / "gone")
        certain = certain_by_line(malloom, folder / "p", source)
        for number, line in enumerate(text.split("\n"), 1):
            truth, _, rest = line.partition("// makes ")[2].partition("; ")
            left = Counter(certain.get(number, [])) - Counter(truth.split(", "))
            assert not left, (line, left)
            assert not (rest and is_there) or certain.get(number) == [truth], line


def certain_by_line(malloom: Callable[..., Finished], profile: Path, source: Path) -> dict[int, list[str]]:
    """The types that are certain of what each line makes."""
    told = json.loads(malloom("profile", "fields", profile, "--json", "--depth", "32").stdout)
    found: dict[int, list[str]] = {}
    for kind in told["kinds"]:
        calls = [call for site in kind["sites"] for call in site["calls"]]
        lines = [call["line"] for call in calls if Path(call["file"]).name == source.name]
        if kind["type"] and kind["type"]["is_sure"] and lines:
            found.setdefault(lines[-1], []).append(same(kind["type"]["name"]))
    return found


MERGED_C = """
#include <stdlib.h>
#define KEEP(made) __asm__ volatile("" : : "r"(made) : "memory")
struct lines { long first, last; };
struct weights { double low, high; };
static __attribute__((noinline)) struct lines* new_lines(void) {
    struct lines* made = malloc(sizeof(struct lines)); if (!made) abort(); return made; }
static __attribute__((noinline)) struct weights* new_weights(void) {
    struct weights* made = malloc(sizeof(struct weights)); if (!made) abort(); return made; }
static struct lines* some_lines(int n) {
    struct lines* made = malloc(3 * sizeof(struct lines)); if (!made) abort();
    for (int i = 0; i < n; i++) { if (rand() == 77) abort(); if (rand() == 78) exit(1); } return made; }
static struct weights* some_weights(int n) {
    struct weights* made = malloc(3 * sizeof(struct weights)); if (!made) abort();
    for (int i = 0; i < n; i++) { if (rand() == 77) abort(); if (rand() == 78) exit(1); } return made; }
struct lines* more_lines(int n) {
    struct lines* made = malloc(5 * sizeof(struct lines)); if (!made) abort();
    for (int i = 0; i < n; i++) { if (rand() == 77) abort(); if (rand() == 78) exit(1); } return made; }
struct weights* more_weights(int n) {
    struct weights* made = malloc(5 * sizeof(struct weights)); if (!made) abort();
    for (int i = 0; i < n; i++) { if (rand() == 77) abort(); if (rand() == 78) exit(1); } return made; }
void* volatile kept[2];
__attribute__((noinline)) static void keep(void* a, void* b) {
    kept[0] = a; kept[1] = b; if (a == b) exit(3); }
int main(int count, char** words) {
    keep((void*)more_lines, (void*)more_weights);
    struct lines* five = more_lines(count); five->first = count; KEEP(five);  // makes struct lines
    struct weights* six = more_weights(count); six->high = count; KEEP(six);  // makes struct weights
    struct lines* one = new_lines(); one->first = count; KEEP(one);  // makes struct lines; all certain
    struct weights* two = new_weights(); two->high = count; KEEP(two);  // makes struct weights
    struct lines* three = some_lines(count); three->first = count; KEEP(three);  // makes struct lines
    struct weights* four = some_weights(count); four->high = count; KEEP(four);  // makes struct weights
    struct lines* own = malloc(sizeof(struct lines)); KEEP(own);  // makes struct lines; all certain
    own->last = 1;
    return words[0][0] == 7;
}
"""
WRAPPED_CPP = """
#define KEEP(made) __asm__ volatile("" : : "r"(made) : "memory")
struct Inner { long x, y; explicit Inner(long v); };
__attribute__((noinline)) Inner::Inner(long v) : x(v), y(1) {}
struct Lone { long x, y; explicit Lone(long v); };
__attribute__((noinline)) Lone::Lone(long v) : x(v), y(1) {}
struct Outer { Inner inner; };
struct Most { Outer outer[1]; };
template <class T> T* made(long v) { return new T{Inner(v)}; }
int main(int count, char**) {
    using W = Outer;
    Outer* one = made<Outer>(count); KEEP(one);  // makes Outer
    Outer* two = new W{Inner(count)}; KEEP(two);  // makes Outer
    Most* three = new Most{{{Inner(count)}}}; KEEP(three);  // makes Most
    Inner* own = new Inner(count); KEEP(own);  // makes Inner; all certain
    Lone* lone = new Lone(count); KEEP(lone);  // makes Lone; all certain
    return 0;
}
"""
MERGED_CPP = """
#include <memory>
#define OWN __attribute__((noinline))
#define KEEP(made) __asm__ volatile("" : : "r"(&made) : "memory")
struct Lines { long first = 0, last = 0; };
struct Weights { double low = 0, high = 0; };
OWN std::unique_ptr<Lines> lines() { return std::make_unique<Lines>(); }
OWN std::unique_ptr<Weights> weights() { return std::make_unique<Weights>(); }
template <class T> OWN T* one() { return new T; }
OWN Lines* line() { return new Lines; }
OWN Weights* weight() { return new Weights; }
int main() {
    auto l = lines(); l->last = 1; KEEP(l);  // makes Lines
    auto w = weights(); w->high = 1; KEEP(w);  // makes Weights
    auto* m = one<Lines>(); m->last = 1; KEEP(m);  // makes Lines
    auto* n = one<Weights>(); n->high = 1; KEEP(n);  // makes Weights
    auto* o = line(); o->last = 1; KEEP(o);  // makes Lines
    auto* p = weight(); p->high = 1; KEEP(p);  // makes Weights
    auto* q = new Lines; q->last = 1; KEEP(q);  // makes Lines; all certain
    return 0;
}
"""
MERGED_RUST = """
use std::hint::black_box;
mod a { pub struct Node(pub u64, pub u64); impl Node {
    #[inline(never)] pub fn made(x: u64) -> Box<Node> { Box::new(Node(x, 1)) }
    #[inline(never)] pub fn more(&self) -> Vec<Node> { let mut v = Vec::new(); v.push(Node(1, self.0)); v }
    #[inline(never)] pub fn own(&self) -> Vec<Node> { self.more() } } }
mod b { pub struct Node(pub u64, pub u64); impl Node {
    #[inline(never)] pub fn made(x: u64) -> Box<Node> { Box::new(Node(x, 1)) }
    #[inline(never)] pub fn more(&self) -> Vec<Node> { let mut v = Vec::new(); v.push(Node(1, self.0)); v }
    #[inline(never)] pub fn own(&self) -> Vec<Node> { self.more() } } }
struct A(u64, u64);
struct B(u64, u64);
#[inline(never)] fn make_a(x: u64) -> Box<A> { Box::new(A(x, 3)) }
#[inline(never)] fn make_b(x: u64) -> Box<B> { Box::new(B(x, 3)) }
#[inline(never)] fn either(is: bool, x: u64) -> u64 {
    if is { let a = make_a(x); black_box(&a).0 } else { let b = make_b(x); black_box(&b).1 } }
fn main() {
    let a = black_box(make_a(1));  // makes merged::A
    let b = black_box(make_b(1));  // makes merged::B
    let mut sum = a.0 + a.1 + b.0 + b.1;
    { use a::Node; sum += black_box(Node::made(2)).1; }  // makes merged::a::Node
    { use b::Node; sum += black_box(Node::made(2)).1; }  // makes merged::b::Node
    sum += black_box(a::Node::made(2)).1;  // makes merged::a::Node
    sum += black_box(b::Node::made(2)).1;  // makes merged::b::Node
    sum += black_box(a::Node(1, 2).more())[0].1;  // makes merged::a::Node
    sum += black_box(b::Node(1, 2).more())[0].1;  // makes merged::b::Node
    sum += black_box(a::Node(1, 2).own())[0].1;  // makes merged::a::Node
    sum += black_box(b::Node(1, 2).own())[0].1;  // makes merged::b::Node
    let own = black_box(Box::new(A(1, 2)));  // makes merged::A; all certain
    for i in 0..4 { sum += either(i % 2 == 0, i) }  // makes merged::A, merged::A
    std::process::exit((sum + own.1 == 7) as i32);
}
"""


@pytest.mark.parametrize(
    ("compiler", "flags"),
    some(
        *[("gcc", "-O2"), ("g++", "-O2 -fuse-ld=gold -Wl,--icf=all"), ("rustc", "-O")],
        of=[
            *[("gcc", "-O2"), ("gcc", "-O3"), ("gcc", "-O2 -flto"), ("clang-19", "-O2"), ("rustc", "-O")],
            ("g++", "-O2 -fuse-ld=gold -Wl,--icf=all"),
            ("clang++-19", "-O2 -ffunction-sections -fuse-ld=lld -Wl,--icf=all"),
        ],
    ),
)
def test_a_function_whose_code_is_also_another_s_is_never_certain_and_wrong(
    malloom: Callable[..., Finished], tmp_path: Path, compiler: str, flags: str
) -> None:
    sources = {"gcc": ("c", MERGED_C), "rustc": ("rs", MERGED_RUST), "clang-19": ("c", MERGED_C)}
    ending, text = sources.get(compiler, ("cpp", MERGED_CPP))
    source = tmp_path / f"merged.{ending}"
    source.write_text(text)
    subprocess.run([compiler, "-g", *flags.split(), "-o", tmp_path / "merged", source], check=True)
    check_each_line(malloom, tmp_path, tmp_path / "merged", source)
