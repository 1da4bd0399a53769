"""Which call sites' objects a layout is predicted to gain for, for people and for machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from malloom.predictions.sites import SitePrediction
from malloom.printable import printable
from malloom.report.chains import SHORTEST

SITES_HELP = "How many call sites to say it of as well, those whose objects wait most first; 0: of none."


def as_data(sites: Sequence[SitePrediction]) -> list[dict[str, Any]]:
    """All of them. Ratios are to the layout as recorded; None where nothing of a site waits then."""
    return [
        {"site": site.name, "share_of_waiting": site.share, "waiting": dict(site.waiting)} for site in sites
    ]


def as_lines(sites: Sequence[SitePrediction], strategies: Sequence[str], width: int) -> Iterator[str]:
    """A table of these strategies, a site a line: its part of all waiting, and what of that is left."""
    heads = ("of all waiting", *(f"with {name}" for name in strategies))
    yield "  ".join([*heads, "objects of"])
    room = max(width - sum(map(len, heads)) - 2 * len(heads), SHORTEST)
    for site in sites:
        cells = [f"{site.share:.1%}", *(ratio_text(site.waiting[name]) for name in strategies)]
        aligned = [f"{cell:>{len(head)}}" for cell, head in zip(cells, heads, strict=True)]
        yield "  ".join([*aligned, _fitted(printable(site.name), room)])


def ratio_text(ratio: float | None) -> str:
    """For people."""
    return "-" if ratio is None else f"{ratio:.3f}"


def _fitted(name: str, room: int) -> str:
    """The innermost calls stand first, so what is cut off are callers."""
    return name if len(name) <= room else f"{name[: room - 1]}…"
