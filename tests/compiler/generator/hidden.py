"""Pointers on ways that only the machine follows: byte by byte, and by addresses in initialisers."""

# ruff: noqa: E501 (lines of the programs that it writes)
from __future__ import annotations

from compiler.generator.structures import Structure
from compiler.generator.writer import Writer

BARRIERS = {
    "volatile": "number |= (uintptr_t)((volatile unsigned char*)cell)[i] << (8 * i);",
    "assembly": '{ unsigned char byte = ((unsigned char*)cell)[i]; __asm__ volatile("" : "+r"(byte)); '
    "number |= (uintptr_t)byte << (8 * i); }",
}
"""What reads one byte of a cell so that no compiler sees the pointer in it."""


class HiddenAddresses(Writer):
    """Each gives the lines of a function of objects p and q and a number v."""

    def put_together(self, s: Structure) -> str:
        """The name of a function that gives what a cell holds, read byte by byte."""
        name = f"bytes_of_{s.name}_{len(self.parts)}"
        barrier = self.random.choice(sorted(BARRIERS))
        self.function(
            f"{self.keep()}static {s.type}* {name}({s.type}* const* cell)",
            [
                "uintptr_t number = 0;",
                f"for (unsigned i = 0; i < sizeof *cell; ++i) {BARRIERS[barrier]}",
                f"return ({s.type}*)number;",
            ],
        )
        return name

    def risky_pointer_by_bytes(self, s: Structure) -> list[str]:
        name = self.put_together(s)
        lines = [
            f"{s.type}* at = p; {s.type}* again = {name}(&at);",
            f"mix(again == p); change_{s.name}(again, v); sum_{s.name}(p);",
        ]
        if s.shape not in ("array", "rows") and self.maybe(0.5):
            lines += [f"at = make_{s.name}(v);", f"sum_{s.name}({name}(&at)); free({name}(&at));"]
        return lines

    def risky_link_by_bytes(self, s: Structure) -> list[str]:
        if not s.links or s.is_packed:
            return []
        name = self.put_together(s)
        link = self.random.choice(s.links)
        return [
            f"if (p->{link} != NULL) {{ {s.type}* at = {name}(&p->{link}); mix(at == p->{link}); change_{s.name}(at, v); }}",
            f"sum_{s.name}(p);",
        ]

    def risky_addresses_in_initialisers(self, s: Structure) -> list[str]:
        n, t = s.name, s.type
        self.parts.append(
            f"static {t}* slots_{n}[3];\n"
            f"static const struct {{ uintptr_t where; {t}** last; }} places_{n} = "
            f"{{(uintptr_t)&slots_{n}[1], &slots_{n}[2]}};"
        )
        return [
            f"slots_{n}[1] = p; slots_{n}[2] = q;",
            f"change_{n}(*({t}**)places_{n}.where, v); sum_{n}(*places_{n}.last);",
            f"slots_{n}[1] = slots_{n}[2] = NULL;",
        ]
