"""How much memory lived when, and whose it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from malloom.profile.requests import NEVER, Requests

POINTS = 600
"""Moments that are drawn: more than a screen has columns for."""
NAMED = 12
"""Contexts that are drawn by themselves, those with the most bytes at the peak; the others are one."""

I64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Timeline:
    """Live bytes over time, which is counted in allocation events."""

    moments: list[int]
    """Events that had happened."""
    contexts: list[int]
    """Those that are drawn by themselves, as indexes, the largest at the peak first."""
    live: list[list[int]]
    """Of each of them, at each moment; then of all others together."""
    peak_moment: int
    peak_bytes: int
    at_peak: dict[int, int]
    """Live bytes of each context at the peak, of those that had any."""


def timeline_of(requests: Requests, contexts: int) -> Timeline:
    """One sort of the events and a pass over the requests for each context that is drawn."""
    birth = requests.birth.astype(np.int64)
    has_died = requests.death != np.uint64(NEVER)
    death = requests.death[has_died].astype(np.int64)
    size = requests.size.astype(np.int64)
    moment, peak = _peak(birth, death, size, size[has_died])
    lives = (birth <= moment) & ~(has_died & (requests.death.astype(np.uint64) <= np.uint64(moment)))
    of_context = np.bincount(requests.context[lives], weights=size[lives], minlength=contexts)
    largest = [int(each) for each in np.argsort(-of_context, kind="stable")[:NAMED] if of_context[each]]
    end = int(max(birth.max(initial=0), death.max(initial=0))) + 1
    edges = _edges(end, moment)
    rows, named = [], np.zeros(len(edges), dtype=np.int64)
    for context in largest:
        chosen = requests.context == context
        row = _live(edges, birth[chosen], death[chosen[has_died]], size[chosen], size[chosen & has_died])
        rows.append(row)
        named += row
    rows.append(_live(edges, birth, death, size, size[has_died]) - named)
    return Timeline(
        moments=edges.tolist(),
        contexts=largest,
        live=[row.tolist() for row in rows],
        peak_moment=moment,
        peak_bytes=peak,
        at_peak={int(each): int(of_context[each]) for each in np.flatnonzero(of_context)},
    )


def _peak(birth: I64, death: I64, size: I64, freed: I64) -> tuple[int, int]:
    """The event after which most bytes lived, and how many. A ticket is one event, so none is a tie."""
    when = np.concatenate([birth, death])
    change = np.concatenate([size, -freed])
    order = np.argsort(when, kind="stable")
    living = np.cumsum(change[order])
    at = int(np.argmax(living)) if len(living) else 0
    return (int(when[order][at]), int(living[at])) if len(living) else (0, 0)


def _edges(end: int, peak: int) -> I64:
    """The moments that are drawn, the peak among them."""
    even: Any = np.linspace(0, end, POINTS).astype(np.int64)
    return np.unique(np.append(even, peak))


def _live(edges: I64, birth: I64, death: I64, size: I64, freed: I64) -> I64:
    """Live bytes after the events of each moment."""
    made = np.bincount(np.searchsorted(edges, birth), weights=size, minlength=len(edges) + 1)
    gone = np.bincount(np.searchsorted(edges, death), weights=freed, minlength=len(edges) + 1)
    return np.cumsum(made - gone)[: len(edges)].astype(np.int64)
