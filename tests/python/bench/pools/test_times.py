"""Times against the better of two allocators, with huge pages and without."""

from pathlib import Path

import pytest

from malloom.bench.goals import Of
from malloom.bench.pools.allocators import HugePages, best_of
from malloom.bench.pools.times import goal_of
from malloom.errors import CommandError
from python.bench.pools.races import rounds_of


def test_the_better_one_is_held_against() -> None:
    rounds = rounds_of({"glibc": 1.0, "mimalloc": 0.8, "pools": 0.9})
    assert best_of(rounds, ("glibc", "mimalloc")) == "mimalloc"
    goal = goal_of(("ft", "2x"), rounds, HugePages(wanted=False))
    assert (goal.row.variant, goal.row.baseline) == ("pools", "best")
    assert goal.row.ratio == pytest.approx(0.9 / 0.8)
    assert (goal.of, goal.limit, goal.reached) == (Of.LOW, 1.05, False)


def test_huge_pages_are_in_the_names() -> None:
    rounds = rounds_of({"glibc huge": 1.0, "mimalloc huge": 1.2, "pools huge": 1.04})
    goal = goal_of(("ft", "2x"), rounds, HugePages(wanted=True))
    assert (goal.row.variant, goal.row.baseline, goal.reached) == ("pools huge", "best huge", True)


def test_nothing_is_the_best_of_nothing() -> None:
    with pytest.raises(CommandError, match="none of glibc, mimalloc was measured"):
        best_of(rounds_of({"pools": 1.0}), ("glibc", "mimalloc"))


@pytest.mark.parametrize(
    ("wanted", "kernel"), [(True, "always madvise [never]"), (False, "[always] madvise never")]
)
def test_a_kernel_that_does_not_ask_is_refused(tmp_path: Path, wanted: bool, kernel: str) -> None:
    (tmp_path / "enabled").write_text(kernel)
    with pytest.raises(CommandError, match=r"cannot be o(n|ff) for all; write madvise into it"):
        HugePages(wanted).environments(tmp_path / "enabled")


@pytest.mark.parametrize("wanted", [True, False])
def test_every_allocator_is_told(tmp_path: Path, wanted: bool) -> None:
    (tmp_path / "enabled").write_text("always [madvise] never")
    pages = HugePages(wanted)
    found = pages.environments(tmp_path / "enabled")
    assert list(found) == [*pages.general, pages.pools]
    glibc, mimalloc, pools = found.values()
    assert glibc == {"GLIBC_TUNABLES": f"glibc.malloc.hugetlb={int(wanted)}"}
    assert mimalloc["MIMALLOC_LARGE_OS_PAGES"] == pools["MIMALLOC_LARGE_OS_PAGES"] == str(int(wanted))
    assert f"huge_pages={int(wanted)}" in pools["MALLOOM"]
