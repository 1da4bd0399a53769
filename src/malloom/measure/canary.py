"""Two groups of hosts side by side, one with a plan and one without: is it worth keeping?

Each group has a log of JSON lines, one for a host and a window of time: `host`, `window` (any name that both
groups use for the same time, such as the minute), `cpu_seconds` and `requests` of the window, and
`peak_bytes` where memory is to be judged. Windows of one name are a pair: load and time of day are the same
in both. CPU time for a request and the mean of the hosts' peaks are each judged by the median of the pairs'
ratios and its interval; a window in which a host has not told its peak, or 0, is left out for memory.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter
from pathlib import Path
from typing import Any

from malloom.errors import CommandError
from malloom.measure.interval import FEWEST_PAIRS, Interval, Verdict, median_of, median_ratio
from malloom.quantities import counted

REMEDY = "write lines such as "
LINE = (
    '{"host": "a1", "window": "2026-03-01 12:03", '
    '"cpu_seconds": 31.5, "requests": 9120, "peak_bytes": 81200000}'
)
LEAST, MOST = 1e-60, 1e60
"""Amounts between them, or 0, keep all sums and ratios finite and above 0 in a double."""
BUSY = 10
"""Requests that a group's share of the load must have been for none to mean something: where they come
independently, none come by chance in one window of 20,000."""


class Decision(StrEnum):
    keep = "keep"
    roll_back = "roll back"
    undecided = "undecided"


@dataclass
class Window:
    """All hosts of a group in one window; `peaks` has each of them, with 0 where it has not told its peak."""

    cpu_seconds: float = 0.0
    requests: float = 0.0
    peaks: dict[str, float] = field(default_factory=dict)

    @property
    def cost(self) -> float:
        """CPU seconds for a request; 0 where nothing was asked for, or nothing was counted."""
        return self.cpu_seconds / self.requests if self.requests else 0.0

    @property
    def mean_peak(self) -> float:
        """Over hosts; 0 where one of them has not told it."""
        peaks = self.peaks.values()
        return sum(peaks) / len(peaks) if all(peaks) else 0.0

    def is_silent(self, other: Window) -> bool:
        """Whether nothing was served, though the other group's load makes BUSY requests for so many hosts."""
        return not self.requests and other.requests / len(other.peaks) * len(self.peaks) >= BUSY


Pairs = Sequence[tuple[Window, Window]]
"""Windows of one name, of the baseline and of the candidate."""


@dataclass
class Group:
    """What a log comes to."""

    windows: dict[str, Window] = field(default_factory=dict)
    hosts: set[str] = field(default_factory=set)
    repeated: int = 0
    """Lines of a host and window that had one before."""

    def add(self, line: Mapping[str, Any]) -> None:
        window, host = self.windows.setdefault(line["window"], Window()), line["host"]
        self.repeated += host in window.peaks
        window.cpu_seconds += line["cpu_seconds"]
        window.requests += line["requests"]
        window.peaks[host] = max(window.peaks.get(host, 0.0), line.get("peak_bytes", 0.0))
        self.hosts.add(host)


@dataclass(frozen=True)
class Judged:
    """`time` is CPU time for a request, candidate against baseline, None where no pair of windows has it;
    `memory` the same of the mean of the hosts' peaks, None where no pair has all of them."""

    decision: Decision
    why: str
    time: Interval | None
    windows: int
    memory: float | None
    memory_bounds: tuple[float, float] | None
    """None also where too few pairs have the peaks."""
    memory_windows: int
    hosts: tuple[int, int]
    unpaired: int
    """Windows that one of the groups does not have, or in which it served nothing."""
    silent: int
    """Those of them in which only the baseline served something."""
    notes: tuple[str, ...]
    """What is to be known of the hosts before the decision is followed."""


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
        line = json.loads(text, parse_int=float)
    except (ValueError, RecursionError):
        line = None
    if not isinstance(line, dict):
        raise CommandError(f"{place}: is no JSON object", remedy=REMEDY + LINE)
    for name in ("host", "window"):
        if not isinstance(line.get(name), str):
            raise CommandError(f"{place}: has no {name}, or one that is no text", remedy=REMEDY + LINE)
    for name in ("cpu_seconds", "requests", *(["peak_bytes"] if "peak_bytes" in line else [])):
        if not _is_amount(line.get(name)):
            problem = f"has no {name}, or one that is neither 0 nor a number from {LEAST:g} to {MOST:g}"
            raise CommandError(f"{place}: {problem}", remedy=REMEDY + LINE)
    return line


def _is_amount(value: object) -> bool:
    return isinstance(value, float) and (value == 0 or LEAST <= value <= MOST)


def judge(baseline: Group, candidate: Group, max_memory: float) -> Judged:
    """Compares them. Raises CommandError where no window is in both and nothing speaks against the plan."""
    names = sorted(baseline.windows.keys() & candidate.windows.keys())
    pairs = [(baseline.windows[name], candidate.windows[name]) for name in names]
    served = [(before, now) for before, now in pairs if before.cost and now.cost]
    told = [(before, now) for before, now in pairs if before.mean_peak and now.mean_peak]
    time, memory = _ratio(served, attrgetter("cost")), _ratio(told, attrgetter("mean_peak"))
    against = _against(pairs, time, memory, max_memory)
    if time is None and against is None:
        raise _nothing_served(pairs)
    decision, why = _decided(against, time, len(served), memory, len(told), max_memory)
    return Judged(
        decision,
        why,
        time,
        len(served),
        memory.ratio if memory else None,
        _bounds(memory),
        len(told),
        (len(baseline.hosts), len(candidate.hosts)),
        len(baseline.windows.keys() | candidate.windows.keys()) - len(served),
        _silent(pairs),
        (*_repeated(baseline, candidate), *_few_hosts(baseline, candidate), *_standing_out(told, max_memory)),
    )


def _ratio(pairs: Pairs, amount: Callable[[Window], float]) -> Interval | None:
    """None where there are no pairs."""
    if not pairs:
        return None
    return median_ratio([amount(now) for _, now in pairs], [amount(before) for before, _ in pairs])


def _bounds(interval: Interval | None) -> tuple[float, float] | None:
    if interval is None or interval.low is None or interval.high is None:
        return None
    return interval.low, interval.high


def _silent(pairs: Pairs) -> int:
    return sum(bool(before.requests) and not now.requests for before, now in pairs)


def _nothing_served(pairs: Pairs) -> CommandError:
    problem = "the logs have no window in which both groups served something and used CPU time"
    if silent := _silent(pairs):
        return CommandError(
            f"{problem}: in {silent} of {len(pairs)} in common only the candidates served nothing",
            remedy="look whether they run and are asked, and let both groups run on",
        )
    return CommandError(problem, remedy="give windows of the same time the same name in both")


def _against(pairs: Pairs, time: Interval | None, memory: Interval | None, max_memory: float) -> str | None:
    """Why the plan is to be rolled back."""
    if _falls_silent(pairs):
        return f"the candidates served nothing in {_silent(pairs)} windows in which the others served"
    if memory is not None and (memory.low or 0) > max_memory:
        found = f"{memory.ratio:.3f} of what it was, and {memory.low:.3f} at least"
        return f"peak memory is {found}, over {max_memory:g}"
    if time is not None and time.verdict is Verdict.SLOWER:
        return "requests take more CPU time"
    return None


def _falls_silent(pairs: Pairs) -> bool:
    """Whether the candidates alone serve nothing more often than the others alone, by the interval that
    judges the rest: with an even chance of either, the median of such windows is not above 1."""
    candidate = sum(now.is_silent(before) for before, now in pairs)
    baseline = sum(before.is_silent(now) for before, now in pairs)
    return candidate > 0 and (median_of([2.0] * candidate + [0.5] * baseline).low or 0) > 1


def _decided(
    against: str | None,
    time: Interval | None,
    windows: int,
    memory: Interval | None,
    told: int,
    max_memory: float,
) -> tuple[Decision, str]:
    if against is not None:
        return Decision.roll_back, against
    if windows < FEWEST_PAIRS:
        return Decision.undecided, f"{_too_few(windows)} for an interval; {FEWEST_PAIRS} are needed"
    if memory is not None and told < FEWEST_PAIRS:
        return Decision.undecided, f"{_too_few(told)} that tell all peaks; {FEWEST_PAIRS} are needed"
    if memory is not None and memory.ratio > max_memory:
        return (
            Decision.undecided,
            f"peak memory is {memory.ratio:.3f} of what it was, and may be over {max_memory:g}",
        )
    if time is not None and time.verdict is Verdict.FASTER:
        untold = "; peak memory was not told" if memory is None else ""
        return Decision.keep, f"requests take less CPU time{untold}"
    return (
        Decision.undecided,
        "the interval holds 1: let both groups run on, or take it that nothing is gained",
    )


def _too_few(windows: int) -> str:
    return f"{counted(windows, 'window')} {'is' if windows == 1 else 'are'} too few"


def _repeated(baseline: Group, candidate: Group) -> list[str]:
    if not (lines := baseline.repeated + candidate.repeated):
        return []
    told = f"{counted(lines, 'line')} of a host and window that had one already"
    return [f"{told}: added up, as of several processes; names of windows must not come again the next day"]


def _few_hosts(baseline: Group, candidate: Group) -> list[str]:
    without, with_plan = len(baseline.hosts), len(candidate.hosts)
    if min(without, with_plan) > 1:
        return []
    hosts = f"{counted(with_plan, 'host')} with the plan and {without} without"
    return [f"{hosts}: where a group is one host, what differs may be the host and not the plan"]


def _standing_out(told: Pairs, max_memory: float) -> list[str]:
    """Names the one of several candidates whose peak is over the limit even against the greatest of the hosts
    without the plan."""
    ratios: dict[str, list[float]] = defaultdict(list)
    for before, now in told:
        greatest = max(before.peaks.values())
        for host, peak in now.peaks.items():
            ratios[host].append(peak / greatest)
    found = {host: median_of(each) for host, each in ratios.items()}
    over = [host for host, each in found.items() if (each.low or 0) > max_memory]
    if len(over) != 1 or len(found) == 1:
        return []
    name, ratio = json.dumps(over[0]), found[over[0]].ratio
    return [
        f"of the hosts with the plan only {name} stands out, with {ratio:.3f} of the greatest peak without"
    ]
