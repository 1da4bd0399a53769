"""Contexts with the keys of their call sites, in memory and as a section of plans and of tables of fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from malloom import _native, formats
from malloom.errors import CommandError
from malloom.report.names import demangle, is_of_library, short_name
from malloom.sites.keys import Call, Site

NO_MODULE = 2**32 - 1


@dataclass(frozen=True)
class SiteModule:
    """A file of code, as it was when the contexts were recorded."""

    hash: int
    path: str
    build_id: str


@dataclass(frozen=True)
class Frame:
    """A call site of one of the modules; NO_MODULE: of none."""

    module: int
    site: Site


@dataclass(frozen=True)
class KeyedContext:
    """A call chain, innermost first, by indexes into SiteTable.frames."""

    hash: int
    frames: tuple[int, ...]
    requests: int
    requested_bytes: int


@dataclass(frozen=True)
class SiteTable:
    """The whole section (formats/sites.def)."""

    modules: tuple[SiteModule, ...] = ()
    frames: tuple[Frame, ...] = ()
    contexts: tuple[KeyedContext, ...] = ()
    unknown_contexts: int = 0

    def name(self, context: KeyedContext) -> str:
        """For people the innermost call that a language's own library does not make, else the innermost."""
        frames = [self.frames[number] for number in context.frames]
        calls = [call for frame in frames for call in frame.site.calls]
        names = [short_name(demangle(call.function)) for call in calls]
        for call, name in zip(calls, names, strict=True):
            if call.line and not is_of_library(name, call.file):
                return str(replace(call, function=name))
        if calls and calls[0].line:
            return str(replace(calls[0], function=names[0]))
        return self.address(frames[0]) if frames else "?"

    def address(self, frame: Frame) -> str:
        """Its function, as far as a symbol tells it, and its place in the file of code."""
        known = frame.module != NO_MODULE
        path = self.modules[frame.module].path.rpartition("/")[2] + "+" if known else ""
        function = f"{frame.site.calls[0].function} " if frame.site.calls else ""
        return f"{function}{path}{frame.site.offset:#x}"

    def has_key(self, frame: int) -> bool:
        """Whether debug information tells of a call site."""
        return any(call.line for call in self.frames[frame].site.calls)


class _Texts:
    """Texts without repetitions; the one at 0 is empty."""

    def __init__(self) -> None:
        self._offsets = {"": 0}
        self._parts = [b"\0"]
        self._end = 1

    def offset(self, text: str) -> int:
        if text not in self._offsets:
            self._offsets[text] = self._end
            self._parts.append(text.encode(errors="surrogateescape") + b"\0")
            self._end += len(self._parts[-1])
        return self._offsets[text]

    def data(self) -> bytes:
        return b"".join(self._parts)


def encode(table: SiteTable) -> bytes:
    """The section as it lies on disk."""
    texts = _Texts()
    calls = [call for frame in table.frames for call in frame.site.calls]
    chains = [frame for context in table.contexts for frame in context.frames]
    sections = {
        "modules": _rows(
            "SiteModule",
            [(each.hash, texts.offset(each.path), texts.offset(each.build_id)) for each in table.modules],
        ),
        "contexts": _rows("SiteContext", list(_context_rows(table.contexts))),
        "frames": _rows("SiteFrame", [(index,) for index in chains]),
        "sites": _rows("Site", list(_site_rows(table.frames, texts))),
        "calls": _rows("SiteCall", [_call_row(call, texts) for call in calls]),
        "texts": texts.data(),
    }
    header = np.zeros(1, dtype=formats.dtype("sites", "SitesHeader"))
    values: dict[str, int] = {
        "magic": formats.magic("MALLSITE"),
        "version": formats.load("sites").newest_version,
        "header_bytes": header.itemsize,
        "unknown_contexts": table.unknown_contexts,
        "modules_count": len(table.modules),
        "contexts_count": len(table.contexts),
        "frames_count": len(chains),
        "sites_count": len(table.frames),
        "calls_count": len(calls),
        "texts_bytes": len(sections["texts"]),
    }
    return checked_file(header, values, sections, "bytes")


def checked_file(header: Any, values: dict[str, Any], sections: Mapping[str, bytes], size: str) -> bytes:
    """Header and sections, each at a multiple of 8, with their offsets, size and checksum in the header."""
    body = b""
    for name, section in sections.items():
        values[f"{name}_offset"] = header.itemsize + len(body)
        body += section + bytes(-len(section) % 8)
    values[size] = header.itemsize + len(body)
    for name, value in values.items():
        header[name] = value
    left_out = header.dtype.fields["checksum"][1]
    header["checksum"] = _native.word_checksum(header.tobytes() + body, left_out)
    return bytes(header.tobytes() + body)


def _rows(struct: str, rows: list[tuple[Any, ...]]) -> bytes:
    return np.array(rows, dtype=formats.dtype("sites", struct)).tobytes()


def _context_rows(contexts: Iterable[KeyedContext]) -> Iterable[tuple[int, ...]]:
    first = 0
    for context in contexts:
        yield context.hash, context.requests, context.requested_bytes, first, len(context.frames)
        first += len(context.frames)


def _site_rows(frames: Iterable[Frame], texts: _Texts) -> Iterable[tuple[int, ...]]:
    first = 0
    for frame in frames:
        site = frame.site
        numbers = site.twins, site.ordinal, site.alike, site.copies
        yield site.offset, frame.module, texts.offset(site.callee), first, len(site.calls), *numbers
        first += len(site.calls)


def _call_row(call: Call, texts: _Texts) -> tuple[int, ...]:
    return texts.offset(call.function), texts.offset(call.file), call.line, call.column, call.function_line, 0


def decode(data: bytes, where: str) -> SiteTable:
    """The section from its bytes. Raises CommandError, with `where` as the file's name, unless it is good."""
    if problem := _native.sites_problem(data):
        raise CommandError(f"{where}: {problem}", remedy="make it again from its profile")
    header = np.frombuffer(data, dtype=formats.dtype("sites", "SitesHeader"), count=1)[0]

    def rows(struct: str, name: str) -> Any:
        dtype = formats.dtype("sites", struct)
        return np.frombuffer(data, dtype, header[f"{name}_count"], int(header[f"{name}_offset"])).tolist()

    def text(offset: int) -> str:
        start = int(header["texts_offset"]) + offset
        return data[start : data.index(b"\0", start)].decode(errors="surrogateescape")

    calls = [Call(text(row[0]), text(row[1]), *row[2:5]) for row in rows("SiteCall", "calls")]
    chains = [row[0] for row in rows("SiteFrame", "frames")]
    return SiteTable(
        modules=tuple(
            SiteModule(row[0], text(row[1]), text(row[2])) for row in rows("SiteModule", "modules")
        ),
        frames=tuple(_frame(row, calls, text(row[2])) for row in rows("Site", "sites")),
        contexts=tuple(
            KeyedContext(row[0], tuple(chains[row[3] : row[3] + row[4]]), row[1], row[2])
            for row in rows("SiteContext", "contexts")
        ),
        unknown_contexts=int(header["unknown_contexts"]),
    )


def _frame(row: tuple[int, ...], calls: list[Call], callee: str) -> Frame:
    offset, module, _, first, count, twins, ordinal, alike, copies = row
    return Frame(
        module, Site(offset, callee, tuple(calls[first : first + count]), twins, copies, ordinal, alike)
    )
