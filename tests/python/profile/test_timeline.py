"""Live bytes over time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from malloom.profile.requests import NEVER, requests_from_arrays
from malloom.profile.timeline import NAMED, timeline_of

LIVES = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, NAMED + 3), st.booleans(), st.integers(1, 30)),
    min_size=1,
    max_size=40,
)
"""Of each request its bytes, its context, whether it dies, and after how many further requests at most."""


def tickets(lives: list[tuple[int, int, bool, int]]) -> tuple[list[int], list[int]]:
    """A birth and a death for each, every ticket one event."""
    events: list[tuple[float, int, bool]] = []
    for at, (_, _, dies, after) in enumerate(lives):
        events.append((at, at, True))
        if dies:
            events.append((at + after - 0.5 + at / 1000, at, False))
    births, deaths = [0] * len(lives), [NEVER] * len(lives)
    for ticket, (_, request, is_birth) in enumerate(sorted(events)):
        (births if is_birth else deaths)[request] = ticket
    return births, deaths


@given(LIVES)
def test_the_timeline_is_what_lived_at_each_moment(lives: list[tuple[int, int, bool, int]]) -> None:
    births, deaths = tickets(lives)
    requests = requests_from_arrays(
        np.array([size for size, *_ in lives], dtype=np.uint64),
        context=np.array([context for _, context, *_ in lives], dtype=np.uint32),
        birth=np.array(births, dtype=np.uint64),
        death=np.array(deaths, dtype=np.uint64),
    )

    def live(moment: int, context: int | None = None) -> int:
        return sum(
            size
            for (size, own, *_), birth, death in zip(lives, births, deaths, strict=True)
            if birth <= moment < death and context in (None, own)
        )

    found = timeline_of(requests, NAMED + 4)
    last = max([*births, *(death for death in deaths if death != NEVER)])
    assert found.peak_bytes == max(live(moment) for moment in range(last + 1))
    assert live(found.peak_moment) == found.peak_bytes == sum(found.at_peak.values())
    assert found.peak_moment in found.moments
    for at, moment in enumerate(found.moments):
        assert sum(row[at] for row in found.live) == live(moment)
        for row, context in zip(found.live, found.contexts, strict=False):
            assert row[at] == live(moment, context)
