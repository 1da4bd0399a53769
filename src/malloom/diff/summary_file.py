"""Summaries on disk: small enough to lie beside a program's source, as the baseline of later recordings."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from malloom.cache.geometry import Geometry
from malloom.diff.summary import MEASURES, Numbers, Summary, summarize_profile
from malloom.errors import CommandError
from malloom.output_file import BEGINNINGS, is_kind, written_whole
from malloom.sites.table import decode, encode

VERSION = 1
ALWAYS_KNOWN = 3
"""So many of MEASURES, the first ones."""
REMEDY = "make it again with 'malloom check PROFILE --save FILE'"


def read_side(path: Path, process: str | None, geometry: Geometry, depth: int) -> tuple[Summary, list[str]]:
    """A summary that was saved, or that of a profile, with notes (summarize_profile)."""
    return (
        (read_summary(path), [])
        if is_kind(path, "summary")
        else summarize_profile(path, process, geometry, depth)
    )


def write_summary(summary: Summary, path: Path) -> None:
    """Writes the summary: whoever opens `path` sees a whole one, old or new. The same recording gives the
    same bytes."""
    document = {
        "executable": summary.executable,
        "build_id": summary.build_id,
        "arguments": list(summary.arguments),
        "depth": summary.depth,
        "geometry": summary.geometry,
        "are_exact": summary.are_exact,
        "is_cut": summary.is_cut,
        "gaps": list(summary.gaps),
        "totals": asdict(summary.totals),
        "sites": base64.b64encode(encode(summary.sites)).decode(),
        "names": [summary.sites.name(context) for context in summary.contexts],
        "numbers": [[numbers.measure(name) for name in MEASURES] for numbers in summary.numbers],
    }
    text = json.dumps(document, indent=1, ensure_ascii=True)
    with written_whole(path) as file:
        file.write(f"{BEGINNINGS['summary'].decode()}{VERSION},{text[1:]}\n".encode())


def read_summary(path: Path) -> Summary:
    """Checks and reads one. Raises CommandError where it is not good."""
    try:
        document = json.loads(path.read_bytes())
        return _from(document, str(path))
    except OSError as error:
        raise CommandError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error):
        raise CommandError(f"{path}: is damaged: it makes no sense", remedy=REMEDY) from None


def _from(document: Any, where: str) -> Summary:
    if document["malloom_summary"] != VERSION:
        raise CommandError(f"{where}: is of version {document['malloom_summary']!r}", remedy=REMEDY)
    sites = decode(base64.b64decode(document["sites"], validate=True), where)
    numbers = tuple(_numbers(row) for row in document["numbers"])
    gaps = tuple(map(_text, document["gaps"]))
    is_cut = document["is_cut"] is not False
    if len(numbers) != len(sites.contexts) or (is_cut and not gaps):
        raise ValueError
    return Summary(
        source=where,
        executable=_text(document["executable"]),
        build_id=_text(document["build_id"]),
        arguments=tuple(map(_text, document["arguments"])),
        depth=_count(document["depth"]),
        geometry=_text(document["geometry"]),
        are_exact=document["are_exact"] is True,
        is_cut=is_cut,
        gaps=gaps,
        totals=_numbers([document["totals"][name] for name in MEASURES]),
        sites=sites,
        numbers=numbers,
        is_counted=True,
    )


def _numbers(row: list[Any]) -> Numbers:
    for value in row:
        if value is not None:
            _count(value)
    if None in row[:ALWAYS_KNOWN]:
        raise ValueError
    return Numbers(*row)


def _count(value: Any) -> int:
    """No recording counts further."""
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise ValueError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
