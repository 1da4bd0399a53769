"""The structures of a choice (docs/formats.md), each with its policy."""

from collections.abc import Mapping
from dataclasses import dataclass

STRUCTURE = "structure "
"""Begins the first line of each."""


@dataclass(frozen=True)
class Structures:
    """A choice as text: what stands before its first structure, and each structure's lines."""

    head: str
    blocks: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Structures":
        head, *blocks = f"\n{text}".split(f"\n{STRUCTURE}")
        return cls(head.removeprefix("\n"), tuple(block.removesuffix("\n") for block in blocks))

    @property
    def text(self) -> str:
        return "\n".join([self.head.removesuffix("\n"), *(STRUCTURE + block for block in self.blocks), ""])

    def __len__(self) -> int:
        return len(self.blocks)

    def policy(self, number: int) -> str:
        return self._first_line(number)[0]

    def name(self, number: int) -> str:
        """What the source calls it, with its number among all where another is called so too; else that
        number."""
        name = self._first_line(number)[2]
        if not name:
            return f"structure {number + 1}"
        is_one = sum(self._first_line(each)[2] == name for each in range(len(self))) == 1
        return name if is_one else f"{name} ({number + 1})"

    def changed(self, policies: Mapping[int, str]) -> "Structures":
        """With other policies for some, by their numbers."""
        blocks = [
            block if number not in policies else policies[number] + block.removeprefix(self.policy(number))
            for number, block in enumerate(self.blocks)
        ]
        return Structures(self.head, tuple(blocks))

    def _first_line(self, number: int) -> tuple[str, str, str]:
        return self.blocks[number].partition("\n")[0].partition(" ")
