"""The rows of a benchmark, as `malloom bench --json` writes them."""

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from malloom.cache.geometry import last_level_bytes
from malloom.errors import UsageProblem
from malloom.measure.interval import Interval


@dataclass(frozen=True)
class Row:
    """ratio = variant / baseline of the metric; low and high bound its 95 % interval, equal for counts.

    `peak_rss_ratio` is None where memory was not measured.
    """

    workload: str
    input: str
    variant: str
    baseline: str
    metric: str
    ratio: float
    low: float
    high: float
    runs: int
    peak_rss_ratio: float | None


def row(
    place: tuple[str, str],
    variant: str,
    baseline: str,
    metric: str,
    interval: Interval,
    *,
    runs: int = 1,
    peak: float | None = None,
) -> Row:
    """A Row of `place` (workload, input)."""
    return Row(*place, variant, baseline, metric, interval.ratio, interval.low, interval.high, runs, peak)


Host = Mapping[str, str | int]


def host(sources: Path) -> Host:
    """What the numbers were measured on, and of which commit; the sources are any folder in their tree."""
    return {
        "machine": platform.machine(),
        "processor": _processor(),
        "processors": os.cpu_count() or 1,
        "last_level": _last_level(),
        "system": f"{platform.system()} {platform.release()}",
        "libc": " ".join(platform.libc_ver()),
        "commit": commit_of(sources),
    }


def commit_of(sources: Path) -> str:
    """The commit that the sources are at, with `and changes` where they differ; `unknown` without history."""
    try:
        name = _git(sources, "rev-parse", "--short=12", "HEAD").strip()
        changed = _git(sources, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{name} and changes" if changed else name


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def to_json(
    suite: str,
    measured_on: Host,
    rows: Sequence[Row],
    goals: Sequence[Mapping[str, Any]] = (),
    failures: Sequence[Mapping[str, str]] = (),
    notes: Sequence[Mapping[str, str]] = (),
) -> str:
    """The suite's rows, its goals, what could not be measured (part, what, why), and notes on the rest."""
    data = {"suite": suite, "host": dict(measured_on), "rows": [asdict(each) for each in rows]}
    return json.dumps(
        {**data, "goals": list(goals), "failures": list(failures), "notes": list(notes)}, indent=1
    )


def _last_level() -> int:
    """Bytes of the last-level cache; 0 where the machine does not say."""
    try:
        return last_level_bytes()
    except UsageProblem:
        return 0


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()
