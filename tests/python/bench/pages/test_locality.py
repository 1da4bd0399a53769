"""Where heaps put requests, and what of it the suite compares."""

import itertools

import numpy as np
import pytest

from malloom.bench.pages import locality
from malloom.bench.pages.buddy import BuddyHeap
from malloom.bench.pages.locality import BUDDY, FIRST_LEVEL, LOWEST, PAGES, SECOND_LEVEL, TOUCHED
from malloom.profile.requests import NEVER, Requests, requests_from_arrays


def churning(seed: int, steps: int = 3000) -> Requests:
    random = np.random.default_rng(seed)
    birth = np.arange(0, 2 * steps, 2)
    death = birth + 1 + 2 * random.integers(1, 400, steps)
    return requests_from_arrays(np.exp(random.uniform(1, 9, steps)).astype(int), birth=birth, death=death)


def test_a_buddy_heap_divides_and_joins() -> None:
    heap = BuddyHeap(8)
    assert [heap.allocate(16), heap.allocate(30), heap.allocate(128)] == [0, 32, 128]
    assert heap.allocate(100) is None
    heap.release(32)
    heap.release(0)
    assert heap.allocate(100) == 0
    with pytest.raises(KeyError):
        heap.release(32)


@pytest.mark.parametrize(("lowest_first", "expected"), [(False, 64), (True, 0)])
def test_the_last_or_the_lowest_block_serves_first(lowest_first: bool, expected: int) -> None:
    heap = BuddyHeap(10, lowest_first=lowest_first)
    objects = [heap.allocate(16) for _ in range(8)]
    for number in (0, 4):
        heap.release(objects[number] or 0)
    assert heap.allocate(16) == expected


@pytest.mark.parametrize("seed", range(3))
def test_living_objects_share_no_byte(seed: int) -> None:
    requests = churning(seed)
    for places in locality.places_of(requests).values():
        living: dict[int, int] = {}
        for event in locality.events_of(requests).tolist():
            if event < 0:
                del living[int(places[~event])]
            else:
                living[int(places[event])] = int(requests.size[event])
            if event % 500 == 0:
                begins = sorted(living)
                assert all(at + living[at] <= after for at, after in itertools.pairwise(begins))


def test_objects_of_a_size_lie_together_in_pages() -> None:
    """Every other object is long, and takes half a page."""
    requests = requests_from_arrays([32, 2000] * 500, death=[NEVER] * 1000)
    short = locality.places_of(requests)[PAGES][::2]
    assert len(np.unique(short // 4096)) == 4


def test_means_are_geometric() -> None:
    def counts(of_pages: float) -> dict[str, dict[str, float]]:
        return {
            name: dict.fromkeys((FIRST_LEVEL, SECOND_LEVEL, TOUCHED), number)
            for name, number in ((PAGES, of_pages), (BUDDY, 8.0), (LOWEST, 8.0))
        }

    measured = locality.Measured({("a", ""): counts(4.0), ("b", ""): counts(1.0)})
    means = {(row.variant, row.metric): row.ratio for row in locality.mean_rows(measured)}
    assert means[PAGES, FIRST_LEVEL] == pytest.approx(0.25)
    assert means[LOWEST, TOUCHED] == 1
    assert locality.mean_rows(locality.Measured()) == []
