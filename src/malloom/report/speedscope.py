"""The report for speedscope (https://www.speedscope.app): profiles of bytes, requests, peaks, accesses."""

from __future__ import annotations

import json
from typing import IO, Any

from malloom import __version__
from malloom.report.context_rows import ContextRow
from malloom.report.report import Report
from malloom.report.symbols import Place

summary = "a file for speedscope"

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
PROFILES = (("bytes", "bytes"), ("requests", "none"), ("live_peak", "bytes"), ("accesses", "none"))
"""Numbers of a row, and speedscope's unit for each."""


def write(report: Report, output: IO[str]) -> None:
    """Writes one JSON object; a sample for each chain, outermost call first."""
    numbers: dict[Place, int] = {}
    samples = [
        [numbers.setdefault(place, len(numbers)) for place in reversed(chain)] for chain in report.chains
    ]
    document = {
        "$schema": SCHEMA,
        "exporter": f"malloom {__version__}",
        "name": f"{report.process.name} ({report.process.pid})",
        "activeProfileIndex": 0,
        "shared": {"frames": [_frame(place) for place in numbers]},
        "profiles": [
            _profile(report.rows, samples, measure, unit)
            for measure, unit in PROFILES
            if any(getattr(row, measure) for row in report.rows)
        ],
    }
    json.dump(document, output)
    output.write("\n")


def _frame(place: Place) -> dict[str, Any]:
    known = {"file": place.file, "line": place.line} if place.file and place.line else {}
    return {"name": place.function or str(place), **known}


def _profile(rows: list[ContextRow], samples: list[list[int]], measure: str, unit: str) -> dict[str, Any]:
    weights = [getattr(row, measure) or 0 for row in rows]
    return {
        "type": "sampled",
        "name": measure.replace("_", " "),
        "unit": unit,
        "startValue": 0,
        "endValue": sum(weights),
        "samples": samples,
        "weights": weights,
    }
