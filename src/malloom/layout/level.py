"""Contexts of so many frames, as a table of requests has them."""

from __future__ import annotations

from dataclasses import dataclass

from malloom.profile.requests import U32, U64


@dataclass(frozen=True)
class Level:
    """See the module."""

    of_row: U32
    """The context of each row of the table."""
    hashes: U64
    """Per context."""
