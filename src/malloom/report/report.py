"""What a report says, whatever its format."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol, cast

from malloom.errors import UsageProblem
from malloom.profile import HeapProfile, Process
from malloom.profile.requests import Requests
from malloom.report.context_rows import ContextRow, Totals, sort_rows, summarize
from malloom.report.reasons import check_not_empty, gaps, other_notes
from malloom.report.symbols import Place, Symbols


@dataclass(frozen=True)
class Report:
    """Rows are sorted and cut to the wanted number."""

    profile: Path
    process: Process
    created: int
    """Nanoseconds since 1970."""
    totals: Totals
    sort: str
    """What the rows are sorted by, one of SORT_KEYS."""
    rows: list[ContextRow]
    chains: list[list[Place]]
    """Of each row the places of its frames, innermost first; an inlined function has a place of its own."""
    gaps: list[str]
    """What the profile has only a part of; what cannot be known for that is None in totals and rows."""
    notes: list[str]
    """What else a reader has to know."""
    requests: Requests
    """All of the process, by the contexts of the rows."""


class ReportFormat(Protocol):
    """One output of a report: a module with these names."""

    summary: str

    def write(self, report: Report, output: IO[str]) -> None:
        """Writes the whole report."""


FORMATS = ("text", "json", "csv", "folded", "speedscope", "pprof", "perfetto")
"""Each is one module beside this one."""
EXPORTS = ("csv", "folded", "speedscope", "pprof", "perfetto")
"""Those that other tools read: they have all contexts, if nobody says otherwise."""


def find_format(name: str) -> ReportFormat:
    """The format of that name. Raises UsageProblem, which names those there are."""
    if name not in FORMATS:
        known = ", ".join((*FORMATS, "html", "parquet"))
        raise UsageProblem(f"there is no report format '{name}'", remedy=f"use one of {known}")
    return cast(ReportFormat, importlib.import_module(f"malloom.report.{name}"))


def make_report(path: Path, *, process: str | None, sort: str, top: int, depth: int = 0) -> Report:
    """The report on one process of a profile; `top` 0 keeps all rows, `depth` 0 all frames.

    Raises CommandError with the reason where the report would be empty.
    """
    profile = HeapProfile.open(path, process)
    check_not_empty(profile)
    if depth:
        profile = profile.folded(depth)
    totals, rows = summarize(profile)
    rows = sort_rows(rows, sort)[: top or None]
    frames = [profile.contexts.frames(row.context) for row in rows]
    symbols = Symbols(profile.modules)
    places = symbols.places(frame for chain in frames for frame in chain)
    notes = [*other_notes(profile), *symbols.notes]
    chains = [[place for frame in chain for place in places[frame]] for chain in frames]
    return Report(
        path,
        profile.process,
        profile.created,
        totals,
        sort,
        rows,
        chains,
        gaps(profile),
        notes,
        profile.requests,
    )
