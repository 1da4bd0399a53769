"""Times against the better of the general allocators, with huge pages and without."""

import pytest

from malloom.bench.goals import Of
from malloom.bench.pools.allocators import HugePages
from malloom.bench.pools.times import goal_of
from malloom.errors import CommandError
from malloom.measure.process import Command
from python.bench.races import bench, rounds_of
from structure.source_tree import ROOT

WORKLOADS = ROOT / "build/release/workloads"
PROGRAM = Command(["/bin/true"])


def test_the_better_one_is_held_against() -> None:
    rounds = rounds_of({"glibc": 1.0, "mimalloc 2": 0.8, "mimalloc": 0.95, "pools": 0.9})
    goal = goal_of(("ft", "2x"), rounds, HugePages(wanted=False))
    assert (goal.row.variant, goal.row.baseline) == ("pools", "best")
    assert goal.row.ratio == pytest.approx(0.9 / 0.8)
    assert (goal.of, goal.limit, goal.reached) == (Of.LOW, 1.05, False)


def test_huge_pages_are_in_the_names() -> None:
    rounds = rounds_of({"glibc huge": 1.0, "mimalloc 2 huge": 1.2, "pools huge": 1.04})
    goal = goal_of(("ft", "2x"), rounds, HugePages(wanted=True))
    assert (goal.row.variant, goal.row.baseline, goal.reached) == ("pools huge", "best huge", True)


@pytest.mark.parametrize(("wanted", "kernel"), [(True, "never"), (False, "always")])
def test_a_kernel_that_does_not_ask_is_refused(wanted: bool, kernel: str) -> None:
    with pytest.raises(CommandError, match=rf"are '{kernel}', and cannot be o(n|ff) for all; write madvise"):
        HugePages(wanted).variants(bench(WORKLOADS), kernel)


@pytest.mark.parametrize(("wanted", "kernel"), [(True, "madvise"), (True, "always"), (False, "never")])
def test_every_allocator_is_told(wanted: bool, kernel: str) -> None:
    pages = HugePages(wanted)
    found = {each.name: each.of(PROGRAM).environment for each in pages.variants(bench(WORKLOADS), kernel)}
    assert list(found) == [*pages.general_names, pages.pools]
    glibc, older, newer, pools = found.values()
    assert glibc == ({"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"} if wanted else {})
    assert older["MIMALLOC_LARGE_OS_PAGES"] == pools["MIMALLOC_LARGE_OS_PAGES"] == str(int(wanted))
    assert newer["MIMALLOC_ALLOW_THP"] == str(int(wanted))
    assert f"huge_pages={int(wanted)}" in pools["MALLOOM"]
