"""What one pass over the accesses finds, against plain models of it."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from malloom import _native
from malloom.profile import NEVER
from malloom.profile.survey import windows

REQUESTS = 6
Surveyed = tuple[list[int], _native.KeptAccesses]


def source(accesses: Sequence[int]) -> _native.AccessSource:
    numbers = np.asarray(accesses, dtype=np.uint32)
    return _native.array_accesses(numbers, np.zeros(len(numbers), dtype=np.uint64), 0, 0)


def survey(
    accesses: Sequence[int], steadiness: tuple[int, int, int] = (1, 1, 1), kept: tuple[int, int] = (0, 0)
) -> Surveyed:
    _, steady, _, sample = _native.survey(source(accesses), REQUESTS, len(accesses), steadiness, kept)
    return steady.tolist(), sample


def steady_uses(accesses: list[int], stretch: int, rarity: int, least: int) -> list[int]:
    """First uses in the longest run of stretches in which one access in `rarity` at most is a first one."""
    is_steady = []
    for begin in range(0, len(accesses), stretch):
        before, now = set(accesses[:begin]), accesses[begin : begin + stretch]
        is_steady.append(len(set(now) - before) * rarity <= len(now))
    best = (0, 0)
    begin = 0
    for i, steady in enumerate(is_steady):
        if not steady:
            begin = i + 1
        elif i + 1 - begin > best[1] - best[0]:
            best = (begin, i + 1)
    first, end = best[0] * stretch, best[1] * stretch
    if end - first < max(least, 1):
        return []
    phase = accesses[first:end]
    return [first + phase.index(request) if request in phase else NEVER for request in range(REQUESTS)]


@given(
    st.lists(st.integers(0, REQUESTS - 1), max_size=120),
    st.integers(1, 9),
    st.integers(1, 6),
    st.integers(0, 40),
)
def test_steady_phase_is_that_of_the_plain_model(
    accesses: list[int], stretch: int, rarity: int, least: int
) -> None:
    assert survey(accesses, (stretch, rarity, least))[0] == steady_uses(accesses, stretch, rarity, least)


@given(st.integers(0, 20000), st.integers(0, 5000), st.integers(1, 5000), st.integers(1, 5000), st.booleans())
def test_kept_accesses_are_the_windows_of_the_stream(
    count: int, skip: int, take: int, narrower: int, keeps_all: bool
) -> None:
    accesses = np.arange(count) % REQUESTS
    kept = survey(accesses.tolist(), kept=(0, 0) if keeps_all else (skip, take))[1]
    narrow = min(narrower, take)
    wanted = skip + take - narrow, narrow
    assert kept.serves(*wanted)
    assert kept.serves(0, 0) == keeps_all
    expected = [i % REQUESTS for i in range(count) if i % (skip + take) >= wanted[0]]
    assert requests_of(kept.open(*wanted)) == expected


def requests_of(accesses: _native.AccessSource) -> list[int]:
    found: list[int] = []
    while len((batch := accesses.next_batch())[0]):
        found += batch[0].tolist()
    return found


@given(st.integers(0, 10**10), st.integers(8, 10**7))
def test_windows_stay_within_the_budget(entries: int, budget: int) -> None:
    skip, take = windows(entries, budget)
    assert take == 0 if entries <= budget else 0 < take * 8 <= budget
    assert windows(entries, None) == (0, 0)
    smaller = windows(entries, max(budget // 2, 8))
    if take:
        assert sum(smaller) == skip + take  # so that a sample kept serves a smaller one
