"""What a user has to know of what is read, on standard error: other tools read what is written."""

from __future__ import annotations

import sys
from collections.abc import Iterable


def tell_notes(notes: Iterable[str]) -> None:
    """Each once, without what a terminal would obey."""
    from malloom.diff.text import fitted  # noqa: PLC0415  (a verb loads what it uses)

    for note in dict.fromkeys(notes):
        print(fitted(f"note: {note}", sys.stderr), file=sys.stderr)
