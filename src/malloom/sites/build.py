"""One build of a program or library: its call sites with their keys."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from malloom import _native
from malloom.errors import CommandError
from malloom.input_file import opened_ordinary
from malloom.report.debug_files import DEBUG_ROOT, debug_files
from malloom.report.elf_symbols import build_id_of, find_functions
from malloom.report.source_calls import SourceCall, UnreadableError, find_calls
from malloom.sites.keys import Call, Site, numbered, plain
from malloom.sites.machine_calls import machine_calls, pointer_calls

SECTIONS = (".debug_info", ".debug_abbrev", ".debug_line", ".debug_addr", ".debug_rnglists", ".debug_ranges")

WITHOUT_INFORMATION = " has no debug information: build it with -g"
"""What follows a file's name in a note on it."""


@dataclass(frozen=True)
class Build:
    """One file of code. `note` says why it has no keys, and is empty where it has."""

    path: Path
    build_id: str
    sites: tuple[Site, ...]
    note: str = ""


def build_id_at(path: Path) -> str | None:
    """The build-id of a file, empty where it has none; None where there is no such file of code."""
    try:
        with opened_ordinary(path) as file:
            return build_id_of(ELFFile(file))
    except Exception:  # as below
        return None


def read_build(
    path: Path, *, offsets: Collection[int] = (), callees: Collection[str] = (), debug_root: Path = DEBUG_ROOT
) -> Build:
    """The call sites of the file that call one of these functions, or one called at one of the offsets.

    Those through pointers are among them where "" is a callee. `offsets` are return addresses. Raises
    CommandError where the file cannot be read.
    """
    build_id = build_id_at(path)
    if build_id is None:
        raise CommandError(f"{path} cannot be read, or is no program")
    try:
        return _read(path, build_id, set(offsets), callees, debug_root)
    # What pyelftools raises for damage are not its own errors alone (malloom.report.source_calls.lies_apart).
    except Exception as problem:
        raise CommandError(f"{path} cannot be read: {problem or type(problem).__name__}") from problem


def _read(path: Path, build_id: str, offsets: set[int], callees: Collection[str], debug_root: Path) -> Build:
    files = (*debug_files(path, build_id, debug_root), path)
    calls = _calls_of(path, files)
    callees = {*callees, *(calls.get(offset, "") for offset in offsets)}
    wanted = {at: name for at, name in calls.items() if name in callees}
    wanted |= dict.fromkeys((at for at in _pointer_calls(path, callees) if at not in calls), "")
    wanted |= {offset: calls.get(offset, "") for offset in offsets}
    keys, note = _keys_of(files, sorted(wanted))
    keys = _symbols_of(files, sorted(wanted.keys() - keys.keys())) | keys
    if not any(_has_debug_information(file) for file in files):
        note = f"{path.name}{WITHOUT_INFORMATION}"
    if not calls and not note:
        note = f"the calls of {path.name} are not known: it is for another processor than x86-64"
    sites = numbered(Site(at, wanted[at], keys.get(at, ())) for at in sorted(wanted))
    return Build(path, build_id, tuple(sites), note)


def _has_debug_information(path: Path) -> bool:
    try:
        with opened_ordinary(path) as file:
            return ELFFile(file).get_section_by_name(".debug_info") is not None
    except (OSError, ELFError):
        return False


def _calls_of(path: Path, files: Collection[Path]) -> dict[int, str]:
    with ExitStack() as stack:
        named_by = [ELFFile(stack.enter_context(file.open("rb"))) for file in files]
        program = ELFFile(stack.enter_context(path.open("rb")))
        return {at: plain(name) for at, name in machine_calls(program, named_by).items()}


def _pointer_calls(path: Path, callees: Collection[str]) -> list[int]:
    if "" not in callees:
        return []
    with opened_ordinary(path) as file:
        return pointer_calls(ELFFile(file))


def _keys_of(files: Iterable[Path], offsets: list[int]) -> tuple[dict[int, tuple[Call, ...]], str]:
    """Calls of the source by return address; where there are none, why."""
    for file in filter(_has_debug_information, files):
        with opened_ordinary(file) as stream:
            elf = ELFFile(stream)
            try:
                return _with_columns(elf, find_calls(elf, offsets)), ""
            except UnreadableError as problem:
                return {}, f"the debug information of {file} cannot be read: {problem}"
    return {}, ""


def _symbols_of(files: Iterable[Path], offsets: list[int]) -> dict[int, tuple[Call, ...]]:
    """What symbols say where there is no debug information: of the C library's start of a program, say."""
    found: dict[int, tuple[Call, ...]] = {}
    for file in files:
        with opened_ordinary(file) as stream:
            for offset, function in find_functions(ELFFile(stream), offsets).items():
                found.setdefault(offset, (Call(plain(function), "", 0),))
    return found


def _with_columns(elf: ELFFile, calls: dict[int, list[SourceCall]]) -> dict[int, tuple[Call, ...]]:
    offsets = sorted(calls)
    sections = debug_sections(elf)
    counts, *columns, _ = _native.call_places(sections, np.array(offsets, dtype=np.uint64) - np.uint64(1))
    ends = np.cumsum(counts, dtype=np.int64)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    return {
        offset: _joined(calls[offset], rows[end - count : end])
        for offset, end, count in zip(offsets, ends.tolist(), counts.tolist(), strict=True)
    }


def _joined(calls: list[SourceCall], rows: list[tuple[int, int, int]]) -> tuple[Call, ...]:
    """Names of the one reader with columns of the other, where the two agree."""
    agree = len(rows) == len(calls)
    return tuple(
        Call(plain(call.function), call.file, call.line, *row[1:])
        if agree and (row := rows[level])[0] == call.line
        else Call(plain(call.function), call.file, call.line)
        for level, call in enumerate(calls)
    )


def debug_sections(elf: ELFFile) -> dict[str, bytes]:
    """Those that are there and can be read; zstd and damage leave one out, and with it columns."""
    found: dict[str, bytes] = {}
    for name in SECTIONS:
        section = elf.get_section_by_name(name)
        if section is not None:
            try:
                found[name] = section.data()
            except Exception:
                continue
    return found
