"""Whether a file is a plan that can be run, and what its header says. Without NumPy: every run asks."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from malloom import _native, formats
from malloom.errors import CommandError
from malloom.file_name import native_name

TUNES_FALLBACK = ("fallback_huge_pages", "purge_delay")
"""Settings of the run time's own mimalloc: what a plan says of it by a flag, and by a field."""

_CODES = {"u32": "I", "i32": "i", "u64": "Q", "c32": "32s"}


def check_plan(path: Path | str) -> bytes:
    """The bytes of a plan's header, of several plans in the file those of all; raises CommandError unless
    `path` is a good plan of this version.

    Opens the file once, and does not import NumPy.
    """
    remedy = "name a plan made by 'malloom plan'"
    try:
        problem, headers = _native.check_plan(native_name(path))
    except RuntimeError as error:
        reason = str(error).removeprefix(f"{path}: ")
        raise CommandError(f"{path}: cannot be read: {reason}", remedy=remedy) from None
    if problem:
        raise CommandError(f"{path}: {problem}", remedy="make it again with 'malloom plan'")
    return headers


@dataclass(frozen=True)
class PlanHeader:
    """The fields of PlanHeader (formats/plan.def) by name."""

    fields: dict[str, int | bytes]

    @classmethod
    def of(cls, data: bytes) -> PlanHeader:
        """The header that a file of plans begins with."""
        definition = formats.load("plan").structs["PlanHeader"]
        layout = "<" + "".join(_CODES[field.type] for field in definition.fields)
        values = struct.unpack_from(layout, data)
        return cls(dict(zip((field.name for field in definition.fields), values, strict=True)))

    @classmethod
    def all_of(cls, data: bytes) -> tuple[PlanHeader, ...]:
        """Headers one behind the other, as check_plan gives them."""
        size = formats.load("plan").structs["PlanHeader"].size
        return tuple(cls.of(data[start : start + size]) for start in range(0, len(data), size))

    def has_flag(self, flag: str) -> bool:
        """Whether it has a PlanFlag, by name."""
        flags = self.fields["flags"]
        assert isinstance(flags, int)
        return bool(flags & formats.load("plan").enums["PlanFlag"][flag])

    @property
    def has_pools(self) -> bool:
        """Whether a context has a pool."""
        return bool(self.fields["pools_count"])

    @property
    def has_groups(self) -> bool:
        """Whether contexts share chunks."""
        return bool(self.fields["groups_count"])

    @property
    def says_nothing(self) -> bool:
        """Whether it places nothing, and leaves the fallback as it is."""
        tunes = self.has_flag("fallback_huge_pages") or self.fields["purge_delay"]
        return self.places_nothing and not tunes

    @property
    def places_nothing(self) -> bool:
        """Whether all requests would be the fallback's, and the code runs as it is."""
        counts = ("slots_count", "groups_count", "pools_count", "prefetches_count")
        return not any(self.fields[count] for count in counts)


def header_of(plan: Path) -> PlanHeader:
    """The header of a plan that has passed check_plan; of several in the file that of the first."""
    return next(_headers(plan))


def headers_of(plan: Path) -> list[PlanHeader]:
    """The same, of each in the file: they are for different executables."""
    return list(_headers(plan))


def _headers(plan: Path) -> Iterator[PlanHeader]:
    size, start = formats.load("plan").structs["PlanHeader"].size, 0
    with plan.open("rb") as file:
        while len(data := file.read(size)) == size:
            header = PlanHeader.of(data)
            yield header
            start += max(int(header.fields["file_bytes"]), size)
            file.seek(start)


def has_flag(plan: Path, flag: str) -> bool:
    """The same, a PlanFlag by name of the first, which is that of all where they are to run together."""
    return header_of(plan).has_flag(flag)


def has_pools(plan: Path) -> bool:
    """The same, whether a context has a pool."""
    return any(header.has_pools for header in headers_of(plan))


def has_groups(plan: Path) -> bool:
    """The same, whether contexts share chunks."""
    return any(header.has_groups for header in headers_of(plan))


def has_arena(plan: Path) -> bool:
    """The same, whether requests have places of their own."""
    return any(header.fields["arena_bytes"] for header in headers_of(plan))


def has_prefetches(plan: Path) -> bool:
    """The same, whether loads have prefetches."""
    return any(header.fields["prefetches_count"] for header in headers_of(plan))


def places_nothing(plan: Path) -> bool:
    """The same, whether the plan places nothing."""
    return all(header.places_nothing for header in headers_of(plan))


def says_nothing(plan: Path) -> bool:
    """The same, whether the fallback alone is as good."""
    return all(header.says_nothing for header in headers_of(plan))
