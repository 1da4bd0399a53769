"""Programs that misuse the heap: what `malloom run --heap pools` notices, and that it takes no right one for
wrong."""

import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end import misuse_cases
from end_to_end.misuse_cases import Case, Outcomes

Malloom = Callable[..., subprocess.CompletedProcess[str]]
Compile = Callable[..., Path]

EACH_WEAKNESS = 20
POOLED = re.compile(r"pooled (\d+) ")

# The fewest that pools are to stop, by category; raised as they learn to. Of pool objects all of CWE-415 and
# CWE-761 are to be stopped, 49 and 44, and of all that pools do not serve no fewer than the C library stops.
# What lies in no heap is stopped where its address, which changes from run to run, is one that shows it.
FEWEST = {
    ("122", "fallback"): 0,
    ("122", "pool"): 0,
    ("415", "fallback"): 2,
    ("415", "library"): 2,
    ("415", "pool"): 49,
    ("416", "fallback"): 0,
    ("416", "pool"): 1,
    ("590", "none"): 28,
    ("761", "fallback"): 1,
    ("761", "library"): 2,
    ("761", "pool"): 44,
    ("787", "fallback"): 0,
    ("787", "pool"): 0,
}


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    return misuse_cases.cases_of(misuse_cases.build(tmp_path_factory.mktemp("misuse")))


@pytest.fixture(scope="module")
def right_in_pools(cases: list[Case]) -> Outcomes:
    return misuse_cases.run_all(cases, misuse_cases.heap("pools", "--statistics"), "right")


def pooled(errors: str) -> int:
    found = POOLED.search(errors)
    return int(found[1]) if found else 0


def test_each_weakness_has_its_cases(cases: list[Case]) -> None:
    for weakness in ("122", "415", "416", "590", "761", "787"):
        assert len([case for case in cases if case.weakness == weakness]) >= EACH_WEAKNESS
    assert {case.category for case in cases} == set(FEWEST)


@pytest.mark.parametrize("name", ["glibc", "mimalloc"])
def test_right_twins_run_to_their_end(cases: list[Case], name: str) -> None:
    outcomes = misuse_cases.run_all(cases, misuse_cases.heap(name), "right")
    ends = {case.full_name: (done.status, done.output, done.errors) for case, done in outcomes.items()}
    assert {name: end for name, end in ends.items() if end != (0, misuse_cases.SURVIVED, "")} == {}


def test_right_twins_run_to_their_end_in_pools(right_in_pools: Outcomes) -> None:
    # The one line is that of the statistics.
    ends = {
        case.full_name: (done.status, done.output, done.errors.count("\n"))
        for case, done in right_in_pools.items()
    }
    assert {name: end for name, end in ends.items() if end != (0, misuse_cases.SURVIVED, 1)} == {}


def test_cases_of_pools_have_pools(right_in_pools: Outcomes) -> None:
    few = [
        case.full_name
        for case, done in right_in_pools.items()
        if case.served == "pool" and pooled(done.errors) < 100
    ]
    assert few == []


def test_pools_stop_no_fewer_than_they_did(cases: list[Case]) -> None:
    outcomes = misuse_cases.run_all(cases, misuse_cases.heap("pools"))
    counts = misuse_cases.stopped(outcomes)
    fewer = {category: counts[category] for category in FEWEST if counts[category] < FEWEST[category]}
    missed = {case: outcome for case, outcome in outcomes.items() if case.category in fewer}
    assert fewer == {}, misuse_cases.misses(missed)


TWO_REQUESTS = """
#include <stdlib.h>
__attribute__((noinline)) void* make_one(void) { return malloc(48); }
__attribute__((noinline)) void* make_other(void) { return malloc(40); }
__attribute__((noinline)) void drop(void* object) { free(object); }
int main(void) {
    make_one();
    void* other = make_other();
    drop(other);
    drop(other);
    return 0;
}
"""


def test_the_line_names_who_may_have_asked_and_who_frees(malloom: Malloom, compile_c: Compile) -> None:
    done = malloom("run", "--heap", "pools", "--", compile_c(TWO_REQUESTS, "-fno-builtin", "-rdynamic"))
    assert done.returncode == -signal.SIGABRT
    place = r"\+0x\w+ \(program\+0x\w+\)"
    line = rf"malloom: free of 0x\w+, which is free already, requested at (.*), freed at drop{place}\n"
    found = re.fullmatch(line, done.stderr)
    assert found is not None, done.stderr
    names = found[1].split(" or ")
    assert {re.sub(place, "", name) for name in names} == {"make_one", "make_other"}
