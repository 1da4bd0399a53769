"""`--scheduler`: what tasks on a scheduler's workers find is what the command finds by itself."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import forked
from end_to_end.conftest import COMMAND, ROOT, WORKLOADS, Finished, done_well
from python.cluster.workers import Cluster

Malloom = Callable[..., Finished]

WALK = (str(WORKLOADS / "traverse/traverse"), "13", "4")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster"), workers=2) as running:
        yield running


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("profile") / "run.profile"
    done_well(path.parent, "record", "--accesses", "full", "-o", path, "--", *WALK)
    return path


def test_a_ranking_by_tasks_is_the_ranking(malloom: Malloom, cluster: Cluster, profile: Path) -> None:
    options = ("--cache", "zen5", "--json")
    here = malloom("simulate", profile, *options)
    there = malloom("simulate", f"file://{profile}", *options, "--scheduler", cluster.address)
    assert there.returncode == 0, there.stderr
    assert len(json.loads(here.stdout)["rows"]) >= 17
    assert there.stdout == here.stdout
    assert there.stderr == here.stderr


def test_a_worker_is_lost_and_the_plan_is_the_same(malloom: Malloom, tmp_path: Path, profile: Path) -> None:
    options = ("--cache", "zen5", "--strategy", "auto")
    here = malloom("plan", profile, "-o", "here.plan", *options)
    assert here.returncode == 0, here.stderr
    folder = tmp_path / "cluster"
    folder.mkdir()
    with Cluster(folder, workers=2) as cluster:
        command = [COMMAND, "plan", profile, "-o", "there.plan", *options, "--scheduler", cluster.address]
        with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as there:
            cluster.kill_a_busy_worker(tasks=3)
            _, errors = there.communicate(timeout=300)
    assert there.returncode == 0, errors
    assert errors == here.stderr
    assert (tmp_path / "there.plan").read_bytes() == (tmp_path / "here.plan").read_bytes()


@pytest.mark.long
def test_local_workers(malloom: Malloom, profile: Path) -> None:
    options = ("--cache", "p4", "--strategy", "size", "--strategy", "first-use", "--json")
    here = malloom("simulate", profile, *options)
    there = malloom("simulate", profile, *options, "--scheduler", "local")
    assert there.returncode == 0, there.stderr
    assert there.stdout == here.stdout


@pytest.mark.long
def test_a_suite_by_tasks_finds_what_it_finds(malloom: Malloom, cluster: Cluster, tmp_path: Path) -> None:
    def bench(name: str, *options: str) -> Finished:
        command = ("bench", "pages", "--quick", "--only", "locality", "--workloads", WORKLOADS, *options)
        files = ("--json", tmp_path / f"{name}.json", "--state", tmp_path / "state.json")
        return malloom(*command, *files, cwd=ROOT)

    here = bench("here")
    there = bench("there", "--scheduler", cluster.address)
    assert (here.returncode, there.returncode) == (0, 0), there.stderr
    rows = [json.loads((tmp_path / name).read_text())["rows"] for name in ("here.json", "there.json")]
    assert rows[0]
    assert rows[0] == rows[1]
    again = bench("again", "--scheduler", cluster.address, "--resume")
    assert "0 steps, each a task" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("simulate", "nothing.profile"), "cannot read"),
        (
            ("plan", "nothing.profile", "-o", "x.plan", "--strategy", "size"),
            "--scheduler is for --strategy auto",
        ),
        (
            ("plan", "nothing.profile", "-o", "x.h", "--for", "bins"),
            "--scheduler means nothing with --for bins",
        ),
        (
            ("bench", "pages", "--quick", "--minutes", "1", "--workloads", str(WORKLOADS)),
            "--minutes is for steps",
        ),
    ],
)
def test_bad_use_is_a_line(malloom: Malloom, cluster: Cluster, arguments: tuple[str, ...], said: str) -> None:
    done = malloom(*arguments, "--scheduler", cluster.address)
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_optimize_asks_the_scheduler_first(tmp_path: Path) -> None:
    """With less patience, as it is known that nobody answers."""
    impatient = f"from malloom.cluster import tasks; tasks.PATIENCE = 1.0; {forked.COMMAND}"
    words = ("optimize", "--scheduler", "tcp://127.0.0.1:1", "--", *WALK)
    done = forked.run(impatient, words, tmp_path)
    assert done.returncode == 1
    assert "there is no scheduler at tcp://127.0.0.1:1" in done.stderr
