"""Tasks on a real scheduler's workers."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import malloom.cluster.tasks as tasks_module
from malloom.cluster.files import local_file
from malloom.cluster.tasks import LOCAL, require_workers, tasks_at
from malloom.errors import CommandError, UsageProblem
from python.cluster.workers import Cluster, kill_its_worker, late_first, refuse


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster"), workers=2) as running:
        yield running


def test_results_have_the_items_order(cluster: Cluster) -> None:
    told: list[int] = []
    with tasks_at(cluster.address) as tasks:
        assert tasks.workers == 2
        results = tasks.run(late_first, range(20), told.append)
    assert [square for square, _ in results] == [item * item for item in range(20)]
    assert os.getpid() not in {pid for _, pid in results}
    assert told == list(range(1, 21))


def test_what_ends_first_comes_first(cluster: Cluster) -> None:
    with tasks_at(cluster.address) as tasks:
        order = [number for number, _ in tasks.ended(late_first, range(4))]
    assert sorted(order) == [0, 1, 2, 3]
    assert order[0] != 0


def test_no_items(cluster: Cluster) -> None:
    with tasks_at(cluster.address) as tasks:
        assert tasks.run(late_first, []) == []


def test_a_tasks_problem_is_raised_as_it_is(cluster: Cluster) -> None:
    with tasks_at(cluster.address) as tasks:
        with pytest.raises(UsageProblem, match="three is refused; take four") as problem:
            tasks.run(refuse, range(10))
        assert problem.value.status == 2
        assert tasks.run(refuse, [1, 2]) == [1, 2]


def test_workers_of_another_version_are_refused(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks_module, "__version__", "0.0.9")
    with (
        tasks_at(cluster.address) as tasks,
        pytest.raises(CommandError, match=r"and this is 0\.0\.9; install"),
    ):
        tasks.run(refuse, [1])


def test_what_a_worker_does_not_have(tmp_path: Path) -> None:
    missing = pytest.raises(CommandError, match="malloom is not there, or is not the same")
    with Cluster(tmp_path, workers=1, knows_tests=False) as bare, tasks_at(bare.address) as tasks, missing:
        tasks.run(refuse, [1])


def test_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks_module, "PATIENCE", 0.5)
    with pytest.raises(CommandError, match=r"there is no scheduler at tcp://127\.0\.0\.1:1: "):
        require_workers("tcp://127.0.0.1:1")


NO_ADDRESSES = [
    "",
    "nonsense",
    "nonsense://x",
    "local:",
    "LOCAL",
    "tcp://",
    "tcp://127.0.0.1:port",
    "inproc://1",
]
ASK_EACH = """
import sys
from malloom.cluster.tasks import require_workers
from malloom.errors import CommandError
for address in sys.argv[1:]:
    try:
        require_workers(address)
    except CommandError as problem:
        print(problem)
"""


def test_what_is_no_address_is_refused_at_once() -> None:
    # A client of Dask's that could not begin would keep the process from ending.
    done = subprocess.run(
        [sys.executable, "-c", ASK_EACH, *NO_ADDRESSES],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    said = done.stdout.splitlines()
    assert len(said) == len(NO_ADDRESSES)
    assert all(line.startswith("there is no scheduler at ") for line in said), said


def test_no_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks_module, "PATIENCE", 1.0)
    with (
        Cluster(tmp_path, workers=0) as empty,
        pytest.raises(CommandError, match="has no workers; start some"),
    ):
        require_workers(empty.address)


def test_no_worker_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = pytest.raises(CommandError, match="no worker is left")
    with Cluster(tmp_path, workers=1) as dying, tasks_at(dying.address) as tasks, gone:
        monkeypatch.setattr(tasks_module, "PATIENCE", 2.0)
        tasks.run(kill_its_worker, [1])


def test_the_scheduler_ends(tmp_path: Path) -> None:
    gone = pytest.raises(CommandError, match="the scheduler is gone; start it again")
    with Cluster(tmp_path, workers=1) as ending, tasks_at(ending.address) as tasks, gone:
        for number, _ in tasks.ended(late_first, [1] * 200):
            if number == 0:
                ending.end_scheduler()
            time.sleep(0.01)


def test_local_workers_are_there_without_asking() -> None:
    require_workers(LOCAL)
    with tasks_at(LOCAL) as tasks:
        assert tasks.workers == os.cpu_count()


def test_a_copy_of_what_lies_in_a_store_is_kept(tmp_path: Path) -> None:
    stored = tmp_path / "run.profile"
    stored.write_bytes(b"content")
    copy = local_file(f"file://{stored}")
    assert copy != stored
    assert copy.read_bytes() == b"content"
    assert local_file(f"file://{stored}") == copy
    stored.write_bytes(b"other content")
    newer = local_file(f"file://{stored}")
    assert newer.read_bytes() == b"other content"
    assert not copy.exists()
    assert local_file(str(stored)) == stored


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("file:///nothing/there", "cannot be read: .*; check its address"),
        ("no-such://place", "cannot be read: "),
    ],
)
def test_what_cannot_be_fetched(name: str, why: str) -> None:
    with pytest.raises(CommandError, match=why):
        local_file(name)
