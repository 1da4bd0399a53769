"""What differs between two plans: what serves each call site, and what they hold for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from malloom import formats
from malloom.diff.matching import Programs, matched_contexts
from malloom.diff.names import Known, SitePlace, calls_of, names_of
from malloom.diff.text import broken, shares_text
from malloom.layout.plan_file import PlanFile, read_plan
from malloom.layout.plan_shown import plan_as_data, plan_lines
from malloom.quantities import counted, format_size
from malloom.sites.table import SiteTable, decode

NO_GROUP = 2**32 - 1
DEEPER = 2**32 - 1
"""Bytes of a pool that stand for: the contexts one frame deeper say."""
HEADER = (
    "strategy",
    "matching",
    "depth",
    "planned_requests",
    "groups",
    "pools",
    "prefetches",
    "arena_bytes",
    "judged",
    "heap",
)
"""What is compared of the head of a plan."""
WORDS = ("new", "gone", "changed")
"""What may have become of a call site."""


@dataclass(frozen=True)
class Place:
    """What a plan has for a call site. Zero and None: nothing of that kind. One that leads on has what its
    callers say."""

    slots: int
    group: int | None
    pool_bytes: int
    leads_on: bool = False

    def __str__(self) -> str:
        parts = [
            counted(self.slots, "slot") if self.slots else "",
            f"group {self.group}" if self.group is not None else "",
            f"a pool of {format_size(self.pool_bytes)}" if self.pool_bytes else "",
            "what its callers have" if self.leads_on else "",
        ]
        return ", ".join(part for part in parts if part) or "nothing"


NOTHING = Place(0, None, 0)


@dataclass(frozen=True)
class PlacedSite:
    """A call site of either plan, and what either has for it; None where it does not know the site."""

    name: str
    calls: tuple[SitePlace, ...]
    """Those of the program's own that are known, the innermost first."""
    level: str
    """How much of its key agrees; empty where one plan alone knows it."""
    old: Place | None
    new: Place | None

    @property
    def word(self) -> str:
        """One of WORDS; empty where it is served alike."""
        if (self.old or NOTHING) == (self.new or NOTHING):
            return ""
        return "new" if self.old is None else "gone" if self.new is None else "changed"


@dataclass(frozen=True)
class PlanHead:
    """What one of the plans is."""

    path: Path
    fields: Mapping[str, Any]
    """As plan_as_data has them, and how the plan finds its requests again."""
    lines: list[str]
    """For people."""

    def text(self, name: str) -> str:
        """A field for people."""
        value = self.fields[name]
        if value is None:
            return "nothing"
        if isinstance(value, int):
            return format_size(value) if name == "arena_bytes" else f"{value:,}"
        return str(value)


@dataclass(frozen=True)
class PlanDifference:
    """All of it."""

    old: PlanHead
    new: PlanHead
    matched: dict[str, float | None]
    """Part of the call sites of either plan that both know; None: it knows none."""
    sites: list[PlacedSite]
    """Those that changed first, then by name."""

    @property
    def changed(self) -> list[str]:
        """Which of HEADER differ."""
        return [name for name in HEADER if self.old.fields[name] != self.new.fields[name]]

    def matched_text(self) -> str:
        """How many of the call sites of either plan both know; empty where neither knows one."""
        shares = self.matched["sites_of_old"], self.matched["sites_of_new"]
        levels = (site.level for site in self.sites)
        return shares_text(*shares, "call sites", levels) if self.sites else ""


def plan_difference(old: Path, new: Path) -> PlanDifference:
    """Compares two plans. Raises CommandError where one is not good."""
    (before, ours), (after, theirs) = _side(old), _side(new)
    sites = list(_sites(ours, theirs, (ours.program, theirs.program)))
    shared = sum(bool(site.level) for site in sites)
    counts = {"sites_of_old": len(ours.sites.contexts), "sites_of_new": len(theirs.sites.contexts)}
    matched = {name: shared / count if count else None for name, count in counts.items()}
    return PlanDifference(before, after, matched, sorted(sites, key=lambda site: (not site.word, site.name)))


@dataclass(frozen=True)
class _Placed:
    sites: SiteTable
    places: Mapping[int, Place]
    """By the context's hash."""

    @property
    def program(self) -> str:
        """Name of the one file of code that is no library; empty where there are several."""
        names = [Path(module.path).name for module in self.sites.modules]
        programs = [name for name in names if ".so" not in name]
        return programs[0] if len(programs) == 1 else ""

    def place(self, index: int) -> Place:
        return self.places.get(self.sites.contexts[index].hash, NOTHING)


def _side(path: Path) -> tuple[PlanHead, _Placed]:
    fields, plan = plan_as_data(path), read_plan(path)
    matchings = formats.load("plan").enums["Matching"]
    matching = next(name for name, number in matchings.items() if number == plan.header["matching"])
    fields |= {"matching": matching, "depth": plan.header["depth"]}
    sites = decode(plan.sites, str(path)) if plan.sites else SiteTable()
    return PlanHead(path, fields, plan_lines(path)), _Placed(sites, _places(plan))


def _places(plan: PlanFile) -> dict[int, Place]:
    return {
        int(entry["hash"]): Place(
            int(entry["slots"]),
            None if int(entry["group"]) == NO_GROUP else int(entry["group"]),
            int(entry["pool_bytes"]) % DEEPER,
            int(entry["pool_bytes"]) == DEEPER,
        )
        for entry in plan.contexts
        if int(entry["hash"])
    }


def _sites(old: _Placed, new: _Placed, programs: Programs) -> Iterator[PlacedSite]:
    served = list(_served(old, new, programs))
    names = names_of([known for known, *_ in served])
    for (known, level, before, after), name in zip(served, names, strict=True):
        yield PlacedSite(name, calls_of(*known), level, before, after)


def _served(
    old: _Placed, new: _Placed, programs: Programs
) -> Iterator[tuple[Known, str, Place | None, Place | None]]:
    """Each site, how much of its key agrees, and what either plan has for it."""
    pairs = matched_contexts(old.sites, new.sites, programs)
    for index, context in enumerate(old.sites.contexts):
        there, level = pairs.get(index, (None, ""))
        place = None if there is None else new.place(there)
        yield (old.sites, context), level, old.place(index), place
    known = {index for index, _ in pairs.values()}
    for index, context in enumerate(new.sites.contexts):
        if index not in known:
            yield (new.sites, context), "", None, new.place(index)


def plans_as_object(found: PlanDifference) -> dict[str, Any]:
    """One JSON object, all sites in it."""
    old, new = found.old.fields, found.new.fields
    return {
        "old": str(found.old.path),
        "new": str(found.new.path),
        "plans": {"old": dict(old), "new": dict(new)},
        "changed": {name: {"old": old[name], "new": new[name]} for name in found.changed},
        "matched": found.matched,
        "sites": [_site(site) for site in found.sites],
    }


def _site(site: PlacedSite) -> dict[str, Any]:
    return {
        "name": site.name,
        "calls": [asdict(call) for call in site.calls],
        "match": site.level or None,
        "old": asdict(site.old) if site.old else None,
        "new": asdict(site.new) if site.new else None,
        "words": [site.word] if site.word else [],
    }


def plans_for_page(found: PlanDifference) -> dict[str, Any]:
    """The same, and beside it what people read."""
    data = plans_as_object(found)
    for told, site in zip(data["sites"], found.sites, strict=True):
        told |= {"before": _told(site.old), "after": _told(site.new)}
    return {
        **data,
        "fields": [
            {"title": _title(name), "old": found.old.text(name), "new": found.new.text(name)}
            for name in HEADER
        ],
        "lines": {"before": found.old.lines, "after": found.new.lines},
        "matched_text": found.matched_text(),
        "words": list(WORDS),
    }


def plans_lines(found: PlanDifference, top: int, width: int) -> Iterator[str]:
    """What differs, for people, so many columns wide; `top` 0 shows all sites that do."""
    for line in _whole_lines(found, top):
        yield from broken(line, width)


def _whole_lines(found: PlanDifference, top: int) -> Iterator[str]:
    yield f"{found.old.path} -> {found.new.path}, plans"
    for name in found.changed:
        yield f"{_title(name)}: {found.old.text(name)} -> {found.new.text(name)}"
    if found.sites:
        yield found.matched_text()
    changed = [site for site in found.sites if site.word]
    for site in changed[: top or None]:
        yield f"{site.word}: {site.name}: {_told(site.old)} -> {_told(site.new)}"
    if top and len(changed) > top:
        yield f"{counted(len(changed) - top, 'more site')} that changed ('--top 0' shows all)"
    same = len(found.sites) - len(changed)
    is_other = bool(changed or found.changed)
    if same or not is_other:
        yield f"{counted(same, 'site')} served alike" if is_other else "nothing differs"


def _title(name: str) -> str:
    return name.replace("_", " ")


def _told(place: Place | None) -> str:
    return "not known" if place is None else str(place)
