"""A whole program: its structures, each of a shape and with operations, and what its main function does."""

# ruff: noqa: E501 (lines of the programs that it writes)
from __future__ import annotations

from compiler.generator.classes import Classes
from compiler.generator.hidden import HiddenAddresses
from compiler.generator.provable import SPOILING, ProvableOperations
from compiler.generator.refused import RefusedOperations
from compiler.generator.rows import Rows
from compiler.generator.shapes import Tables, Trees
from compiler.generator.structures import INTEGERS, Field, Structure
from compiler.generator.wide import MOST_FIELDS, WideLists

PRELUDE = """#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <alloca.h>

#define KEEP __attribute__((noinline))
static unsigned long sum, state = 88172645463325252ul;
static unsigned next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20);
}
static void mix(unsigned long value) { sum = sum * 31 + value; }
KEEP static void bump_int(int* at, unsigned by) { *at = (int)((unsigned)*at + by); }
KEEP static void bump_long(long* at, unsigned by) { *at = (long)((unsigned long)*at + by); }
KEEP static void bump_bytes(unsigned char* at, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) at[i] = (unsigned char)(at[i] ^ (i + 1));
}
struct pair { int one, other; };
struct inner { int first; short second; char third; };
struct large { long parts[5]; };
KEEP static struct pair turn(struct pair pair) {
    struct pair made = {pair.other, (int)((unsigned)pair.one + 1)};
    return made;
}
KEEP static struct large enlarge(struct large large, int by) {
    for (int i = 0; i < 5; ++i) large.parts[i] += by;
    return large;
}
"""


class Program(
    WideLists, Trees, Tables, Rows, ProvableOperations, RefusedOperations, HiddenAddresses, Classes
):
    """`text` is its source, `constructs` what it has, `suffix` its language, `options` what clang needs."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.suffix = ".cpp" if self.random.random() < 0.12 else ".c"
        for number in range(self.random.choice((1, 2, 2, 3))):
            self.add_structure(number)
        if self.suffix == ".cpp":
            self.add_classes()
        rounds = "".join(f"        {line}\n" for line in self.main)
        self.parts.append(
            "int main(void) {\n    for (int round = 0; round < "
            f"{self.random.randint(2, 4)}; ++round) {{\n{rounds}"
            '    }\n    printf("%lu\\n", sum);\n    return (int)(sum % 7);\n}\n'
        )
        listing = " ".join(sorted(self.constructs))
        self.text = f"// seed {seed}: {listing}\n{PRELUDE}\n" + "\n".join(self.parts)

    # Structures and what every one of them has

    def add_structure(self, number: int) -> None:
        shape = self.random.choice(
            ("list", "list", "doubly", "tree", "tree", "hash", "graph", "array", "rows", "wide")
        )
        kinds = [
            *INTEGERS,
            "double",
            "float",
            "pair",
            "inner",
            "array",
            "words",
            "text",
            "union",
            "large",
            "bits",
        ]
        weights = [2] * 8 + [3, 1, 2, 1, 1, 0.3, 0.3, 1, 0.5, 1]
        is_clean = shape != "array" and self.maybe(0.9 if number == 0 else 0.5)
        if is_clean and self.maybe(0.8):
            weights[12:15] = [0, 0, 0]  # arrays, and what is larger than a register
            weights[16] = 0
        count = self.random.randint(2, 9)
        if shape == "wide":
            self.has("wide")
            weights = [*weights[:10], *(0 for _ in weights[10:])]
            count = self.random.randint(0, MOST_FIELDS - 1)
        chosen = self.random.choices(kinds, weights, k=count)
        if not set(chosen) & {"int", "long"}:
            chosen.append("int")
        fields = [Field(f"f{i}", kind, self.random.randint(1, 13)) for i, kind in enumerate(chosen)]
        links = {
            "list": ["next"],
            "doubly": ["next", "prev"],
            "tree": ["left", "right", *(["parent"] if self.maybe(0.5) else [])],
            "hash": ["chain"],
            "graph": ["next"],
            "wide": ["next"],
            "array": [],
            "rows": ["near"],
        }[shape]
        made = Structure(f"s{number}", shape, is_clean, fields, links)
        # Links to links of packed structures would not be aligned.
        made.is_packed = shape in ("doubly", "graph", "array") and self.maybe(0.15)
        made.rows = self.random.choice(("one", "grown", "several")) if shape == "rows" else ""
        if made.rows == "grown" and self.maybe(0.5):
            made.links = []
        made.deletes = shape not in ("array", "rows", "graph") and self.maybe(0.7)
        if (
            self.structures
            and self.structures[-1].shape in ("list", "tree", "graph")
            and (not self.structures[-1].deletes and self.maybe(0.6))
        ):
            made.other = self.structures[-1].name
        for each in fields:
            if each.kind in ("bits", "union"):
                self.has({"bits": "bit-field", "union": "union"}[each.kind])
        self.structures.append(made)
        self.declare(made)
        self.add_maker(made)
        getattr(self, f"shape_{shape}")(made)
        self.add_operations(made)
        self.add_rounds(made)

    def declare(self, s: Structure) -> None:
        members = [each.declared() for each in s.fields]
        pointers = [f"{s.type}* {link};" for link in s.links]
        if s.shape == "graph":
            pointers += [f"{s.type}* edge[3];", "int degree;"]
        if s.other:
            pointers.append(f"struct {s.other}* other;")
        for pointer in pointers:
            members.insert(self.random.randint(0, len(members)), pointer)
        packed = " __attribute__((packed))" if s.is_packed else ""
        if s.is_packed:
            self.has("packed")
        s.members = "{\n    " + "\n    ".join(members) + f"\n}}{packed}"
        self.parts.append(f"{s.type} {s.members};")

    def add_maker(self, s: Structure) -> None:
        """Every field of an object is written, or all of it is zeroed."""
        how = self.random.choice(("malloc", "malloc", "calloc", "memset", "value"))
        if s.is_packed and how == "value":
            how = "memset"
        self.has({"value": "struct-assignment", "calloc": "calloc", "memset": "memset"}.get(how, "malloc"))
        has_bits = bool(s.of_kind("bits"))
        if has_bits and how == "malloc":
            how = "calloc"
        size = f"sizeof({s.type})"
        if how == "calloc":
            begin = f"{s.type}* p = ({s.type}*)calloc(1, {size});"
        else:
            begin = f"{s.type}* p = ({s.type}*)malloc({size});"
        if how == "memset":
            begin += f" memset(p, 0, {size});"
        if how == "value":
            begin += f" {s.type} zero; memset(&zero, 0, sizeof zero); *p = zero;"
        body = [begin, *(each.set("p", f"v + {i}u") for i, each in enumerate(s.fields))]
        body += [f"p->{link} = NULL;" for link in s.links]
        if s.shape == "graph":
            body.append("for (int i = 0; i < 3; ++i) p->edge[i] = NULL; p->degree = 0;")
        if s.other:
            body.append(f"p->other = count_{s.other} ? nth_{s.other}(v) : NULL;")
        self.parts.append(f"static unsigned count_{s.name};")
        if s.shape != "array":
            self.function(f"{self.keep()}static {s.type}* make_{s.name}(unsigned v)", [*body, "return p;"])
        reads = [each.read("p") for each in self.some(s.fields, 1, 4)]
        if s.other:
            reads.append(
                f"if (p->other != NULL) mix((unsigned long)p->other->{self.number_field(s.other).name});"
            )
        self.function(f"static void sum_{s.name}(const {s.type}* p)", reads)
        writes = [each.set("p", "v") for each in self.some(s.fields, 1, 3)]
        self.function(f"{self.keep()}static void change_{s.name}({s.type}* p, unsigned v)", writes)

    def add_operations(self, s: Structure) -> None:
        safe = [name for name in dir(self) if name.startswith("safe_")]
        if s.is_clean:
            safe = [name for name in safe if name not in SPOILING]
        risky = [name for name in dir(self) if name.startswith("risky_")]
        chosen = self.random.sample(safe, self.random.randint(3, 8))
        if not s.is_clean:
            chosen += self.random.sample(risky, self.random.randint(1, 5))
        for name in chosen:
            lines = getattr(self, name)(s)
            if lines:
                self.has(name.split("_", 1)[1].replace("_", "-"))
                head = f"{self.keep()}static void {name}_{s.name}({s.type}* p, {s.type}* q, unsigned v)"
                self.function(head, [*lines, "(void)p; (void)q; (void)v;"])
                s.operations.append(
                    # In an order that no compiler chooses.
                    f"{{ {s.type}* p = nth_{s.name}(next_random()); {s.type}* q = nth_{s.name}(next_random()); "
                    f"{name}_{s.name}(p, q, next_random()); }}"
                )

    def add_rounds(self, s: Structure) -> None:
        n = s.name
        self.main.append(
            f"for (int i = 0; i < {self.random.randint(4, 40)}; ++i) add_{n}(next_random() % 1000);"
        )
        body = " ".join(s.operations)
        self.main.append(f"for (int i = 0; i < {self.random.randint(2, 12)}; ++i) {{ {body} }}")
        self.main.append(f"walk_{n}();")
        depends = any(each.other == n for each in self.structures)
        if s.deletes and not depends and not self.is_kept(s) and self.maybe(0.7):
            self.has("free-all")
            self.main.append(f"clear_{n}();")

    def is_kept(self, s: Structure) -> bool:
        """Whether something may keep pointers to its objects beyond a round."""
        return not s.deletes
