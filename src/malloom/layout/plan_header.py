"""Whether a file is a plan that can be run, and what its header says. Without NumPy: every run asks."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from malloom import _native, formats
from malloom.errors import CommandError
from malloom.file_name import native_name

TUNES_FALLBACK = ("fallback_huge_pages", "purge_delay")
"""Settings of the run time's own mimalloc: what a plan says of it by a flag, and by a field."""

_CODES = {"u32": "I", "i32": "i", "u64": "Q", "c32": "32s"}


def check_plan(path: Path | str) -> bytes:
    """The bytes of a plan's header; raises CommandError unless `path` is a good plan of this version.

    Opens the file once, and does not import NumPy.
    """
    remedy = "name a plan made by 'malloom plan'"
    try:
        problem, header = _native.check_plan(native_name(path))
    except RuntimeError as error:
        reason = str(error).removeprefix(f"{path}: ")
        raise CommandError(f"{path}: cannot be read: {reason}", remedy=remedy) from None
    if problem:
        raise CommandError(f"{path}: {problem}", remedy="make it again with 'malloom plan'")
    return header


@dataclass(frozen=True)
class PlanHeader:
    """The fields of PlanHeader (formats/plan.def) by name."""

    fields: dict[str, int | bytes]

    @classmethod
    def of(cls, data: bytes) -> PlanHeader:
        """The header that a plan begins with, as check_plan gives it."""
        definition = formats.load("plan").structs["PlanHeader"]
        layout = "<" + "".join(_CODES[field.type] for field in definition.fields)
        values = struct.unpack_from(layout, data)
        return cls(dict(zip((field.name for field in definition.fields), values, strict=True)))

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
    """The header of a plan that has passed check_plan."""
    with plan.open("rb") as file:
        return PlanHeader.of(file.read(formats.load("plan").structs["PlanHeader"].size))


def has_flag(plan: Path, flag: str) -> bool:
    """The same, a PlanFlag of it by name."""
    return header_of(plan).has_flag(flag)


def has_pools(plan: Path) -> bool:
    """The same, whether a context has a pool."""
    return header_of(plan).has_pools


def has_groups(plan: Path) -> bool:
    """The same, whether contexts share chunks."""
    return header_of(plan).has_groups


def places_nothing(plan: Path) -> bool:
    """The same, whether the plan places nothing."""
    return header_of(plan).places_nothing


def says_nothing(plan: Path) -> bool:
    """The same, whether the fallback alone is as good."""
    return header_of(plan).says_nothing
