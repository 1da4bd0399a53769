"""Operations on two objects that the analysis is to follow."""

# ruff: noqa: E501 (lines of the programs that it writes)
from __future__ import annotations

from compiler.generator.structures import Structure
from compiler.generator.writer import Writer

SPOILING = (
    "safe_bytes_of_field",
    "safe_choice_of_fields",
    "safe_end_of_an_array",
    "safe_spanning",
    "safe_memcmp",
    "safe_by_value",
    "safe_large_by_value",
    "safe_stack_object",
)
"""Operations that make of several fields one, in the eyes of the analysis."""


class ProvableOperations(Writer):
    """Each gives the lines of a function of objects p and q and a number v."""

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

    def safe_memcpy(self, s: Structure) -> list[str]:
        f = self.random.choice([each for each in s.fields if each.kind != "bits"]).name
        return [f"if (p != q) memcpy(&p->{f}, &q->{f}, sizeof p->{f});"]

    def safe_memset(self, s: Structure) -> list[str]:
        f = self.random.choice([each for each in s.fields if each.kind != "bits"]).name
        return (
            [f"memset(&p->{f}, (int)(v % 3), sizeof p->{f});"]
            if not s.of_kind("text", "double", "float")
            else []
        )

    def safe_memmove(self, s: Structure) -> list[str]:
        found = s.of_kind("array", "words")
        return (
            [f"memmove(&p->{found[0].name}[1], &p->{found[0].name}[0], 2 * sizeof p->{found[0].name}[0]);"]
            if found
            else []
        )

    def safe_memcmp(self, s: Structure) -> list[str]:
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

    def safe_cast(self, s: Structure) -> list[str]:
        """To a structure of the same layout."""
        f = self.random.choice(s.of_kind("int", "long"))
        self.parts.append(
            f"struct like_{s.name} {s.members};\ntypedef struct like_{s.name} __attribute__((may_alias)) cast_{s.name};"
        )
        return [
            f"cast_{s.name}* t = (cast_{s.name}*)p;",
            f"t->{f.name} = ({f.kind})(t->{f.name} / 2 + 1);",
            f"mix((unsigned long)((cast_{s.name}*)q)->{f.name});",
        ]

    def safe_null(self, s: Structure) -> list[str]:
        return [
            f"{s.type}* none = v % 3 == 0 ? p : NULL;",
            f"if (none != NULL) sum_{s.name}(none);",
            "if (none != p) free(none);",
            "mix(none == NULL);",
        ]
