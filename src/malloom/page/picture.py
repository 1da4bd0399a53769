"""The page that draws a heap: pages and lines as recorded, and as a plan places them; walks through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from malloom import __version__
from malloom.layout.layout import Layout
from malloom.page.file import STYLES, write_file
from malloom.page.heap_lines import (
    DrawnMap,
    LineUses,
    Occupied,
    Places,
    drawn_map,
    occupied,
    planned_places,
    recorded_places,
    uses_of_lines,
)
from malloom.page.walk import Walk, walks_of
from malloom.profile import HeapProfile
from malloom.profile.requests import I64
from malloom.report.owners import Owners, owners_of
from malloom.report.reasons import check_not_empty, gaps, other_notes

CODE = ("numbers.js", "picture_colours.js", "picture_map.js", "picture_walk.js", "picture.js")
"""Of the page itself, in this order."""
LIBRARY = ""
"""None: a canvas needs no library that draws."""


@dataclass(frozen=True)
class HeapMap:
    """One of the two maps, with what it adds up to."""

    name: str
    places: Places
    lines: int
    """Lines that accesses touch; without accesses those that objects lie in."""
    pages: int
    """Pages, likewise."""
    bytes_per_line: float | None
    """Bytes that accesses touch of a line that they touch; None without accesses."""
    drawn: DrawnMap

    @property
    def placed(self) -> int:
        """Requests that the plan places."""
        return int(np.count_nonzero(self.places.placed))


@dataclass(frozen=True)
class Picture:
    """All that the page shows."""

    maps: list[HeapMap]
    walks: list[Walk]
    owners: Owners


def picture_of(profile: HeapProfile, layout: Layout | None) -> Picture:
    """Raises CommandError where the profile has no request of the process."""
    check_not_empty(profile)
    named = [("as recorded", recorded_places(profile))]
    if layout is not None:
        named.append((f"as {layout.strategy} places it", planned_places(profile, layout)))
    owners = owners_of(profile)
    places = [each for _, each in named]
    found: Sequence[LineUses | None] = [None] * len(places)
    if profile.access_entries:
        found = uses_of_lines(profile, places)
    maps = [
        _map(profile, name, each, owners.of_request, uses)
        for (name, each), uses in zip(named, found, strict=True)
    ]
    return Picture(maps, walks_of(profile, places) if profile.access_entries else [], owners)


def _map(profile: HeapProfile, name: str, places: Places, owner: I64, uses: LineUses | None) -> HeapMap:
    room = occupied(profile, places)
    drawn = drawn_map(profile, places, room.pages, owner, uses)
    return HeapMap(name, places, *_numbers(room, uses), drawn)


def _numbers(room: Occupied, uses: LineUses | None) -> tuple[int, int, float | None]:
    if uses is None:
        return room.lines, len(room.pages), None
    return uses.lines, len(uses.pages), uses.bytes_per_line


def write_picture(path: Path, profile: HeapProfile, layout: Layout | None, plan: str, output: Path) -> None:
    """Writes the page of a process of the profile at `path`; `plan` says where the layout is from."""
    picture = picture_of(profile, layout)
    data = page_data(path, profile, picture, plan)
    write_file(output, data, "picture.html", CODE, LIBRARY, (*STYLES, "picture.css"))


def page_data(path: Path, profile: HeapProfile, picture: Picture, plan: str) -> dict[str, Any]:
    """What the page's code reads."""
    created = datetime.fromtimestamp(profile.created / 1e9, UTC)
    return {
        "title": f"{profile.process.name} ({profile.process.pid}): picture of the heap",
        "profile": str(path),
        "plan": plan,
        "executable": profile.process.executable,
        "arguments": list(profile.process.arguments),
        "created": f"{created:%Y-%m-%d %H:%M} UTC",
        "version": __version__,
        "gaps": gaps(profile),
        "notes": [*other_notes(profile), *picture.owners.notes],
        "has_accesses": bool(profile.access_entries),
        "requests": len(profile.requests),
        "owners": picture.owners.names,
        "owner_bytes": picture.owners.bytes,
        "maps": [_map_data(each) for each in picture.maps],
        "walks": [_walk_data(walk, picture.maps) for walk in picture.walks],
    }


def _map_data(each: HeapMap) -> dict[str, Any]:
    drawn, spots = each.drawn, each.drawn.spots
    return {
        "name": each.name,
        "lines_touched": each.lines,
        "pages_touched": each.pages,
        "bytes_per_line": each.bytes_per_line,
        "placed": each.placed,
        "page_numbers": drawn.pages.tolist(),
        "pages_in_all": drawn.pages_in_all,
        "lines": {
            "cell": _steps_between(drawn.cells),
            "objects": drawn.objects.tolist(),
            "owner": drawn.owner.tolist(),
            "born": drawn.born.tolist(),
            "accesses": drawn.accesses.tolist(),
            "first": drawn.first.tolist(),
            "used": drawn.used.tolist(),
        },
        "spots": {
            "begin": _steps_between(spots.begin),
            "length": (spots.end - spots.begin).tolist(),
            "size": spots.size.tolist(),
            "owner": spots.owner.tolist(),
            "requests": spots.requests.tolist(),
            "accesses": spots.accesses.tolist(),
            "first": spots.first.tolist(),
        },
        "spots_in_all": drawn.spots_in_all,
    }


def _walk_data(walk: Walk, maps: Sequence[HeapMap]) -> dict[str, Any]:
    return {
        "name": walk.name,
        "begins": [step.begin for step in walk.steps],
        "counts": [step.counts for step in walk.steps],
        "means": walk.means(),
        "cells": [
            [_steps_between(each.drawn.cells_of(lines)) for each, lines in zip(maps, step.lines, strict=True)]
            for step in walk.steps
        ],
    }


def _steps_between(rising: I64) -> list[int]:
    """Rising numbers as the first and what each is above the one before: fewer digits, which pack better."""
    found: list[int] = np.diff(rising, prepend=0).tolist()
    return found
