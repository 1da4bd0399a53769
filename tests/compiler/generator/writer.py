"""What all parts of the generator write with: chance, functions of the program, and the constructs it has."""

# ruff: noqa: E501 (lines of the programs that it writes)
from __future__ import annotations

import random

from compiler.generator.structures import Field, Structure


class Writer:
    """Of one program; `constructs` is what it has, `parts` its declarations, `main` what each round does."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.constructs: set[str] = set()
        self.parts: list[str] = []
        self.main: list[str] = []
        self.structures: list[Structure] = []

    def has(self, construct: str) -> None:
        self.constructs.add(construct)

    def maybe(self, chance: float) -> bool:
        return self.random.random() < chance

    def keep(self) -> str:
        return "KEEP " if self.maybe(0.5) else ""

    def number_field(self, name: str) -> Field:
        found = next(each for each in self.structures if each.name == name)
        return self.random.choice(found.of_kind("int", "long"))

    def some(self, fields: list[Field], least: int, most: int) -> list[Field]:
        return self.random.sample(fields, min(len(fields), self.random.randint(least, most)))

    def function(self, head: str, lines: list[str]) -> None:
        self.parts.append(head + " {\n    " + "\n    ".join(lines) + "\n}")

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
