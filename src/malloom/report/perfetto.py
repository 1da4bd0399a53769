"""The report for Perfetto (https://ui.perfetto.dev): how much memory of which call sites lived when.

In the JSON form of trace events, which chrome://tracing reads too. A profile has no clock: what stands for a
microsecond there is an event, a request or a release.
"""

from __future__ import annotations

import json
from typing import IO, Any

from malloom import __version__
from malloom.profile.timeline import timeline_of
from malloom.report.report import Report

summary = "memory over time for Perfetto"

COUNTER, OTHERS = "live bytes", "others"


def write(report: Report, output: IO[str]) -> None:
    """Writes one JSON object: a counter with a value for each call site that is large at the peak."""
    timeline = timeline_of(report.requests, 1 + int(report.requests.context.max(initial=0)))
    names = [*_names(report, timeline.contexts), OTHERS]
    pid = report.process.pid
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": report.process.name}},
        {"ph": "i", "s": "p", "name": "peak", "pid": pid, "ts": timeline.peak_moment},
    ]
    for number, moment in enumerate(timeline.moments):
        living = {name: row[number] for name, row in zip(names, timeline.live, strict=True)}
        events.append({"ph": "C", "name": COUNTER, "pid": pid, "ts": moment, "args": living})
    document = {
        "traceEvents": events,
        "otherData": {"exporter": f"malloom {__version__}", "a microsecond": "one request or release"},
    }
    json.dump(document, output)
    output.write("\n")


def _names(report: Report, contexts: list[int]) -> list[str]:
    """Where each context's requests were made; with its hash where several would have one name, or a row of
    the report was cut off."""
    chains = {row.context: chain for row, chain in zip(report.rows, report.chains, strict=True)}
    hashes = {row.context: f"{row.hash:016x}" for row in report.rows}
    names: list[str] = []
    for context in contexts:
        chain = chains.get(context)
        name = str(chain[0]) if chain else f"context {context}"
        names.append(f"{name} {hashes[context]}" if name in names or name == OTHERS else name)
    return names
