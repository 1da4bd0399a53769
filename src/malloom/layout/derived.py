"""What several strategies derive from a profile, computed once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from malloom.profile import HeapProfile

Value = TypeVar("Value")


def derived(compute: Callable[[HeapProfile], Value]) -> Callable[[HeapProfile], Value]:
    """Keeps what `compute` returns as long as the profile lives.

    Threads that ask for the same wait until one of them has computed it.
    """
    known: WeakKeyDictionary[HeapProfile, Value] = WeakKeyDictionary()
    lock = threading.Lock()

    @wraps(compute)
    def of(profile: HeapProfile) -> Value:
        with lock:
            if profile not in known:
                known[profile] = compute(profile)
            return known[profile]

    return of
