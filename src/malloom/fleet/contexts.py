"""The contexts of a fleet, in each build that has them and cut to fewer frames: what a plan is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from malloom.fleet.reading import Rows, read_rows
from malloom.layout.level import Level
from malloom.profile.requests import I64, U32
from malloom.sites.rebase import chain_hash
from malloom.sites.table import NO_MODULE

COLUMNS = ("aligned", "uses", "kinds", "co_use")
MOST = 2**63 - 1
"""Of counts; no fleet reaches it."""


@dataclass(frozen=True)
class Variant:
    """A context as one build has it."""

    row: int
    """Its place in the fleet, whose rows stand for all builds."""
    frames: tuple[tuple[int, int], ...]
    """Module hash and offset of each, the innermost first; both 0 where no module is known."""
    requests: int
    kinds: Sequence[dict[str, Any]]
    """`size` and `requests` of each."""


class FleetContexts:
    """The rows of a fleet, or of a host's table, those with the most requests first."""

    def __init__(self, read: Rows) -> None:
        self.read = read
        self.rows = read.rows
        self.origin = read.origin
        self.variants = list(self._variants())
        self.depth = max((len(each.frames) for each in self.variants), default=1) or 1

    @classmethod
    def of(cls, path: Path) -> FleetContexts:
        """Raises CommandError where the file is not good."""
        return cls(read_rows(path, COLUMNS, ("variants",)))

    def _variants(self) -> Iterator[Variant]:
        modules = [int(file.hash, 16) for file in self.origin.files]
        for place, row in enumerate(self.rows):
            for each in row.get("variants") or [row]:
                frames = tuple(
                    (0, 0) if frame["module"] == NO_MODULE else (modules[frame["module"]], frame["offset"])
                    for frame in each["chain"]
                )
                yield Variant(place, frames, min(each["requests"], MOST), each["kinds"])

    def levels(self, deepest: int) -> list[tuple[int, Level]]:
        """The contexts of the variants, at one frame, at two, and so on."""
        return [(depth, self._level(depth)) for depth in range(1, deepest + 1)]

    def _level(self, depth: int) -> Level:
        number: dict[int, int] = {}
        of_variant = [
            number.setdefault(chain_hash(each.frames[:depth]), len(number)) for each in self.variants
        ]
        return Level(np.array(of_variant, dtype=np.uint32), np.array(list(number), dtype=np.uint64))

    def of_rows(self, depth: int) -> tuple[U32, int]:
        """The context of so many frames of each row, whatever the build, and how many there are."""
        number: dict[tuple[int, ...], int] = {}
        chains = (context.frames[:depth] for context in self.read.sites.contexts)
        of_row = [number.setdefault(chain, len(number)) for chain in chains]
        return np.array(of_row, dtype=np.uint32), len(number)

    def row_of_variant(self) -> I64:
        return np.array([each.row for each in self.variants], dtype=np.int64)

    def numbers(self, name: str) -> I64:
        """A column of the rows."""
        return np.array([min(row[name], MOST) for row in self.rows], dtype=np.int64)
