"""Of which parts a choice is put together."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from malloom import formats
from malloom.cache.geometry import geometry_from
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import write_plan
from malloom.layout.plan_flags import write_with_flags
from malloom.layout.registry import strategy
from malloom.measure.allocators import KNOWN, Allocator, Setting, Version, Way, settings_of
from malloom.measure.process import Command
from malloom.optimize.candidates import Candidate
from malloom.optimize.parts import chain_of, measure_parts
from malloom.optimize.settings import AllocatorRow
from malloom.optimize.training import Measured, Row, Training
from malloom.profile import HeapProfile


def allocator(name: str, file: str) -> Allocator:
    known = next(each for each in KNOWN if each.name == name)
    return Allocator(known, file or None, Version("1", "here"), file)


def setting(name: str, way: Way, file: str = "/there/lib.so") -> Setting:
    return next(each for each in settings_of(allocator(name, file)) if each.way is way)


def shown(row: Row) -> list[tuple[str, str]]:
    return [(part, each.name) for part, each in chain_of(row)]


def test_a_setting_is_an_allocator_and_what_is_set() -> None:
    huge = AllocatorRow(setting("jemalloc", Way.huge))
    assert shown(huge) == [("allocator", "jemalloc 1"), ("huge pages", "jemalloc 1 with huge pages")]
    plain = AllocatorRow(setting("tcmalloc", Way.plain))
    assert shown(plain) == [("allocator", "tcmalloc 1")]
    own = AllocatorRow(setting("glibc", Way.early, ""))
    assert shown(own) == [("early return", "glibc 1 with early return")], "the program has it already"


@pytest.fixture
def pools(tmp_path: Path) -> Candidate:
    """Pools in huge pages, and a prefetch."""
    profile, plan = HeapProfile.from_arrays([48] * 100), tmp_path / "pools.plan"
    made = make_plan(profile, strategy("pools").place(profile, geometry_from("zen5")))
    prefetches = formats.dtype("plan", "PlanPrefetch")
    one = np.array([(1, 8, 0, 1, 16, 1, 64, 1, 0, 16, 1)], dtype=prefetches)
    write_plan(replace(made, prefetches=one), plan)
    write_with_flags(plan, plan, {"huge_pages": True})
    return Candidate("pools", plan)


def test_a_plan_is_what_is_under_it_its_pools_their_pages_and_prefetches(pools: Candidate) -> None:
    assert shown(pools) == [
        ("allocator", "the fallback alone"),
        ("layout", "pools without prefetches in small pages"),
        ("huge pages", "pools without prefetches"),
        ("prefetches", "pools"),
    ]
    over = replace(pools, over=setting("jemalloc", Way.huge), huge_pages=False)
    assert [part for part, _ in chain_of(over)] == ["allocator", "huge pages", "layout", "prefetches"]
    system = replace(pools, fallback="system")
    assert [part for part, _ in chain_of(system)] == ["layout", "huge pages", "prefetches"]


def test_parts_multiply_to_the_whole() -> None:
    spin = (
        "work=${GLIBC_TUNABLES:+2000}; work=${work:-20000}; while [ $work -gt 0 ]; do work=$((work-1)); done"
    )
    training = Training.on({"one": Command(["sh", "-c", spin])})
    chain = chain_of(AllocatorRow(setting("glibc", Way.huge, "")))
    parts = measure_parts(training, chain, 3)
    assert list(parts) == ["huge pages"] and 0 < parts["huge pages"] < 0.8
    assert training.results == {}, "the table has the race's own figures"


def test_what_ends_in_the_middle_leaves_the_races_own_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    training = Training.on({"one": Command(["sh", "-c", 'case "$GLIBC_TUNABLES" in ?*) exit 3; esac'])})
    chain = chain_of(AllocatorRow(setting("glibc", Way.huge, "")))
    (row,) = (row for _, row in chain)
    measured = Measured({"one": ()}, {"one": ()})
    training.results[row.name] = measured
    assert measure_parts(training, chain, 1) == {}
    assert training.results == {row.name: measured} and training.left == {}, "it did not fail in its race"

    def interrupted(*_: object) -> None:
        training.results.clear()
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        measure_parts(training, chain, 1)
    assert training.results == {row.name: measured}
