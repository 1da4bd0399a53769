"""Several plans from one reading of a profile."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from malloom.errors import CommandError
from malloom.layout import plan_each
from malloom.layout.plan_each import LEAST_MEMORY, OF_PROFILE, SMALL, planners
from malloom.layout.plan_file import read_plan
from malloom.measure import stages
from malloom.measure.process import Command


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("recorded")
    scripts = {"profile": "echo done", "other.profile": "echo done; : $(echo more)"}
    for name, script in scripts.items():
        stages.record(["sh", "-c", script], folder / name, "full")
    return [folder / name for name in scripts]


@pytest.fixture
def profile(recorded: list[Path], tmp_path: Path) -> Path:
    """Beside it lies `other.profile`, of another run."""
    for each in recorded:
        shutil.copy(each, tmp_path)
    return tmp_path / "profile"


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
    # What stages starts is this process, in which the profiles are small and the machine is large.
    monkeypatch.setattr(stages, "_output_of", lambda command, name: json.dumps(every(command)))
    return stages.plan_each


def every(command: Command) -> dict[str, str]:
    return plan_each.plan_every(Path(command.arguments[-1]))


@pytest.fixture(params=["one after the other", "at once"])
def planned(request: pytest.FixtureRequest) -> Plan:
    if request.param == "one after the other":
        return stages.plan_each
    every: Plan = request.getfixturevalue("at_once")
    return every


def test_profiles_planned_together_are_planned_as_alone(profile: Path, planned: Plan) -> None:
    both, alone = (profile, profile.with_name("other.profile")), profile.with_name("alone.plan")
    wanted = {
        each: {name: each.with_name(f"{each.name}.{name}.plan") for name in ("sequential", "lifetimes")}
        for each in both
    }
    assert planned(wanted) == {}
    for each, plans in wanted.items():
        assert stages.plan_each({each: {"lifetimes": alone}}) == {}
        assert alone.read_bytes() == plans["lifetimes"].read_bytes()
        assert plans["sequential"].is_file()


def test_a_damaged_profile_among_others_is_one_error(profile: Path, planned: Plan) -> None:
    damaged = profile.with_name("damaged.profile")
    damaged.write_bytes(b"no profile")
    with pytest.raises(CommandError, match=r"damaged\.profile"):
        planned({each: {"sequential": each.with_name("a.plan")} for each in (profile, damaged)})


def test_a_strategy_that_fails_of_two_profiles_is_told_once(profile: Path, planned: Plan) -> None:
    both = (profile, profile.with_name("other.profile"))
    wanted = {each: {"no-such": each.with_name("a.plan")} for each in both}
    assert list(planned(wanted)) == ["no-such"]


def test_a_process_that_is_ended_is_started_again_alone(
    profile: Path, at_once: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []

    def run(command: Sequence[str], **options: Any) -> "subprocess.CompletedProcess[str]":
        if command[-1] in ended:
            return started(command, **options)
        ended.append(command[-1])
        return subprocess.CompletedProcess(command, -signal.SIGKILL, "", "")

    started = subprocess.run
    monkeypatch.setattr(subprocess, "run", run)
    both = (profile, profile.with_name("other.profile"))
    wanted = {each: {"sequential": each.with_suffix(".plan")} for each in both}
    assert at_once(wanted) == {}
    assert sorted(ended) == ["0", "1"]
    assert all(read_plan(plans["sequential"]) for plans in wanted.values())


def test_a_process_that_is_ended_twice_is_one_error(
    profile: Path, at_once: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = subprocess.CompletedProcess([], -signal.SIGKILL, "", "")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: killed)
    both = (profile, profile.with_name("other.profile"))
    wanted = {each: {"sequential": each.with_suffix(".plan")} for each in both}
    with pytest.raises(CommandError, match="planning ended by signal 9"):
        at_once(wanted)


def test_more_inputs_than_a_command_line_holds_are_planned(profile: Path) -> None:
    wanted = {}
    for number in range(1500):
        folder = profile.parent / f"a folder with a long name of an input, number {number}"
        wanted[folder / "profile"] = {"sequential": folder / "sequential.plan"}
    with pytest.raises(CommandError, match=r"planning failed: malloom: .*number 0"):
        stages.plan_each(wanted)


def test_as_many_profiles_are_planned_at_once_as_memory_has_room_for() -> None:
    processors = len(os.sched_getaffinity(0))
    small, large = [SMALL] * 64, [1000, int(LEAST_MEMORY)]
    assert planners(small, LEAST_MEMORY / 2) == 1
    assert planners(small, 100 * LEAST_MEMORY) == min(64, processors)
    assert planners(large, OF_PROFILE * LEAST_MEMORY * 1.5) == 1
    assert planners(large, OF_PROFILE * LEAST_MEMORY * 2.5) == min(2, processors)
