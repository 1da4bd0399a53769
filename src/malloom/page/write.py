"""The page of a profile: what it shows, gathered and written."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from malloom import __version__
from malloom.cache.geometry import Geometry
from malloom.layout.ranking import SILENT, RankingProgress
from malloom.page.advice import Advice, advice_on
from malloom.page.file import drawing_library, write_file
from malloom.page.sites import Contents, contents_of
from malloom.profile import HeapProfile, Process
from malloom.profile.heap_profile import open_recording, processes_of
from malloom.report.reasons import check_not_empty, gaps, other_notes

MOST_PROCESSES = 500
"""That are listed."""


def write_page(
    path: Path,
    process: str | None,
    geometry: Geometry,
    output: Path,
    progress: RankingProgress = SILENT,
) -> None:
    """Writes the page of one process of a profile: whoever opens `output` sees a whole one, old or new.

    Raises CommandError where the page would be empty, or where the library that draws is not installed.
    """
    library = drawing_library()
    profile = HeapProfile.open(path, process)
    check_not_empty(profile)
    data = page_data(path, profile, contents_of(profile, geometry, progress), geometry)
    write_file(output, data, "page.html", CODE, library)


def page_data(path: Path, profile: HeapProfile, contents: Contents, geometry: Geometry) -> dict[str, Any]:
    """All that the page knows, as its code reads it."""
    created = datetime.fromtimestamp(profile.created / 1e9, UTC)
    columns = [field for field in asdict(contents.sites[0]) if field != "frames"] if contents.sites else []
    processes = processes_of(open_recording(path))
    return {
        "title": f"{profile.process.name} ({profile.process.pid})",
        "profile": str(path),
        "executable": profile.process.executable,
        "arguments": list(profile.process.arguments),
        "created": f"{created:%Y-%m-%d %H:%M} UTC",
        "version": __version__,
        "geometry": geometry.name if profile.access_entries else "",
        "gaps": gaps(profile),
        "notes": [*other_notes(profile), *contents.notes],
        "totals": asdict(contents.totals),
        "columns": columns,
        "sites": [[getattr(site, name) for name in columns] for site in contents.sites],
        "chains": [site.frames for site in contents.sites],
        "frames": [list(asdict(frame).values()) for frame in contents.frames],
        "timeline": {name: value for name, value in asdict(contents.timeline).items() if name != "at_peak"},
        "objects": [asdict(each) for each in contents.objects],
        "line_bytes": geometry.caches[0].line_bytes,
        "placing": contents.gains.strategy if contents.gains else "",
        "advice": [asdict(advice) for advice in _advice(path, profile, contents, processes, geometry)],
        "processes": _processes(processes, profile.process),
        "processes_in_all": len(processes),
    }


def _advice(
    path: Path, profile: HeapProfile, contents: Contents, processes: Sequence[Process], geometry: Geometry
) -> list[Advice]:
    process = profile.process
    command = [process.executable or process.name, *process.arguments[1:]]
    # What another process started may not run by itself: its files may be gone, its input is not known.
    is_started = process.parent in {each.pid for each in processes}
    program = "" if is_started else shlex.join(command)
    named = str(process.pid) if len(processes) > 1 else None
    return advice_on(contents.sites, str(path), contents.gains, program, named, geometry.name)


def _processes(processes: Sequence[Process], chosen: Process) -> list[dict[str, Any]]:
    by_events = sorted(processes, key=lambda each: (each.identity != chosen.identity, -each.events))
    return [
        {
            "pid": each.pid,
            "parent": each.parent,
            "executable": each.executable,
            "arguments": list(each.arguments),
            "events": each.events,
            "access_entries": each.access_entries,
            "is_shown": each.identity == chosen.identity,
        }
        for each in by_events[:MOST_PROCESSES]
    ]


CODE = ("numbers.js", "tree.js", "charts.js", "objects.js", "page.js")
"""Of the page itself, in this order."""
