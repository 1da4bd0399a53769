"""What each context requests, how long that lives and how it is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from malloom import _native
from malloom.profile import NEVER, HeapProfile

SORT_KEYS = ("bytes", "requests", "accesses")


@dataclass(frozen=True)
class ContextRow:
    """One context of a process."""

    context: int
    """Index into HeapProfile.contexts."""
    hash: int
    requests: int
    bytes: int
    live_peak: int
    """Most bytes that lived at once."""
    median_lifetime: int | None
    """Allocation events between birth and release, over the released objects; None where none was."""
    to_end: float | None
    """Share of the objects that were never released; None where the recording lacks the program's end."""
    accesses: int | None
    """Recorded accesses; None where none were recorded."""
    accessed: float | None
    """Share of the objects that an access reached; None where not every access was recorded."""


@dataclass(frozen=True)
class Totals:
    """The same over the whole process."""

    requests: int
    bytes: int
    live_peak: int
    to_end: float | None
    accesses: int | None
    contexts: int
    threads: int


def summarize(profile: HeapProfile, with_accesses: bool = True) -> tuple[Totals, list[ContextRow]]:
    """Totals and a row for each context that made a request, in no order of note. Accesses take a pass over
    all of them, and may be left out."""
    requests, contexts = profile.requests, len(profile.contexts)
    peaks, medians = _native.lifetimes(
        requests.size, requests.birth, requests.death, requests.context, contexts
    )
    columns = _columns(profile, contexts, with_accesses and profile.access_entries > 0)
    rows = [_row(profile, columns, peaks, medians, index) for index in np.flatnonzero(columns["requests"])]
    return _totals(profile, int(peaks[-1]), rows), rows


def sort_rows(rows: list[ContextRow], key: str) -> list[ContextRow]:
    """Rows by falling `key`, one of SORT_KEYS."""
    return sorted(rows, key=lambda row: (-(getattr(row, key) or 0), row.context))


def _columns(profile: HeapProfile, contexts: int, with_accesses: bool) -> dict[str, Any]:
    requests = profile.requests
    context = requests.context

    def summed(weights: Any) -> Any:
        return np.bincount(context, weights=weights, minlength=contexts)

    columns = {
        "requests": np.bincount(context, minlength=contexts),
        "bytes": summed(requests.size),
        "to_end": summed(requests.death == np.uint64(NEVER)),
    }
    if with_accesses:
        columns["accesses"] = summed(requests.accesses)
        columns["accessed"] = summed(requests.accesses != 0)
    return columns


def _row(profile: HeapProfile, columns: dict[str, Any], peaks: Any, medians: Any, index: Any) -> ContextRow:
    count = int(columns["requests"][index])
    median = int(medians[index])
    return ContextRow(
        context=int(index),
        hash=int(profile.contexts.hashes[index]),
        requests=count,
        bytes=int(columns["bytes"][index]),
        live_peak=int(peaks[index]),
        median_lifetime=None if median == NEVER else median,
        to_end=None if profile.cut else float(columns["to_end"][index]) / count,
        accesses=int(columns["accesses"][index]) if "accesses" in columns else None,
        accessed=(
            float(columns["accessed"][index]) / count
            if "accessed" in columns and profile.has_all_accesses
            else None
        ),
    )


def _totals(profile: HeapProfile, peak: int, rows: list[ContextRow]) -> Totals:
    requests = profile.requests
    count = len(requests)
    living = float((requests.death == np.uint64(NEVER)).sum())
    return Totals(
        requests=count,
        bytes=int(requests.size.sum()),
        live_peak=peak,
        to_end=None if profile.cut else living / max(count, 1),
        accesses=sum(row.accesses or 0 for row in rows) if rows and rows[0].accesses is not None else None,
        contexts=len(rows),
        threads=int(requests.thread.max(initial=0)) + 1 if count else 0,
    )
