"""The table that a host contributes to a fleet, in place of raw events (docs/formats.md).

A row for each context, with what its objects did: numbers, lifetimes, kinds by size with their fields, and
with the objects of which other contexts they are used together. Counts may be added up over hosts.
"""

from __future__ import annotations

import hashlib
import platform
import socket
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from malloom import _native
from malloom.cache.geometry import Geometry
from malloom.fields.table import FieldTable, field_table, kinds_of
from malloom.fleet.origin import CodeFile, Origin
from malloom.launch.elf_file import NotElf, read_elf
from malloom.profile import NEVER, HeapProfile
from malloom.report.context_rows import ContextRow, Totals, summarize
from malloom.report.reasons import check_not_empty, gaps
from malloom.sites.keys import Site
from malloom.sites.recorded import chains_of, site_table
from malloom.sites.table import NO_MODULE, SiteTable

DEPTH = 5
"""Frames of a context, if nobody says otherwise: as many as the deepest pool has (formats/plan.def)."""
LIFETIMES = ("lived_16", "lived_256", "lived_4k", "lived_64k", "lived_1m", "lived_16m", "lived_longer")
"""Objects that lived for less than so many allocation events, and for no less than those before say."""
MOST_CO_USES = 16
"""Of a context's neighbours those with the most uses are told."""
LARGEST_ALIGNMENT = 16
"""Bytes: objects that are aligned to more go to no pool."""

SITE_COUNTS = ("requests", "bytes", "aligned", *LIFETIMES, "never", "accesses", "accessed", "uses")
"""Columns that are added up over hosts."""
KIND_COUNTS = (
    "requests",
    "visits",
    "loads",
    "stores",
    "first_misses",
    "last_misses",
    "hidden_misses",
)
FIELD_COUNTS = ("visits", "loads", "stores", "first_misses", "last_misses", "hidden_misses")

Column = npt.NDArray[Any]
Columns = dict[str, Column]


@dataclass(frozen=True)
class HostTable:
    """The table in memory. A row of kinds, fields or co_use names its context by `row`, the place in
    `sites.contexts`."""

    origin: Origin
    sites: SiteTable
    numbers: Columns
    """Per context: `site`, its hash, `live_peak` in bytes, and SITE_COUNTS."""
    kinds: Columns
    """`row`, `size` and `live_peak` in bytes, and KIND_COUNTS."""
    fields: Columns
    """`row`, `size`, which is the kind's, `offset` and `width` in bytes, and FIELD_COUNTS."""
    co_use: Columns
    """`row`, `site`, the hash of the other context, and `uses` within a few lines of each other."""


def table_of(
    profile: HeapProfile,
    geometry: Geometry,
    depth: int = DEPTH,
    *,
    host: str | None = None,
    cpu_time: int = 0,
    recorded_cpu_time: int = 0,
) -> tuple[HostTable, list[str]]:
    """The table of one process, and notes on keys that are missing.

    `host` is this one's name if not given, the times are nanoseconds. Two passes over the accesses. Raises
    CommandError with the reason where the table would be empty.
    """
    check_not_empty(profile)
    folded = profile.folded(depth)
    totals, rows = summarize(folded)
    fields: FieldTable | None = None
    if profile.access_entries:
        fields, notes = field_table(profile, geometry, depth)
        sites = fields.sites
    else:
        chains = chains_of(folded.contexts, folded.requests.context, folded.requests.size)
        sites, notes = site_table(profile.modules, chains)
    sites = without_unused(sites, profile.process.executable)
    co_use, uses = _co_use(folded)
    origin = replace(
        _origin(profile, totals, sites, depth),
        geometry=geometry.name if fields else "",
        host=socket.gethostname() if host is None else host,
        cpu_time=cpu_time,
        recorded_cpu_time=recorded_cpu_time,
    )
    numbers = _numbers(folded, rows, uses)
    return HostTable(origin, sites, numbers, _kinds(folded, fields), _fields(fields), co_use), notes


def without_names(table: HostTable) -> HostTable:
    """The same without folders, arguments and the host's name.

    Functions and files' names are told: call sites are found again by them.
    """
    sites = replace(
        table.sites,
        modules=tuple(replace(each, path=Path(each.path).name) for each in table.sites.modules),
        frames=tuple(replace(frame, site=_without_folders(frame.site)) for frame in table.sites.frames),
    )
    return replace(table, origin=table.origin.anonymous(_nameless(table.origin.host)), sites=sites)


def _without_folders(site: Site) -> Site:
    return replace(site, calls=tuple(replace(call, file=call.file_name) for call in site.calls))


def _nameless(host: str) -> str:
    """The same text for the same host each time, from which its name is not to be had."""
    machine = Path("/etc/machine-id")
    secret = machine.read_bytes() if machine.is_file() else b""
    return hashlib.blake2b(
        host.encode(), key=secret[: hashlib.blake2b.MAX_KEY_SIZE], digest_size=8
    ).hexdigest()


def without_unused(sites: SiteTable, executable: str) -> SiteTable:
    """The same with those files of code only that frames are of, and the program first."""
    used = {frame.module for frame in sites.frames}
    kept = [index for index, each in enumerate(sites.modules) if index in used or each.path == executable]
    kept.sort(key=lambda index: sites.modules[index].path != executable)
    places = {NO_MODULE: NO_MODULE, **{index: place for place, index in enumerate(kept)}}
    frames = tuple(replace(frame, module=places[frame.module]) for frame in sites.frames)
    return replace(sites, modules=tuple(sites.modules[index] for index in kept), frames=frames)


def _origin(profile: HeapProfile, totals: Totals, sites: SiteTable, depth: int) -> Origin:
    process = profile.process
    return Origin(
        program=process.name,
        build_id=process.build_id,
        architecture=_architecture(process.executable),
        page_size=_number(dict(process.properties).get("page_size", "")),
        depth=depth,
        geometry="",
        accesses=process.accesses or "none",
        files=tuple(CodeFile(each.path, each.build_id, f"{each.hash:016x}") for each in sites.modules),
        requests=totals.requests,
        bytes=totals.bytes,
        live_peak=totals.live_peak,
        accesses_count=totals.accesses or 0,
        keyed=_keyed(sites),
        created=profile.created,
        threads=totals.threads,
        executable=process.executable,
        arguments=process.arguments,
        is_cut=bool(profile.cut),
        gaps=tuple(gaps(profile)),
    )


def _keyed(sites: SiteTable) -> float:
    """Share of the requests whose innermost call site has a key."""
    keyed = sum(each.requests for each in sites.contexts if each.frames and sites.has_key(each.frames[0]))
    return keyed / max(sum(each.requests for each in sites.contexts), 1)


def _architecture(executable: str) -> str:
    """Of the program where it is still here; else of this machine, where it was recorded."""
    try:
        return read_elf(Path(executable)).machine
    except (OSError, NotElf):
        return platform.machine()


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _numbers(folded: HeapProfile, rows: list[ContextRow], uses: Column) -> Columns:
    count = len(folded.contexts)
    requests = folded.requests
    numbers: Columns = {
        "site": folded.contexts.hashes.astype(np.uint64),
        **{name: np.zeros(count, dtype=np.uint64) for name in ("live_peak", *SITE_COUNTS)},
        **_lifetimes(folded),
    }
    for row in rows:
        numbers["requests"][row.context] = row.requests
        numbers["bytes"][row.context] = row.bytes
        numbers["live_peak"][row.context] = row.live_peak
    numbers["aligned"] = _counted(requests.context[requests.alignment > LARGEST_ALIGNMENT], count)
    if folded.access_entries:
        numbers["accesses"] = _summed(requests.context, requests.accesses, count)
        numbers["accessed"] = _counted(requests.context[requests.accesses != 0], count)
        numbers["uses"] = np.rint(uses).astype(np.uint64)
    return numbers


def _counted(of: Any, count: int) -> Column:
    counts: Column = np.bincount(of, minlength=count).astype(np.uint64)
    return counts


def _summed(of: Any, weights: Any, count: int) -> Column:
    sums: Column = np.rint(np.bincount(of, weights=weights, minlength=count)).astype(np.uint64)
    return sums


def _lifetimes(folded: HeapProfile) -> Columns:
    """How many objects of each context lived how long."""
    requests, count = folded.requests, len(folded.contexts)
    is_released = requests.death != np.uint64(NEVER)
    lived = (requests.death - requests.birth)[is_released]
    bounds = np.array([16 ** (power + 1) for power in range(len(LIFETIMES) - 1)], dtype=np.uint64)
    places = np.searchsorted(bounds, lived, side="right")
    of = requests.context[is_released].astype(np.int64) * len(LIFETIMES) + places
    table = np.bincount(of, minlength=count * len(LIFETIMES)).reshape(count, len(LIFETIMES))
    columns = {name: table[:, place].astype(np.uint64) for place, name in enumerate(LIFETIMES)}
    return {**columns, "never": _counted(requests.context[~is_released], count)}


def _kinds(folded: HeapProfile, fields: FieldTable | None) -> Columns:
    requests = folded.requests
    sizes, contexts, of_request = kinds_of(requests.context, requests.size)
    peaks, _ = _native.lifetimes(requests.size, requests.birth, requests.death, of_request, len(sizes))
    counts = {name: np.zeros(len(sizes), dtype=np.uint64) for name in KIND_COUNTS}
    counts["requests"] = _counted(of_request, len(sizes))
    if fields is not None:
        counts |= {name: fields.kinds[name].astype(np.uint64) for name in KIND_COUNTS}
    return {
        "row": contexts.astype(np.uint32),
        "size": sizes.astype(np.uint64),
        "live_peak": np.asarray(peaks[: len(sizes)], dtype=np.uint64),
        **counts,
    }


def _places(sorted_rows: Any) -> Column:
    """The place of each among those of its row."""
    starts = np.searchsorted(sorted_rows, sorted_rows, side="left")
    places: Column = (np.arange(len(sorted_rows)) - starts).astype(np.uint32)
    return places


def _fields(fields: FieldTable | None) -> Columns:
    if fields is None:
        return {
            **{name: np.zeros(0, dtype=np.uint32) for name in ("row", "offset", "width")},
            **{name: np.zeros(0, dtype=np.uint64) for name in ("size", *FIELD_COUNTS)},
        }
    counts = fields.kinds["fields"]
    kinds = np.repeat(np.arange(len(fields.kinds)), counts)
    places = np.repeat(fields.kinds["first_field"].astype(np.int64), counts) + _places(kinds)
    rows = fields.fields[places]
    return {
        "row": fields.kinds["context"][kinds].astype(np.uint32),
        "size": fields.kinds["size"][kinds].astype(np.uint64),
        "offset": rows["offset"].astype(np.uint32),
        "width": rows["bytes"].astype(np.uint32),
        **{name: rows[name].astype(np.uint64) for name in FIELD_COUNTS},
    }


def _co_use(folded: HeapProfile) -> tuple[Columns, Column]:
    """Which contexts' objects are used together, and how often each context's are used."""
    count = len(folded.contexts)
    if not folded.access_entries:
        empty = np.zeros(0, dtype=np.uint64)
        return {"row": empty.astype(np.uint32), "site": empty, "uses": empty}, np.zeros(count)
    graph, uses = folded.context_affinity(folded.requests.context, count)
    offsets = graph.offsets.astype(np.int64)
    degrees = offsets[1:] - offsets[:-1]
    rows = np.repeat(np.arange(count, dtype=np.uint32), degrees)
    is_told = _places(rows) < MOST_CO_USES
    return {
        "row": rows[is_told],
        "site": folded.contexts.hashes[graph.targets[is_told]].astype(np.uint64),
        "uses": graph.weights[is_told].astype(np.uint64),
    }, uses
