"""Random programs that build, change, sort, split and free linked structures, and print sums of what they hold.

A program is decided by its seed. None has undefined behaviour, and none prints what depends on an address. Each
says in its first line which constructs it has.
"""

# ruff: noqa: E501, PLR0911 (lines of the programs that it writes)
from __future__ import annotations

import random
from dataclasses import dataclass, field

INTEGERS = ("char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long")

SPOILING = (
    "safe_bytes_of_field",
    "safe_choice_of_fields",
    "safe_end_of_an_array",
    "safe_spanning",
    "safe_memcmp_field",
    "safe_by_value",
    "safe_large_by_value",
    "safe_stack_object",
)
"""Operations that make of several fields one, in the eyes of the analysis."""

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


@dataclass
class Field:
    name: str
    kind: str
    bits: int = 0

    def declared(self) -> str:
        if self.kind == "array":
            return f"int {self.name}[3];"
        if self.kind == "words":
            return f"long {self.name}[4];"
        if self.kind == "text":
            return f"char {self.name}[12];"
        if self.kind == "union":
            return f"union {{ long n; double d; unsigned char c[8]; }} {self.name};"
        if self.kind == "bits":
            return f"unsigned {self.name} : {self.bits};"
        if self.kind in ("pair", "inner", "large"):
            return f"struct {self.kind} {self.name};"
        return f"{self.kind} {self.name};"

    def set(self, at: str, value: str) -> str:
        """Statements that give the field a value."""
        place = f"{at}->{self.name}"
        if self.kind in ("array", "words"):
            count = 3 if self.kind == "array" else 4
            element = "int" if self.kind == "array" else "long"
            return f"for (int i = 0; i < {count}; ++i) {place}[i] = ({element})(({value}) % 1000 + i);"
        if self.kind == "text":
            return f'memset({place}, 0, sizeof {place}); snprintf({place}, sizeof {place}, "t%u", ({value}) % 1000);'
        if self.kind == "union":
            return f"{place}.n = (long)(({value}) % 5000);"
        if self.kind == "bits":
            return f"{place} = ({value}) & {(1 << self.bits) - 1}u;"
        if self.kind == "pair":
            return f"{place}.one = (int)(({value}) % 777); {place}.other = (int)(({value}) % 555);"
        if self.kind == "inner":
            return (
                f"{place}.first = (int)(({value}) % 777); {place}.second = (short)(({value}) % 99); "
                f"{place}.third = (char)(({value}) % 50);"
            )
        if self.kind == "large":
            return f"for (int i = 0; i < 5; ++i) {place}.parts[i] = (long)(({value}) % 100 + i);"
        return f"{place} = ({self.kind})(({value}) % 100);"

    def read(self, at: str) -> str:
        place = f"{at}->{self.name}"
        if self.kind in ("array", "words"):
            return f"mix((unsigned long){place}[{'2' if self.kind == 'array' else '3'}] + (unsigned long){place}[0]);"
        if self.kind == "text":
            return f"mix(strlen({place}) + (unsigned char){place}[1]);"
        if self.kind == "union":
            return f"mix((unsigned long){place}.n);"
        if self.kind == "pair":
            return f"mix((unsigned long){place}.one * 3 + (unsigned long){place}.other);"
        if self.kind == "inner":
            return f"mix((unsigned long){place}.first + (unsigned long){place}.second * 5 + (unsigned long){place}.third);"
        if self.kind == "large":
            return f"mix((unsigned long){place}.parts[1] + (unsigned long){place}.parts[4]);"
        if self.kind in ("float", "double"):
            return f"mix((unsigned long)(long){place});"
        return f"mix((unsigned long){place});"


@dataclass
class Structure:
    name: str
    shape: str
    is_clean: bool
    fields: list[Field]
    links: list[str]
    other: str = ""
    is_packed: bool = False
    deletes: bool = True
    operations: list[str] = field(default_factory=list)

    @property
    def type(self) -> str:
        return f"struct {self.name}"

    def of_kind(self, *kinds: str) -> list[Field]:
        return [each for each in self.fields if each.kind in kinds]


class Program:
    """One program; `text` is its source, `constructs` what it has, `suffix` its language."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.constructs: set[str] = set()
        self.parts: list[str] = []
        self.main: list[str] = []
        self.suffix = ".cpp" if self.random.random() < 0.12 else ".c"
        self.structures: list[Structure] = []
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

    def has(self, construct: str) -> None:
        self.constructs.add(construct)

    def maybe(self, chance: float) -> bool:
        return self.random.random() < chance

    def keep(self) -> str:
        return "KEEP " if self.maybe(0.5) else ""

    # Structures and what every one of them has

    def add_structure(self, number: int) -> None:
        shape = self.random.choice(("list", "list", "doubly", "tree", "tree", "hash", "graph", "array"))
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
            "array": [],
        }[shape]
        made = Structure(f"s{number}", shape, is_clean, fields, links)
        # Links to links of packed structures would not be aligned.
        made.is_packed = shape in ("doubly", "graph", "array") and self.maybe(0.15)
        made.deletes = shape not in ("array", "graph") and self.maybe(0.7)
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
        self.parts.append(f"{s.type} {{\n    " + "\n    ".join(members) + f"\n}}{packed};")

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

    def number_field(self, name: str) -> Field:
        found = next(each for each in self.structures if each.name == name)
        return self.random.choice(found.of_kind("int", "long"))

    def some(self, fields: list[Field], least: int, most: int) -> list[Field]:
        return self.random.sample(fields, min(len(fields), self.random.randint(least, most)))

    def function(self, head: str, lines: list[str]) -> None:
        self.parts.append(head + " {\n    " + "\n    ".join(lines) + "\n}")

    # Shapes: head, build, nth, walk, mutations, release

    def shape_list(self, s: Structure) -> None:
        n, t = s.name, s.type
        key = self.random.choice(s.of_kind("int", "long")).name
        self.parts.append(f"static {t}* head_{n};")
        self.function(
            f"{self.keep()}static void add_{n}(unsigned v)",
            [f"{t}* p = make_{n}(v);", f"p->next = head_{n};", f"head_{n} = p;", f"++count_{n};"],
        )
        self.function(
            f"{self.keep()}static {t}* nth_{n}(unsigned i)",
            [f"{t}* p = head_{n};", f"for (i %= count_{n}; i > 0; --i) p = p->next;", "return p;"],
        )
        self.function(
            f"{self.keep()}static void walk_{n}(void)",
            [f"for ({t}* p = head_{n}; p != NULL; p = p->next) sum_{n}(p);"],
        )
        self.has("null")
        if s.deletes and s.is_clean:
            self.function(
                f"{self.keep()}static void prune_{n}(unsigned v)",
                [
                    f"{t}* before = head_{n};",
                    f"while (before != NULL && before->next != NULL && count_{n} > 3) {{",
                    f"    {t}* p = before->next;",
                    f"    if (((unsigned)p->{key} + v) % 5 == 0) {{ before->next = p->next; free(p); --count_{n}; }}",
                    "    else before = p;",
                    "}",
                ],
            )
            s.operations.append(f"prune_{n}(next_random());")
        elif s.deletes:
            self.has("pointer-to-pointer")
            self.function(
                f"{self.keep()}static void prune_{n}(unsigned v)",
                [
                    f"{t}** link = &head_{n};",
                    f"while (*link != NULL && count_{n} > 3) {{",
                    f"    {t}* p = *link;",
                    f"    if (((unsigned)p->{key} + v) % 5 == 0) {{ *link = p->next; free(p); --count_{n}; }}",
                    "    else link = &p->next;",
                    "}",
                ],
            )
            s.operations.append(f"prune_{n}(next_random());")
        if self.maybe(0.5):
            self.has("list-sort")
            self.function(
                f"static {t}* merge_{n}({t}* a, {t}* b)",
                [
                    "if (a == NULL || b == NULL) return a != NULL ? a : b;",
                    f"if (a->{key} <= b->{key}) {{ a->next = merge_{n}(a->next, b); return a; }}",
                    f"b->next = merge_{n}(a, b->next);",
                    "return b;",
                ]
                if s.is_clean
                else [
                    f"{t}* first = NULL; {t}** end = &first;",
                    "while (a != NULL && b != NULL) {",
                    f"    if (a->{key} <= b->{key}) {{ *end = a; a = a->next; }} else {{ *end = b; b = b->next; }}",
                    "    end = &(*end)->next;",
                    "}",
                    "*end = a != NULL ? a : b;",
                    "return first;",
                ],
            )
            self.function(
                f"static {t}* sort_{n}({t}* p)",
                [
                    "if (p == NULL || p->next == NULL) return p;",
                    f"{t}*slow = p, *fast = p->next;",
                    "while (fast != NULL && fast->next != NULL) { slow = slow->next; fast = fast->next->next; }",
                    f"{t}* rest = slow->next; slow->next = NULL;",
                    f"return merge_{n}(sort_{n}(p), sort_{n}(rest));",
                ],
            )
            self.has("recursion")
            s.operations.append(f"head_{n} = sort_{n}(head_{n});")
        if self.maybe(0.5):
            self.function(
                f"{self.keep()}static void reverse_{n}(void)",
                [
                    f"{t}*done = NULL, *p = head_{n};",
                    f"while (p != NULL) {{ {t}* next = p->next; p->next = done; done = p; p = next; }}",
                    f"head_{n} = done;",
                ],
            )
            s.operations.append(f"reverse_{n}();")
        if s.deletes:
            self.function(
                f"static void clear_{n}(void)",
                [
                    f"while (head_{n} != NULL) {{ {t}* p = head_{n}; head_{n} = p->next; free(p); }}",
                    f"count_{n} = 0;",
                ],
            )

    def shape_doubly(self, s: Structure) -> None:
        n, t = s.name, s.type
        self.parts.append(f"static {t} *head_{n}, *tail_{n};")
        self.has("doubly-linked")
        self.function(
            f"{self.keep()}static void add_{n}(unsigned v)",
            [
                f"{t}* p = make_{n}(v);",
                "if (v % 2 == 0) {",
                f"    p->next = head_{n}; if (head_{n} != NULL) head_{n}->prev = p; else tail_{n} = p; head_{n} = p;",
                "} else {",
                f"    p->prev = tail_{n}; if (tail_{n} != NULL) tail_{n}->next = p; else head_{n} = p; tail_{n} = p;",
                "}",
                f"++count_{n};",
            ],
        )
        self.function(
            f"{self.keep()}static {t}* nth_{n}(unsigned i)",
            [
                f"{t}* p = i % 2 ? head_{n} : tail_{n};",
                f"for (unsigned k = i % count_{n}; k > 0; --k) p = i % 2 ? p->next : p->prev;",
                "return p;",
            ],
        )
        self.function(
            f"{self.keep()}static void walk_{n}(void)",
            [f"for ({t}* p = tail_{n}; p != NULL; p = p->prev) sum_{n}(p);"],
        )
        if s.deletes:
            self.function(
                f"{self.keep()}static void prune_{n}(unsigned v)",
                [
                    f"if (count_{n} < 4) return;",
                    f"{t}* p = nth_{n}(v);",
                    f"if (p->prev != NULL) p->prev->next = p->next; else head_{n} = p->next;",
                    f"if (p->next != NULL) p->next->prev = p->prev; else tail_{n} = p->prev;",
                    f"free(p); --count_{n};",
                ],
            )
            s.operations.append(f"prune_{n}(next_random());")
            self.function(
                f"static void clear_{n}(void)",
                [
                    f"{t}* p = head_{n};",
                    f"while (p != NULL) {{ {t}* next = p->next; free(p); p = next; }}",
                    f"head_{n} = tail_{n} = NULL; count_{n} = 0;",
                ],
            )

    def shape_tree(self, s: Structure) -> None:
        n, t = s.name, s.type
        key = self.random.choice(s.of_kind("int", "long")).name
        has_parent = "parent" in s.links
        self.parts.append(f"static {t}* root_{n};")
        self.has("tree")
        if has_parent:
            self.has("parent-pointers")
        self.has("tree" if s.is_clean else "pointer-to-pointer")
        self.function(
            f"{self.keep()}static void add_{n}(unsigned v)",
            [
                f"{t}*p = make_{n}(v), *above = NULL, *at = root_{n};",
                f"while (at != NULL) {{ above = at; at = p->{key} < at->{key} ? at->left : at->right; }}",
                f"if (above == NULL) root_{n} = p;",
                f"else if (p->{key} < above->{key}) above->left = p;",
                "else above->right = p;",
                "p->parent = above;" if has_parent else "",
                f"++count_{n};",
            ]
            if s.is_clean
            else [
                f"{t}* p = make_{n}(v);",
                f"{t}** link = &root_{n};",
                f"{t}* above = NULL;",
                f"while (*link != NULL) {{ above = *link; link = p->{key} < above->{key} ? &above->left : &above->right; }}",
                "*link = p;",
                "p->parent = above;" if has_parent else "(void)above;",
                f"++count_{n};",
            ],
        )
        self.function(
            f"{self.keep()}static {t}* nth_{n}(unsigned i)",
            [
                f"{t}* p = root_{n};",
                f"for (;; i /= 2) {{ {t}* next = i % 2 ? p->left : p->right; if (next == NULL || i == 0) return p; p = next; }}",
            ],
        )
        self.function(
            f"static void visit_{n}({t}* p)",
            ["if (p == NULL) return;", f"visit_{n}(p->left);", f"sum_{n}(p);", f"visit_{n}(p->right);"],
        )
        self.has("recursion")
        self.function(f"static void walk_{n}(void)", [f"visit_{n}(root_{n});"])
        if self.maybe(0.6):
            self.has("rotation")
            lines = [
                f"{t}* p = *link;",
                "if (p == NULL || p->left == NULL) return;",
                f"{t}* up = p->left;",
                "p->left = up->right;",
                "up->right = p;",
                "*link = up;",
            ]
            if has_parent:
                lines += [
                    "if (p->left != NULL) p->left->parent = p;",
                    "up->parent = p->parent;",
                    "p->parent = up;",
                ]
            if s.is_clean:
                lines = [line.replace("p = *link;", "p = top;").replace("*link = up;", "") for line in lines]
                lines = [line.replace(" return;", " return p;") for line in lines] + ["return up;"]
                self.function(f"{self.keep()}static {t}* rotate_{n}({t}* top)", lines)
                s.operations.append(f"root_{n} = rotate_{n}(root_{n});")
                s.operations.append(
                    f"{{ {t}* p = nth_{n}(next_random()); p->right = rotate_{n}(p->right); }}"
                )
            else:
                self.function(f"{self.keep()}static void rotate_{n}({t}** link)", lines)
                s.operations.append(f"rotate_{n}(&root_{n});")
                s.operations.append(f"rotate_{n}(&nth_{n}(next_random())->right);")
        if s.deletes:
            self.function(
                f"static void free_{n}({t}* p)",
                [f"if (p != NULL) {{ free_{n}(p->left); free_{n}(p->right); free(p); }}"],
            )
            self.function(
                f"static void clear_{n}(void)", [f"free_{n}(root_{n});", f"root_{n} = NULL; count_{n} = 0;"]
            )

    def shape_hash(self, s: Structure) -> None:
        n, t = s.name, s.type
        key = self.random.choice(s.of_kind("int", "long")).name
        self.parts.append(f"static {t}* table_{n}[16];")
        self.has("hash-chains")
        self.function(
            f"{self.keep()}static void add_{n}(unsigned v)",
            [
                f"{t}* p = make_{n}(v);",
                "unsigned at = v % 16;",
                f"p->chain = table_{n}[at];",
                f"table_{n}[at] = p;",
                f"++count_{n};",
            ],
        )
        self.function(
            f"{self.keep()}static {t}* nth_{n}(unsigned i)",
            [
                "for (unsigned k = 0;; ++k) {",
                f"    {t}* p = table_{n}[(i + k) % 16];",
                "    if (p != NULL) return p;",
                "}",
            ],
        )
        self.function(
            f"{self.keep()}static int find_{n}(unsigned v, {t}** out)",
            [
                f"for ({t}* p = table_{n}[v % 16]; p != NULL; p = p->chain)",
                f"    if ((unsigned)p->{key} == v % 100) {{ *out = p; return 1; }}",
                "return 0;",
            ],
        )
        self.has("out-parameter")
        s.operations.append(f"{{ {t}* found; if (find_{n}(next_random(), &found)) sum_{n}(found); }}")
        self.function(
            f"{self.keep()}static void walk_{n}(void)",
            [
                f"for (int i = 0; i < 16; ++i) for ({t}* p = table_{n}[i]; p != NULL; p = p->chain) sum_{n}(p);"
            ],
        )
        if s.deletes and s.is_clean:
            self.function(
                f"{self.keep()}static void prune_{n}(unsigned v)",
                [
                    f"{t}* p = table_{n}[v % 16];",
                    f"if (p == NULL || p->chain == NULL || count_{n} < 4) return;",
                    f"if (v % 3 == 0) {{ {t}* gone = p->chain; p->chain = gone->chain; free(gone); }}",
                    f"else {{ table_{n}[v % 16] = p->chain; free(p); }}",
                    f"--count_{n};",
                ],
            )
            s.operations.append(f"prune_{n}(next_random());")
        elif s.deletes:
            self.has("pointer-to-pointer")
            self.function(
                f"{self.keep()}static void prune_{n}(unsigned v)",
                [
                    f"for ({t}** link = &table_{n}[v % 16]; *link != NULL && count_{n} > 3; link = &(*link)->chain)",
                    f"    if ((*link)->{key} % 3 == 1) {{ {t}* p = *link; *link = p->chain; free(p); --count_{n}; return; }}",
                ],
            )
            s.operations.append(f"prune_{n}(next_random());")
        if s.deletes:
            self.function(
                f"static void clear_{n}(void)",
                [
                    f"for (int i = 0; i < 16; ++i) while (table_{n}[i] != NULL) "
                    f"{{ {t}* p = table_{n}[i]; table_{n}[i] = p->chain; free(p); }}",
                    f"count_{n} = 0;",
                ],
            )

    def shape_graph(self, s: Structure) -> None:
        n, t = s.name, s.type
        self.parts.append(f"static {t}* head_{n};")
        self.has("graph")
        self.function(
            f"{self.keep()}static {t}* nth_{n}(unsigned i)",
            [f"{t}* p = head_{n};", f"for (i %= count_{n}; i > 0; --i) p = p->next;", "return p;"],
        )
        join = (
            "p->edge[p->degree % 3] = q; p->degree = (p->degree + 1) % 3;"
            if self.maybe(0.5)
            else "p->edge[2] = p->edge[1]; p->edge[1] = p->edge[0]; p->edge[0] = q; ++p->degree;"
        )
        self.function(f"{self.keep()}static void join_{n}({t}* p, {t}* q)", [join])
        self.function(
            f"{self.keep()}static void add_{n}(unsigned v)",
            [
                f"{t}* p = make_{n}(v);",
                f"p->next = head_{n};",
                f"head_{n} = p;",
                f"++count_{n};",
                f"for (unsigned i = 0; i < v % 4; ++i) join_{n}(p, nth_{n}(next_random()));",
            ],
        )
        self.function(
            f"{self.keep()}static void walk_{n}(void)",
            [
                f"for ({t}* p = head_{n}; p != NULL; p = p->next)",
                f"    for (int i = 0; i < 3; ++i) if (p->edge[i] != NULL) sum_{n}(p->edge[i]);",
            ],
        )
        s.operations.append(f"join_{n}(nth_{n}(next_random()), nth_{n}(next_random()));")

    def shape_array(self, s: Structure) -> None:
        """An array of structures, which grows, or is requested at once."""
        n, t = s.name, s.type
        self.parts.append(f"static {t}* all_{n}; static unsigned room_{n};")
        self.has("array-of-structures")
        sets = [each.set("p", f"v + {i}u") for i, each in enumerate(s.fields)]
        if s.other:
            sets.append(f"p->other = count_{s.other} ? nth_{s.other}(v) : NULL;")
        if self.maybe(0.5):
            self.has("realloc")
            grow = (
                f"if (count_{n} == room_{n}) {{ room_{n} = room_{n} * 2 + 4; "
                f"all_{n} = ({t}*)realloc(all_{n}, room_{n} * sizeof({t})); }}"
            )
        else:
            grow = f"if (all_{n} == NULL) all_{n} = ({t}*)calloc(400, sizeof({t})); if (count_{n} == 400) return;"
            self.has("calloc")
        self.function(
            f"{self.keep()}static void add_{n}(unsigned v)",
            [grow, f"{t}* p = &all_{n}[count_{n}++];", "memset(p, 0, sizeof *p);", *sets],
        )
        self.function(f"{self.keep()}static {t}* nth_{n}(unsigned i)", [f"return &all_{n}[i % count_{n}];"])
        self.has("pointer-arithmetic")
        self.has("one-past-the-end")
        self.function(
            f"{self.keep()}static void walk_{n}(void)",
            [f"for ({t} *p = all_{n}, *end = all_{n} + count_{n}; p != end; ++p) sum_{n}(p);"],
        )
        self.has("pointer-difference")
        s.operations.append(f"mix((unsigned long)(nth_{n}(next_random()) - all_{n}));")
        s.operations.append(f"mix(nth_{n}(7) < nth_{n}(next_random()));")
        self.has("pointer-comparison")

    # Operations on two objects

    def add_operations(self, s: Structure) -> None:
        safe = [name for name in dir(self) if name.startswith("safe_")]
        if s.is_clean:
            safe = [name for name in safe if name not in SPOILING]
        risky = [name for name in dir(self) if name.startswith("risky_")]
        chosen = self.random.sample(safe, self.random.randint(3, 8))
        if not s.is_clean:
            chosen += self.random.sample(risky, self.random.randint(1, 4))
        for name in chosen:
            lines = getattr(self, name)(s)
            if lines:
                self.has(name.split("_", 1)[1].replace("_", "-"))
                head = f"{self.keep()}static void {name}_{s.name}({s.type}* p, {s.type}* q, unsigned v)"
                self.function(head, [*lines, "(void)p; (void)q; (void)v;"])
                s.operations.append(
                    f"{name}_{s.name}(nth_{s.name}(next_random()), nth_{s.name}(next_random()), next_random());"
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

    def change_copy(self, s: Structure, place: str) -> str:
        """Changes a copy of an object: seldom by a function that changes objects, too."""
        if not s.is_clean and self.maybe(0.5):
            return f"change_{s.name}({place}, v); sum_{s.name}({place});"
        return " ".join(each.set(f"({place})", "v") for each in self.some(s.fields, 1, 3))

    def restore(self, s: Structure, one: str, other: str) -> str:
        """Exchanges the links of two copies, so that their places keep them."""
        links = [*s.links]
        text = "".join(
            f"{{ {s.type}* x = {one}.{link}; {one}.{link} = {other}.{link}; {other}.{link} = x; }} "
            for link in links
        )
        if s.shape == "graph":
            text += (
                f"for (int i = 0; i < 3; ++i) {{ {s.type}* x = {one}.edge[i]; {one}.edge[i] = {other}.edge[i]; "
                f"{other}.edge[i] = x; }} {{ int x = {one}.degree; {one}.degree = {other}.degree; {other}.degree = x; }} "
            )
        return text

    def safe_swap_by_value(self, s: Structure) -> list[str]:
        return [f"{s.type} a = *p, b = *q;", self.restore(s, "a", "b"), "*p = b; *q = a;"]

    def safe_copy_and_back(self, s: Structure) -> list[str]:
        return [
            f"{s.type} t;",
            "memcpy(&t, p, sizeof t);",
            self.change_copy(s, "&t"),
            "memcpy(p, &t, sizeof t);",
        ]

    def safe_global_copy(self, s: Structure) -> list[str]:
        self.parts.append(f"static {s.type} saved_{s.name};")
        return [
            f"saved_{s.name} = *p;",
            self.change_copy(s, f"&saved_{s.name}"),
            self.random.choice(s.fields).read(f"(&saved_{s.name})"),
        ]

    def safe_memcpy_field(self, s: Structure) -> list[str]:
        f = self.random.choice([each for each in s.fields if each.kind != "bits"]).name
        return [f"if (p != q) memcpy(&p->{f}, &q->{f}, sizeof p->{f});"]

    def safe_memset_field(self, s: Structure) -> list[str]:
        f = self.random.choice([each for each in s.fields if each.kind != "bits"]).name
        return (
            [f"memset(&p->{f}, (int)(v % 3), sizeof p->{f});"]
            if not s.of_kind("text", "double", "float")
            else []
        )

    def safe_memmove_field(self, s: Structure) -> list[str]:
        found = s.of_kind("array", "words")
        return (
            [f"memmove(&p->{found[0].name}[1], &p->{found[0].name}[0], 2 * sizeof p->{found[0].name}[0]);"]
            if found
            else []
        )

    def safe_memcmp_field(self, s: Structure) -> list[str]:
        found = s.of_kind("int", "long", "words", "array", "pair")
        f = self.random.choice(found).name
        return [f"mix(memcmp(&p->{f}, &q->{f}, sizeof p->{f}) == 0);"]

    def safe_address_of_field(self, s: Structure) -> list[str]:
        if s.is_packed:
            return []
        found = [each for kind in ("int", "long") for each in s.of_kind(kind)[: 1 if s.is_clean else 3]]
        return [f"bump_{f.kind}(&p->{f.name}, v % 9);" for f in found]

    def safe_bytes_of_field(self, s: Structure) -> list[str]:
        found = s.of_kind("int", "long", "short", "unsigned", "pair", "union")
        return (
            [f"bump_bytes((unsigned char*)&p->{found[0].name}, sizeof p->{found[0].name});"] if found else []
        )

    def safe_by_value(self, s: Structure) -> list[str]:
        self.function(
            f"KEEP static {s.type} twist_{s.name}({s.type} x, unsigned v)",
            [self.change_copy(s, "&x"), "return x;"],
        )
        return [f"{s.type} t = twist_{s.name}(*p, v);", "*p = t;"]

    def safe_pair_in_a_register(self, s: Structure) -> list[str]:
        if s.is_packed:
            return []
        return [f"p->{f.name} = turn(q->{f.name});" for f in s.of_kind("pair")]

    def safe_large_by_value(self, s: Structure) -> list[str]:
        return [f"p->{f.name} = enlarge(q->{f.name}, (int)(v % 10));" for f in s.of_kind("large")]

    def safe_container_of(self, s: Structure) -> list[str]:
        f = self.random.choice(s.of_kind("int", "long"))
        if s.is_packed:
            return []
        self.function(
            f"KEEP static void from_field_{s.name}({f.kind}* at)",
            [f"{s.type}* p = ({s.type}*)((char*)at - offsetof({s.type}, {f.name}));", f"sum_{s.name}(p);"],
        )
        return [f"from_field_{s.name}(&p->{f.name});"]

    def safe_indirect_call(self, s: Structure) -> list[str]:
        self.function(
            f"static void other_change_{s.name}({s.type}* p, unsigned v)", [f"change_{s.name}(p, v + 1);"]
        )
        self.parts.append(
            f"static void (*const calls_{s.name}[2])({s.type}*, unsigned) = {{change_{s.name}, other_change_{s.name}}};"
        )
        return [f"calls_{s.name}[v % 2](p, v);"]

    def safe_volatile(self, s: Structure) -> list[str]:
        f = self.random.choice(s.of_kind("int", "long"))
        return [f"mix((unsigned long)*(volatile {f.kind}*)&p->{f.name});"] if not s.is_packed else []

    def safe_atomic(self, s: Structure) -> list[str]:
        if s.is_packed:
            return []
        f = self.random.choice(s.of_kind("int", "long"))
        return [
            f"mix((unsigned long)__atomic_fetch_add(&p->{f.name}, 1, __ATOMIC_SEQ_CST));",
            f"{f.kind} seen = q->{f.name}; __atomic_compare_exchange_n(&q->{f.name}, &seen, ({f.kind})(v % 50), 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);",
        ]

    def safe_pointer_equality(self, s: Structure) -> list[str]:
        return ["mix(p == q);", f"if (p != q) sum_{s.name}(q); else sum_{s.name}(p);"]

    def safe_choice_of_fields(self, s: Structure) -> list[str]:
        found = s.of_kind("int")
        if len(found) < 2 or s.is_packed:
            return []
        return [f"int* at = v % 2 ? &p->{found[0].name} : &p->{found[1].name};", "*at = (int)(v % 88);"]

    def safe_variable_index(self, s: Structure) -> list[str]:
        return [
            f"p->{f.name}[v % 3] = (int)(v % 71); mix((unsigned long)p->{f.name}[(v + 1) % 3]);"
            for f in s.of_kind("array", "words")
        ]

    def safe_end_of_an_array(self, s: Structure) -> list[str]:
        found = s.of_kind("array")
        if not found or s.is_packed:
            return []
        self.has("one-past-the-end")
        return [
            f"for (int *e = p->{found[0].name}, *end = e + 3; e != end; ++e) {{ mix((unsigned long)*e); *e += 1; }}"
        ]

    def safe_union_of_kinds(self, s: Structure) -> list[str]:
        return [
            f"p->{f.name}.n = (long)(v % 999); p->{f.name}.c[3] = (unsigned char)v; mix((unsigned long)p->{f.name}.n);"
            for f in s.of_kind("union")
        ]

    def safe_bit_fields(self, s: Structure) -> list[str]:
        return [f"p->{f.name} = (q->{f.name} + v) & {(1 << f.bits) - 1}u;" for f in s.of_kind("bits")]

    def safe_stack_object(self, s: Structure) -> list[str]:
        self.has("alloca")
        return [
            f"{s.type}* t = ({s.type}*)alloca(sizeof *t);",
            "memset(t, 0, sizeof *t);",
            self.change_copy(s, "t"),
            f"sum_{s.name}({'p' if s.is_clean else 'v % 2 ? t : p'});",
        ]

    def safe_side_array(self, s: Structure) -> list[str]:
        self.has("realloc")
        return [
            f"{s.type}** side = NULL; unsigned n = 0;",
            f"for (unsigned i = 0; i < 5; ++i) {{ side = ({s.type}**)realloc(side, (n + 1) * sizeof *side); side[n++] = i % 2 ? p : q; }}",
            f"for (unsigned i = 0; i < n; ++i) sum_{s.name}(side[i]);",
            "free(side);",
        ]

    def safe_look_alike(self, s: Structure) -> list[str]:
        f = self.random.choice(s.of_kind("int", "long"))
        self.parts.append(f"typedef {f.kind} __attribute__((may_alias, aligned(1))) alias_{s.name};")
        return [f"mix((unsigned long)*(alias_{s.name}*)((char*)p + offsetof({s.type}, {f.name})));"]

    def safe_spanning(self, s: Structure) -> list[str]:
        if len(s.fields) < 2:
            return []
        at = f"offsetof({s.type}, {self.random.choice([f for f in s.fields if f.kind in ('int', 'long')]).name})"
        return [
            f"unsigned char bytes[8]; size_t at = {at}; if (at + 8 <= sizeof *p) {{ memcpy(bytes, (char*)p + at, 8); memcpy((char*)p + at, bytes, 8); mix(bytes[0]); }}"
        ]

    # What makes the analysis refuse, or should

    def risky_qsort(self, s: Structure) -> list[str]:
        f = self.random.choice(s.of_kind("int", "long"))
        self.function(
            f"static int order_{s.name}(const void* a, const void* b)",
            [
                f"const {s.type} *x = *(const {s.type}* const*)a, *y = *(const {s.type}* const*)b;",
                f"return (x->{f.name} > y->{f.name}) - (x->{f.name} < y->{f.name});",
            ],
        )
        return [
            f"{s.type}* all[4] = {{p, q, q, p}};",
            f"qsort(all, 4, sizeof *all, order_{s.name});",
            f"mix((unsigned long)all[0]->{f.name});",
            f"change_{s.name}(all[3], v);",
        ]

    def risky_varargs(self, s: Structure) -> list[str]:
        self.function(
            f"KEEP static {s.type}* last_{s.name}(int count, ...)",
            [
                "va_list list; va_start(list, count);",
                f"{s.type}* found = NULL;",
                f"for (int i = 0; i < count; ++i) {{ found = va_arg(list, {s.type}*); sum_{s.name}(found); }}",
                "va_end(list); return found;",
            ],
        )
        return [f"change_{s.name}(last_{s.name}(2, q, p), v);"]

    def risky_setjmp(self, s: Structure) -> list[str]:
        self.parts.append(f"static jmp_buf back_{s.name};")
        self.function(
            f"KEEP static void leave_{s.name}({s.type}* p, unsigned v)",
            [f"change_{s.name}(p, v);", f"if (v % 2) longjmp(back_{s.name}, 1);"],
        )
        return [
            f"if (setjmp(back_{s.name}) == 0) {{ leave_{s.name}(p, v); mix(1); }} else {{ mix(2); }}",
            f"sum_{s.name}(p);",
        ]

    def risky_threads(self, s: Structure) -> list[str]:
        self.function(
            f"static void* thread_{s.name}(void* at)", [f"change_{s.name}(({s.type}*)at, 5);", "return at;"]
        )
        return [
            "pthread_t thread; void* got = NULL;",
            f"pthread_create(&thread, NULL, thread_{s.name}, p);",
            "pthread_join(thread, &got);",
            f"sum_{s.name}(({s.type}*)got);",
        ]

    def risky_tags(self, s: Structure) -> list[str]:
        return [
            "uintptr_t tagged = (uintptr_t)p | (v & 1);",
            f"{s.type}* plain = ({s.type}*)(tagged & ~(uintptr_t)1);",
            "mix(tagged & 1);",
            f"change_{s.name}(plain, v);",
        ]

    def risky_pointers_as_integers(self, s: Structure) -> list[str]:
        self.parts.append(f"static uintptr_t kept_{s.name}[2];")
        return [
            f"kept_{s.name}[v % 2] = (uintptr_t)p; kept_{s.name}[(v + 1) % 2] = (uintptr_t)q;",
            f"change_{s.name}(({s.type}*)kept_{s.name}[v % 2], v);",
        ]

    def risky_xor(self, s: Structure) -> list[str]:
        self.parts.append(f"static volatile uintptr_t mask_{s.name} = 0x5a5a;")
        return [
            f"uintptr_t hidden = (uintptr_t)p ^ mask_{s.name};",
            f"change_{s.name}(({s.type}*)(hidden ^ mask_{s.name}), v);",
        ]

    def risky_alignment(self, s: Structure) -> list[str]:
        return ["mix((uintptr_t)p % 1);", f"if (((uintptr_t)p >> 3) % 7 == 9) sum_{s.name}(q);"]

    def risky_object_size(self, s: Structure) -> list[str]:
        return ["mix(__builtin_object_size(p, 0) < 1);"]

    def risky_usable_size(self, s: Structure) -> list[str]:
        return (
            ["mix(malloc_usable_size(malloc(5)) >= 5);"]
            if s.shape == "array"
            else ["mix(malloc_usable_size(p) >= sizeof *p);"]
        )

    def risky_inline_asm(self, s: Structure) -> list[str]:
        return ['__asm__ volatile("" : "+r"(p) : : "memory");', f"change_{s.name}(p, v);"]

    def risky_signal(self, s: Structure) -> list[str]:
        self.parts.append(f"static {s.type}* volatile seen_{s.name};")
        self.function(
            f"static void handler_{s.name}(int number)",
            [f"if (number == SIGUSR1 && seen_{s.name} != NULL) change_{s.name}(seen_{s.name}, 3);"],
        )
        return [
            f"seen_{s.name} = p; signal(SIGUSR1, handler_{s.name}); raise(SIGUSR1); seen_{s.name} = NULL;",
            f"sum_{s.name}(p);",
        ]

    def risky_print_pointer(self, s: Structure) -> list[str]:
        return ['char text[40]; snprintf(text, sizeof text, "%p", (void*)p); mix(text[0] != 0);']

    def risky_aligned_requests(self, s: Structure) -> list[str]:
        how = self.random.choice(("posix_memalign", "memalign", "aligned_alloc", "valloc"))
        self.has(how)
        call = {
            "posix_memalign": "void* at = NULL; if (posix_memalign(&at, 64, sizeof *p) != 0) abort();",
            "memalign": "void* at = memalign(64, sizeof *p);",
            "aligned_alloc": "void* at = aligned_alloc(64, (sizeof *p + 63) / 64 * 64);",
            "valloc": "void* at = valloc(sizeof *p);",
        }[how]
        return [
            call,
            f"memset(at, 0, sizeof *p); change_{s.name}(({s.type}*)at, v); sum_{s.name}(({s.type}*)at); free(at);",
        ]

    def risky_interior_free(self, s: Structure) -> list[str]:
        return [
            "char* raw = (char*)malloc(sizeof *p + 16);",
            f"{s.type}* t = ({s.type}*)(raw + 16); memset(t, 0, sizeof *t);",
            f"change_{s.name}(t, v); sum_{s.name}(t); free((char*)t - 16);",
        ]

    def risky_flexible_member(self, s: Structure) -> list[str]:
        self.parts.append(f"struct tail_{s.name} {{ {s.type}* of; unsigned count; int rest[]; }};")
        return [
            f"struct tail_{s.name}* t = (struct tail_{s.name}*)malloc(sizeof *t + (v % 5 + 1) * sizeof(int));",
            "t->of = p; t->count = v % 5 + 1;",
            "for (unsigned i = 0; i < t->count; ++i) t->rest[i] = (int)i;",
            f"sum_{s.name}(t->of); mix((unsigned long)t->rest[t->count - 1]); free(t);",
        ]

    def risky_file(self, s: Structure) -> list[str]:
        return [
            "FILE* file = tmpfile();",
            f"{s.type}* t = NULL;",
            "if (file != NULL) { fwrite(&p, sizeof p, 1, file); rewind(file); if (fread(&t, sizeof t, 1, file) == 1) "
            f"change_{s.name}(t, v); fclose(file); }}",
        ]

    def risky_bsearch_of_copy(self, s: Structure) -> list[str]:
        return [
            f"{s.type} two[2]; two[0] = *p; two[1] = *q;",
            f"{s.type}* at = two + v % 2; sum_{s.name}(at); mix((unsigned long)(at - two));",
        ]

    # C++

    def add_classes(self) -> None:
        for construct in (
            "vtable",
            "dynamic-cast",
            "exception",
            "placement-new",
            "class-new",
            "sized-delete",
            "new",
        ):
            self.has(construct)
        shuffled = [f"int a{i};" for i in range(self.random.randint(1, 4))] + ["long weight;"]
        self.random.shuffle(shuffled)
        self.parts.append(
            "#include <new>\nstruct base { base* next; "
            + " ".join(shuffled)
            + """
    base(unsigned v, base* n) : next(n), a0((int)v), weight((long)v * 2) {}
    virtual ~base() {}
    virtual long value() const { return a0 + weight; }
};
struct derived : base {
    double extra; static void* spare;
    derived(unsigned v, base* n) : base(v, n), extra(v) {}
    long value() const override { return weight - (long)extra; }
    static void* operator new(size_t bytes) { return spare != nullptr ? take() : malloc(bytes); }
    static void operator delete(void* at, size_t bytes) { mix(bytes > 8); if (spare == nullptr) spare = at; else free(at); }
    static void* take() { void* at = spare; spare = nullptr; return at; }
};
void* derived::spare = nullptr;
struct plain { plain* next; int key; long count; short tag; };
static base* bases; static plain* plains;
KEEP static void complain(base* b) { if (b->value() % 3 == 0) throw b->value(); mix(1); }
KEEP static void classes(unsigned v) {
    bases = v % 2 ? new base(v % 100, bases) : (base*)new derived(v % 100, bases);
    plain* p = new plain; p->next = plains; p->key = (int)(v % 50); p->count = 3; p->tag = 4; plains = p;
    for (base* b = bases; b != nullptr; b = b->next) {
        mix((unsigned long)b->value());
        if (derived* d = dynamic_cast<derived*>(b)) mix((unsigned long)(long)d->extra);
        try { complain(b); } catch (long& got) { mix((unsigned long)got); }
    }
    for (plain* q = plains; q != nullptr; q = q->next) { mix((unsigned long)(q->key + q->count)); q->count += q->tag; }
    alignas(plain) unsigned char room[sizeof(plain)];
    plain* placed = new (room) plain{nullptr, 1, 2, 3}; mix((unsigned long)placed->count);
    if (v % 4 == 0) { base* gone = bases; bases = gone->next; delete gone; plain* old = plains; plains = old->next; delete old; }
}"""
        )
        self.main.append("for (int i = 0; i < 10; ++i) classes(next_random());")


def generate(seed: int) -> Program:
    return Program(seed)
