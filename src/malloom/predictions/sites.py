"""Where a layout is predicted to gain: the waiting of each call site's objects, as recorded and as placed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from malloom.cache.cost import F64
from malloom.layout.ranking import Ranked
from malloom.profile import HeapProfile
from malloom.profile.requests import I64
from malloom.report.owners import owners_of


@dataclass(frozen=True)
class SitePrediction:
    """The objects of call sites of one name."""

    name: str
    share: float
    """Of all waiting as recorded."""
    waiting: Mapping[str, float | None]
    """By strategy: their waiting against that as recorded; None where they do not wait as recorded."""


def by_site(
    profile: HeapProfile, ranked: Sequence[Ranked], recorded: Ranked
) -> tuple[list[SitePrediction], list[str]]:
    """Those whose objects wait most first, and why names are lacking. All standings are of one sample, and
    by context."""
    owners = owners_of(profile)
    waits = {each.strategy: _of_sites(each, owners.of_context, len(owners.names)) for each in ranked}
    before = _of_sites(recorded, owners.of_context, len(owners.names))
    whole = float(before.sum())
    found = [
        SitePrediction(
            name,
            float(before[at]) / whole if whole else 0.0,
            {
                strategy: float(each[at] / before[at]) if before[at] else None
                for strategy, each in waits.items()
            },
        )
        for at, name in enumerate(owners.names)
    ]
    return sorted(found, key=lambda site: -site.share), owners.notes


def _of_sites(ranked: Ranked, of_context: I64, sites: int) -> F64:
    assert ranked.by_context is not None
    return np.bincount(of_context[: len(ranked.by_context)], ranked.by_context, minlength=sites).astype(
        np.float64
    )
