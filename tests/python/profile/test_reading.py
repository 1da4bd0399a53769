"""While accesses are read: how far that is, and that it can be interrupted."""

import os
import signal
import threading
from types import FrameType

import numpy as np
import pytest

from malloom import _native

ACCESSES = 6_000_000
REQUESTS = 3_000_000


class Interrupted(Exception):
    """What the handler of the signal raises."""


def all_over_memory() -> _native.AccessSource:
    """Accesses that take long, as each is to another object."""
    requests = np.random.default_rng(5).integers(0, REQUESTS, ACCESSES, dtype=np.uint32)
    return _native.array_accesses(requests, np.zeros(ACCESSES, dtype=np.uint64), 0, 0)


def count(source: _native.AccessSource) -> None:
    _native.context_affinity(source, np.arange(REQUESTS, dtype=np.uint32), REQUESTS, 128)


def interrupt_once_it_reads() -> None:
    while _native.read_so_far()[0] == 0:
        pass
    os.kill(os.getpid(), signal.SIGALRM)


def test_a_pass_tells_how_far_it_is_and_is_interrupted_amid() -> None:
    seen: list[tuple[int, int]] = []

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        seen.append(_native.read_so_far())
        raise Interrupted

    source = all_over_memory()
    before = signal.signal(signal.SIGALRM, interrupt)
    other = threading.Thread(target=interrupt_once_it_reads)
    other.start()
    try:
        with pytest.raises(Interrupted):
            count(source)
    finally:
        other.join()
        signal.signal(signal.SIGALRM, before)
    [(done, expected)] = seen
    assert expected == ACCESSES
    assert 0 < done < ACCESSES
    del source
    assert _native.read_so_far() == (0, 0)


@pytest.mark.parametrize(("skip", "take", "expected"), [(0, 0, 1000), (30, 10, 250)])
def test_of_windows_as_much_is_expected_as_comes(skip: int, take: int, expected: int) -> None:
    request = np.zeros(1000, dtype=np.uint32)
    source = _native.array_accesses(request, request.astype(np.uint64), skip, take)
    read = 0
    while len(batch := source.next_batch()[0]):
        read += len(batch)
        assert _native.read_so_far() == (read, expected)
    assert read == expected
    assert _native.read_so_far() == (0, 0)
