"""What a reader should look at first: each with its evidence, and with a command that goes on from there."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from malloom.page.gains import Gains
from malloom.page.sites import PageSite
from malloom.quantities import format_size

MOST = 8
"""Pieces of advice that are given."""
NOTABLE = 0.1
"""Part of the whole that a site must have to be spoken of."""
UNUSED = 0.5
"""Part of a site's objects that no access reached, from which on they are called unused."""
SHORT = 2
"""Allocation events: an object that is released within so many hardly lives."""
MISSES_A_USE = 0.05
"""Misses for each load or store from which on a program is said to wait for memory there."""


@dataclass(frozen=True)
class Advice:
    """One piece; `weight` is the part of the whole that it is about."""

    weight: float
    text: str
    evidence: str
    command: str
    site: int
    """Index of the site, or of the first of those that are alike."""


@dataclass
class Alike:
    """Sites of one name, which differ in far callers only: for a reader they are one."""

    first: int
    name: str
    requests: int = 0
    bytes: int = 0
    at_peak: int = 0
    lifetime: int | None = None
    """Of the one with the most requests."""
    kept: float = 0.0
    """Bytes that were never given back, by the part of the objects that were not."""
    unused: float | None = None
    """Objects that no access reached."""
    uses: int = 0
    exposed: int = 0
    gain: float = 0.0
    most_requests: int = 0

    def add(self, site: PageSite) -> None:
        self.requests += site.requests
        self.bytes += site.bytes
        self.at_peak += site.at_peak
        self.kept += (site.to_end or 0.0) * site.bytes
        self.uses += (site.loads or 0) + (site.stores or 0)
        self.exposed += site.exposed or 0
        self.gain += site.gain or 0.0
        if site.accessed is not None:
            self.unused = (self.unused or 0.0) + (1 - site.accessed) * site.requests
        if site.requests > self.most_requests:
            self.most_requests, self.lifetime = site.requests, site.lifetime


def joined(sites: list[PageSite]) -> list[Alike]:
    """The sites by their names."""
    found: dict[str, Alike] = {}
    for index, site in enumerate(sites):
        found.setdefault(site.name, Alike(index, site.name)).add(site)
    return list(found.values())


def advice_on(
    sites: list[PageSite],
    profile: str,
    gains: Gains | None = None,
    program: str = "",
    process: str | None = None,
    cache: str = "host",
) -> list[Advice]:
    """The heaviest first. `program` is the command line that was recorded; empty: it cannot run again.
    `process` is what its commands have to name; None: there is no other. `cache` is whose misses were
    counted, so that what is simulated says the same."""
    named = shlex.quote(profile) + (f" --process {shlex.quote(process)}" if process else "")
    alike = joined(sites)
    simulate = f"malloom simulate {named} --cache {shlex.quote(cache)}"
    found = [*_misses(alike, simulate)]
    found += [each for rule in (_peak, _unused, _short, _kept) for each in rule(alike, named)]
    goes_on = f"malloom optimize -- {program}" if program else f"{simulate} --sites 10"
    found += _placing(alike, gains, goes_on) if gains else []
    return sorted(found, key=lambda each: -each.weight)[:MOST]


def _placing(sites: list[Alike], gains: Gains, command: str) -> Iterator[Advice]:
    if gains.whole < NOTABLE:
        return
    best = max(sites, key=lambda site: site.gain)
    yield Advice(
        gains.whole,
        f"placing by {gains.strategy} is predicted to save {gains.whole:.0%} of the waiting for heap objects",
        f"{best.gain:.0%} on objects of {best.name}, with the caches of {gains.machine}; others may gain "
        "nothing, and whether it is time is to be measured",
        command,
        best.first,
    )


def _whole(sites: list[Alike], measure: str) -> int:
    return sum(getattr(site, measure) for site in sites)


def _shares(sites: list[Alike], measure: str) -> Iterator[tuple[Alike, float]]:
    """The sites that have a notable part of the whole, and that part."""
    whole = _whole(sites, measure)
    for site in sites:
        share = getattr(site, measure) / whole if whole else 0.0
        if share >= NOTABLE:
            yield site, share


def _misses(sites: list[Alike], command: str) -> Iterator[Advice]:
    for site, share in _shares(sites, "exposed"):
        if site.exposed >= MISSES_A_USE * site.uses:
            yield Advice(
                share,
                f"{share:.0%} of the misses that no prefetcher hides are on objects of {site.name}",
                f"{site.exposed:,} such misses of the last level for {site.uses:,} uses of {site.requests:,} "
                "objects: they are met in another order than they lie in memory",
                command,
                site.first,
            )


def _peak(sites: list[Alike], profile: str) -> Iterator[Advice]:
    whole = _whole(sites, "at_peak")
    for site, share in _shares(sites, "at_peak"):
        yield Advice(
            share,
            f"{share:.0%} of the memory at the peak is of {site.name}",
            f"{format_size(site.at_peak)} of {format_size(whole)} lived there then",
            f"malloom report {profile} --sort bytes",
            site.first,
        )


def _unused(sites: list[Alike], profile: str) -> Iterator[Advice]:
    for site, share in _shares(sites, "bytes"):
        part = site.unused / site.requests if site.unused is not None else 0.0
        if part >= UNUSED:
            yield Advice(
                share * part,
                f"{part:.0%} of the objects of {site.name} are never used",
                f"{site.requests:,} requests for {format_size(site.bytes)}, and no access to most of them",
                f"malloom profile fields {profile}",
                site.first,
            )


def _short(sites: list[Alike], profile: str) -> Iterator[Advice]:
    for site, share in _shares(sites, "requests"):
        if site.lifetime is not None and site.lifetime <= SHORT:
            yield Advice(
                share,
                f"{share:.0%} of the requests are of {site.name}, and hardly live",
                f"half of its objects are released within {SHORT} allocation events: "
                "the stack, or an object that is kept, would do",
                f"malloom report {profile} --sort requests",
                site.first,
            )


def _kept(sites: list[Alike], profile: str) -> Iterator[Advice]:
    whole = _whole(sites, "bytes")
    for site in sites:
        share = site.kept / whole if whole else 0.0
        if share >= NOTABLE and site.at_peak < site.kept / 2:
            yield Advice(
                share,
                f"{site.name} keeps {site.kept / site.bytes:.0%} of its bytes to the end",
                f"some {format_size(int(site.kept))} are never given back, and most came after the peak",
                f"malloom report {profile} --sort bytes",
                site.first,
            )
