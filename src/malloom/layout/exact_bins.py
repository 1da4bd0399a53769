"""Exact bins: an allocator for one program, with a bin of its own for each size that is asked for often.

What is chosen here is which sizes have one. A request of such a size takes a few instructions, one of another
size looks for the bin that it shares. What a bin has had living at its peak stays its own: so bins that are
busy at different times cost memory, and are joined where that costs more than there may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from malloom.layout.bin_layout import Target
from malloom.layout.bin_replay import events_of, most_living_bytes
from malloom.profile.requests import Requests, requests_from_arrays

I64 = npt.NDArray[np.int64]
U64 = npt.NDArray[np.uint64]

STEP = 8
"""Bytes from one small size to the next; alignment of all objects."""
FEWEST_SMALL, MOST_SMALL = 18, 256
"""Small bins: above the last one large bins begin, and its size is an immediate operand of RISC-V."""
LARGE_UNIT, LARGE_PARTS = 16, 8
"""Large bins: so many an octave, their sizes multiples of so many bytes."""
MOST_BYTES = 2**31
"""Of an object. No bin holds more."""
FREQUENT = 0.001
"""Of the small requests: sizes that are asked for less often share the bin of a larger one."""
HELD_PER_LIVING = 1.25
"""Bins are joined until no more memory than this is held for what lives, as far as that helps."""
LITTLE = 4096
"""Bytes. Nor are they joined where no more than this is held beside what lives: tables take as much."""
SPARE = 1 / 16
"""Of a bin's peak: so many objects are made at a time."""
MOST_BATCH = 8


@dataclass(frozen=True)
class ExactBins:
    """The choice, and what it was made by. Sizes are bytes; a small bin is its index in steps of size."""

    target: Target
    homes: tuple[int, ...]
    """Of each small size the bin that serves it: its own, or a larger one."""
    batches: tuple[int, ...]
    """Of each small bin, how many objects are made at a time."""
    requests: int
    sizes: int
    """How many different sizes were asked for that have a bin of their own."""
    at_once: int
    """Requests of these sizes."""
    too_large: int
    """Requests that no bin holds."""
    largest: int
    """The largest request."""
    most_living_bytes: int
    """Of objects, as requested, at a time; without those that no bin holds."""
    most_held_bytes: int
    """Of memory, with what precedes objects and what rounds them up."""

    @property
    def small_bins(self) -> int:
        return len(self.homes)

    @property
    def large_bins(self) -> int:
        return int(large_index(np.array([MOST_BYTES]), self.target)[0]) + 1

    def table_bytes(self) -> int:
        """Of variables and constants."""
        pointers = (self.large_bins + 4) * self.target.pointer_bytes
        return STEP * self.small_bins + pointers + 2 * self.small_bins


def small_index(sizes: I64, target: Target) -> I64:
    """The small bin of each size (HEAP_small_index)."""
    found: I64 = (sizes + target.pointer_bytes - 1) // STEP
    return found


def least_index(target: Target) -> int:
    """The smallest bin whose objects have room for a link."""
    return int(small_room(0, target) < target.pointer_bytes)


def small_room(index: int, target: Target) -> int:
    """Bytes of an object of a small bin: a word less than a multiple of 8 (HEAP_usable)."""
    return STEP * index + STEP - target.pointer_bytes


def large_index(sizes: I64, target: Target) -> I64:
    """The large bin of each size, which is at least 128 (HEAP_large_index)."""
    part = (sizes - (STEP - target.pointer_bytes) - 1) // LARGE_UNIT
    index = np.zeros_like(part)
    while (above := part >= 2 * LARGE_PARTS).any():
        part = np.where(above, part // 2, part)
        index += LARGE_PARTS * above
    found: I64 = index + part - LARGE_PARTS
    return found


def large_room(index: int, target: Target) -> int:
    """Bytes of an object of a large bin (HEAP_large_room)."""
    octave, part = divmod(index, LARGE_PARTS)
    return ((LARGE_PARTS + 1 + part) << octave) * LARGE_UNIT + STEP - target.pointer_bytes


@dataclass
class _Bin:
    """A small bin while bins are joined: the sizes of all it serves, and when what of it lives."""

    index: int
    requests: int
    order: I64
    """Places in the order of events, ascending."""
    changes: I64
    """+1 or -1 at each."""
    members: list[int] = field(default_factory=list)

    @property
    def peak(self) -> int:
        return int(np.cumsum(self.changes).max(initial=0))

    def joined(self, larger: _Bin) -> _Bin:
        order = np.concatenate((self.order, larger.order))
        sorted_places = np.argsort(order, kind="stable")
        changes = np.concatenate((self.changes, larger.changes))[sorted_places]
        both = replace(larger, order=order[sorted_places], changes=changes)
        both.members = [*self.members, *larger.members]
        return both


def choose(requests: Requests, target: Target) -> ExactBins:
    """Bins for the requests, of which there is at least one."""
    sizes = np.minimum(requests.size, np.uint64(2**62)).astype(np.int64)
    held = sizes <= MOST_BYTES
    small_bins = _small_bins(sizes[held], target)
    most_small = small_room(small_bins - 1, target)
    living = _living(requests, held)
    bins, large = _used(requests, tuple(range(small_bins)), target)
    most = max(HELD_PER_LIVING * living, living + LITTLE)
    joined = _joined_for_memory(_joined_if_rare(bins, target), target, most - large, living)
    homes = _homes(small_bins, joined, target)
    # In the bins that were joined more objects grow where they are.
    bins, large = _used(requests, homes, target)
    peaks = {each.index: each.peak for each in bins}
    batches = tuple(min(1 + int(SPARE * peaks.get(each, 0)), MOST_BATCH) for each in range(small_bins))
    asked = np.unique(small_index(sizes[held & (sizes <= most_small)], target), return_counts=True)
    of_own = [int(count) for each, count in zip(*asked, strict=True) if homes[each] == each]
    return ExactBins(
        target,
        homes,
        batches,
        requests=len(requests),
        sizes=len(of_own),
        at_once=sum(of_own),
        too_large=int((~held).sum()),
        largest=int(requests.size.max()),
        most_living_bytes=living,
        most_held_bytes=large + sum(_held(each, target, batches[each.index]) for each in bins),
    )


def _used(requests: Requests, homes: Sequence[int], target: Target) -> tuple[list[_Bin], int]:
    """The small bins that the requests use, where `homes` serve the small sizes, and the bytes of all other
    objects."""
    sizes = np.minimum(requests.size, np.uint64(2**62)).astype(np.int64)
    most_small, home = small_room(len(homes) - 1, target), np.array(homes)
    is_small, is_aligned = sizes <= most_small, requests.alignment > STEP
    index = np.zeros(len(sizes), dtype=np.int64)
    index[is_small] = home[np.maximum(small_index(sizes[is_small], target), least_index(target))]
    is_large = ~is_small & (sizes <= MOST_BYTES)
    index[is_large] = large_index(sizes[is_large], target)
    rooms = np.where(is_small, STEP * index + STEP - target.pointer_bytes, 0)
    rooms[is_large] = [large_room(int(each), target) for each in index[is_large]]
    kept, death = _as_served(requests, np.where(is_aligned, 0, rooms))
    kept &= sizes <= MOST_BYTES
    events = events_of(
        requests_from_arrays(requests.size[kept], birth=requests.birth[kept], death=death[kept])
    )
    numbers = np.flatnonzero(kept)[np.where(events < 0, ~events, events)]
    changes = np.where(events < 0, -1, 1)
    of_bins = is_small[numbers] & ~is_aligned[numbers]
    bins = [
        _Bin(int(each), int((changes[at] > 0).sum()), at, changes[at], [int(each)])
        for each in np.unique(index[numbers[of_bins]])
        for at in [np.flatnonzero(of_bins & (index[numbers] == each))]
    ]
    others = ~is_small[numbers] & ~is_aligned[numbers]
    large = _large_bytes(sizes[numbers[others]], changes[others], target)
    aligned = is_aligned[numbers]
    return bins, large + _aligned_bytes(requests, numbers[aligned], changes[aligned], target)


def _as_served(requests: Requests, rooms: I64) -> tuple[npt.NDArray[np.bool_], U64]:
    """Which requests get an object, as what realloc finds room for stays where it is (HEAP_realloc), and when
    each of these objects goes. `rooms` are those of the bins that serve the requests."""
    kept, death = np.ones(len(rooms), dtype=np.bool_), requests.death.copy()
    after = np.minimum(np.searchsorted(requests.birth, requests.death), len(rooms) - 1)
    grown = np.flatnonzero(requests.birth[after] == requests.death)
    object_of = np.arange(len(rooms))
    for old, new in sorted(zip(grown.tolist(), after[grown].tolist(), strict=True), key=itemgetter(1)):
        home = object_of[old]
        if requests.size[new] <= rooms[home]:
            object_of[new], kept[new], death[home] = home, False, requests.death[new]
    return kept, death


def _aligned_bytes(requests: Requests, numbers: I64, changes: I64, target: Target) -> int:
    """Bytes of the objects that are aligned to more than 8: one that was freed serves the next that fits into
    it, and stays whole (HEAP_aligned)."""
    free: list[tuple[int, int]] = []
    blocks: dict[int, tuple[int, int]] = {}
    held = 0
    for number, change in zip(numbers.tolist(), changes.tolist(), strict=True):
        if change < 0:
            free.insert(0, blocks.pop(number))
            continue
        room, alignment = int(requests.size[number]), int(requests.alignment[number])
        fits = (at for at, (bytes_, to) in enumerate(free) if bytes_ >= room and to >= alignment)
        if (found := next(fits, None)) is not None:
            blocks[number] = free.pop(found)
            continue
        blocks[number] = room, alignment
        held += -(-(room + target.pointer_bytes) // STEP) * STEP + alignment
    return held


def _small_bins(sizes: I64, target: Target) -> int:
    """So many that all sizes that are frequent have one, if they may."""
    candidates = sizes[sizes <= small_room(MOST_SMALL - 1, target)]
    index, counts = np.unique(small_index(candidates, target), return_counts=True)
    frequent = index[counts >= FREQUENT * len(candidates)]
    return min(max(int(frequent.max(initial=0)) + 1, FEWEST_SMALL), MOST_SMALL)


def _living(requests: Requests, held: npt.NDArray[np.bool_]) -> int:
    if held.all():
        return most_living_bytes(requests)
    times = np.concatenate((requests.birth[held], requests.death[held]))
    sizes = requests.size[held].astype(np.int64)
    changes = np.concatenate((sizes, -sizes))
    return int(np.cumsum(changes[np.lexsort((changes, times))]).max(initial=0))


def _chunk(index: int, target: Target) -> int:
    return small_room(index, target) + target.pointer_bytes


def _held(each: _Bin, target: Target, batch: int = 1) -> int:
    """Bytes of a bin's objects once it has had its peak."""
    return -(-each.peak // batch) * batch * _chunk(each.index, target)


def _large_bytes(sizes: I64, changes: I64, target: Target) -> int:
    """Bytes of the objects of all large bins once each has had its peak."""
    index = large_index(sizes, target)
    peaks = {int(each): int(np.cumsum(changes[index == each]).max(initial=0)) for each in np.unique(index)}
    return sum(peak * (large_room(each, target) + target.pointer_bytes) for each, peak in peaks.items())


def _joined_if_rare(bins: list[_Bin], target: Target) -> list[_Bin]:
    """Sizes that are asked for rarely share the next larger bin, where that costs no more memory."""
    enough = FREQUENT * sum(each.requests for each in bins)
    found: list[_Bin] = []
    for each in reversed(bins):
        larger = found[-1] if found else None
        if larger is not None and each.requests < enough and _saved(each, larger, target) >= 0:
            found[-1] = each.joined(larger)
        else:
            found.append(each)
    return found[::-1]


def _saved(each: _Bin, larger: _Bin, target: Target) -> int:
    """Bytes that are held less where the two are one."""
    apart = _held(each, target) + _held(larger, target)
    return apart - _held(each.joined(larger), target)


def _joined_for_memory(bins: list[_Bin], target: Target, most: float, living: int) -> list[_Bin]:
    """Neighbours joined until no more than `most` is held, those first that save the most bytes for a request
    that then takes longer; none whose part of the requests is larger than what it saves is of what lives."""
    bins = list(bins)
    held = sum(_held(each, target) for each in bins)
    requests = max(sum(each.requests for each in bins), 1)
    saved = [_saved(*pair, target) for pair in pairwise(bins)]
    while held > most and saved:
        worth = [each / max(bins[at].requests, 1) for at, each in enumerate(saved)]
        at = int(np.argmax(worth))
        if worth[at] <= 0 or worth[at] < living / requests:
            break
        held -= saved[at]
        bins[at : at + 2] = [bins[at].joined(bins[at + 1])]
        saved[at : at + 1] = []
        for pair in (at - 1, at):
            if 0 <= pair < len(saved):
                saved[pair] = _saved(bins[pair], bins[pair + 1], target)
    return bins


def _homes(small_bins: int, bins: list[_Bin], target: Target) -> tuple[int, ...]:
    """Sizes that were not asked for have bins of their own: another run may ask for them as often."""
    homes = list(range(small_bins))
    for each in bins:
        for member in each.members:
            homes[member] = each.index
    least = least_index(target)
    homes[:least] = [homes[least]] * least
    return tuple(homes)
