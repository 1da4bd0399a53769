"""Which of the plans of a race stands for which rule, and what the suite asks about."""

from dataclasses import replace
from pathlib import Path

import pytest

from malloom.bench.oracle.layouts import (
    ORDINAL,
    POOLS,
    RULES,
    SAME,
    WITHIN,
    kept_in,
    of_this_input,
    rule_of,
    with_both_homes,
)
from malloom.bench.oracle.subjects import subjects
from malloom.bench.oracle.suite import PARTS
from malloom.bench.oracle.waiting import waiting_of
from malloom.layout.plan_file import read_plan
from malloom.layout.plan_header import has_flag
from malloom.optimize.candidates import Candidate
from malloom.optimize.keeping import write_empty
from malloom.optimize.recording import RecordedProfile
from python.bench.races import bench


@pytest.fixture
def pools(tmp_path: Path) -> Candidate:
    plan = tmp_path / "pools.plan"
    write_empty(plan)
    return Candidate(POOLS, plan, fallback="system", packed=True)


def test_pools_are_two_rules_by_where_they_lie(pools: Candidate) -> None:
    assert rule_of(pools) == POOLS
    both = with_both_homes({POOLS: pools})
    assert [*both] == [POOLS, WITHIN] and rule_of(both[WITHIN]) == WITHIN
    assert both[WITHIN].has_huge_fallback
    raced = replace(both[WITHIN], fallback_huge_pages=False)
    assert with_both_homes({POOLS: pools, WITHIN: raced})[WITHIN] is raced
    assert with_both_homes({}) == {}


def test_every_other_strategy_is_a_rule_of_its_own(pools: Candidate) -> None:
    names = [rule_of(replace(pools, strategy=name)) for name in RULES if name not in (POOLS, WITHIN)]
    assert names == [name for name in RULES if name not in (POOLS, WITHIN)]


def test_what_has_no_places_by_ordinal_is_a_rule_of_the_very_input(pools: Candidate) -> None:
    assert of_this_input(pools) == SAME != ORDINAL


def test_a_plan_is_kept_with_what_it_was_run_with(pools: Candidate, tmp_path: Path) -> None:
    files = kept_in(tmp_path, "dot", with_both_homes({POOLS: pools}))
    assert has_flag(files[POOLS], "system_fallback") and not has_flag(files[POOLS], "pools_in_mimalloc")
    assert has_flag(files[WITHIN], "pools_in_mimalloc") and has_flag(files[WITHIN], "fallback_huge_pages")
    assert all(file.name.startswith("dot-") and read_plan(file) for file in files.values())


def test_every_subject_has_a_part_and_three_different_inputs(tmp_path: Path) -> None:
    named = subjects(1 << 20, 4)
    assert [*named, "all"] == [*PARTS]
    program = tmp_path / "treeadd" / "treeadd"
    program.parent.mkdir()
    program.touch()
    subject = named["treeadd"].made(bench(tmp_path, tmp_path))
    texts = [each.text for each in (*subject.training.train, *subject.asked.train)]
    assert len({*texts}) == 3
    assert subject.asked.command(subject.asked.train[0]).arguments[0] == str(program)


def test_nothing_is_told_of_waiting_where_accesses_are_missing(tmp_path: Path) -> None:
    sampled = RecordedProfile(tmp_path / "profile", "sampled", (), 1.0)
    assert waiting_of([]) == waiting_of([sampled]) == {}
