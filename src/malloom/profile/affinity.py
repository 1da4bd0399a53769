"""Which object is accessed right after which (thesis, section 4.6)."""

from __future__ import annotations

from dataclasses import dataclass

from malloom.profile.requests import U32, U64


@dataclass(frozen=True)
class AffinityGraph:
    """A directed graph in compressed rows: the edges of node i are at offsets[i] to offsets[i + 1].

    Nodes are requests (HeapProfile.affinity) or contexts (HeapProfile.context_affinity). Accesses in a row to
    the same object count once, so there are no loops among requests. A node's edges fall in weight.
    """

    offsets: U64
    """n + 1 entries."""
    targets: U32
    """Node accessed right after."""
    weights: U32
    """How often, at most 2**32 - 1; a lower bound where a node has more successors than the graph keeps."""

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.offsets) - 1

    @property
    def edges(self) -> int:
        """Number of edges."""
        return len(self.targets)
