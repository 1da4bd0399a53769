"""The rows of a benchmark, as `malloom bench --json` writes them."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from malloom.bench.interval import Interval


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


def host() -> dict[str, str | int]:
    """What the numbers were measured on."""
    return {
        "machine": platform.machine(),
        "processor": _processor(),
        "processors": os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.release()}",
        "libc": " ".join(platform.libc_ver()),
    }


def to_json(
    suite: str,
    rows: Sequence[Row],
    goals: Sequence[Mapping[str, Any]] = (),
    failures: Sequence[Mapping[str, str]] = (),
    notes: Sequence[Mapping[str, str]] = (),
) -> str:
    """The suite's rows, its goals, what could not be measured (part, what, why), and notes on the rest."""
    data = {"suite": suite, "host": host(), "rows": [asdict(each) for each in rows]}
    return json.dumps(
        {**data, "goals": list(goals), "failures": list(failures), "notes": list(notes)}, indent=1
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()
