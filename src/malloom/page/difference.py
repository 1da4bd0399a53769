"""The page of a difference between two recordings, or two plans: totals, and all call sites that changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from malloom import __version__
from malloom.page.file import write_file

TEMPLATE = "difference.html"
TABLE = ("numbers.js", "difference_table.js")
"""Code of both pages, which comes first."""
CODE = (*TABLE, "difference.js")
"""Of the page of two recordings, in this order."""
PLAN_CODE = (*TABLE, "difference_plans.js")
"""Of the page of two plans."""


def write_difference(
    found: Mapping[str, Any],
    measures: Sequence[Mapping[str, Any]],
    words: Sequence[str],
    sort: str,
    matched: str,
    output: Path,
) -> None:
    """Writes the page. `found` is the difference for machines (malloom.diff.text), `measures` have name,
    title and in_bytes, `words` are what may have changed, in the order in which they are offered, `sort` is
    the measure by which sites are sorted, and `matched` says how much was found in both."""
    data = {
        **found,
        "title": f"{Path(found['new']['executable']).name or 'program'}: what changed",
        "command": f"{found['old']['source']} → {found['new']['source']}",
        "measures": list(measures),
        "words": list(words),
        "sort": sort,
        "matched_text": matched,
        "version": __version__,
    }
    write_file(output, data, TEMPLATE, CODE, library="")


def write_plan_difference(found: Mapping[str, Any], output: Path) -> None:
    """Writes the page of two plans. `found` is their difference, for machines and for people
    (malloom.diff.plans)."""
    program = found["plans"]["new"]["program"] or [""]
    data = {
        **found,
        "title": f"{Path(str(program[0])).name or 'program'}: what changed in its plan",
        "command": f"{found['old']} → {found['new']}",
        "sort": "name",
        "version": __version__,
    }
    write_file(output, data, TEMPLATE, PLAN_CODE, library="")
