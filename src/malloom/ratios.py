"""Ratios that a verdict is of, as people read them. Without NumPy: `malloom report` of a plan asks."""

from collections.abc import Mapping

COMPARED = {"cpu_time": "CPU time", "memory": "memory, peak and mean"}
"""What a verdict may be of, by its name for machines."""
OF_MEMORY = {"faster": "less memory", "slower": "more memory"}
"""Of a ratio of memory none is faster."""


def in_words(verdict: str, metric: str) -> str:
    """What a verdict on one of COMPARED is called."""
    return OF_MEMORY.get(verdict, verdict) if metric == "memory" else verdict


def with_bounds(interval: Mapping[str, float | None], metric: str) -> str:
    """Of an interval: '0.900 of the CPU time [0.850 0.950]', without bounds where there are too few pairs."""
    ratio, low, high = (interval[name] for name in ("ratio", "low", "high"))
    bounds = "" if low is None or high is None else f" [{low:.3f} {high:.3f}]"
    return f"{ratio:.3f} of the {COMPARED[metric]}{bounds}"
