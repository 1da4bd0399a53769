"""Guests of zero-knowledge virtual machines, small programs in Rust (workloads/guests), and the requests that
they make, recorded on this machine: what `firmware/benchmarks/guests` replays."""

import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np

from malloom.bench.bins.rust import ran, this_machines_rust
from malloom.measure.stages import record
from malloom.profile.text_form import to_text

MAGIC = int.from_bytes(b"MGGT", "little")
VERSION = 1
KIND_BITS = 4


@dataclass(frozen=True)
class Guest:
    """A program, and how much work it is given."""

    name: str
    what: str
    count: int
    """Its second argument; the first is a seed."""


GUESTS = (
    Guest("json", "a JSON parser", 8),
    Guest("btree", "a B-tree map", 12000),
    Guest("hash", "a hash function over vectors", 8),
    Guest("bignum", "a big-number program", 1),
    Guest("interpreter", "an interpreter", 3),
)
"""Of some ten thousand requests each. None was chosen by its result."""
LEARNED_SEED, JUDGED_SEED = 7, 2012


class Kind(IntEnum):
    """Of an operation (firmware/benchmarks/guests/replay.c)."""

    ALLOC = 0
    ALLOC_ZEROED = 1
    FREE = 2
    RESIZE = 3


@dataclass(frozen=True, eq=False)
class Trace:
    """A guest's operations. An object has a slot from its first request to its free."""

    kinds: np.ndarray
    slots: np.ndarray
    sizes: np.ndarray
    """Bytes asked for; 0 where an object is freed."""

    @property
    def requests(self) -> int:
        return int((self.kinds != Kind.FREE).sum())

    @property
    def peak(self) -> int:
        """The most bytes that live at one time."""
        held = np.zeros(int(self.slots.max(initial=0)) + 1, dtype=np.int64)
        living = most = 0
        for slot, size in zip(self.slots.tolist(), self.sizes.tolist(), strict=True):
            living += size - int(held[slot])
            held[slot] = size
            most = max(most, living)
        return most

    @property
    def room(self) -> int:
        """Bytes in which nothing need ever be freed."""
        return int(((self.sizes + 63) // 16 * 16).sum()) + (64 << 10)

    def encoded(self) -> bytes:
        """The content of the data file."""
        slots = int(self.slots.max(initial=-1)) + 1
        header = np.array([MAGIC, VERSION, len(self.kinds), slots, self.room], dtype="<u4")
        words = np.column_stack((self.slots << KIND_BITS | self.kinds, self.sizes)).astype("<u4")
        return header.tobytes() + words.tobytes()


EVENT = re.compile(rb"^ \d+ (allocate|allocate_zeroed|release|reallocate_release|reallocate) ([0-9a-f]+)")
SIZE = re.compile(rb" size=(\d+)")


def operations(lines: Iterable[bytes]) -> Trace:
    """Of a profile's text. What is freed without having been asked for is left out; no bytes are one."""
    slot_of: dict[bytes, int] = {}
    free: list[int] = []
    found: list[tuple[int, int, int]] = []
    resized = -1
    for line in lines:
        event = EVENT.match(line)
        if event is None:
            continue
        name, address = event.groups()
        if name == b"reallocate_release":
            resized = slot_of.pop(address, -1)
        elif name == b"release":
            if (slot := slot_of.pop(address, -1)) >= 0:
                free.append(slot)
                found.append((Kind.FREE, slot, 0))
        else:
            kind = {b"allocate": Kind.ALLOC, b"allocate_zeroed": Kind.ALLOC_ZEROED}.get(name, Kind.RESIZE)
            slot = resized if kind is Kind.RESIZE else -1
            if slot < 0:
                kind = Kind.ALLOC if kind is Kind.RESIZE else kind
                slot = free.pop() if free else len(slot_of)
            slot_of[address], resized = slot, -1
            size = SIZE.search(line)
            found.append((kind, slot, max(int(size[1]) if size else 0, 1)))
    columns = np.array(found, dtype=np.int64).reshape(-1, 3).T
    return Trace(*columns)


def built(guest: Guest, sources: Path, folder: Path) -> Path:
    """The program; raises CommandError where the compiler refuses it."""
    made = folder / guest.name
    source = sources / f"{guest.name}.rs"
    ran([this_machines_rust().rustc, "-O", "--edition=2021", "-o", str(made), str(source)])
    return made


def recorded(guest: Guest, program: Path, seed: int, profile: Path) -> Trace:
    """What it asks for, and the profile of that."""
    return requests_of((str(program), str(seed), str(guest.count)), profile)


def requests_of(command: Sequence[str], profile: Path) -> Trace:
    """What a command asks for, recorded in the profile."""
    record(command, profile, "none")
    with tempfile.TemporaryFile() as text:
        to_text(profile, text)
        text.seek(0)
        return operations(text)
