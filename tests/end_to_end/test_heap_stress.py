"""A program that checks every byte of its heap: recorded, and under plans for this and for other input.

`make soak` makes it run a good deal longer.
"""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from some import some

Finished = subprocess.CompletedProcess[str]
Malloom = Callable[..., Finished]

OPERATIONS_PER_EXAMPLE = 50
PLANS = {
    "call sites": ("--strategy", "sequential", "--depth", "1"),
    "chains": ("--strategy", "random", "--depth", "2"),
    "deep chains": ("--strategy", "keep-original", "--depth", "8"),
    "sequence": ("--strategy", "sequential", "--match", "sequence"),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory, "heap_stress")


@pytest.fixture(scope="module")
def pooled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory, "pooled_stress")


def built(tmp_path_factory: pytest.TempPathFactory, name: str) -> Path:
    made = tmp_path_factory.mktemp("stress") / name
    source = Path(__file__).with_name(f"{name}.cpp")
    flags = ["-std=c++20", "-O2", "-g", "-fno-builtin", "-pthread", "-Wl,--build-id"]
    subprocess.run(["g++", *flags, source, "-o", made], check=True)
    return made


def operations() -> str:
    return str(OPERATIONS_PER_EXAMPLE * settings().max_examples)


def assert_whole(done: Finished) -> None:
    assert (done.returncode, done.stdout) == (0, "whole\n"), done.stderr


def assert_whole_in_every_way(malloom: Malloom, program: Path, *options: str) -> None:
    for seed, threads, more in (
        ("1", "1", ["interrupts"]),
        ("1", "4", ["forks"]),
        ("2", "30", ["interrupts"]),
    ):
        assert_whole(malloom("run", *options, "--", program, seed, threads, operations(), *more))


def test_recorded(malloom: Malloom, program: Path) -> None:
    record = ("record", "-o", "run.profile", "--force", "--accesses", "none", "--")
    for threads, more in (("1", ["interrupts"]), ("4", ["forks"]), ("30", [])):
        assert_whole(malloom(*record, program, "1", threads, operations(), *more))


@pytest.mark.parametrize("fallback", ["mimalloc", "system"])
def test_with_the_fallback_alone(malloom: Malloom, program: Path, fallback: str) -> None:
    # With statistics, so that malloom's run time is there.
    assert_whole_in_every_way(malloom, program, "--statistics", "--fallback", fallback)


def test_with_pools(malloom: Malloom, program: Path) -> None:
    learn = ("--heap", "pools", "--save-plan", "learned.plan")
    assert_whole_in_every_way(malloom, program, *learn)
    assert_whole_in_every_way(malloom, program, "--plan", "learned.plan")


@pytest.mark.parametrize("threads", [pytest.param("1", marks=pytest.mark.long), "4"])
@pytest.mark.parametrize("name", some("chains", "sequence", of=PLANS))
def test_with_a_plan(malloom: Malloom, program: Path, name: str, threads: str) -> None:
    record = ("record", "-o", "run.profile", "--accesses", "none", "--")
    assert_whole(malloom(*record, program, "1", threads, operations()))
    planned = malloom("plan", "run.profile", "-o", "run.plan", *PLANS[name])
    assert planned.returncode == 0, planned.stderr
    assert_whole_in_every_way(malloom, program, "--plan", "run.plan")
    assert_whole(malloom("run", "--plan", "run.plan", "--statistics", "--", program, "3", "4", operations()))
    pools = ("run", "--plan", "run.plan", "--heap", "pools", "--")
    assert_whole(malloom(*pools, program, "3", "4", operations(), "interrupts"))


def test_with_pools_within_mimalloc(malloom: Malloom, pooled: Path) -> None:
    count = operations()
    shares = []
    assert_whole(malloom("run", "--heap", "pools", "--save-plan", "pools.plan", "--", pooled, "2", count))
    for options in ((), ("--pools-in-mimalloc",), ("--pools-in-mimalloc", "--fallback-huge-pages")):
        run = ("run", "--plan", "pools.plan", *options)
        for threads, more in (("1", ()), ("4", ("forks",)), ("30", ())):
            assert_whole(malloom(*run, "--", pooled, threads, count, *more))
        counted = malloom(*run, "--statistics", "--", pooled, "2", count)
        assert_whole(counted)
        share = re.search(r"pooled \d+ \((\d+\.\d)%", counted.stderr)
        assert share, counted.stderr
        shares.append(float(share[1]))
    assert min(shares) > 0.95 * shares[0] > 40, shares
