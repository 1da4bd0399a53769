"""Random profiles for property tests, and the checks that every layout must pass."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from malloom.layout.layout import GRANULE, NO_PLACE, Layout
from malloom.profile import NEVER, Contexts, HeapProfile, Module


def with_contexts(size: Any, context: Any, **columns: Any) -> HeapProfile:
    """A profile whose contexts are call sites in one module; those in none look the same to a plan."""
    count = int(max(context)) + 1
    sites = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(64)
    contexts = Contexts(
        offsets=np.arange(count + 1, dtype=np.uint64),
        frame_module=np.zeros(count, dtype=np.uint32),
        frame_offset=sites,
        hashes=sites * np.uint64(0x9E3779B97F4A7C15),
    )
    program = Module("program", "", base=0, end=1 << 20, bias=0, hash=77)
    return HeapProfile.from_arrays(size, context=context, contexts=contexts, modules=[program], **columns)


@st.composite
def profiles(draw: st.DrawFn, largest: int = 300) -> HeapProfile:
    """Up to 40 requests below `largest` bytes, with lives, contexts, threads, friends and accesses."""
    count = draw(st.integers(1, 40))
    drawn = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = drawn.integers(0, largest, count)
    # Tickets: a random interleaving of births, in order, with the deaths of some.
    birth = np.sort(drawn.choice(np.arange(1, 4 * count, 2), count, replace=False)).astype(np.uint64)
    death = np.full(count, NEVER, dtype=np.uint64)
    taken: set[int] = set()
    for request in np.flatnonzero(drawn.random(count) < 0.7):
        ticket = int(birth[request]) + 1 + 2 * int(drawn.integers(0, count))
        while ticket in taken:
            ticket += 2
        taken.add(ticket)
        death[request] = ticket
    friend = np.array([drawn.integers(-1, request) if request else -1 for request in range(count)])
    accesses = draw(npst.arrays(np.uint32, st.integers(0, 200), elements=st.integers(0, count - 1)))
    return with_contexts(
        size,
        birth=birth,
        death=death,
        alignment=drawn.choice([0, 0, 0, 16, 32, 64, 4096], count),
        context=drawn.integers(0, 4, count),
        thread=np.r_[0, drawn.integers(0, 2, count - 1)],
        friend=friend,
        accesses=accesses,
    )


def assert_valid(profile: HeapProfile, layout: Layout) -> None:
    """Places are aligned, inside the arena, and no two objects alive together overlap."""
    requests = profile.requests
    assert len(layout.offset) == len(requests)
    placed = np.flatnonzero(layout.offset != NO_PLACE)
    start = layout.offset
    room = np.maximum(-(-requests.size.astype(np.int64) // GRANULE), 1) * GRANULE
    for a in placed:
        assert start[a] % max(GRANULE, int(requests.alignment[a])) == 0
        assert start[a] >= 0
        assert start[a] + room[a] <= layout.arena_bytes
    for i, a in enumerate(placed):
        for b in placed[i + 1 :]:
            together = requests.birth[b] < requests.death[a]  # a was born first
            overlap = start[a] < start[b] + room[b] and start[b] < start[a] + room[a]
            assert not (together and overlap), (a, b)
