"""What a strategy is: from a profile to a layout. docs/guide/strategies.md tells how to add one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from malloom.layout.layout import Layout
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class Strategy(Protocol):
    """Registered in the entry-point group `malloom.strategies`; the entry point names a class without
    arguments."""

    name: str
    """As users type it: lower case, with hyphens, at most 31 letters."""
    summary: str
    """One line for lists and help."""

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        """A place for every request. Must not change the profile; the same profile gives the same layout.

        Strategies are asked in several threads, but each in one at a time.
        """
        ...
