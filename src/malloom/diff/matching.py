"""The call sites of one recording found again in another, by the keys that survive a rebuild."""

from __future__ import annotations

from collections import defaultdict
from pathlib import PurePath

from malloom.sites.keys import match
from malloom.sites.rebase import ORDER, SAME
from malloom.sites.table import NO_MODULE, SiteTable

Programs = tuple[str, str]
"""The names of the executables' files, old and new: the latter is the next build of the former."""


def matched_contexts(
    old: SiteTable, new: SiteTable, programs: Programs = ("", "")
) -> dict[int, tuple[int, str]]:
    """Index of an old context -> that of the new one, and the level of its least certain call site."""
    frames = matched_frames(old, new, programs)
    theirs = {context.frames: index for index, context in enumerate(new.contexts)}
    found: dict[int, tuple[int, str]] = {}
    for index, context in enumerate(old.contexts):
        if any(frame not in frames for frame in context.frames):
            continue
        there = theirs.get(tuple(frames[frame][0] for frame in context.frames))
        if there is not None:
            levels = [frames[frame][1] for frame in context.frames]
            found[index] = there, max(levels, key=ORDER.index, default=SAME)
    return found


def matched_frames(
    old: SiteTable, new: SiteTable, programs: Programs = ("", "")
) -> dict[int, tuple[int, str]]:
    """The same of the call sites, by their indexes in the tables.

    A file of code is the same where its build-id is; else the one of the same name is taken for its next
    build, and of the executables the other.
    """
    found: dict[int, tuple[int, str]] = {}
    of_new = _frames_by_module(new)
    for module, ours in _frames_by_module(old).items():
        there = _counterpart(old, module, new, programs)
        theirs = of_new.get(there, [])
        by_offset = {new.frames[frame].site.offset: frame for frame in theirs}
        if _is_unchanged(old, module, new, there):
            found |= {
                frame: (by_offset[old.frames[frame].site.offset], SAME)
                for frame in ours
                if old.frames[frame].site.offset in by_offset
            }
            continue
        sites = match(
            [old.frames[frame].site for frame in ours], [new.frames[frame].site for frame in theirs]
        )
        found |= {ours[at]: (by_offset[site.offset], level) for at, (site, level) in sites.items()}
    return found


def _frames_by_module(table: SiteTable) -> dict[int, list[int]]:
    frames: dict[int, list[int]] = defaultdict(list)
    for number, frame in enumerate(table.frames):
        frames[frame.module].append(number)
    return frames


def _counterpart(old: SiteTable, module: int, new: SiteTable, programs: Programs) -> int:
    """The index of the same file of code in the other table; NO_MODULE where there is none."""
    if module == NO_MODULE:
        return NO_MODULE
    wanted = old.modules[module]
    for index, each in enumerate(new.modules):
        if wanted.build_id and each.build_id == wanted.build_id:
            return index
    names = [PurePath(each.path).name for each in new.modules]
    name = PurePath(wanted.path).name
    if name and name == programs[0]:
        name = programs[1]
    return names.index(name) if names.count(name) == 1 else NO_MODULE


def _is_unchanged(old: SiteTable, module: int, new: SiteTable, there: int) -> bool:
    """Whether the file of code is the very same as its counterpart."""
    if module == NO_MODULE:
        return True
    build_id = old.modules[module].build_id
    return there != NO_MODULE and bool(build_id) and new.modules[there].build_id == build_id
