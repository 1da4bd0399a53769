"""The keys of the call sites of a profile's contexts, from the debug information of what was recorded."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from malloom import _native
from malloom.profile import NO_MODULE, Contexts, HeapProfile, Module
from malloom.profile.requests import U32, U64
from malloom.report.debug_files import DEBUG_ROOT
from malloom.sites.build import WITHOUT_INFORMATION, Build, build_id_at, read_build
from malloom.sites.keys import Site
from malloom.sites.table import Frame, KeyedContext, SiteModule, SiteTable

MOST_NAMED = 3
"""Files that one note names."""


@dataclass(frozen=True)
class Chain:
    """A context before its frames have keys."""

    hash: int
    frames: tuple[tuple[int, int], ...]
    """(module, offset), innermost first."""
    requests: int
    requested_bytes: int


def chains_of(contexts: Contexts, of_request: U32, sizes: U64) -> list[Chain]:
    """Every context, with what it requested."""
    requests = np.bincount(of_request, minlength=len(contexts)).tolist()
    requested = np.bincount(of_request, weights=sizes, minlength=len(contexts)).astype(np.uint64).tolist()
    hashes = contexts.hashes.tolist()
    return [
        Chain(hashes[index], tuple(contexts.frames(index)), requests[index], requested[index])
        for index in range(len(contexts))
    ]


def chains_with(profile: HeapProfile, hashes: Collection[int], depth: int) -> list[Chain]:
    """The contexts of at most `depth` frames that have one of these hashes."""
    contexts, modules = (
        profile.contexts,
        np.array([module.hash for module in profile.modules], dtype=np.uint64),
    )
    whole = chains_of(contexts, profile.requests.context, profile.requests.size)
    found: dict[int, Chain] = {}
    for level in range(1, depth + 1):
        shortened = _native.chain_hashes(
            contexts.offsets, contexts.frame_module, contexts.frame_offset, modules, level
        )
        at_level: dict[int, Chain] = {}
        for chain, hash_ in zip(whole, shortened.tolist(), strict=True):
            if hash_ in hashes and hash_ not in found:
                before = at_level.get(hash_, Chain(hash_, chain.frames[:level], 0, 0))
                at_level[hash_] = replace(
                    before,
                    requests=before.requests + chain.requests,
                    requested_bytes=before.requested_bytes + chain.requested_bytes,
                )
        found |= at_level
    return list(found.values())


def site_table(
    modules: Iterable[Module], chains: list[Chain], unknown: int = 0, debug_root: Path = DEBUG_ROOT
) -> tuple[SiteTable, list[str]]:
    """The contexts with the keys of their call sites, and notes on modules that give none."""
    known = list(modules)
    frames = sorted({frame for chain in chains for frame in chain.frames})
    offsets: dict[int, set[int]] = {}
    for module, offset in frames:
        offsets.setdefault(module, set()).add(offset)
    innermost = {chain.frames[0][0] for chain in chains if chain.frames}
    sites: dict[tuple[int, int], Site] = {}
    notes: list[str] = []
    for module, wanted in offsets.items():
        if module == NO_MODULE:
            continue
        build = _build_of(known[module], frozenset(wanted), debug_root)
        sites |= {(module, site.offset): site for site in build.sites if site.offset in wanted}
        # What lies around the program's own code, as the C library, seldom has debug information.
        notes += [build.note] if build.note and module in innermost else []
    index = {frame: number for number, frame in enumerate(frames)}
    table = SiteTable(
        tuple(SiteModule(module.hash, module.path, module.build_id) for module in known),
        tuple(Frame(module, sites.get((module, offset), Site(offset))) for module, offset in frames),
        tuple(
            KeyedContext(
                chain.hash, tuple(index[f] for f in chain.frames), chain.requests, chain.requested_bytes
            )
            for chain in chains
        ),
        unknown,
    )
    return table, joined_notes(notes)


def joined_notes(notes: list[str]) -> list[str]:
    """The notes, those on files without debug information in one: most programs have many such libraries."""
    names = [note.removesuffix(WITHOUT_INFORMATION) for note in notes if note.endswith(WITHOUT_INFORMATION)]
    if len(names) < 2:
        return notes
    others = [note for note in notes if not note.endswith(WITHOUT_INFORMATION)]
    shown = ", ".join(names[:MOST_NAMED])
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return [*others, f"{len(names)} files have no debug information: {shown}{more}; build them with -g"]


@lru_cache(maxsize=64)
def _build_of(module: Module, offsets: frozenset[int], debug_root: Path) -> Build:
    """Kept, as the plans of many strategies are about the same call sites."""
    path = Path(module.path)
    found = build_id_at(path)
    if found is None:
        return Build(path, "", (), f"{module.path} is not here: its call sites have no keys")
    if found != module.build_id:
        return Build(path, "", (), f"{path} has changed since the recording: its call sites have no keys")
    return read_build(path, offsets=offsets, debug_root=debug_root)
