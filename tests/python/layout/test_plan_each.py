"""Several plans from one reading of a profile."""

from pathlib import Path

import pytest

from malloom.errors import CommandError
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
    assert stages.plan_each(profile, plans) == {}
    for name, path in plans.items():
        alone = profile.with_name("alone.plan")
        stages.plan(profile, alone, name)
        assert alone.read_bytes() == path.read_bytes()
        assert read_plan(path).header["strategy"].decode() == name


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
