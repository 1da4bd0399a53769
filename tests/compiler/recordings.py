"""Tables of fields for programs under test: recorded, or made up; and links that go by them."""

import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import forked
from compiler import compiling
from malloom import formats
from malloom.fields.file import encoded
from malloom.fields.table import FieldTable, Simulated
from malloom.sites.keys import Call, Site
from malloom.sites.table import Frame, KeyedContext, SiteModule, SiteTable

PROGRAMS = Path(__file__).parent / "profiles"

CACHES = "L1:4K:4:64,L2:32K:8:64"
"""So small that lists of a thousand nodes do not fit."""

DECISION = re.compile(
    r"^decision: (\d+) bytes,((?: \[[ \d]*\])*)(none)?( by the profile)?(?:, as (.*))?$", re.M
)
WARNING = re.compile(r"warning: (malloom: .*)")


@dataclass(frozen=True)
class Decision:
    """What becomes of objects of some size."""

    bytes: int
    parts: tuple[tuple[int, ...], ...]
    """Offsets of fields by their arrays; none: not split."""
    is_recorded: bool
    why: str


@dataclass(frozen=True)
class Linked:
    """A program that was linked with a profile, and what was said."""

    program: Path
    out: str
    """Where lld prints remarks."""
    err: str

    @property
    def decisions(self) -> list[Decision]:
        return [
            Decision(
                int(size),
                tuple(tuple(map(int, part.split())) for part in re.findall(r"\[([ \d]*)\]", parts)),
                bool(recorded),
                why,
            )
            for size, parts, _, recorded, why in DECISION.findall(self.err)
        ]

    @property
    def remarks(self) -> list[str]:
        return self.out.splitlines()

    @property
    def warnings(self) -> list[str]:
        return WARNING.findall(self.err)


def record(program: Path, folder: Path, *arguments: str, depth: int = 1) -> Path:
    """Runs a program as a user records it, and makes the table."""
    profile, table = folder / "run.profile", folder / "run.fields"
    commands = (
        ["record", "-o", profile, "--accesses", "full", "--", program, *arguments],
        ["profile", "fields", profile, "-o", table, "--cache", CACHES, "--depth", str(depth)],
    )
    for command in commands:
        done = forked.run(forked.COMMAND, command, folder)
        assert done.returncode == 0, done.stderr
    return table


def link(source: Path, bitcode: Path, table: Path, policy: str, program: Path, *options: str) -> Linked:
    """Links with the plugin, the table, and all remarks."""
    plugin = [f"-Wl,-mllvm=-load={compiling.PLUGIN}", f"-Wl,--load-pass-plugin={compiling.PLUGIN}"]
    settings = [f"-malloom-policy={policy}", f"-malloom-profile={table}", "-malloom-print-proofs"]
    plugin += [f"-Wl,-mllvm,{setting}" for setting in settings]
    command = [compiling.driver(source), "-O2", "-flto=full", "-fuse-ld=lld", *plugin, *options]
    command += [
        "-Rpass=malloom",
        "-Rpass-missed=malloom",
        str(bitcode),
        str(compiling.POOLS),
        "-o",
        str(program),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return Linked(program, done.stdout, done.stderr)


@dataclass
class MadeField:
    """A row of fields: what was recorded of so many bytes at an offset."""

    offset: int
    bytes: int = 8
    visits: int = 0
    loads: int = 0
    stores: int = 0


@dataclass
class MadeKind:
    """Objects of one size, made up: so many requests, their fields, and visits with two of them."""

    size: int
    requests: int
    visits: int
    fields: Sequence[MadeField]
    pairs: dict[tuple[int, int], int] = field(default_factory=dict)
    """By the fields' numbers."""
    first_misses: int = 0
    last_misses: int = 0
    hidden_misses: int = 0


def key(source: Path, line: str, function: str, declared: str, callee: str = "malloc") -> Site:
    """The call site in the source's line that holds a text, of the function that another line begins."""
    lines = source.read_text().splitlines()
    number = next(number for number, text in enumerate(lines, 1) if line in text)
    begin = next(number for number, text in enumerate(lines, 1) if declared in text)
    call = Call(function, str(source), number, 0, begin)
    return Site(0x1000, callee, (call,), twins=1, copies=1, ordinal=1, alike=1)


def made_table(sites: Iterable[tuple[Site, Sequence[MadeKind]]]) -> bytes:
    """A table's bytes, of contexts of one frame each."""
    contexts, frames, kinds, fields, pairs = [], [], [], [], []
    for number, (site, of_site) in enumerate(sites):
        requests = sum(kind.requests for kind in of_site)
        frames.append(Frame(0, site))
        contexts.append(KeyedContext(number + 1, (number,), requests, requests * 64))
        for kind in of_site:
            loads, stores = (sum(getattr(row, name) for row in kind.fields) for name in ("loads", "stores"))
            misses = kind.first_misses, kind.last_misses, kind.hidden_misses
            places = len(fields), len(kind.fields), len(pairs), len(kind.pairs)
            kinds.append((kind.size, number, 0, kind.requests, kind.visits, loads, stores, *misses, *places))
            fields += [
                (row.offset, row.bytes, row.visits, row.loads, row.stores, 0, 0, 0) for row in kind.fields
            ]
            pairs += [(*numbers, visits) for numbers, visits in kind.pairs.items()]
    table = FieldTable(
        program=1,
        profile_created=1,
        flags=0,
        depth=1,
        simulated=Simulated("made up", 2, 64, 4 << 10, 32 << 10),
        accesses=sum(row[3] + row[4] for row in fields),
        unattributed=0,
        sites=SiteTable((SiteModule(1, "/program", ""),), tuple(frames), tuple(contexts)),
        kinds=_rows("Kind", kinds),
        fields=_rows("Field", fields),
        pairs=_rows("Pair", pairs),
    )
    return encoded(table)


def _rows(struct: str, values: list[tuple[int, ...]]) -> np.ndarray:
    return np.array(values, dtype=formats.dtype("fields", struct))
