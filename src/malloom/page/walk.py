"""A walk through a program's accesses, step by step: which lines each step touches, wherever objects lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from malloom import _native
from malloom.page.heap_lines import LINE, PAGE_LINES, Places, ranges
from malloom.profile import NEVER, HeapProfile
from malloom.profile.requests import U32, U64

STEPS = 200
STEP_ACCESSES = 256
"""Few enough that a step's lines can be told apart, many enough that a step is more than a few objects."""
OFFSET = np.uint64((1 << 48) - 1)
SIZE_SHIFT, SIZE_MASK = np.uint64(48), np.uint64(15)
"""ResolvedAccess::packed of src/native/accesses/source.h."""


@dataclass(frozen=True)
class Step:
    """Some accesses in a row."""

    begin: int
    """Position of the first one in the stream, as near as it is known."""
    lines: list[U64]
    """For each map the numbers of the lines that they touch, each once."""

    @property
    def counts(self) -> list[tuple[int, int]]:
        """For each map how many lines, and how many pages."""
        return [(len(each), len(np.unique(each // np.uint64(PAGE_LINES)))) for each in self.lines]


@dataclass(frozen=True)
class Walk:
    """Steps of as many accesses each."""

    name: str
    steps: list[Step]

    def means(self) -> list[tuple[float, float]]:
        """For each map lines and pages of a step, in the mean over all steps."""
        counts = np.array([step.counts for step in self.steps])
        return [(float(lines), float(pages)) for lines, pages in counts.mean(axis=0)]


def walks_of(profile: HeapProfile, maps: Sequence[Places]) -> list[Walk]:
    """A walk through accesses in a row, from where the program begins to use what it has built; and where
    there are more accesses, one in steps spread evenly over all. Empty where there are no accesses."""
    wanted = STEPS * STEP_ACCESSES
    begin = _begin(profile)
    walks = [Walk("in a row", _in_a_row(profile, maps, begin))]
    count = _count(profile)
    if count > wanted:
        walks.append(Walk("spread over the run", _spread(profile, maps, count // STEPS)))
    return [walk for walk in walks if walk.steps]


def _begin(profile: HeapProfile) -> int:
    """Where the steady phase first uses an object; 0 where the profile has none."""
    steady = profile.steady_use()
    first = NEVER if steady is None else int(steady.min(initial=NEVER))
    return 0 if first == NEVER else first


def _count(profile: HeapProfile) -> int:
    """Accesses in the stream; a profile's own count of entries has what reached no object as well."""
    last = profile.requests.last_access
    return int(last[last != NEVER].max(initial=0)) + 1


def _in_a_row(profile: HeapProfile, maps: Sequence[Places], begin: int) -> list[Step]:
    wanted = STEPS * STEP_ACCESSES
    source = profile.accesses(begin, wanted) if begin else profile.accesses()
    request, packed = _read(source, wanted)
    return _steps(request, packed, maps, [begin + at * STEP_ACCESSES for at in range(STEPS)])


def _spread(profile: HeapProfile, maps: Sequence[Places], period: int) -> list[Step]:
    request, packed = _read(profile.accesses(period - STEP_ACCESSES, STEP_ACCESSES), STEPS * STEP_ACCESSES)
    return _steps(request, packed, maps, [(at + 1) * period - STEP_ACCESSES for at in range(STEPS)])


def _read(source: _native.AccessSource, wanted: int) -> tuple[U32, U64]:
    """The first accesses of a source, as many as are wanted: their requests, and where in these."""
    requests, places = [np.zeros(0, dtype=np.uint32)], [np.zeros(0, dtype=np.uint64)]
    for request, packed in _batches(source):
        requests.append(request)
        places.append(packed)
        wanted -= len(request)
        if wanted <= 0:
            break
    end = min(wanted, 0) or None
    return np.concatenate(requests)[:end], np.concatenate(places)[:end]


def _batches(source: _native.AccessSource) -> Iterator[tuple[U32, U64]]:
    while True:
        request, _, packed = source.next_batch()
        if not len(request):
            return
        yield request, packed


def _steps(request: U32, packed: U64, maps: Sequence[Places], begins: Sequence[int]) -> list[Step]:
    found = []
    for at in range(0, len(request), STEP_ACCESSES):
        part = slice(at, at + STEP_ACCESSES)
        lines = [_lines(each, request[part], packed[part]) for each in maps]
        found.append(Step(begins[at // STEP_ACCESSES], lines))
    return found


def _lines(places: Places, request: U32, packed: U64) -> U64:
    known = request < len(places.address)
    begin = places.address[request[known]] + (packed[known] & OFFSET)
    size = np.left_shift(np.uint64(1), (packed[known] >> SIZE_SHIFT) & SIZE_MASK)
    first, last = begin // np.uint64(LINE), (begin + size - np.uint64(1)) // np.uint64(LINE)
    return np.unique(ranges(first, (last - first).astype(np.int64) + 1))
