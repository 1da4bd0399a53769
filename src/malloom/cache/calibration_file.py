"""A machine's calibration, measured once and kept in the user's cache folder.

A file that is damaged, of another machine or of another version is measured anew; one that cannot be written
is not. Nothing here fails: where a calibration is not to be had, there is a note that says why.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from malloom.cache.calibration import (
    LEVELS_BEYOND,
    MOST_BYTES,
    VERSION,
    Calibration,
    Implausible,
    ThisMachine,
    measure,
)
from malloom.huge_pages import chosen_huge_pages
from malloom.memory import available_memory

FREE_SHARE = 1 / 8
"""Of the memory that is available, at most so much is taken for a second: a courtesy to other programs."""
ROUNDS = 2
"""A limit of cost: pages that lie badly, or far away, stay so for a whole round, so one is too few."""

_PROCESSOR = ("vendor_id", "cpu family", "model", "model name", "stepping", "CPU implementer", "CPU part")


@cache
def calibration_of_host(sizes: tuple[int, ...]) -> Calibration | str:
    """The calibration of this machine, whose caches have these sizes in bytes, or why there is none.

    Measured at most once a process; that takes one to three seconds and at most 290 MB of memory.
    """
    return _kept_or_measured(cache_folder(), machine_key(sizes), sizes)


def cache_folder() -> Path | None:
    """$XDG_CACHE_HOME/malloom or ~/.cache/malloom; None for a user without a home."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(named) if Path(named).is_absolute() else Path.home() / ".cache") / "malloom"
    except RuntimeError:
        return None


def machine_key(sizes: Sequence[int]) -> dict[str, Any]:
    """What a calibration holds for."""
    return {
        "version": VERSION,
        "processor": processor_lines(),
        "processors": os.cpu_count(),
        "caches": list(sizes),
        "huge_pages": chosen_huge_pages(),
    }


def load(file: Path, key: dict[str, Any]) -> Calibration | None:
    """What the file holds for that key; None where it holds nothing that can be true."""
    try:
        kept = json.loads(file.read_bytes())
        if kept["key"] != key:
            return None
        found = Calibration(**{**kept["calibration"], "levels": tuple(kept["calibration"]["levels"])})
        return found if len(found.levels) == len(key["caches"]) - 1 else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError, Implausible):
        return None


def store(file: Path, key: dict[str, Any], found: Calibration) -> None:
    """Replaces the file, where that can be done."""
    with suppress(OSError), tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as beside:
        try:
            json.dump({"key": key, "calibration": asdict(found)}, beside, indent=2)
            beside.close()
            Path(beside.name).replace(file)
        finally:
            Path(beside.name).unlink(missing_ok=True)


def _kept_or_measured(folder: Path | None, key: dict[str, Any], sizes: Sequence[int]) -> Calibration | str:
    if folder is None:
        return _measured(sizes)
    digest = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:16]
    file = folder / f"calibration-{digest}.json"
    if (kept := load(file, key)) is not None:
        return kept
    with _alone(folder):
        # Whoever measured meanwhile has left it there.
        found = load(file, key) or _measured(sizes)
        if isinstance(found, Calibration):
            store(file, key, found)
    return found


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Two that measure at a time would measure each other."""
    descriptor = -1
    try:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _measured(sizes: Sequence[int]) -> Calibration | str:
    """The quietest of some rounds, each in memory of its own: what disturbs only ever adds."""
    rounds = [_one_round(sizes) for _ in range(ROUNDS)]
    found = [each for each in rounds if isinstance(each, Calibration)]
    return min(found, key=_memory_nanoseconds) if found else rounds[-1]


def _memory_nanoseconds(found: Calibration) -> float:
    return float("inf") if found.memory is None else found.memory * found.cycle_nanoseconds


def _one_round(sizes: Sequence[int]) -> Calibration | str:
    most_bytes = _most_bytes(max(sizes, default=0))
    try:
        return measure(ThisMachine(most_bytes), sizes, most_bytes)
    except Implausible as problem:
        return str(problem)
    except MemoryError:
        return f"there are no {most_bytes >> 20} MiB to measure with"


def _most_bytes(last_level: int) -> int:
    # A control group may use more than it is allowed to for a while.
    room = max(available_memory(), 0)
    return min(MOST_BYTES, LEVELS_BEYOND * last_level, int(FREE_SHARE * room))


def processor_lines() -> list[str]:
    """What the kernel tells of which processor this is, a line a fact, of the first in its list."""
    first = _text(Path("/proc/cpuinfo")).partition("\n\n")[0]
    return [line for line in first.splitlines() if line.partition(":")[0].strip() in _PROCESSOR]


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
