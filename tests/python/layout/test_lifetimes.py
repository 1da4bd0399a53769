"""Which contexts' objects live about as long, and die with their neighbours."""

import numpy as np

from malloom.layout.layout import NO_GROUP
from malloom.layout.lifetimes import (
    STEP,
    are_dense,
    classes_of,
    group_by_lifetime,
    lives_of,
    mean_lifetimes,
)
from malloom.profile import NEVER, HeapProfile
from python.layout.drawn_profiles import with_contexts

SIZE = 1024
COUNT = 4096
"""4 MiB: 64 chunks of the smallest."""


def profile_of(*deaths: tuple[int, np.ndarray], accesses: object = ()) -> HeapProfile:
    """Contexts that take turns, a request each, with even tickets; `deaths` say, by the number of the own
    context's request, after how many rounds each goes, 0 for never."""
    contexts = len(deaths)
    count = contexts * COUNT
    birth = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(2)
    death = np.full(count, NEVER, dtype=np.uint64)
    for number, rounds in deaths:
        mine = np.arange(COUNT) * contexts + number
        goes = rounds > 0
        after = np.minimum(mine[goes] + rounds[goes] * contexts, count)
        # Odd tickets, and each its own, as far as the order of deaths in one round matters to nobody.
        death[mine[goes]] = birth[after - 1] + np.uint64(1)
    context = np.tile(np.arange(contexts, dtype=np.uint32), COUNT)
    return with_contexts([SIZE] * count, context, birth=birth, death=death, accesses=accesses)


def always(rounds: int) -> np.ndarray:
    return np.full(COUNT, rounds)


def batches_of(rounds: int) -> np.ndarray:
    """What is freed together each so many rounds."""
    return rounds - np.arange(COUNT) % rounds


def few_last(rounds: int, each: int) -> np.ndarray:
    """All go after so many rounds, but one in `each`, which stays."""
    return np.where(np.arange(COUNT) % each == 0, 0, rounds)


def groups_of(profile: HeapProfile) -> list[int | None]:
    contexts = len(profile.contexts)
    found, _ = group_by_lifetime(profile, profile.requests.context, contexts)
    return [None if each == NO_GROUP else int(each) for each in found]


def test_a_lifetime_is_what_is_asked_for_between_birth_and_death() -> None:
    profile = HeapProfile.from_arrays([100, 7, 50, 9], birth=[1, 2, 3, 5], death=[4, NEVER, 6, 7])
    lives = lives_of(profile, profile.requests.context)
    assert lives.whole == 166
    assert (lives.dead - lives.born).tolist() == [57, 166, 9, 0]


def test_the_mean_counts_each_byte_alike() -> None:
    profile = with_contexts([300, 100, 600], [0, 0, 1], birth=[1, 2, 3], death=[4, NEVER, 5])
    lives = lives_of(profile, profile.requests.context)
    assert mean_lifetimes(lives, 3).tolist() == [(300 * 700 + 100 * 1000) / 400, 0, 0]


def test_classes_are_steps_from_what_dies_within_its_chunk() -> None:
    kib = 1024
    lived = np.array([0, 1, 64 * kib - 1, 64 * kib, 64 * STEP * kib - 1, 64 * STEP * kib, 64 * STEP**2 * kib])
    assert classes_of(lived.astype(np.float64)).tolist() == [0, 0, 0, 1, 1, 2, 3]


def test_what_lives_as_long_is_together_and_the_rest_apart() -> None:
    lived = always(8), always(400), always(500), always(0)
    short, middle, as_long, lasting = groups_of(profile_of(*enumerate(lived)))
    assert middle == as_long
    assert None not in (short, middle, lasting) and len({short, middle, lasting}) == 3


def test_a_batch_that_goes_at_once_is_dense_whatever_its_lifetimes() -> None:
    profile = profile_of((0, batches_of(512)), (1, always(0)))
    batch, lasting = groups_of(profile)
    assert batch is not None and lasting is not None and batch != lasting


def test_few_that_stay_hold_all_chunks_so_the_context_has_no_group() -> None:
    # Each chunk is left with one object, of the 64 that it got.
    profile = profile_of((0, few_last(70, 64)), (1, always(70)))
    held_up, dies = groups_of(profile)
    assert held_up is None and dies is not None


def test_half_of_each_chunk_alive_is_enough() -> None:
    mixed = profile_of((0, few_last(70, 2)), (1, few_last(70, 5)))
    lives = lives_of(mixed, mixed.requests.context)
    assert are_dense(lives, 2).tolist() == [True, False]


def test_contexts_that_fill_no_chunk_have_no_group() -> None:
    few = 63
    context = np.r_[np.zeros(few), np.ones(1000)].astype(np.uint32)
    assert groups_of(with_contexts([SIZE] * len(context), context)) == [None, 0]


def test_the_busy_ones_are_apart_where_accesses_were_recorded() -> None:
    busy = np.repeat(np.arange(0, 2 * COUNT, 2, dtype=np.uint32), 5)
    lived = (0, always(0)), (1, always(0))
    assert groups_of(profile_of(*lived)) == [0, 0]
    assert groups_of(profile_of(*lived, accesses=busy)) == [1, 0]


def test_the_others_stay_in_small_pages_where_accesses_were_recorded() -> None:
    busy = np.repeat(np.arange(0, 2 * COUNT, 2, dtype=np.uint32), 5)
    for accesses, small in (((), [False]), (busy, [True, False])):
        profile = profile_of((0, always(0)), (1, always(0)), accesses=accesses)
        assert group_by_lifetime(profile, profile.requests.context, 2)[1].tolist() == small


def test_large_requests_count_for_nothing() -> None:
    context = np.repeat(np.arange(2, dtype=np.uint32), 100)
    size = np.repeat([SIZE, 200 << 10], 100)
    assert groups_of(with_contexts(size, context)) == [0, None]
    assert groups_of(with_contexts([200 << 10] * 4, [0] * 4)) == [None]
