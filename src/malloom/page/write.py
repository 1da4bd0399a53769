"""The page as one file: data, styles, code and the library that draws, all in it."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from malloom import __version__
from malloom.cache.geometry import Geometry
from malloom.errors import CommandError
from malloom.output_file import written_whole
from malloom.page.advice import advice_on
from malloom.page.sites import Contents, contents_of
from malloom.printable import printable
from malloom.profile import HeapProfile, Process
from malloom.profile.heap_profile import open_recording, processes_of
from malloom.report.reasons import check_not_empty, gaps, other_notes

MOST_PROCESSES = 500
"""That are listed."""


def write_page(path: Path, process: str | None, geometry: Geometry, output: Path) -> None:
    """Writes the page of one process of a profile: whoever opens `output` sees a whole one, old or new.

    Raises CommandError where the page would be empty, or where the library that draws is not installed.
    """
    library = drawing_library()
    profile = HeapProfile.open(path, process)
    check_not_empty(profile)
    data = page_data(path, profile, contents_of(profile, geometry), geometry)
    text = page_text(data, library)
    with written_whole(output) as file:
        file.write(text.encode("utf-8", errors="replace"))


def drawing_library() -> str:
    """Plotly's code. Raises CommandError where it is not installed."""
    try:
        return resources.files("plotly").joinpath("package_data/plotly.min.js").read_text(encoding="utf-8")
    except (ImportError, OSError):
        raise CommandError(
            "a page needs the Python package plotly", remedy="install malloom[report], or use --format text"
        ) from None


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
        "advice": [asdict(advice) for advice in advice_on(contents.sites, str(path))],
        "processes": _processes(processes, profile.process),
        "processes_in_all": len(processes),
    }


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


def page_text(data: dict[str, Any], library: str) -> str:
    """The file's text. What a program or a user has named is in the data alone, packed, and never code."""
    packed = base64.b64encode(gzip.compress(json.dumps(data).encode("utf-8", errors="replace"), mtime=0))
    own = resources.files("malloom.page")
    parts = {
        "TITLE": escape(printable(data["title"])),
        "STYLE": own.joinpath("page.css").read_text(encoding="utf-8"),
        "LIBRARY": library.replace("</script", "<\\/script"),
        "CODE": "\n".join(own.joinpath(name).read_text(encoding="utf-8") for name in CODE),
        "DATA": packed.decode(),
    }
    text = own.joinpath("page.html").read_text(encoding="utf-8")
    before, *rest = text.split("@@")
    return before + "".join(parts[name] if at % 2 == 0 else name for at, name in enumerate(rest))


CODE = ("numbers.js", "tree.js", "charts.js", "page.js")
"""Of the page itself, in this order."""
