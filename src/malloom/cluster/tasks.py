"""Tasks on Dask's workers: pure functions of what they are given, so that a lost worker costs its tasks and
nothing else, as others do them again."""

from __future__ import annotations

import contextlib
import logging
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, TypeVar

from malloom import __version__
from malloom.errors import CommandError
from malloom.extra import needed
from malloom.printable import printable

T = TypeVar("T")
R = TypeVar("R")

LOCAL = "local"
"""In place of an address: workers on this machine, one for each processor, while the command runs."""
SCHEMES = ("tcp", "tls", "ws", "wss")
"""How addresses of schedulers begin; without one it is the first."""
PATIENCE = 30.0
"""Seconds that a scheduler has to answer, and then to have a worker: workers that were started with it need
some."""
LOOK_AGAIN, COUNT_WORKERS_AGAIN = 0.02, 1.0
"""Seconds; the second asks the scheduler, the first nobody."""
SAME_THERE = "install the same version of malloom where the scheduler and the workers run"

UNREADABLE = "Error during deserialization of the task graph"
"""What the scheduler says where it has not the module of a task."""

Told = Callable[[int], None]
"""Is told how many tasks are done."""


def silent(_done: int) -> None:
    """For who does not look."""


class Tasks:
    """Runs tasks by a client of Dask's. Not thread-safe."""

    def __init__(self, client: Any) -> None:
        self._client = client

    @property
    def workers(self) -> int:
        """How many there are now. Raises CommandError where the scheduler does not answer."""
        try:
            return int(self._client.scheduler_info(n_workers=1)["n_workers"])
        except (OSError, RuntimeError, TimeoutError):
            raise CommandError("the scheduler is gone", remedy="start it again") from None

    def run(self, function: Callable[[T], R], items: Sequence[T], told: Told = silent) -> list[R]:
        """What the function makes of each, in their order, whatever order they end in; raises as `ended`."""
        results: dict[int, R] = {}
        for number, result in self.ended(function, items):
            results[number] = result
            told(len(results))
        return [results[number] for number in range(len(items))]

    def ended(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R]]:
        """What the function makes of each, with the item's number, as soon as it is there.

        It must be one of a module of malloom's. Raises what a task raises, and CommandError where the workers
        cannot run them; the other tasks are then given up.
        """
        futures = self._client.map(partial(_as_here, __version__, function), list(items), pure=False)
        try:
            yield from self._ended(dict(enumerate(futures)))
        except (ImportError, RuntimeError) as problem:
            if isinstance(problem, RuntimeError) and UNREADABLE not in str(problem):
                raise
            raise CommandError("malloom is not there, or is not the same", remedy=SAME_THERE) from None
        except needed("distributed", "a scheduler").KilledWorker:
            raise CommandError(
                "the same task ended several workers, which may have had too little memory",
                remedy="give the workers more, or leave --scheduler out",
            ) from None
        except CancelledError:
            raise CommandError("the scheduler is gone", remedy="start it again") from None
        finally:
            with contextlib.suppress(Exception):  # the scheduler may be gone
                self._client.cancel(futures)

    def _ended(self, left: dict[int, Any]) -> Iterator[tuple[int, Any]]:
        """Raises CommandError where no worker is left."""
        seen = looked = time.monotonic()
        while left:
            for number in [number for number, future in left.items() if future.done()]:
                yield number, left.pop(number).result()
            time.sleep(LOOK_AGAIN)
            now = time.monotonic()
            if now - looked >= COUNT_WORKERS_AGAIN:
                looked = now
                seen = now if self.workers else seen
            if now - seen > PATIENCE:
                raise CommandError("no worker is left", remedy="start some with 'dask worker'")


def _as_here(version: str, function: Callable[[T], R], item: T) -> R:
    if version != __version__:
        raise CommandError(f"a worker runs malloom {__version__}, and this is {version}", remedy=SAME_THERE)
    return function(item)


@contextmanager
def tasks_at(address: str) -> Iterator[Tasks]:
    """A block with the workers of the scheduler at an address, or with LOCAL ones.

    Raises CommandError where there is no scheduler, or no worker of its.
    """
    distributed = needed("distributed", "--scheduler")
    if address != LOCAL:
        _check_address(address)
    # Each of these has a level of its own. What matters to the user is raised here. The loop of Dask's client
    # may leave a wait that it gave up when it is closed, of which asyncio tells at some later time.
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    for name in (*names, "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings(action="ignore"))
        where = stack.enter_context(local_cluster()) if address == LOCAL else address
        try:
            client = stack.enter_context(distributed.Client(where, timeout=PATIENCE, set_as_default=False))
        except (OSError, ValueError) as problem:
            reason = str(problem).partition("\n")[0]
            raise CommandError(
                f"there is no scheduler at {address}: {reason}",
                remedy="start one with 'dask scheduler', or use --scheduler local",
            ) from None
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise CommandError(
                f"the scheduler at {address} has no workers", remedy=f"start some: 'dask worker {address}'"
            ) from None
        yield Tasks(client)


def _check_address(address: str) -> None:
    """Raises CommandError where it is none: a client of Dask's that could not begin is never done."""
    addressing = needed("distributed", "--scheduler").comm.addressing
    try:
        scheme, place = addressing.parse_address(address)
        if scheme not in SCHEMES:
            raise ValueError(f"it begins with {scheme}://, and not with one of {', '.join(SCHEMES)}")
        if not place.rpartition(":")[2].isdecimal():
            raise ValueError("it does not end in the number of a port")
        addressing.parse_host_port(place)
    except ValueError as problem:
        raise CommandError(
            f"there is no scheduler at {printable(address) or 'an empty address'}: {problem}",
            remedy="name it as 'dask scheduler' does, as tcp://10.0.0.7:8786, or use --scheduler local",
        ) from None


def require_workers(address: str) -> None:
    """Raises CommandError where there is no scheduler, or no worker of its; LOCAL ones there will be."""
    if address == LOCAL:
        needed("distributed", "--scheduler")
        return
    with tasks_at(address):
        pass


def local_cluster(workers: int | None = None) -> Any:
    """A cluster of Dask's on this machine, a context: so many workers, or one for each processor, of a thread
    each, as what a profile says is worked out by one."""
    return needed("distributed", "--scheduler").LocalCluster(
        n_workers=workers or os.cpu_count(),
        threads_per_worker=1,
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    )
