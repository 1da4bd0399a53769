"""How much memory a plan may need: one that needs more leaves the race where another does not."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from malloom.measure.interleaved import Rounds

MOST_MEMORY = 1.15
"""Of the program's own peak memory."""
ALLOWANCE = 2 << 20
"""Bytes. However little the program needs, the run time and the first pages of pools take some 0.8 MiB."""


@dataclass
class MemoryLimit:
    """Peak memory that a plan may need, in bytes: `most` times the program's `own`, or by `allowance` more.

    `left` has those that left a race for needing more, and how many times the program's own that was.
    """

    own: float
    most: float = MOST_MEMORY
    allowance: int = 0
    left: dict[str, float] = field(default_factory=dict)

    @property
    def bytes(self) -> float:
        return max(self.most * self.own, self.own + self.allowance)

    def within(self, names: Sequence[str], rounds: "Rounds") -> list[str]:
        """Those that keep to the limit in the median of their runs so far; all where none does."""
        peaks = {name: rounds.peak_memory(name) for name in names}
        kept = [name for name in names if peaks[name] <= self.bytes]
        if not kept:
            return list(names)
        self.left |= {name: peaks[name] / self.own for name in names if name not in kept}
        return kept

    def notes(self, chosen: str, rounds: "Rounds") -> tuple[str, ...]:
        """For the reader of a choice: what left, and whether what was chosen needs more as well."""
        left = ", ".join(f"{name} {ratio:.2f}" for name, ratio in self.left.items())
        told = [f"left out for their peak memory against the program's own: {left}"] if left else []
        peak = rounds.peak_memory(chosen)
        if peak > self.bytes:
            needed, allowed = peak / self.own, self.bytes / self.own
            told.append(f"{chosen} needs {needed:.2f} of the program's peak memory, more than {allowed:.2f}")
        return tuple(told)
