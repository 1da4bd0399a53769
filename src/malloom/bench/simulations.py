"""Simulations side by side."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Given = TypeVar("Given")
Found = TypeVar("Found")


def side_by_side(
    given: Sequence[Given], measure: Callable[[Given], Found], done: Callable[[int], None]
) -> list[Found]:
    """What each gives, in their order, on all processors at once: cycles of the simulated core are the same
    whatever else runs. `done` hears how many have ended."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            found = []
            for result in pool.map(measure, given):
                found.append(result)
                done(len(found))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return found
