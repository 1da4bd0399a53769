"""The contexts of a process: its call chains, and the loaded objects that their frames lie in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from malloom.profile.requests import U32, U64

NO_MODULE = 2**32 - 1
"""Module of a frame that lies in no known loaded object; its offset is then the raw address."""


@dataclass(frozen=True)
class Module:
    """One loaded object of a process. Addresses in bytes."""

    path: str
    build_id: str
    """Hexadecimal; empty where the file has none."""
    base: int
    end: int
    bias: int
    """Address minus bias is the address as the file's headers give it."""
    hash: int
    """formats/context_hash.h's module_hash of the build-id or else the file name."""


@dataclass(frozen=True)
class Contexts:
    """Call chains, innermost frame first. The frames of context i are at offsets[i] to offsets[i + 1]."""

    offsets: U64
    frame_module: U32
    """Index into HeapProfile.modules, or NO_MODULE."""
    frame_offset: U64
    """Bytes: the return address minus the module's bias."""
    hashes: U64
    """Stable hash of each whole chain (formats/context_hash.h)."""

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def depth(self) -> int:
        """Frames of the longest chain."""
        return int(np.diff(self.offsets.astype(np.int64)).max(initial=0))

    def cut(self, chosen: U32, depth: int, hashes: U64) -> Contexts:
        """Of the `chosen` contexts the innermost `depth` frames; `hashes` are those of the shorter chains."""
        starts = self.offsets[chosen].astype(np.int64)
        lengths = np.minimum(self.offsets[chosen + np.uint32(1)].astype(np.int64) - starts, depth)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        picked = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - starts, lengths)
        return Contexts(
            offsets.astype(np.uint64), self.frame_module[picked], self.frame_offset[picked], hashes
        )

    def frames(self, context: int) -> list[tuple[int, int]]:
        """(module, offset) of one context's frames, innermost first."""
        span = slice(int(self.offsets[context]), int(self.offsets[context + 1]))
        return list(zip(self.frame_module[span].tolist(), self.frame_offset[span].tolist(), strict=True))


class Refolded(NamedTuple):
    """The requests under contexts of a smaller depth."""

    context: U32
    """Per request: index into hashes."""
    hashes: U64
    """Per context: its stable hash. Contexts are numbered by their first request."""
    ordinal: U32
    """Per request: how many of the same context came before."""


def contexts_from_hashes(hashes: Any) -> Contexts:
    """Contexts known by hash only, each with one frame in no known module; for profiles made of arrays."""
    known = np.asarray(hashes, dtype=np.uint64)
    count = len(known)
    return Contexts(
        offsets=np.arange(count + 1, dtype=np.uint64),
        frame_module=np.full(count, NO_MODULE, dtype=np.uint32),
        frame_offset=known,
        hashes=known,
    )
