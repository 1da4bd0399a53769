"""That no type is certain where the line of a call may say it of another object, held against programs."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND
from some import some

EDITED = """
#include <stdlib.h>
struct token { long line; char *text; int kind; };
struct edge { struct edge *from, *to; double w; };
__attribute__((noinline)) struct token *new_token(void) {
  struct token *t = malloc(sizeof(struct token));
  if (!t) abort();
  return t;
}
int main(void) {
  struct token *t;
  t = new_token();
  t->line = 1;
  __asm__ volatile("" : : "r"(t) : "memory");
  return t->line != 1;
}
"""
THROUGH_C = """
#include <stdlib.h>
struct rec { long id; char *name; };
__attribute__((noinline)) static void slot(struct rec **out, size_t n) {
  struct rec **o = out; *o = malloc(n); (*o)->id = 1;
}
__attribute__((noinline)) static void *whole(void) { struct rec *o = malloc(16); o->id = 1; return o; }
int main(int count, char **words) {
  struct rec *q, *r = whole();
  slot(&q, count * 16);
  return q->id + r->id + words[0][0] == 7;
}
"""
THROUGH_CPP = """
struct Node { long v; Node(long v) : v(v) {} };
__attribute__((noinline)) void slot(Node **out) { Node **o = out; *o = new Node(3); }
int main() {
  Node *q;
  slot(&q);
  return q->v != 3;
}
"""
MERGED_C = """
#include <stdlib.h>
#include <stdio.h>
struct edge { struct edge *from, *to; double w; };
struct third { long a; long b; long c; };
struct large { long a[9]; };
static struct edge *edge(void) { return malloc(sizeof(struct edge)); }
static struct third *third(void) { return malloc(sizeof(struct third)); }
__attribute__((noinline)) void *inlined(int d) { if (d) return edge(); return third(); }
__attribute__((noinline)) void *chosen(int d) {
  switch (d) {
  case 0:
    return malloc(sizeof(struct edge));
  case 1: return malloc(sizeof(struct third));
  }
  return 0;
}
__attribute__((noinline)) void *told(int d) {
  if (d) { struct edge *e = malloc(sizeof(struct edge)); e->from = 0; return e; }
  struct third *t = malloc(sizeof *t); t->a = 0; return t;
}
__attribute__((noinline)) void *of_any(int d) { if (d) return malloc(d); return malloc(sizeof(struct edge)); }
__attribute__((noinline)) void *apart(int d) {
  struct large *l = malloc(sizeof(struct large)); /* certain */
  if (!l) abort();
  struct edge *e = malloc(sizeof(struct edge)); /* certain */
  if (d) l->a[0] = 1;
  e->from = 0; l->a[1] = (long)e; return l;
}
int main(int argc, char **argv) {
  for (int i = 0; i < 100; i++) {
    struct third *x;
    if ((i * argc) % 3) { x = malloc(sizeof(struct third)); x->a = 1; } else { x = malloc(sizeof(struct edge)); x->a = 1; }
    printf("%p%p%p%p%p%p", (void *)x, inlined(i % 2), chosen(i % 2), told(i % 2), of_any(i % 2 * 24), apart(i));
  }
}
"""  # noqa: E501
MERGED_CPP = """
#include <cstdio>
#include <memory>
struct Base1 { long x; }; struct Derived1 : Base1 { void f() {} };
struct Op { int kind; int line; }; struct Load : Op { long address; };
struct Add : Op { int left; int right; };
struct Made { long a, b, c; Made() : a(0) {} }; struct Other { long a, b, c; Other() : a(0) {} };
__attribute__((noinline)) Base1 *one_line(bool d) { if (d) return new Derived1(); return new Base1(); }
__attribute__((noinline)) Op *lines(char c) {
  if (c)
    return new Load();
  return new Add;
}
__attribute__((noinline)) void *built(bool d) { if (d) return new Made(); else return new Other(); }
template <class T> T *make() { return new T(); }
__attribute__((noinline)) void *generic(bool d) { return d ? (void *)make<Made>() : (void *)make<Other>(); }
__attribute__((noinline)) void *apart(bool d) {
  auto *m = new Made(); // certain
  auto *o = new Other(); // certain
  if (d) m->b = 1;
  m->c = (long)o; return m;
}
int main() {
  for (int i = 0; i < 100; i++)
    printf("%p%p%p%p%p", (void *)one_line(i % 2), (void *)lines(i % 2),
           built(i % 2), generic(i % 2), apart(i % 2));
}
"""
ENDINGS = {"gcc": "c", "clang-19": "c", "g++": "cpp", "clang++-19": "cpp"}


def malloom(*arguments: str | Path) -> str:
    done = subprocess.run([COMMAND, *arguments], check=True, capture_output=True, text=True, timeout=300)
    return done.stdout


def recorded(folder: Path, compiler: str, flag: str, text: str) -> Path:
    """The source of a program that was built and recorded."""
    source = folder / f"source.{ENDINGS[compiler]}"
    source.write_text(text)
    subprocess.run([compiler, "-g", flag, "-o", folder / "program", source], check=True)
    malloom("record", "-o", folder / "profile", "--", folder / "program")
    return source


def certain(source: Path) -> dict[int, set[str]]:
    """The types that are certain of what each line of a recorded program makes."""
    told = json.loads(malloom("profile", "fields", source.parent / "profile", "--json", "--depth", "32"))
    found: dict[int, set[str]] = {}
    for kind in told["kinds"]:
        calls = [call for site in kind["sites"] for call in site["calls"]]
        lines = [call["line"] for call in calls if Path(call["file"]).name == source.name]
        if kind["type"] and kind["type"]["is_sure"] and lines:
            found.setdefault(lines[0], set()).add(kind["type"]["name"])
    return found


C = [("gcc", "-O0"), ("gcc", "-O2"), ("clang-19", "-O0"), ("clang-19", "-O2")]
CPP = [("g++", "-O0"), ("g++", "-O2"), ("clang++-19", "-O0"), ("clang++-19", "-O2")]


@pytest.mark.parametrize(("compiler", "flag"), some(("gcc", "-O0"), ("clang-19", "-O2"), of=C))
def test_what_is_edited_after_the_build_is_a_guess(tmp_path: Path, compiler: str, flag: str) -> None:
    source = recorded(tmp_path, compiler, flag, EDITED)
    assert any("struct token" in names for names in certain(source).values())
    source.write_text(EDITED.replace("sizeof(struct token)", "sizeof(struct edge)"))
    built = (tmp_path / "program").stat().st_mtime_ns
    os.utime(source, ns=(built + 1, built + 1))
    assert certain(source) == {}
    told = malloom("profile", "fields", tmp_path / "profile", "--depth", "32")
    assert "a file newer than the program" in told
    # Of the same time it is not newer: a file system may keep no more than seconds.
    source.write_text(EDITED)
    os.utime(source, ns=(built, built))
    assert any("struct token" in names for names in certain(source).values())


@pytest.mark.parametrize(("compiler", "flag"), some(("gcc", "-O2"), ("clang-19", "-O0"), of=C))
def test_what_a_pointer_of_the_line_points_to_is_not_the_pointers(
    tmp_path: Path, compiler: str, flag: str
) -> None:
    found = certain(recorded(tmp_path, compiler, flag, THROUGH_C))
    names = [name for alike in found.values() for name in alike]
    assert "struct rec*" not in names
    assert "struct rec" in names


@pytest.mark.parametrize(("compiler", "flag"), some(("g++", "-O0"), ("clang++-19", "-O2"), of=CPP))
def test_so_it_is_of_new(tmp_path: Path, compiler: str, flag: str) -> None:
    found = certain(recorded(tmp_path, compiler, flag, THROUGH_CPP))
    assert all(names <= {"Node"} for names in found.values())


@pytest.mark.parametrize(("compiler", "flag"), some(("gcc", "-O2"), ("clang-19", "-O2"), of=C))
def test_calls_of_branches_may_be_one_in_c(tmp_path: Path, compiler: str, flag: str) -> None:
    found = certain(recorded(tmp_path, compiler, flag, MERGED_C))
    assert set(found) == lines_of(MERGED_C, "/* certain */")


@pytest.mark.parametrize(("compiler", "flag"), some(("g++", "-O2"), ("clang++-19", "-O2"), of=CPP))
def test_calls_of_branches_may_be_one_in_cpp(tmp_path: Path, compiler: str, flag: str) -> None:
    found = certain(recorded(tmp_path, compiler, flag, MERGED_CPP))
    assert set(found) == lines_of(MERGED_CPP, "// certain")


def lines_of(text: str, mark: str) -> set[int]:
    return {number for number, line in enumerate(text.split("\n"), 1) if mark in line}
