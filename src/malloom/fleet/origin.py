"""What a table, or a fleet of tables, is of: the program, its builds, and how it was recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from malloom.errors import CommandError

TABLE_VERSION = 1
"""Of the columns (malloom.fleet.tables) and of what is said of a file here."""
KEY = "malloom_table"
"""Of the text in the file's metadata that holds all this, as JSON."""
NEWER = "is of table version {0}, and this malloom reads version {1}"
MAKE_AGAIN = "make it again with 'malloom report --format parquet' of this version"


@dataclass(frozen=True)
class CodeFile:
    """A program or library of which frames are."""

    path: str
    build_id: str
    """Hexadecimal; empty where it has none."""
    hash: str
    """Module hash (formats/context_hash.h), hexadecimal."""


@dataclass(frozen=True)
class Build:
    """The hosts that run one build of the program."""

    build_id: str
    """Hexadecimal; empty where the program has none."""
    hash: str
    """Module hash of the program, hexadecimal."""
    hosts: int
    tables: int
    requests: int
    """Of all its tables, weighted."""
    matched: Mapping[str, float]
    """Of a build after the first: level of a key (malloom.sites.keys) -> share of its requests that were
    found at it in the builds before."""
    keyless: float
    """Share of its requests from call sites that nothing tells of, but their address."""
    resized: int
    """Contexts most of whose objects have another size than in the first build that has them."""

    @property
    def found(self) -> float:
        """Share of its requests that were found in the builds before."""
        return sum(self.matched.values())


@dataclass(frozen=True)
class Origin:
    """Of one file. Numbers that are 0 and texts that are empty are not known."""

    program: str
    """Name of the executable's file."""
    build_id: str
    """Of the program; of a fleet that of the build with the most weight."""
    architecture: str
    """As Linux calls it: x86_64."""
    page_size: int
    """Bytes."""
    depth: int
    """Frames of a context, at most."""
    geometry: str
    """Whose misses were counted; empty where none were."""
    accesses: str
    """Which were recorded: none, annotated, full or sampled."""
    files: tuple[CodeFile, ...]
    requests: int
    bytes: int
    live_peak: int
    """Bytes; of a fleet the largest of any host."""
    accesses_count: int
    keyed: float = 0.0
    """Share of the requests from call sites that debug information tells of."""
    created: int = 0
    """Nanoseconds since 1970."""
    host: str = ""
    threads: int = 0
    cpu_time: int = 0
    """Nanoseconds that the process used in all the time that the table stands for."""
    recorded_cpu_time: int = 0
    """Of these, the ones that were recorded."""
    executable: str = ""
    """Path; empty where the table is anonymous."""
    arguments: tuple[str, ...] = ()
    is_cut: bool = False
    gaps: tuple[str, ...] = ()
    hosts: int = 1
    tables: int = 1
    weight: str = ""
    """Of a fleet: by what hosts were weighted, cpu or host."""
    builds: tuple[Build, ...] = ()
    """Of a fleet; that with the most weight first."""
    notes: tuple[str, ...] = ()

    @property
    def is_fleet(self) -> bool:
        """Whether tables were merged."""
        return bool(self.builds)

    def anonymous(self, host: str) -> Origin:
        """Without paths, arguments and the host's name, in whose place `host` stands."""
        files = tuple(replace(each, path=Path(each.path).name) for each in self.files)
        return replace(self, files=files, host=host, executable="", arguments=(), gaps=(), notes=())


def encoded(origin: Origin) -> str:
    """The text in the file's metadata."""
    return json.dumps({"version": TABLE_VERSION, **asdict(origin)}, ensure_ascii=True, allow_nan=False)


def decoded(text: str, where: str) -> Origin:
    """Raises CommandError where it is of another version, or makes no sense."""
    try:
        document = json.loads(text)
        version = document.pop("version")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _senseless(where) from None
    if version != TABLE_VERSION:
        raise CommandError(f"{where} {NEWER.format(version, TABLE_VERSION)}", remedy=MAKE_AGAIN)
    try:
        return _checked(document)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _senseless(where) from None


def _senseless(where: str) -> CommandError:
    return CommandError(f"{where} is damaged: what it says of itself makes no sense", remedy=MAKE_AGAIN)


def _checked(document: dict[str, Any]) -> Origin:
    files = tuple(CodeFile(**each) for each in document.pop("files"))
    builds = tuple(Build(**each) for each in document.pop("builds"))
    for name in ("arguments", "gaps", "notes"):
        document[name] = tuple(map(_text, document[name]))
    origin = Origin(files=files, builds=builds, **document)
    for field in fields(Origin):
        value = getattr(origin, field.name)
        if field.type == "int" and (type(value) is not int or value < 0):
            raise ValueError
        if field.type == "str":
            _text(value)
    for file in files:
        int(_text(file.hash), 16)
        bytes.fromhex(_text(file.build_id))
        _text(file.path)
    for build in builds:
        bytes.fromhex(_text(build.build_id))
        int(_text(build.hash), 16)
    return origin


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
