"""A scheduler of Dask's and workers, each a process of this machine."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import distributed

from malloom.errors import UsageProblem

QUIET = {**os.environ, "DASK_DISTRIBUTED__DASHBOARD__LINK": "", "OMP_NUM_THREADS": "1"}
SOON = 60.0
TESTS = str(Path(__file__).parents[2])


class Cluster:
    """The scheduler is at `address`; workers come and go. Leaving the block ends all of them."""

    def __init__(self, folder: Path, workers: int, *, knows_tests: bool = True) -> None:
        self._folder = folder
        self._environment = {**QUIET, "PYTHONPATH": TESTS} if knows_tests else QUIET
        self._log = folder / "scheduler.log"
        self._scheduler = self._started("scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard")
        self.address = self._address()
        self.workers: list[subprocess.Popen[bytes]] = []
        for _ in range(workers):
            self.add_worker()
        if workers:
            with distributed.Client(self.address, set_as_default=False) as client:
                client.wait_for_workers(workers, timeout=SOON)

    def _started(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli.dask_" + kind, *options]
        with (self._folder / f"{kind}.log").open("ab") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environment,
                cwd=self._folder,
            )

    def _address(self) -> str:
        end = time.monotonic() + SOON
        while time.monotonic() < end:
            if found := re.search(r"Scheduler at:\s+(tcp://[\d.:]+)", self._log.read_text()):
                return found[1]
            time.sleep(0.05)
        raise AssertionError(self._log.read_text())

    def add_worker(self) -> None:
        """One of a thread, without a nanny, so that whoever kills it has killed it."""
        options = ("--nworkers", "1", "--nthreads", "1", "--no-nanny", "--no-dashboard")
        self.workers.append(self._started("worker", self.address, *options))

    def kill_a_busy_worker(self, tasks: int) -> None:
        """Once so many tasks have ended in all, and the first worker is at another one."""
        name = str(self.workers[0].pid)
        with distributed.Client(self.address, set_as_default=False) as client:
            end = time.monotonic() + SOON
            while time.monotonic() < end:
                told = client.run(_busy)
                done = sum(done for _, _, done in told.values())
                if done >= tasks and any(pid == name and busy for pid, busy, _ in told.values()):
                    self.workers[0].send_signal(signal.SIGKILL)
                    self.workers[0].wait(SOON)
                    return
        raise AssertionError("the worker was never busy")

    def end_scheduler(self) -> None:
        """As a machine that is switched off."""
        self._scheduler.kill()
        self._scheduler.wait(SOON)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in (*self.workers, self._scheduler):
            process.kill()
            process.wait(SOON)


def _busy(dask_worker: distributed.Worker) -> tuple[str, bool, int]:
    """Whose process it is, whether a task runs there, and how many have ended."""
    counts = dask_worker.state.task_counter.current_count(by_prefix=False)
    return str(os.getpid()), counts.get("executing", 0) > 0, counts.get("memory", 0)


def late_first(item: int) -> tuple[int, int]:
    """Its square, and the process that worked it out."""
    time.sleep(0.2 if item == 0 else 0)
    return item * item, os.getpid()


def refuse(item: int) -> int:
    """Fails for 3."""
    if item == 3:
        raise UsageProblem("three is refused", remedy="take four")
    return item


def kill_its_worker(_item: int) -> int:
    """As the system does where memory is gone."""
    os._exit(1)
