"""Several plans from one reading of a profile."""

from pathlib import Path

import pytest

from malloom.errors import CommandError
from malloom.layout.plan_agreement import write_agreed
from malloom.layout.plan_file import read_plan
from malloom.measure import stages
from malloom.optimize.recording import RecordedProfile
from malloom.optimize.sources import of_one_depth

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
    assert stages.plan_each(profile, plans) == {}
    for name, path in plans.items():
        alone = profile.with_name("alone.plan")
        stages.plan(profile, alone, name)
        assert alone.read_bytes() == path.read_bytes()
        assert read_plan(path).header["strategy"].decode() == name


def test_groups_are_of_as_many_frames_as_another_profile_s_need(profile: Path) -> None:
    plans = {depth: profile.with_name(f"{depth}.plan") for depth in (1, 3)}
    for depth, plan in plans.items():
        assert stages.plan_each(profile, {"context-groups": plan}, least_depth=depth) == {}
    assert read_plan(plans[1]).header["depth"] < read_plan(plans[3]).header["depth"] == 3


def test_plans_of_several_inputs_get_one_depth(profile: Path) -> None:
    shallow, deep = (profile.with_name(f"{name}.plan") for name in ("shallow", "deep"))
    stages.plan_each(profile, {"context-groups": shallow})
    stages.plan_each(profile, {"context-groups": deep}, least_depth=3)
    before = deep.read_bytes()
    recording = RecordedProfile(profile, "full", (), 1.0)
    assert of_one_depth([recording] * 2, "context-groups", [shallow, deep]) == [shallow, deep]
    assert shallow.read_bytes() == deep.read_bytes() == before
    assert write_agreed([shallow, deep], profile.with_name("agreed.plan")).left_out == 0


def test_a_strategy_that_fails_leaves_the_others(profile: Path) -> None:
    plans = {name: profile.with_name(f"{name}.plan") for name in ("no-such", "sequential")}
    problems = stages.plan_each(profile, plans)
    assert list(problems) == ["no-such"]
    assert "there is no strategy 'no-such'" in problems["no-such"]
    assert plans["sequential"].is_file() and not plans["no-such"].exists()


def test_a_damaged_profile_is_one_error(tmp_path: Path) -> None:
    damaged = tmp_path / "profile"
    damaged.write_bytes(b"no profile")
    with pytest.raises(CommandError, match="planning failed: malloom: "):
        stages.plan_each(damaged, {"sequential": tmp_path / "plan"})
