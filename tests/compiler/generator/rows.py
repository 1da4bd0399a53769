"""Arrays of structures that the analysis is to follow: how they are built, walked and changed."""

# ruff: noqa: E501 (lines of the programs that it writes)
from __future__ import annotations

from compiler.generator.structures import Structure
from compiler.generator.writer import Writer


class Rows(Writer):
    """With as many elements as the program finds out, which may lead to each other."""

    def shape_rows(self, s: Structure) -> None:
        n, t = s.name, s.type
        self.has("rows")
        {"one": self.one_array, "grown": self.grown_array, "several": self.several_arrays}[s.rows](s)
        if s.links:
            # Links lead nowhere before there is something to lead to.
            s.operations.append(
                f"{{ {t}* p = nth_{n}(next_random()); p->near = nth_{n}(next_random()); sum_{n}(p->near); }}"
            )
        for operation in self.random.sample(self.row_operations(s), 3):
            s.operations.append(operation)

    def new_elements(self, s: Structure, count: str) -> str:
        """Zeroed or not; and as many of the room's as they are needed for."""
        return self.random.choice(
            (
                f"({s.type}*)calloc({count}, sizeof({s.type}))",
                f"({s.type}*)malloc({count} * sizeof({s.type}))",
            )
        )

    def fill(self, s: Structure) -> list[str]:
        """Of an element p, from a number or from an object by itself."""
        sets = [each.set("p", f"v + {i}u") for i, each in enumerate(s.fields)]
        if s.links:
            sets.append("p->near = NULL;")
        if self.maybe(0.3) and not s.other:
            return [f"{s.type}* made = make_{s.name}(v);", "*p = *made;", "free(made);"]
        if s.other:
            sets.append(f"p->other = count_{s.other} ? nth_{s.other}(v) : NULL;")
        return ["memset(p, 0, sizeof *p);", *sets]

    def one_array(self, s: Structure) -> None:
        n, t = s.name, s.type
        self.parts.append(f"static {t}* all_{n}; static unsigned room_{n};")
        self.function(
            f"{self.keep()}static void add_{n}(unsigned v)",
            [
                f"if (all_{n} == NULL) {{ room_{n} = 20 + next_random() % 60; all_{n} = {self.new_elements(s, f'room_{n}')}; }}",
                f"if (count_{n} == room_{n}) return;",
                f"{t}* p = &all_{n}[count_{n}++];",
                *self.fill(s),
            ],
        )
        self.add_access(s)

    def grown_array(self, s: Structure) -> None:
        n, t = s.name, s.type
        self.parts.append(f"static {t}* all_{n}; static unsigned room_{n};")
        copy = self.random.choice(
            (
                f"for (unsigned i = 0; i < count_{n}; ++i) more[i] = all_{n}[i];",
                f"if (count_{n} > 0) memcpy(more, all_{n}, count_{n} * sizeof *more);",
            )
        )
        self.function(
            f"{self.keep()}static void grow_{n}(void)",
            [
                f"room_{n} = room_{n} * 2 + next_random() % 5 + 1;",
                f"{t}* more = {self.new_elements(s, f'room_{n}')};",
                copy,
                *(
                    [
                        f"for (unsigned i = 0; i < count_{n}; ++i)",
                        f"    if (more[i].near != NULL) more[i].near = more + (more[i].near - all_{n});",
                    ]
                    if s.links
                    else []
                ),
                f"free(all_{n});",
                f"all_{n} = more;",
            ],
        )
        self.function(
            f"{self.keep()}static void add_{n}(unsigned v)",
            [
                f"if (count_{n} == room_{n}) grow_{n}();",
                f"{t}* p = &all_{n}[count_{n}++];",
                *self.fill(s),
            ],
        )
        self.add_access(s)

    def several_arrays(self, s: Structure) -> None:
        n, t = s.name, s.type
        length = self.random.choice((4, 7, 16))
        self.parts.append(f"static {t}* chunks_{n}[40];")
        self.function(
            f"{self.keep()}static {t}* nth_{n}(unsigned i)",
            [f"i %= count_{n};", f"return &chunks_{n}[i / {length}][i % {length}];"],
        )
        self.function(
            f"{self.keep()}static void add_{n}(unsigned v)",
            [
                f"if (count_{n} == {length * 40}) return;",
                f"{t}** chunk = &chunks_{n}[count_{n} / {length}];",
                f"if (*chunk == NULL) *chunk = {self.new_elements(s, str(length))};",
                f"{t}* p = *chunk + count_{n}++ % {length};",
                *self.fill(s),
            ],
        )
        self.function(
            f"{self.keep()}static void walk_{n}(void)",
            [
                f"for (unsigned c = 0; c * {length} < count_{n}; ++c)",
                f"    for ({t} *p = chunks_{n}[c], *end = p + {length}; p < end && c * {length} + (unsigned)(p - chunks_{n}[c]) < count_{n}; ++p) sum_{n}(p);",
            ],
        )

    def add_access(self, s: Structure) -> None:
        """To one array, in one of its directions."""
        n, t = s.name, s.type
        self.function(f"{self.keep()}static {t}* nth_{n}(unsigned i)", [f"return &all_{n}[i % count_{n}];"])
        walk = self.random.choice(
            (
                f"for ({t} *p = all_{n}, *end = all_{n} + count_{n}; p != end; ++p) sum_{n}(p);",
                f"for (unsigned i = 0; i < count_{n}; ++i) sum_{n}(&all_{n}[i]);",
                f"for (int i = (int)count_{n} - 1; i >= 0; --i) sum_{n}(all_{n} + i);",
                f"for ({t}* p = all_{n} + count_{n}; p-- > all_{n};) sum_{n}(p);",
            )
        )
        self.function(f"{self.keep()}static void walk_{n}(void)", [walk])

    def row_operations(self, s: Structure) -> list[str]:
        n, t = s.name, s.type
        number = self.random.choice(s.of_kind("int", "long"))
        at = f"nth_{n}(next_random())"
        found = [
            f"{{ {t} *p = {at}, *q = {at}; {t} kept = *p; *p = *q; *q = kept; }}",
            f"{{ {t}* p = {at}; {number.kind}* at = &p->{number.name}; *at = ({number.kind})(*at / 2 + 1); mix((unsigned long)*at); }}",
            f"mix({at} == {at});",
            f"{{ const {t}* p = {at}; {t} copy = *p; mix((unsigned long)copy.{number.name}); }}",
        ]
        if s.rows != "several":
            found += [
                f"mix((unsigned long)({at} - all_{n}));",
                f"mix(nth_{n}(3) < {at});",
                f"{{ {t} *p = {at}, *q = ({t}*)((char*)all_{n} + ((char*)p - (char*)all_{n})); mix(p == q); sum_{n}(q); }}",
                f"{{ {t} *p = {at}, *q = {at}; long apart = q - p; if (apart > 2) sum_{n}(p + apart / 2); else if (apart < 0) sum_{n}(q - apart); }}",
                f"if (count_{n} > 2) {{ {t} first = all_{n}[0]; for (unsigned i = 1; i < count_{n}; ++i) all_{n}[i - 1] = all_{n}[i]; all_{n}[count_{n} - 1] = first; }}",
                f"if (count_{n} > 2) memmove(all_{n} + 1, all_{n}, (count_{n} - 2) * sizeof *all_{n});",
                f"for (unsigned i = 1; i < count_{n}; ++i) {{ {t} moved = all_{n}[i]; unsigned j = i; "
                f"for (; j > 0 && all_{n}[j - 1].{number.name} > moved.{number.name}; --j) all_{n}[j] = all_{n}[j - 1]; all_{n}[j] = moved; }}",
            ]
        return found
