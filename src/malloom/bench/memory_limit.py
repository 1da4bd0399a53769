"""How much memory a plan may need: one that needs more leaves the race where another does not."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from malloom.bench.pairs import Rounds

MOST_MEMORY = 1.15
"""Of the program's own peak memory."""


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

    def within(self, names: Sequence[str], rounds: Rounds) -> list[str]:
        """Those that keep to the limit in the median of their runs so far; all where none does."""
        peaks = {name: rounds.peak_memory(name) for name in names}
        kept = [name for name in names if peaks[name] <= self.bytes]
        if not kept:
            return list(names)
        self.left |= {name: peaks[name] / self.own for name in names if name not in kept}
        return kept

    def notes(self, chosen: str, rounds: Rounds) -> tuple[str, ...]:
        """For the reader of a choice: what left, and whether what was chosen needs more as well."""
        told = [
            f"{name} is left out, as it needs {ratio:.2f} of the peak memory"
            for name, ratio in self.left.items()
        ]
        peak = rounds.peak_memory(chosen)
        if peak > self.bytes:
            told.append(f"{chosen} needs {peak / self.own:.2f} of the peak memory, more than {self.most:.2f}")
        return tuple(told)
