"""The requests of one process as NumPy columns, one entry per request in time order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
I64 = npt.NDArray[np.int64]

NEVER = 2**64 - 1
"""A death that did not come before the recording ended; an access that never was."""

NO_FRIEND = -1


@dataclass(frozen=True)
class Usage:
    """What the accesses say about each request; one entry per request."""

    accesses: U64
    """Accesses that reached the object; annotated ones count with their weight."""
    first_access: U64
    """Position of the first one in the stream of accesses, from 0; NEVER where none reached it."""
    last_access: U64
    """Position of the last one; NEVER where none reached it."""

    @classmethod
    def none(cls, requests: int) -> Usage:
        """The usage where no access was recorded."""
        never = np.full(requests, NEVER, dtype=np.uint64)
        return cls(np.zeros(requests, dtype=np.uint64), never, never)


class Requests:
    """Columns over the requests, in time order. Arrays are read-only by convention and shared, never copied.

    `accesses`, `first_access` and `last_access` need a pass over the accesses; it is made when one of them is
    first asked for.
    """

    size: U64
    """Bytes, as requested."""
    alignment: U32
    """Bytes, as requested; 0: malloc's default."""
    context: U32
    """Index into HeapProfile.contexts."""
    ordinal: U32
    """How many requests of the same context came before."""
    thread: U32
    """Index of the thread: threads are numbered by their first request."""
    birth: U64
    """Ticket at which the object was handed out."""
    death: U64
    """Ticket at which it was given back; NEVER where it was not."""
    address: U64
    """Bytes, where the object lay while it was recorded."""
    friend: I64
    """Number of the request that this one wants to be near (annotation); -1: none."""

    def __init__(
        self,
        *,
        size: U64,
        alignment: U32,
        context: U32,
        ordinal: U32,
        thread: U32,
        birth: U64,
        death: U64,
        address: U64,
        friend: I64,
    ) -> None:
        self.size = size
        self.alignment = alignment
        self.context = context
        self.ordinal = ordinal
        self.thread = thread
        self.birth = birth
        self.death = death
        self.address = address
        self.friend = friend
        self._usage: Callable[[], Usage] = lambda: Usage.none(len(size))

    def attach(self, usage: Callable[[], Usage]) -> None:
        """Says where the columns that come from accesses are to be had."""
        self._usage = usage

    def __len__(self) -> int:
        return len(self.size)

    @property
    def accesses(self) -> U64:
        """Accesses per request (see Usage)."""
        return self._usage().accesses

    @property
    def first_access(self) -> U64:
        """Position of each request's first access in the stream (see Usage)."""
        return self._usage().first_access

    @property
    def last_access(self) -> U64:
        """Position of each request's last access in the stream (see Usage)."""
        return self._usage().last_access


def replace_contexts(requests: Requests, context: U32, ordinal: U32) -> Requests:
    """The same requests under other contexts."""
    return Requests(
        size=requests.size,
        alignment=requests.alignment,
        context=context,
        ordinal=ordinal,
        thread=requests.thread,
        birth=requests.birth,
        death=requests.death,
        address=requests.address,
        friend=requests.friend,
    )


def ordinals_of(context: U32) -> U32:
    """The ordinal of every request, from the contexts of the requests in time order."""
    order = np.argsort(context, kind="stable")
    ranked = context[order]
    starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]]) if len(ranked) else np.zeros(0, np.int64)
    lengths = np.diff(np.r_[starts, len(ranked)])
    ordinal = np.empty(len(context), dtype=np.uint32)
    ordinal[order] = np.arange(len(ranked)) - np.repeat(starts, lengths)
    return ordinal


def requests_from_arrays(size: Any, **columns: Any) -> Requests:
    """Requests from their columns by name; what is left out is as in a single-threaded program without frees.

    Without `birth` request i has ticket i + 1, so give `birth` too where `death` is given.
    """
    count = len(size)
    defaults: dict[str, Any] = {
        "alignment": np.zeros(count),
        "context": np.zeros(count),
        "thread": np.zeros(count),
        "birth": np.arange(1, count + 1),
        "death": np.full(count, NEVER, dtype=np.uint64),
        "address": _packed_addresses(np.asarray(size, dtype=np.uint64)),
        "friend": np.full(count, NO_FRIEND),
    }
    defaults.update(columns)
    if "ordinal" not in defaults:
        defaults["ordinal"] = ordinals_of(np.asarray(defaults["context"], dtype=np.uint32))
    types = {"birth": np.uint64, "death": np.uint64, "address": np.uint64, "friend": np.int64}
    arrays: dict[str, Any] = {
        name: np.asarray(column, dtype=types.get(name, np.uint32)) for name, column in defaults.items()
    }
    return Requests(size=np.asarray(size, dtype=np.uint64), **arrays)


def _packed_addresses(size: U64) -> U64:
    """One object after the other on granules of 16 bytes, as a bump allocator would place them."""
    granules = np.maximum((size + np.uint64(15)) // np.uint64(16), np.uint64(1))
    ends: U64 = np.cumsum(granules, dtype=np.uint64)
    addresses: U64 = (ends - granules) * np.uint64(16) + np.uint64(0x10000000)
    return addresses
