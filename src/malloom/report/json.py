"""The report for machines."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import IO, Any

from malloom.report.context_rows import ContextRow
from malloom.report.report import Report
from malloom.report.symbols import Place

summary = "one object for machines"


def write(report: Report, output: IO[str]) -> None:
    """Writes one JSON object; hashes are hexadecimal texts, as they do not fit a double.

    What the profile cannot tell is null.
    """
    process = report.process
    document = {
        "profile": str(report.profile),
        "created": report.created,
        "complete": not report.gaps,
        "gaps": report.gaps,
        "process": {
            "pid": process.pid,
            "parent": process.parent,
            "executable": process.executable,
            "build_id": process.build_id,
            "arguments": list(process.arguments),
        },
        "totals": asdict(report.totals),
        "contexts": [_context(row, chain) for row, chain in zip(report.rows, report.chains, strict=True)],
        "notes": report.notes,
    }
    json.dump(document, output, indent=2)
    output.write("\n")


def _context(row: ContextRow, chain: list[Place]) -> dict[str, Any]:
    context = asdict(row)
    context["hash"] = f"{row.hash:016x}"
    context["frames"] = [asdict(place) for place in chain]
    return context
