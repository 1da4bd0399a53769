"""Two groups of hosts side by side, one with a plan and one without: is it worth keeping?

Each group has a log of JSON lines, one for a host and a window of time: `host`, `window` (any name that both
groups use for the same time, such as the minute), `cpu_seconds` and `requests` of the window, and
`peak_bytes` where memory is to be judged. Windows of one name are a pair: load and time of day are the same
in both.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from malloom.errors import CommandError
from malloom.measure.interval import FEWEST_PAIRS, Interval, Verdict, median_ratio

REMEDY = "write lines such as "
LINE = '{"host": "a1", "window": "12:03", "cpu_seconds": 31.5, "requests": 9120, "peak_bytes": 81200000}'


class Decision(StrEnum):
    keep = "keep"
    roll_back = "roll back"
    undecided = "undecided"


@dataclass
class Group:
    """What a log comes to. Windows have CPU seconds and requests of all hosts together; hosts their peaks."""

    windows: dict[str, list[float]] = field(default_factory=dict)
    peaks: dict[str, float] = field(default_factory=dict)
    hosts: set[str] = field(default_factory=set)

    def add(self, line: Mapping[str, Any]) -> None:
        sums = self.windows.setdefault(line["window"], [0.0, 0.0])
        sums[0] += line["cpu_seconds"]
        sums[1] += line["requests"]
        self.hosts.add(line["host"])
        if "peak_bytes" in line:
            self.peaks[line["host"]] = max(self.peaks.get(line["host"], 0.0), line["peak_bytes"])

    def cost(self, window: str) -> float:
        """CPU seconds for a request; 0 where nothing was asked for, or nothing was counted."""
        seconds, requests = self.windows.get(window, (0.0, 0.0))
        return seconds / requests if requests else 0.0

    @property
    def mean_peak(self) -> float | None:
        """Over hosts; None where one of them has not said it."""
        return sum(self.peaks.values()) / len(self.peaks) if len(self.peaks) == len(self.hosts) else None


@dataclass(frozen=True)
class Judged:
    """`time` is CPU time for a request, candidate against baseline; `memory` the mean of the hosts' peaks,
    None where a host did not say it."""

    decision: Decision
    why: str
    time: Interval
    windows: int
    memory: float | None
    hosts: tuple[int, int]
    unpaired: int
    """Windows that one of the groups does not have, or in which it served nothing."""


def read_log(path: Path) -> Group:
    """Streams a log. Raises CommandError for what is no such line, with its number."""
    group = Group()
    try:
        with path.open(encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                if text.strip():
                    group.add(_checked(text, f"{path}:{number}"))
    except OSError as refusal:
        raise CommandError(f"{path}: {refusal.strerror}", remedy="name a log that can be read") from None
    except UnicodeDecodeError:
        raise CommandError(f"{path}: is no text", remedy=REMEDY + LINE) from None
    if not group.windows:
        raise CommandError(f"{path}: has no lines", remedy=REMEDY + LINE)
    return group


def _checked(text: str, place: str) -> dict[str, Any]:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        line = None
    if not isinstance(line, dict):
        raise CommandError(f"{place}: is no JSON object", remedy=REMEDY + LINE)
    for name in ("host", "window"):
        if not isinstance(line.get(name), str):
            raise CommandError(f"{place}: has no {name}, or one that is no text", remedy=REMEDY + LINE)
    for name in ("cpu_seconds", "requests", *(["peak_bytes"] if "peak_bytes" in line else [])):
        if not _is_amount(line.get(name)):
            raise CommandError(f"{place}: has no {name}, or one that is no number", remedy=REMEDY + LINE)
    return line


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


def judge(baseline: Group, candidate: Group, max_memory: float) -> Judged:
    """Compares them. Raises CommandError where no window is in both."""
    every = {*baseline.windows, *candidate.windows}
    paired = [each for each in sorted(every) if baseline.cost(each) and candidate.cost(each)]
    if not paired:
        raise CommandError(
            "the logs have no window in which both groups served something",
            remedy="give windows of the same time the same name in both",
        )
    time = median_ratio([candidate.cost(each) for each in paired], [baseline.cost(each) for each in paired])
    before, now = baseline.mean_peak, candidate.mean_peak
    memory = now / before if before and now is not None else None
    decision, why = _decided(time, len(paired), memory, max_memory)
    hosts = (len(baseline.hosts), len(candidate.hosts))
    return Judged(decision, why, time, len(paired), memory, hosts, len(every) - len(paired))


def _decided(time: Interval, windows: int, memory: float | None, max_memory: float) -> tuple[Decision, str]:
    if memory is not None and memory > max_memory:
        return Decision.roll_back, f"peak memory is {memory:.3f} of what it was, over {max_memory:g}"
    if windows < FEWEST_PAIRS:
        return Decision.undecided, f"{windows} windows are too few for an interval; {FEWEST_PAIRS} are needed"
    if time.verdict is Verdict.FASTER:
        return Decision.keep, "requests take less CPU time"
    if time.verdict is Verdict.SLOWER:
        return Decision.roll_back, "requests take more CPU time"
    return (
        Decision.undecided,
        "the interval holds 1: let both groups run on, or take it that nothing is gained",
    )
