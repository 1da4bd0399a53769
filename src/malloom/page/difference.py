"""The page of a difference between two recordings: totals, and all call sites that changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from malloom import __version__
from malloom.page.file import write_file

CODE = ("numbers.js", "difference.js")
"""Of the page itself, in this order."""


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
        "measures": list(measures),
        "words": list(words),
        "sort": sort,
        "matched_text": matched,
        "version": __version__,
    }
    write_file(output, data, "difference.html", CODE, library="")
