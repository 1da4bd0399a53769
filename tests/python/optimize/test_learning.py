"""What runs of a program teach, with a real program that allocates many small objects at one place."""

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from malloom import formats
from malloom.cache.geometry import geometry_from
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import read_plan, write_plan
from malloom.layout.plan_header import PlanHeader, check_plan, has_flag
from malloom.layout.registry import strategy
from malloom.measure import stages
from malloom.measure.process import Command, run_measured
from malloom.optimize import learning
from malloom.optimize.learning import (
    BOTH,
    LEARNED_POOLS,
    OF_ITS_PLACES,
    PREFETCHES,
    Contents,
    Learned,
    Learner,
    combine,
    contents_of,
)
from malloom.optimize.recording import MOST_REQUESTS, is_affordable
from malloom.profile import HeapProfile

ONE_SITE = Path(__file__).parents[2] / "end_to_end/dynamic_programs/list.c"


def learned_from(*command: str | Path, folder: Path) -> tuple[Learned, list[str]]:
    program, said = Command([str(each) for each in command]), list[str]()
    return Learner(program, run_measured(program), folder, said.append).learn(), said


@pytest.fixture(scope="module")
def one_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("program") / "one_site"
    subprocess.run(["gcc", "-O1", ONE_SITE, "-o", program], check=True)
    return program


def test_a_hot_call_site_becomes_a_pool(one_site: Path, tmp_path: Path) -> None:
    learned, said = learned_from(one_site, folder=tmp_path)
    assert learned.notes == []
    assert learned.contents[LEARNED_POOLS].pools == 1
    assert learned.requests is not None and 100_000 <= learned.requests < 100_100
    assert said[:2] == ["learning pools", f"learned {learned.contents[LEARNED_POOLS]}"]
    assert {f"learning {BOTH}", f"learning {PREFETCHES}"} <= set(said)
    headers = [PlanHeader.of(check_plan(plan)) for plan in learned.plans.values()]
    assert len({header.fields["program"] for header in headers}) == 1
    assert not has_flag(learned.plans[LEARNED_POOLS], "system_fallback")
    if PREFETCHES in learned.plans:
        assert has_flag(learned.plans[PREFETCHES], "system_fallback")


def plan_with(folder: Path, name: str, prefetches: int) -> Path:
    profile, path = HeapProfile.from_arrays([48] * 100), folder / f"{name}.plan"
    plan = make_plan(profile, strategy("pools").place(profile, geometry_from("zen5")))
    offsets = np.zeros(prefetches, dtype=formats.dtype("plan", "PlanPrefetch"))
    offsets["offset"] = len(name)
    write_plan(replace(plan, prefetches=offsets), path)
    return path


@pytest.mark.parametrize(
    "prefetches, source",
    [({BOTH: 1, PREFETCHES: 1}, BOTH), ({BOTH: 0, PREFETCHES: 1}, PREFETCHES), ({PREFETCHES: 1}, PREFETCHES)],
)
def test_pools_are_carried_with_the_prefetches_found(
    tmp_path: Path, prefetches: dict[str, int], source: str
) -> None:
    plans = {
        name: plan_with(tmp_path, name, count) for name, count in {LEARNED_POOLS: 0, **prefetches}.items()
    }
    learned = Learned(plans, {name: contents_of(plan) for name, plan in plans.items()})
    combine(learned, tmp_path)
    assert learned.contents[BOTH] == Contents(pools=1, companions=0, prefetches=1)
    assert read_plan(learned.plans[BOTH]).prefetches["offset"].tolist() == [len(source)]


def test_without_prefetches_pools_are_not_carried_twice(tmp_path: Path) -> None:
    plans = {name: plan_with(tmp_path, name, 0) for name in (LEARNED_POOLS, BOTH)}
    learned = Learned(plans, {name: contents_of(plan) for name, plan in plans.items()})
    combine(learned, tmp_path)
    assert set(learned.plans) == set(learned.contents) == {LEARNED_POOLS}


def placed(program: Path, folder: Path, prefetches: int) -> Path:
    """A plan of the program's places with so many prefetches that fit no code."""
    profile = folder / "a.profile"
    stages.record([str(program)], profile, "none")
    opened = HeapProfile.open(profile)
    plan = make_plan(opened, strategy("sequential").place(opened, geometry_from("zen5")))
    table = np.zeros(prefetches, dtype=formats.dtype("plan", "PlanPrefetch"))
    write_plan(replace(plan, prefetches=table), folder / "placed.plan")
    return folder / "placed.plan"


def learner_of(program: Path, folder: Path) -> Learner:
    command = Command([str(program)])
    return Learner(command, run_measured(command), folder, lambda stage: None)


def test_prefetches_of_places_come_with_the_places(one_site: Path, tmp_path: Path) -> None:
    plan = placed(one_site, tmp_path, prefetches=1)
    learned = learner_of(one_site, tmp_path).learn_of_places(plan)
    assert learned.notes == []
    found, given = read_plan(learned.plans[OF_ITS_PLACES]), read_plan(plan)
    check_plan(learned.plans[OF_ITS_PLACES])
    assert found.header["arena_bytes"] == given.header["arena_bytes"] > 0
    assert np.array_equal(found.slots, given.slots)
    assert len(found.prefetches) >= 1


def test_places_without_prefetches_are_not_learned_again(one_site: Path, tmp_path: Path) -> None:
    learner = learner_of(one_site, tmp_path)
    learned = learner.learn_of_places(placed(one_site, tmp_path, prefetches=0))
    assert learned.notes == []
    assert all(len(read_plan(plan).prefetches) for plan in learned.plans.values())


def test_long_programs_are_not_run_under_dynamorio(
    one_site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "LONGEST_UNDER_DYNAMORIO", 0.0)
    learned, said = learned_from(one_site, folder=tmp_path)
    assert list(learned.plans) == [LEARNED_POOLS]
    assert [note.partition(":")[0] for note in learned.notes] == ["no prefetches are looked for"]
    assert f"learning {BOTH}" not in said


def test_what_cannot_be_learned_is_noted(tmp_path: Path) -> None:
    script = 'case "$MALLOOM" in *heap*) exit 6;; esac'
    learned, _ = learned_from("sh", "-c", script, folder=tmp_path)
    assert learned.plans == {} and learned.requests is None
    assert [note.partition(":")[0] for note in learned.notes] == [
        "pools could not be learned (exit status 6",
        "pools and prefetches could not be learned (exit status 6",
    ]


def test_a_program_that_is_killed_leaves_no_plan(tmp_path: Path) -> None:
    learned, _ = learned_from("sh", "-c", "kill -KILL $$", folder=tmp_path)
    assert learned.plans == {}
    assert "pools could not be learned (it left no plan)" in learned.notes


def test_many_requests_are_not_recorded() -> None:
    assert is_affordable(None) and is_affordable(MOST_REQUESTS)
    assert not is_affordable(MOST_REQUESTS + 1)
