"""That no type is certain where a variable, a macro or a size that is computed elsewhere may mean another.

In each program the lines that are marked make what is certain, and no other may.
"""

import re
from pathlib import Path

import pytest

from python.types.test_merged import C, certain, lines_of, malloom, recorded
from some import some

BEGIN = """
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")
#define OWN __attribute__((noinline)) static void
#define NOINLINE __attribute__((noinline))
"""
VARIABLES = """
struct point { int x, y; }; struct tree { long a, b; }; struct node { long a, b; };
typedef struct node node;
typedef struct { long key, value; } entry;
struct point* first; struct tree* trees; node* nodes; entry* entries;
static double tree[4];
extern double far_away[2];
double far_away[2];
struct holder { double point[3]; };
OWN local(void) { double point[3] = {1}; KEEP(point); void* q; q = malloc(sizeof(point)); ((double*)q)[1] = 1; KEEP(q); }
OWN of_unit(void) { void* q; q = malloc(sizeof(tree)); ((double*)q)[1] = 1; KEEP(q); KEEP(tree); }
OWN of_parameter(double node) { void* q; q = malloc(4 * sizeof(node)); ((double*)q)[1] = node; KEEP(q); }
OWN hidden(void) { double entry[2]; KEEP(entry); double* q = malloc(sizeof(entry)); q[1] = 1; KEEP(q); }
OWN not_called(int n) { double point[n]; KEEP(point); double* q; q = malloc(sizeof(point)); q[1] = 1; KEEP(q); }
OWN inner(void) { { double tree[2]; KEEP(tree); void* q = malloc(sizeof (tree)); ((double*)q)[1] = 1; KEEP(q); } }
OWN said(void) { void* q; q = malloc(sizeof(struct point)); ((struct point*)q)->x = 1; KEEP(q); } /* certain */
OWN named(void) { void* q; q = malloc(sizeof(entry)); ((entry*)q)->key = 1; KEEP(q); }
OWN pointed(void) { struct tree* q; q = malloc(2 * sizeof *q); q->a = 1; KEEP(q); } /* certain */
OWN counted(int n) { struct tree* q; q = calloc(n, sizeof(struct tree)); q->a = 1; KEEP(q); } /* certain */
#define shift p = (char*)p + 16
OWN* moved(size_t n) { void* p; p = malloc(n); shift; return p; }
OWN taken(int n) { struct tree* q = moved(n * sizeof(struct tree)); q->a = 1; KEEP(q); }
int main(int c, char** v) { (void)v; (void)c;
  for (int i = 0; i < 5; i++) { local(); of_unit(); of_parameter(2); hidden(); not_called(3); inner(); said(); named(); pointed(); counted(3); taken(3); }
  first = 0; trees = 0; nodes = 0; entries = 0; return 0; }
"""  # noqa: E501
HEADERS = """
struct header { size_t bytes; int line; }; struct item { long key; double value; };
struct two { long a, b, c, d; };
static struct header* last; static void* pool[4];
#define ALLOC(bytes) (last = malloc(sizeof(struct header) + (bytes)), (void*)(last + 1))
#define MALLOC_PADDED(bytes) malloc((bytes) + 16)
#define xmalloc_twice(bytes) malloc(2 * (bytes))
#define SWAP_ALLOC(bytes) (pool[0] = malloc(sizeof(struct header)))
#define PLAIN_ALLOC(bytes) ((void*)malloc(bytes))
#define new_item_alloc(type, count) ((type*)calloc((count), sizeof(type)))
#define xrealloc_mine(p, n) realloc(p, n)
OWN a(void) { struct item* p = ALLOC(sizeof(struct item)); last->bytes = 3; p->value = 2; KEEP(p); }
OWN b(void) { struct item* p = MALLOC_PADDED(sizeof(struct item)); p->value = 3; KEEP(p); }
OWN b2(void) { struct item* p; p = xmalloc_twice(sizeof(struct item)); p->value = 4; KEEP(p); }
OWN b3(int n) { struct item* p; p = MALLOC_PADDED(n * sizeof(struct item)); p->value = 5; KEEP(p); }
OWN b4(void) { void* p; p = SWAP_ALLOC(sizeof(struct item)); *(long*)p = 1; KEEP(p); }
OWN d(void) { struct item* p = PLAIN_ALLOC(sizeof(struct item)); p->value = 6; KEEP(p); } /* certain */
OWN e(void) { struct item* p = new_item_alloc(struct item, 3); p->value = 7; KEEP(p); } /* certain */
OWN f(void) { struct item* p; p = xrealloc_mine(0, 2 * sizeof *p); p->value = 8; KEEP(p); } /* certain */
OWN g(void) { struct item* p = (struct item*)((char*)malloc(sizeof(struct item) + 16) + 16); p->value = 9; KEEP(p); }
#undef malloc
#define malloc(n) (malloc)((n) + 16)
OWN h(void) { struct item* p = malloc(sizeof(struct item)); p->value = 10; KEEP(p); }
int main(void) { for (int i = 0; i < 5; i++) { a(); b(); b2(); b3(3); b4(); d(); e(); f(); g(); h(); } return 0; }
"""  # noqa: E501
DECLARED = """
struct shape { int kind; int id; }; struct circle { struct shape base; double r; };
struct square { struct shape base; }; struct deep { struct square base; };
struct a { long x, y; }; struct b { double x, y; };
struct apart { long a, b, c; };
union either { struct apart one; double many[3]; };
static const size_t sizes[] = { sizeof(struct circle), sizeof(struct square) };
static struct square* squares; static union either* eithers; static struct deep* deeps; struct circle* circles;
__attribute__((noinline)) static void* xalloc(size_t n) { void* p = malloc(n); if (!p) abort(); return p; } /* certain */
__attribute__((noinline)) static void* xother(size_t n) { void* p = malloc(n); if (!p) exit(3); return p; }
__attribute__((noinline)) static void* fresh(void) { void* p = malloc(24); if (!p) abort(); return p; }
OWN made(int k) { struct shape* p = malloc(sizes[k]); p->kind = k; KEEP(p); }
OWN made_by(int k) { size_t n = k ? sizeof(struct a) : sizeof(struct b); struct a* p = xother(n); p->x = 1; KEEP(p); }
OWN literal(void) { struct shape* p = malloc(8); p->kind = 1; KEEP(p); }
OWN of_union(void) { struct apart* p = fresh(); p->a = 1; KEEP(p); }
OWN raw(size_t n) { char* p = malloc(n); ((double*)p)[1] = 1; KEEP(p); }
OWN raw2(int n) { char* p = malloc(n + 64); ((double*)p)[1] = 1; KEEP(p); }
OWN text(char* s) { char* p = malloc(strlen(s) + 1); strcpy(p, s); KEEP(p); } /* certain */
OWN text2(char* s) { char* p = strdup(s); KEEP(p); }
OWN plain(void) { struct a* p = malloc(16); p->x = 1; KEEP(p); } /* certain */
OWN sized(int n) { struct a* p = xalloc(n * sizeof *p); p->x = 1; KEEP(p); }
OWN other(int n) { struct a* p = xother(n * sizeof(struct b)); p->x = 1; KEEP(p); }
int main(int c, char** v) { for (int i = 0; i < 5; i++) { made(0); made(1); made_by(i & 1); literal(); of_union(); raw(32); raw2(3); text(v[0]); text2(v[0]); plain(); sized(2); other(2); } KEEP(squares); KEEP(eithers); KEEP(deeps); KEEP(circles);  return c == 7; }
"""  # noqa: E501
SUMS = """
struct hdr { long n; }; struct entry { long key; double val; }; struct list { int n; struct { int x, y; } p[]; };
struct tail { int n; struct entry p[]; };
OWN a(void) { struct hdr* h = malloc(sizeof(struct hdr) + 5 * sizeof(struct entry)); ((struct entry*)(h + 1))[2].val = 1; h->n = 5; KEEP(h); } /* certain */
OWN b(void) { struct list* l = malloc(sizeof(struct list) + 3 * sizeof(l->p[0])); l->n = 3; l->p[1].y = 1; KEEP(l); } /* certain */
OWN c(int n) { struct tail* l = malloc(n * sizeof(struct entry) + sizeof(struct tail)); l->n = 3; KEEP(l); }
OWN d(void) { struct hdr* k = malloc(sizeof *k + 24); k->n = 3; k[2].n = 3; KEEP(k); } /* certain */
OWN e(void) { long* l = malloc(sizeof(*l) * 4 + sizeof(struct hdr)); l[2] = 3; KEEP(l);}
OWN f(void) { void* l; l = malloc(24 + sizeof(struct hdr)); ((long*)l)[2] = 3; KEEP(l);}
OWN g(void) { struct hdr* l; l = malloc(24 + sizeof(struct hdr)); l->n = 3; KEEP(l);} /* certain */
OWN h(void) { char** names = malloc(4 * sizeof(char*) + 32); names[0] = 0; KEEP(names);}
OWN i(void) { struct entry* l = malloc(2 * sizeof(struct hdr) + 3 * sizeof(struct entry)); l->key = 3; KEEP(l);}
OWN j(void) { struct entry* l; l = malloc(sizeof(struct tail) + sizeof(struct entry)); l->key = 3; KEEP(l);}
int main(void) { for (int n = 0; n < 5; n++) { a(); b(); c(3); d(); e(); f(); g(); h(); i(); j(); } return 0; }
"""  # noqa: E501
MACROS = """
#include "m.h"
#define WEIGHTS_CREATE() malloc(sizeof(struct weights))
#define UNLESS if (!f)
#define OTHERWISE else
#define otherwise else
#define CHECKED(p) if (!(p)) return malloc(sizeof(struct weights))
#define BOTH(f) ((f) ? malloc(16) : 0)
#define MOST 16
#define RUN(f, one, two) if (f) { one; } else { two; }
#define CASE(n) case n:
#define MAKE(kind) kind##_create()
#define weights_create() malloc(sizeof(struct weights))
#define grab malloc
NOINLINE void* renamed(int f) { void* p; if (f) p = grab(16); else p = malloc(sizeof(struct lines)); ((long*)p)[1] = 21; KEEP(p); return p; }
NOINLINE void* run(int f) { void* p; RUN(f, p = malloc(sizeof(struct lines)), p = malloc(sizeof(struct weights))) ((long*)p)[1] = 22; KEEP(p); return p; }
NOINLINE void* cases(int f) { void* p = 0; switch (f) {
  CASE(0) p = malloc(sizeof(struct lines)); break;
  CASE(1) p = malloc(sizeof(struct weights)); break; } ((long*)p)[1] = 23; KEEP(p); return p; }
NOINLINE void* pasted(int f) { void* p; if (f) p = MAKE(weights); else p = malloc(sizeof(struct lines)); ((long*)p)[1] = 24; KEEP(p); return p; }
NOINLINE void* create(int f) { void* p; if (f) p = WEIGHTS_CREATE(); else p = malloc(sizeof(struct lines)); ((long*)p)[1] = 1; KEEP(p); return p; }
NOINLINE void* unless(int f) { void* p;
  UNLESS p = malloc(sizeof(struct lines)); OTHERWISE p = malloc(sizeof(struct weights)); ((long*)p)[1] = 2; KEEP(p); return p; }
NOINLINE void* lower(int f) { void* p; if (f)
  p = malloc(sizeof(struct lines)); otherwise p = malloc(sizeof(struct weights)); ((long*)p)[1] = 3; KEEP(p); return p; }
NOINLINE void* checked(int f) { CHECKED(f); void* p = malloc(sizeof(struct lines)); ((long*)p)[1] = 4; KEEP(p); return p; }
NOINLINE void* header(int f) { void* p; if (f) p = weights_of_header(); else p = malloc(sizeof(struct lines)); ((long*)p)[1] = 5; KEEP(p); return p; }
NOINLINE void* nested(int f) { void* p; if (f) p = NESTED_CREATE(f); else p = malloc(sizeof(struct lines)); ((long*)p)[1] = 6; KEEP(p); return p; }
NOINLINE void* chosen(int f) { void* p = BOTH(f); if (!p) p = malloc(sizeof(struct lines)); ((long*)p)[1] = 7; KEEP(p); return p; }
NOINLINE void* alone(int f) { assert(f < MOST); struct lines* p = malloc(sizeof(struct lines)); /* certain */
  if (p == NULL) abort(); p->first = MOST; fprintf(stderr, "%d", EOF); return p; }
NOINLINE void* turns(int f) { struct lines* p = malloc(sizeof *p); /* certain */
  struct weights* q = WEIGHTS_CREATE(); p->first = f; KEEP(q); return p; }
#define USED(p) do { long* used = p; used[0] = i; KEEP(used); } while (0)
int main(int c, char** v) { for (int i = 0; i < 6; i++) { USED(create(i & 1)); USED(renamed(i & 1)); USED(run(i & 1)); USED(cases(i & 1)); USED(pasted(i & 1)); USED(unless(i & 1)); USED(lower(i & 1)); USED(checked(i & 1)); USED(header(i & 1)); USED(nested(i & 1)); USED(chosen(i & 1)); USED(alone(i)); USED(turns(i)); } return 0; }
"""  # noqa: E501
MACROS_HEADER = """
struct lines { long first, last; };
struct weights { double low, high; };
#define weights_of_header() malloc(sizeof(struct weights))
#define INNER(x) malloc(x)
#define NESTED_CREATE(f) INNER(16)
"""
SHADOWS = """
#include <cstdlib>
struct Matrix { double a, b; }; struct Edge { double from, to; }; struct Node { long a, b; };
#define KEEP(p) asm volatile("" : : "r"(p) : "memory")
__attribute__((noinline)) void local() {
  float Matrix[16]; KEEP(Matrix);
  float *made; made = static_cast<float *>(malloc(sizeof(Matrix))); made[3] = 1; KEEP(made);
}
struct Graph {
  double Edge[4];
  __attribute__((noinline)) void field() { void *made; made = malloc(sizeof(Edge)); *(double *)made = 1; KEEP(made); }
};
struct Larger : Graph {
  __attribute__((noinline)) void base() { void *made; made = malloc(2 * sizeof(Edge)); *(double *)made = 1; KEEP(made); }
};
static long Node[2];
__attribute__((noinline)) void of_unit() { void *made; made = malloc(sizeof(Node)); *(long *)made = 1; KEEP(made); }
__attribute__((noinline)) void captured() {
  float Matrix[8]; KEEP(Matrix);
  auto make = [] { void *made; made = malloc(sizeof(Matrix)); *(float *)made = 1; KEEP(made); };
  make();
}
struct Other { long a, b; };
__attribute__((noinline)) void plain() { void *made; made = malloc(sizeof(Other)); *(long *)made = 1; KEEP(made); } // certain
int main() {
  struct Matrix m = {1, 2}; struct Edge e = {1, 2}; struct Node n = {1, 2}; Other o = {1, 2}; Larger larger;
  KEEP(&m); KEEP(&e); KEEP(&n); KEEP(&o);
  for (int i = 0; i < 6; i++) { local(); larger.field(); larger.base(); of_unit(); captured(); plain(); }
}
"""  # noqa: E501
CLANG = [("clang++-19", "-O0"), ("clang++-19", "-O2")]
"""g++ gives no column at which a call of malloc begins."""
PROGRAMS = {
    "a variable's name in a sizeof": VARIABLES,
    "what a macro adds": HEADERS,
    "what a pointer is declared for": DECLARED,
    "sizes that are added": SUMS,
    "what macros hide": MACROS,
}


@pytest.mark.parametrize(
    ("compiler", "flag"), some(("gcc", "-O0"), ("gcc", "-O2"), ("clang-19", "-O2"), of=C)
)
@pytest.mark.parametrize("program", PROGRAMS)
def test_only_what_is_told_is_certain(tmp_path: Path, program: str, compiler: str, flag: str) -> None:
    (tmp_path / "m.h").write_text(MACROS_HEADER)
    text = BEGIN + PROGRAMS[program]
    assert set(certain(recorded(tmp_path, compiler, flag, text))) == lines_of(text, "/* certain */")


@pytest.mark.parametrize(("compiler", "flag"), some(("clang++-19", "-O2"), of=CLANG))
def test_a_name_may_be_a_variables_in_cpp(tmp_path: Path, compiler: str, flag: str) -> None:
    found = certain(recorded(tmp_path, compiler, flag, SHADOWS))
    assert set(found) == lines_of(SHADOWS, "// certain")


@pytest.mark.parametrize(("compiler", "flag"), some(("gcc", "-O2"), of=C))
def test_what_goes_on_behind_a_structure_is_no_array_of_it(tmp_path: Path, compiler: str, flag: str) -> None:
    recorded(tmp_path, compiler, flag, BEGIN + SUMS)
    told = malloom("profile", "fields", tmp_path / "profile", "--depth", "32", "--top", "0")
    assert re.findall(r"elements of struct (?:hdr|list|tail)", told) == []
