"""The shapes of caches and TLBs, by name or spelled out.

First-level TLBs that are fully associative in hardware are simulated with 6 or 8 ways, in a fraction of the
time. Latencies are in cycles of the processor: those that makers and testers publish, rounded, and so the
same on every machine, but for `host`, whose latencies are measured (malloom.cache.calibration).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from malloom.cache.calibration import Calibration
from malloom.cache.calibration_file import calibration_of_host
from malloom.errors import UsageProblem
from malloom.huge_pages import chosen_huge_pages

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_SIZE = re.compile(r"(\d+)([KMG]?)$")
_CPU = Path("/sys/devices/system/cpu")

HIDDEN_SHARE = 0.05
"""Part of its latency that a prefetched miss still costs where that was not measured: a line waits for the
bus even so, and 64 bytes at 10 to 25 GB/s take 3 to 6 ns of memory's 80 to 100. One calibration supports it
(0.02 to 0.03, see docs/decisions/cost-model.md); from 0.01 to 0.25 the order of the strategies hardly
moves."""

MOST_TREE_WAYS = 32
"""Of the tree of tree-plru, which is a word for a set (src/native/simulation/replacement.h)."""


@dataclass(frozen=True)
class Level:
    """One cache, or one TLB, whose lines are then pages. Any number of sets."""

    name: str
    sets: int
    ways: int
    line_bytes: int
    latency: float
    """Cycles to get the data, or the translation, from here; 0: no more than the access itself takes."""

    @property
    def size_bytes(self) -> int:
        """Bytes that the level holds, or for a TLB covers."""
        return self.sets * self.ways * self.line_bytes


@dataclass(frozen=True)
class Geometry:
    """The data side of a machine: caches and TLBs from the core outwards, and what lies behind them."""

    name: str
    caches: tuple[Level, ...]
    tlbs: tuple[Level, ...]
    memory_latency: float
    """Cycles that an access to memory takes."""
    walk_latency: float
    """Cycles that a page walk takes when all TLBs missed."""
    replacement: str = "lru"
    """lru, tree-plru or random, at every level."""
    has_huge_pages: bool = False
    """Whether the system has pages of 2 MiB, each of which takes one entry of a TLB."""
    hidden_share: float = HIDDEN_SHARE
    """Part of its latency that a miss costs when the hardware prefetcher covers it."""
    cycle_nanoseconds: float | None = None
    """Of the latencies' unit; None: of no machine, or not known."""
    notes: tuple[str, ...] = ()
    """What a user has to know about how it came about."""

    @property
    def line_bytes(self) -> int:
        """Line size of the first cache."""
        return self.caches[0].line_bytes


def _cache(name: str, size: int, ways: int, line: int, latency: int) -> Level:
    sets = size // (ways * line)
    if sets < 1 or sets * ways * line != size:
        raise UsageProblem(
            f"{name} of {size} bytes cannot have {ways} ways of {line}-byte lines",
            remedy="the size must be a multiple of ways times line",
        )
    return Level(name, sets, ways, line, latency)


def _tlb(name: str, entries: int, ways: int, page: int, latency: int) -> Level:
    if ways < 1 or entries < ways or entries % ways:
        raise UsageProblem(f"{name} of {entries} entries cannot have {ways} ways")
    return Level(name, entries // ways, ways, page, latency)


def zen5() -> Geometry:
    """AMD Zen 5: 48 KiB and 1 MiB a core, 32 MiB a complex; data TLBs of 96 and 4096 entries."""
    return Geometry(
        "zen5",
        (
            _cache("L1", 48 << 10, 12, 64, 0),
            _cache("L2", 1 << 20, 16, 64, 14),
            _cache("L3", 32 << 20, 16, 64, 50),
        ),
        (_tlb("TLB1", 96, 6, 4096, 0), _tlb("TLB2", 4096, 16, 4096, 7)),
        memory_latency=350,
        walk_latency=40,
        has_huge_pages=True,
    )


def pentium4() -> Geometry:
    """The thesis's machine (section 5.2): 8 KiB 4-way and 512 KiB 8-way with lines of 64 bytes; a TLB of 64
    entries."""
    return Geometry(
        "p4",
        (_cache("L1", 8 << 10, 4, 64, 0), _cache("L2", 512 << 10, 8, 64, 18)),
        (_tlb("TLB", 64, 8, 4096, 0),),
        memory_latency=300,
        walk_latency=50,
    )


def athlon_mp() -> Geometry:
    """AMD Athlon MP: 64 KiB 2-way and 256 KiB 16-way, exclusive there but not here; data TLBs of 40 and 256
    entries."""
    return Geometry(
        "athlon-mp",
        (_cache("L1", 64 << 10, 2, 64, 0), _cache("L2", 256 << 10, 16, 64, 20)),
        (_tlb("TLB1", 40, 8, 4096, 0), _tlb("TLB2", 256, 4, 4096, 7)),
        memory_latency=200,
        walk_latency=50,
    )


def power4() -> Geometry:
    """POWER4 as MPADS has it (Curial et al. 2008, table 1): 32 KiB, 1.44 MB (1440 KiB as in the real one),
    and 32 MiB with lines of 512 bytes; a TLB of 1024 entries. Memory's latency is not in it."""
    return Geometry(
        "power4",
        (
            _cache("L1", 32 << 10, 2, 128, 0),
            _cache("L2", 1440 << 10, 8, 128, 10),
            _cache("L3", 32 << 20, 8, 512, 118),
        ),
        (_tlb("TLB", 1024, 4, 4096, 0),),
        memory_latency=350,
        walk_latency=250,
    )


def power5() -> Geometry:
    """POWER5 likewise: 32 KiB, 1.9 MB (1920 KiB as in the real one), and 32 MiB with lines of 256 bytes, or
    what 12 ways of 10,922 sets come to."""
    return Geometry(
        "power5",
        (
            _cache("L1", 32 << 10, 4, 128, 0),
            _cache("L2", 1920 << 10, 10, 128, 14),
            _resized(Level("L3", 1, 12, 256, 80), 32 << 20),
        ),
        (_tlb("TLB", 1024, 4, 4096, 0),),
        memory_latency=350,
        walk_latency=351,
    )


def host(cpu_folder: Path = _CPU, calibration: Calibration | str = "not measured") -> Geometry:
    """This machine's caches as sysfs gives them, with latencies and the last level that were measured.

    What was not is taken from zen5: the TLBs, which sysfs does not give; and without a calibration, of which
    then the text says why, all latencies, and no more last level than it has, as behind a hypervisor a whole
    socket's is shown, shared with guests that one does not see.
    """
    caches = [_host_cache(folder) for folder in _host_cache_folders(cpu_folder)]
    if not caches:
        raise UsageProblem(
            "this machine does not say what caches it has", remedy="give --cache a name, such as zen5"
        )
    if isinstance(calibration, str):
        found = _published(caches, calibration)
    else:
        found = _calibrated(caches, calibration)
    return replace(found, has_huge_pages=chosen_huge_pages() in ("always", "madvise"))


def calibrated_host() -> Geometry:
    """The machine at hand. Measured where that was not yet done: some seconds, once a machine."""
    return host(_CPU, calibration_of_host(tuple(shown_bytes())))


def _published(caches: list[Level], reason: str) -> Geometry:
    model = zen5()
    caches[-1] = _resized(caches[-1], min(caches[-1].size_bytes, model.caches[-1].size_bytes))
    note = f"this machine's latencies are unknown ({reason}): those of zen5 are taken"
    latencies = model.memory_latency, model.walk_latency
    return Geometry("host", tuple(caches), model.tlbs, *latencies, notes=(note,))


def _calibrated(caches: list[Level], found: Calibration) -> Geometry:
    model = zen5()
    levels = [replace(level, latency=cycles) for level, cycles in zip(caches[1:], found.levels, strict=True)]
    levels[-1] = _resized(levels[-1], found.effective_last_level_bytes)
    beyond = model.memory_latency - model.caches[-1].latency
    return Geometry(
        "host",
        (caches[0], *levels),
        model.tlbs,
        memory_latency=found.levels[-1] + beyond if found.memory is None else found.memory,
        walk_latency=max(found.page_walk - model.tlbs[-1].latency, 0),
        hidden_share=found.hidden_share,
        cycle_nanoseconds=found.cycle_nanoseconds,
    )


def _resized(level: Level, size: int) -> Level:
    return replace(level, sets=max(size // (level.ways * level.line_bytes), 1))


def shown_bytes(cpu_folder: Path = _CPU) -> list[int]:
    """Sizes of this machine's data caches as the kernel shows them, from the core outwards; not what one
    gets."""
    return [_bytes(_text(folder / "size"), str(folder)) for folder in _host_cache_folders(cpu_folder)]


def last_level_bytes(cpu_folder: Path = _CPU) -> int:
    """The whole last level of this machine as the kernel shows it, whoever else uses it, and so the same in
    every run. Geometry `host` has what this machine gets of it (Calibration.effective_last_level_bytes)."""
    sizes = shown_bytes(cpu_folder)
    if not sizes:
        raise UsageProblem("this machine does not say what caches it has", remedy="give --last-level a size")
    return sizes[-1]


def size_from(text: str) -> int:
    """Bytes, spelled like 48K, 32M or 1G. Raises UsageProblem."""
    return _bytes(text, text)


def _host_cache_folders(cpu_folder: Path) -> list[Path]:
    """Of the data caches whose size and line the kernel says, which leaves out what a guest does not know."""
    folders = sorted((cpu_folder / "cpu0" / "cache").glob("index*"))
    data = [folder for folder in folders if _text(folder / "type") in ("Data", "Unified")]
    known = [
        folder
        for folder in data
        if "0" not in (_text(folder / "size"), _text(folder / "coherency_line_size"))
    ]
    return sorted(known, key=lambda folder: int(_text(folder / "level")))


def _host_cache(folder: Path) -> Level:
    level = int(_text(folder / "level"))
    line = int(_text(folder / "coherency_line_size"))
    size = _bytes(_text(folder / "size"), str(folder))
    ways = int(_text(folder / "ways_of_associativity")) or size // line
    published = zen5().caches
    latency = published[min(level, len(published)) - 1].latency
    return _resized(Level(f"L{level}", 1, ways, line, latency), size)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return "0"


NAMED = {
    "zen5": zen5,
    "p4": pentium4,
    "athlon-mp": athlon_mp,
    "power4": power4,
    "power5": power5,
    "host": calibrated_host,
}


def geometry_from(text: str) -> Geometry:
    """A geometry by its name, or from `L1:48K:12:64,L2:2M:16:64,TLB:64:4:4096[,lru|tree-plru|random]`.

    A cache is NAME:SIZE:WAYS:LINE, a TLB is TLB...:ENTRIES:WAYS:PAGE; each from the core outwards.
    """
    if text in NAMED:
        return NAMED[text]()
    caches: list[Level] = []
    tlbs: list[Level] = []
    replacement = "lru"
    for part in text.split(","):
        if part in ("lru", "tree-plru", "random"):
            replacement = part
        elif part.upper().startswith("TLB"):
            tlbs.append(_spelled_tlb(part, len(tlbs)))
        else:
            caches.append(_spelled_cache(part, len(caches)))
    if not caches:
        raise UsageProblem(f"'{text}' has no cache", remedy="a cache is spelled L1:48K:12:64")
    if replacement == "tree-plru" and any(level.ways > MOST_TREE_WAYS for level in (*caches, *tlbs)):
        raise UsageProblem(
            f"'{text}' has more ways than tree-plru can keep", remedy="up to 32, or choose lru"
        )
    model = zen5()
    return Geometry(text, tuple(caches), tuple(tlbs), model.memory_latency, model.walk_latency, replacement)


def _spelled_cache(part: str, position: int) -> Level:
    name, size, ways, line = _fields(part)
    line_bytes = _bytes(line, part)
    if line_bytes < 32 or line_bytes & (line_bytes - 1):
        raise UsageProblem(
            f"'{part}' has lines of {line_bytes} bytes", remedy="a line is a power of two from 32"
        )
    return _cache(name, _bytes(size, part), _ways(ways, part), line_bytes, (0, 14, 50)[min(position, 2)])


def _spelled_tlb(part: str, position: int) -> Level:
    name, entries, ways, page = _fields(part)
    page_bytes = _bytes(page, part)
    if page_bytes < 4096 or page_bytes & (page_bytes - 1):
        raise UsageProblem(
            f"'{part}' has pages of {page_bytes} bytes", remedy="a page is a power of two from 4096"
        )
    return _tlb(name, _bytes(entries, part), _ways(ways, part), page_bytes, (0, 7)[min(position, 1)])


def _fields(part: str) -> list[str]:
    fields = part.split(":")
    if len(fields) != 4 or not fields[0]:
        names = ", ".join(NAMED)
        raise UsageProblem(
            f"'{part}' is no cache geometry",
            remedy=f"use {names}, or spell it out as L1:48K:12:64,TLB:64:4:4096",
        )
    return fields


def _ways(text: str, part: str) -> int:
    ways = _bytes(text, part)
    if not 1 <= ways <= 4096:
        raise UsageProblem(f"'{part}' has {ways} ways", remedy="a cache has 1 to 4096")
    return ways


def _bytes(text: str, part: str) -> int:
    match = _SIZE.match(text)
    if match is None:
        raise UsageProblem(
            f"'{text}' in '{part}' is no size", remedy="a size is a number with K, M or G behind it"
        )
    return int(match[1]) * _UNITS[match[2]]
