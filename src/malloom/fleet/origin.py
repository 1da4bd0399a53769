"""What a table, or a fleet of tables, is of: the program, its builds, and how it was recorded."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from malloom.errors import CommandError
from malloom.fleet.from_json import from_json

TABLE_VERSION = 1
"""Of the columns (malloom.fleet.tables) and of what is said of a file here."""
KEY = "malloom_table"
"""Of the text in the file's metadata that holds all this, as JSON."""
ACCESSES = ("none", "annotated", "full", "sampled", "mixed")
"""Modes of recording them; mixed: a fleet's tables differ."""
NEWER = "is of table version {0}, and this malloom reads version {1}"
MAKE_AGAIN = "make it again with 'malloom report --format parquet' of this version"


HEXADECIMAL = re.compile("[0-9a-f]*")
HASH = re.compile("[0-9a-f]{1,16}")
ROUNDED = 1e-6
MOST_SCALE = 1 << 32
"""The CPU time of a table is at most so many times the recorded part of it."""


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
    """Which were recorded: one of ACCESSES."""
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


def check_sense(origin: Origin) -> None:
    """Raises ValueError where a value cannot be; each has the type that it should have."""
    codes: list[CodeFile | Build] = [*origin.files, *origin.builds]
    conditions = (
        bool(origin.program),
        min(origin.depth, origin.requests, origin.hosts, origin.tables) >= 1,
        origin.accesses in ACCESSES,
        _is_share(origin.keyed),
        origin.is_fleet or (origin.hosts == origin.tables == 1 and not origin.weight),
        origin.cpu_time <= max(origin.recorded_cpu_time, 1) * MOST_SCALE or not origin.recorded_cpu_time,
        HEXADECIMAL.fullmatch(origin.build_id),
        all(HEXADECIMAL.fullmatch(each.build_id) and HASH.fullmatch(each.hash) for each in codes),
        all(_is_share(share) for each in origin.builds for share in (each.found, each.keyless)),
        all(_is_share(share) for each in origin.builds for share in each.matched.values()),
    )
    if not all(conditions):
        raise ValueError


def _is_share(number: float) -> bool:
    """Not NaN; sums of shares are rounded."""
    return -ROUNDED <= number <= 1 + ROUNDED


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
        origin = from_json(Origin, document)
        check_sense(origin)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _senseless(where) from None
    return origin


def _senseless(where: str) -> CommandError:
    return CommandError(f"{where} is damaged: what it says of itself makes no sense", remedy=MAKE_AGAIN)
