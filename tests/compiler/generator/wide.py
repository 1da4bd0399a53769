"""Lists of structures with up to 64 fields, all of which each walk reads; they fill more than one pool."""

from __future__ import annotations

from compiler.generator.shapes import Lists
from compiler.generator.structures import Structure

MOST_FIELDS = 64
POOL_BYTES = 1 << 20


class WideLists(Lists):
    """An array that lies where it must not is only noticed in a pool that is full."""

    def shape_wide(self, s: Structure) -> None:
        n, t = s.name, s.type
        self.add_in_front(s)
        self.function(
            f"{self.keep()}static {t}* nth_{n}(unsigned i)",
            [
                f"{t}* p = head_{n};",
                f"for (i %= count_{n} < 50 ? count_{n} : 50; i > 0; --i) p = p->next;",
                "return p;",
            ],
        )
        reads = [f"all += {i + 1} * (unsigned long)p->{f.name};" for i, f in enumerate(s.fields)]
        self.function(
            f"{self.keep()}static void walk_{n}(void)",
            [
                f"for ({t}* p = head_{n}; p != NULL; p = p->next) {{",
                f"    unsigned long all = 0; {' '.join(reads)} mix(all);",
                "}",
            ],
        )
        self.main.append(
            f"while (count_{n} < {POOL_BYTES} / sizeof({t}) + 9) add_{n}((unsigned)count_{n} * 7u);"
        )
        if s.deletes:
            self.function(
                f"static void clear_{n}(void)",
                [
                    f"while (head_{n} != NULL) {{ {t}* p = head_{n}; head_{n} = p->next; free(p); }}",
                    f"count_{n} = 0;",
                ],
            )
