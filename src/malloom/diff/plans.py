"""What differs between two plans: what serves each call site, and what they hold for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from malloom.diff.changes import name_of
from malloom.diff.matching import matched_contexts
from malloom.layout.plan_file import PlanFile, read_plan
from malloom.layout.plan_shown import plan_as_data
from malloom.printable import printable
from malloom.quantities import counted, format_size
from malloom.sites.table import SiteTable, decode

NO_GROUP = 2**32 - 1
DEEPER = 2**32 - 1
"""Bytes of a pool that stand for: the contexts one frame deeper say."""
HEADER = ("strategy", "planned_requests", "groups", "pools", "prefetches", "arena_bytes", "judged", "heap")
"""What is compared of plan_as_data."""


@dataclass(frozen=True)
class Place:
    """What a plan has for a call site. Zero and None: nothing of that kind."""

    slots: int
    group: int | None
    pool_bytes: int

    def __str__(self) -> str:
        parts = [
            counted(self.slots, "slot") if self.slots else "",
            f"group {self.group}" if self.group is not None else "",
            f"a pool of {format_size(self.pool_bytes)}" if self.pool_bytes else "",
        ]
        return ", ".join(part for part in parts if part) or "nothing"


NOTHING = Place(0, None, 0)


@dataclass(frozen=True)
class PlacedSite:
    """A call site of either plan, and what either has for it; None where it does not know the site."""

    name: str
    old: Place | None
    new: Place | None

    @property
    def is_changed(self) -> bool:
        return (self.old or NOTHING) != (self.new or NOTHING)


@dataclass(frozen=True)
class PlanDifference:
    """All of it."""

    old: Path
    new: Path
    header: dict[str, tuple[Any, Any]]
    """Fields of HEADER that differ, old and new."""
    sites: list[PlacedSite]
    """Those that changed first, then by name."""


def plan_difference(old: Path, new: Path) -> PlanDifference:
    """Compares two plans. Raises CommandError where one is not good."""
    before, after = plan_as_data(old), plan_as_data(new)
    header = {name: (before[name], after[name]) for name in HEADER if before[name] != after[name]}
    sites = list(_sites(_placed(old), _placed(new)))
    return PlanDifference(old, new, header, sorted(sites, key=lambda site: (not site.is_changed, site.name)))


@dataclass(frozen=True)
class _Placed:
    sites: SiteTable
    places: Mapping[int, Place]
    """By the context's hash."""

    def place(self, index: int) -> Place:
        return self.places.get(self.sites.contexts[index].hash, NOTHING)


def _placed(path: Path) -> _Placed:
    plan = read_plan(path)
    sites = decode(plan.sites, str(path)) if plan.sites else SiteTable()
    return _Placed(sites, _places(plan))


def _places(plan: PlanFile) -> dict[int, Place]:
    return {
        int(entry["hash"]): Place(
            int(entry["slots"]),
            None if int(entry["group"]) == NO_GROUP else int(entry["group"]),
            int(entry["pool_bytes"]) % DEEPER,
        )
        for entry in plan.contexts
        if int(entry["hash"])
    }


def _sites(old: _Placed, new: _Placed) -> Iterator[PlacedSite]:
    pairs = matched_contexts(old.sites, new.sites)
    for index, context in enumerate(old.sites.contexts):
        there = pairs.get(index)
        yield PlacedSite(
            name_of(old.sites, context), old.place(index), new.place(there[0]) if there else None
        )
    known = {index for index, _ in pairs.values()}
    for index, context in enumerate(new.sites.contexts):
        if index not in known:
            yield PlacedSite(name_of(new.sites, context), None, new.place(index))


def plans_as_object(found: PlanDifference) -> dict[str, Any]:
    """One JSON object, all sites in it."""
    return {
        "old": str(found.old),
        "new": str(found.new),
        "changed": {name: {"old": old, "new": new} for name, (old, new) in found.header.items()},
        "sites": [
            {
                "name": site.name,
                "old": asdict(site.old) if site.old else None,
                "new": asdict(site.new) if site.new else None,
            }
            for site in found.sites
        ],
    }


def plans_lines(found: PlanDifference, top: int) -> Iterator[str]:
    """What differs, for people; `top` 0 shows all sites that do."""
    yield f"{printable(str(found.old))} -> {printable(str(found.new))}, plans"
    for name, (old, new) in found.header.items():
        yield printable(f"{name.replace('_', ' ')}: {old} -> {new}")
    changed = [site for site in found.sites if site.is_changed]
    for site in changed[: top or None]:
        yield printable(f"{site.name}: {_told(site.old)} -> {_told(site.new)}")
    if top and len(changed) > top:
        yield f"{counted(len(changed) - top, 'more site')} that changed ('--top 0' shows all)"
    same = len(found.sites) - len(changed)
    if same or not (changed or found.header):
        yield f"{counted(same, 'site')} served alike" if changed or found.header else "nothing differs"


def _told(place: Place | None) -> str:
    return "not known" if place is None else str(place)
