"""Contexts of one build found again in another, by the keys of their call sites."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from malloom.errors import CommandError
from malloom.sites.build import build_id_at, read_build
from malloom.sites.keys import LEVELS, Site, match
from malloom.sites.table import NO_MODULE, Frame, KeyedContext, SiteModule, SiteTable

SAME = "same"
ORDER = (SAME, *LEVELS)
"""How much of a site's key agrees, from all to least."""
MASK = 2**64 - 1


@dataclass(frozen=True)
class Share:
    """Part of what the contexts did when they were recorded."""

    contexts: int
    requests: int
    requested_bytes: int


@dataclass(frozen=True)
class Rebased:
    """What of a table is in the new build."""

    old: SiteTable
    table: SiteTable
    """The contexts that were found, as they are in the new build."""
    hashes: dict[int, int]
    """Hash of a context in the old build -> in the new one."""
    levels: dict[int, str]
    """Hash of a context in the old build -> level of the least certain of its call sites."""
    program: int
    """Module hash of the new build of the program."""
    unchanged: frozenset[int]
    """Hashes of the modules that were not rebuilt."""
    notes: tuple[str, ...]
    missing: frozenset[int]
    """Indexes of the frames that were not found."""

    def gone(self) -> list[KeyedContext]:
        """The contexts that were not found, those with the most bytes first."""
        missing = [context for context in told(self.old) if context.hash not in self.hashes]
        return sorted(missing, key=lambda context: (-context.requested_bytes, context.hash))

    def keyless(self) -> int:
        """How many of those that are gone had no debug information, at a call site that was not found."""
        lost = {frame for frame in self.missing if not self.old.has_key(frame)}
        return sum(not lost.isdisjoint(context.frames) for context in self.gone())

    def share(self, level: str | None = None) -> Share:
        """What was found at that level, or the whole, found or not."""
        return share_of(
            [context for context in told(self.old) if level is None or self.levels.get(context.hash) == level]
        )


def told(table: SiteTable) -> list[KeyedContext]:
    """The contexts that requests are counted by: not those that others continue."""
    beginnings = {context.frames[:end] for context in table.contexts for end in range(len(context.frames))}
    return [context for context in table.contexts if context.frames not in beginnings]


def share_of(contexts: Sequence[KeyedContext]) -> Share:
    requests = sum(context.requests for context in contexts)
    return Share(len(contexts), requests, sum(context.requested_bytes for context in contexts))


def rebase(
    table: SiteTable, executable: int, program: Path, levels: Sequence[str] = tuple(LEVELS)
) -> Rebased:
    """Finds the contexts in a new build of the program, whose module hash was `executable`.

    Libraries are looked for where they were. Raises CommandError where the new build cannot be read.
    """
    modules: list[SiteModule] = []
    found: dict[int, tuple[Site, str]] = {}
    unchanged: set[int] = set()
    notes: list[str] = []
    own = _own_module(table, executable, program)
    for index, module in enumerate(table.modules):
        path = program if index == own else Path(module.path)
        there = _build_at(module, path, is_program=index == own)
        modules.append(there)
        frames = [number for number, frame in enumerate(table.frames) if frame.module == index]
        if module.build_id and there.build_id == module.build_id:
            unchanged.add(module.hash)
            found |= {number: (table.frames[number].site, SAME) for number in frames}
        elif frames and there.hash:
            sites = [table.frames[number].site for number in frames]
            build = read_build(path, callees={site.callee for site in sites})
            notes += [build.note] if build.note else []
            matches = match(sites, list(build.sites), levels)
            found |= {frames[at]: each for at, each in matches.items()}
        elif frames:
            notes.append(f"{module.path} is not here: its call sites are not found")
    found |= {
        number: (frame.site, SAME) for number, frame in enumerate(table.frames) if frame.module == NO_MODULE
    }
    return _rebased(table, modules, found, modules[own].hash, frozenset(unchanged), tuple(notes))


def _own_module(table: SiteTable, executable: int, program: Path) -> int:
    """The index of the module that is the program."""
    for index, module in enumerate(table.modules):
        if module.hash == executable:
            return index
    for index, module in enumerate(table.modules):
        if Path(module.path).name == program.name:
            return index
    raise CommandError(
        f"nothing here is of a program {program.name}", remedy="name the new build of the same program"
    )


def _build_at(module: SiteModule, path: Path, *, is_program: bool) -> SiteModule:
    """The module as it is now; without a hash where there is none."""
    build_id = build_id_at(path)
    if build_id is None:
        if is_program:
            raise CommandError(f"{path} cannot be read, or is no program", remedy="name the new build")
        return SiteModule(0, module.path, "")
    # As the kernel names it.
    file = path.resolve()
    return SiteModule(module_hash(build_id, file.name), str(file), build_id)


def _rebased(
    table: SiteTable,
    modules: list[SiteModule],
    found: dict[int, tuple[Site, str]],
    program: int,
    unchanged: frozenset[int],
    notes: tuple[str, ...],
) -> Rebased:
    frames = [
        Frame(frame.module, found[number][0]) if number in found else frame
        for number, frame in enumerate(table.frames)
    ]
    hashes: dict[int, int] = {}
    levels: dict[int, str] = {}
    contexts: list[KeyedContext] = []
    for context in table.contexts:
        if all(number in found for number in context.frames):
            hash_ = context_hash(modules, [frames[number] for number in context.frames])
            hashes[context.hash] = hash_
            levels[context.hash] = max(
                (found[number][1] for number in context.frames), key=ORDER.index, default=SAME
            )
            contexts.append(KeyedContext(hash_, context.frames, context.requests, context.requested_bytes))
    kept = SiteTable(tuple(modules), tuple(frames), tuple(contexts), table.unknown_contexts)
    missing = frozenset(range(len(frames))) - found.keys()
    return Rebased(table, kept, hashes, levels, program, unchanged, notes, missing)


def mix(value: int) -> int:
    """As formats/context_hash.h has it, as are the following."""
    value ^= value >> 33
    value = value * 0xFF51AFD7ED558CCD & MASK
    value ^= value >> 33
    value = value * 0xC4CEB9FE1A85EC53 & MASK
    return value ^ value >> 33


def module_hash(build_id: str, name: str) -> int:
    """Of a build-id in hexadecimal, or where there is none of the file's name."""
    identity = bytes.fromhex(build_id) or name.encode()
    hash_ = mix(len(identity) + 1)
    for byte in identity:
        hash_ = mix(hash_ ^ byte)
    return hash_ or 1


def context_hash(modules: Sequence[SiteModule], frames: Sequence[Frame]) -> int:
    return chain_hash(
        (modules[frame.module].hash, frame.site.offset) if frame.module != NO_MODULE else (0, 0)
        for frame in frames
    )


def chain_hash(frames: Iterable[tuple[int, int]]) -> int:
    """Of module hashes and offsets, both 0 where no module is known."""
    hash_ = 0x6D616C6C6F6F6D31
    for module, offset in frames:
        hash_ = mix(hash_ ^ mix((module + mix(offset)) & MASK))
    return hash_
