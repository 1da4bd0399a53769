"""Requests made once more of a bin heap on this machine."""

import numpy as np
import pytest

from malloom import _native
from malloom.layout.bin_layout import TARGETS, lay_out
from malloom.layout.bin_replay import ORIGINAL, events_of, insertions, most_living_bytes, replay
from malloom.profile.requests import NEVER, Requests, requests_from_arrays


def churning(seed: int, steps: int = 4000) -> Requests:
    """Requests of many sizes, of which some two hundred live at a time."""
    random = np.random.default_rng(seed)
    birth = np.arange(0, 2 * steps, 2)
    death = birth + 1 + 2 * random.integers(1, 400, steps)
    sizes = np.exp(random.uniform(2, 8, steps)).astype(int)
    return requests_from_arrays(sizes, birth=birth, death=death)


def test_events_are_in_order_and_frees_come_first() -> None:
    requests = requests_from_arrays([8, 8, 8], birth=[0, 2, 4], death=[4, NEVER, 5])
    assert events_of(requests).tolist() == [0, 1, ~0, 2, ~2]


def test_what_is_held_is_at_least_what_lives() -> None:
    for seed in range(4):
        requests = churning(seed)
        layout = lay_out(requests, TARGETS["x86_64"])
        for begins in (layout.begins, ORIGINAL):
            found = replay(requests, begins, layout.most_living_bytes)
            assert found.failures == 0
            assert 1 < found.of_living(layout.most_living_bytes) < 1.6


def test_without_frees_all_lies_in_a_row() -> None:
    requests = requests_from_arrays([24] * 1000)
    found = replay(requests, ORIGINAL, 24000)
    assert 32 * 1000 <= found.most_held + 8 <= 32 * 1000 + 128


def test_bins_by_the_profile_need_fewer_steps_than_two_bins() -> None:
    requests = churning(7)
    fine, coarse = (lay_out(requests, TARGETS["x86_64"], bins) for bins in (200, 2))
    living = fine.most_living_bytes
    assert replay(requests, fine.begins, living).steps < 0.2 * replay(requests, coarse.begins, living).steps
    # A bounded heap looks at three chunks and no more.
    assert replay(requests, coarse.begins, living, bounded=True).steps <= 3 * len(requests)


def test_bins_by_the_profile_need_fewer_steps_than_the_original_ones() -> None:
    """Judged by requests of the same kind that they were not laid out by."""
    for learned, judged in ((1, 2), (3, 4)):
        layout = lay_out(churning(learned), TARGETS["x86_64"])
        requests = churning(judged)
        living = most_living_bytes(requests)
        assert replay(requests, layout.begins, living).steps < replay(requests, ORIGINAL, living).steps


def test_what_becomes_free_is_counted_by_its_size() -> None:
    requests = requests_from_arrays([24, 24, 100, 24], birth=[0, 1, 2, 3], death=[4, NEVER, 5, NEVER])
    begins = np.array([0, 32, 48, 112, 128], dtype=np.uint32)
    assert insertions(requests, begins, 172, 8).tolist() == [0, 1, 0, 1, 0]
    # Chunks of 28 and 104 bytes are 32 and 104 there.
    begins = np.array([0, 32, 40, 104, 112], dtype=np.uint32)
    assert insertions(requests, begins, 172, 4).tolist() == [0, 1, 0, 1, 0]


def test_what_gets_nothing_is_counted() -> None:
    requests = requests_from_arrays([100, 2**40, 100], birth=[0, 1, 2], death=[3, 4, 5])
    assert replay(requests, ORIGINAL, 200).failures == 1


def test_bins_that_cannot_be_are_refused() -> None:
    sizes, alignments, events = np.ones(1, np.uint64), np.zeros(1, np.uint32), np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="no heap can have these bins"):
        _native.replay_bins(sizes, alignments, events, np.array([0, 64, 64], np.uint32), 2**20, 0, False)
    with pytest.raises(ValueError, match="an event of no request"):
        _native.replay_bins(sizes, alignments, np.array([1]), ORIGINAL, 2**20, 0, False)
