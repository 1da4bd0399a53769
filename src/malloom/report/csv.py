"""The report as comma-separated values: a line for each chain."""

from __future__ import annotations

import csv
from dataclasses import fields
from typing import IO

from malloom.printable import printable
from malloom.report.context_rows import ContextRow
from malloom.report.report import Report

summary = "a table for spreadsheets and databases"

NUMBERS = tuple(field.name for field in fields(ContextRow) if field.name not in ("context", "hash"))


def write(report: Report, output: IO[str]) -> None:
    """Writes a heading and a line for each chain; what the profile cannot tell is empty."""
    table = csv.writer(output, lineterminator="\n")
    table.writerow(["hash", *NUMBERS, "function", "file", "line", "chain"])
    for row, chain in zip(report.rows, report.chains, strict=True):
        numbers = [getattr(row, name) for name in NUMBERS]
        first = (
            [printable(chain[0].function), printable(chain[0].file), chain[0].line or None]
            if chain
            else ["", "", None]
        )
        calls = " < ".join(printable(str(place)) for place in chain)
        table.writerow([f"{row.hash:016x}", *numbers, *first, calls])
