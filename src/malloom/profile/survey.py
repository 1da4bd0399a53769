"""One pass over the accesses, made when first needed: how each request is used, and the affinity graph."""

from __future__ import annotations

from typing import Protocol

from malloom import _native
from malloom.profile.affinity import AffinityGraph
from malloom.profile.requests import Usage


class AccessOpener(Protocol):
    """Opens the accesses of a process from the start; see HeapProfile.accesses for `skip` and `take`."""

    def __call__(self, skip: int, take: int) -> _native.AccessSource: ...


class Survey:
    """What the accesses tell, kept once known. Memory: 24 bytes a request, and the graph if asked for."""

    def __init__(self, opener: AccessOpener, requests: int) -> None:
        self._opener = opener
        self._requests = requests
        self._usage: Usage | None = None
        self._affinity: AffinityGraph | None = None

    def usage(self) -> Usage:
        """Accesses per request."""
        if self._usage is None:
            self._usage = Usage(*_native.survey_usage(self._opener(0, 0), self._requests))
        return self._usage

    def affinity(self) -> AffinityGraph:
        """Which request's object is accessed right after which."""
        if self._affinity is None:
            usage, graph = _native.survey_affinity(self._opener(0, 0), self._requests)
            self._usage, self._affinity = Usage(*usage), AffinityGraph(*graph)
        return self._affinity
