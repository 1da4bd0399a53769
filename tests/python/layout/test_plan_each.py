"""Several plans from one reading of a profile."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from malloom.errors import CommandError
from malloom.layout import plan_each
from malloom.layout.plan_each import LEAST_MEMORY, OF_PROFILE, SMALL, planners
from malloom.layout.plan_file import read_plan
from malloom.measure import stages

SOURCE = ["sh", "-c", "echo done"]


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "profile"
    stages.record(SOURCE, path, "full")
    return path


def test_plans_are_those_of_malloom_plan(profile: Path) -> None:
    plans = {
        name: profile.with_name(f"{name}.plan") for name in ("sequential", "first-use", "context-groups")
    }
    assert stages.plan_each({profile: plans}) == {}
    for name, path in plans.items():
        alone = profile.with_name("alone.plan")
        stages.plan(profile, alone, name)
        assert alone.read_bytes() == path.read_bytes()
        assert read_plan(path).header["strategy"].decode() == name


def test_a_strategy_that_fails_leaves_the_others(profile: Path) -> None:
    plans = {name: profile.with_name(f"{name}.plan") for name in ("no-such", "sequential")}
    problems = stages.plan_each({profile: plans})
    assert list(problems) == ["no-such"]
    assert "there is no strategy 'no-such'" in problems["no-such"]
    assert plans["sequential"].is_file() and not plans["no-such"].exists()


def test_a_damaged_profile_is_one_error(tmp_path: Path) -> None:
    damaged = tmp_path / "profile"
    damaged.write_bytes(b"no profile")
    with pytest.raises(CommandError, match="planning failed: malloom: "):
        stages.plan_each({damaged: {"sequential": tmp_path / "plan"}})


Plan = Callable[[dict[Path, dict[str, Path]]], dict[str, str]]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> Plan:
    """In processes beside each other, however small the profiles and the machine are."""
    monkeypatch.setattr(plan_each, "SMALL", 0)
    monkeypatch.setattr(plan_each, "available_memory", lambda: 100 * LEAST_MEMORY)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})
    return plan_each.plan_every


@pytest.fixture(params=["one after the other", "at once"])
def planned(request: pytest.FixtureRequest) -> Plan:
    if request.param == "one after the other":
        return stages.plan_each
    every: Plan = request.getfixturevalue("at_once")
    return every


def test_profiles_planned_together_are_planned_as_alone(profile: Path, planned: Plan) -> None:
    other = profile.with_name("other.profile")
    stages.record(["sh", "-c", "echo done; : $(echo more)"], other, "full")
    wanted = {
        each: {name: each.with_name(f"{each.name}.{name}.plan") for name in ("sequential", "lifetimes")}
        for each in (profile, other)
    }
    assert planned(wanted) == {}
    for each, plans in wanted.items():
        for name, path in plans.items():
            alone = profile.with_name("alone.plan")
            stages.plan(each, alone, name)
            assert alone.read_bytes() == path.read_bytes()


def test_a_damaged_profile_among_others_is_one_error(profile: Path, planned: Plan) -> None:
    damaged = profile.with_name("damaged.profile")
    damaged.write_bytes(b"no profile")
    with pytest.raises(CommandError, match=r"damaged\.profile"):
        planned({each: {"sequential": each.with_name("a.plan")} for each in (profile, damaged)})


def test_a_strategy_that_fails_of_two_profiles_is_told_once(profile: Path, planned: Plan) -> None:
    other = profile.with_name("other.profile")
    other.write_bytes(profile.read_bytes())
    wanted = {each: {"no-such": each.with_name("a.plan")} for each in (profile, other)}
    assert list(planned(wanted)) == ["no-such"]


def test_a_process_that_ends_before_it_is_done_is_one_error(
    profile: Path, at_once: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_each, "_planned", _ended)
    wanted = {profile.with_name(name): {"sequential": profile.with_name("a.plan")} for name in "ab"}
    with pytest.raises(CommandError, match="is there too little memory"):
        at_once(wanted)


def _ended(profile: Path, plans: dict[str, Path], **_: object) -> dict[str, str]:
    os._exit(9)


def test_as_many_profiles_are_planned_at_once_as_memory_has_room_for() -> None:
    processors = len(os.sched_getaffinity(0))
    small, large = [SMALL] * 64, [1000, int(LEAST_MEMORY)]
    assert planners([SMALL // 2] * 2, 100 * LEAST_MEMORY) == 1
    assert planners(small, LEAST_MEMORY / 2) == 1
    assert planners(small, 100 * LEAST_MEMORY) == min(64, processors)
    assert planners(large, OF_PROFILE * LEAST_MEMORY * 1.5) == 1
    assert planners(large, OF_PROFILE * LEAST_MEMORY * 2.5) == min(2, processors)
