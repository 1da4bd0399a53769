"""Builds of other commits: what is said where they cannot be had."""

import shutil
import subprocess
from pathlib import Path

import pytest

from malloom.bench.builds import BEFORE, SCRIPT, UNCHECKED, Build, Builds
from malloom.errors import CommandError
from malloom.measure.process import Command
from python.bench.races import bench

ROOT = Path(__file__).parents[4]


def test_without_history_it_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"no history of malloom's sources .* measure in a clone"):
        Builds("69039a1").of(bench(tmp_path / "build/release/workloads"), BEFORE)


@pytest.fixture
def workloads(tmp_path: Path) -> Path:
    """A repository of one commit that has the script and no sources."""
    (tmp_path / "setup").mkdir()
    shutil.copy(ROOT / SCRIPT, tmp_path / SCRIPT)
    git = ["git", "-C", str(tmp_path), "-c", "user.name=nobody", "-c", "user.email=nobody@localhost"]
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "Begin"]):
        subprocess.run([*git, *command], check=True)
    return tmp_path / "build/release/workloads"


def test_a_commit_that_there_is_not_is_said(workloads: Path) -> None:
    with pytest.raises(CommandError, match="there is no commit nowhere in this history"):
        Builds("nowhere").of(bench(workloads), BEFORE)


def test_sources_without_the_option_are_said(workloads: Path) -> None:
    with pytest.raises(CommandError, match="know no build option MALLOOM_UNCHECKED"):
        Builds("nowhere").of(bench(workloads), UNCHECKED)


def test_a_build_that_fails_is_said(workloads: Path) -> None:
    with pytest.raises(CommandError, match="building commit HEAD failed"):
        Builds("HEAD").of(bench(workloads), BEFORE)


def built(folder: Path) -> Build:
    for file in ("runtime/front/libmalloom.so", "workloads/pairs/pool_pairs"):
        (folder / file).parent.mkdir(parents=True)
        (folder / file).touch()
    return Build(folder)


def test_a_build_brings_its_run_time_to_the_program_at_hand(tmp_path: Path) -> None:
    variant = built(tmp_path).pools(BEFORE)
    found = variant.of(Command(["/bin/echo", "one"]))
    assert (variant.name, found.arguments) == (BEFORE, ["/bin/echo", "one"])
    assert found.environment["LD_PRELOAD"] == str(tmp_path / "runtime/front/libmalloom.so")
    assert "heap=pools" in found.environment["MALLOOM"]


def test_a_build_without_a_run_time_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"there is no .*libmalloom\.so; remove .* and try again"):
        Build(tmp_path / "build").pools(BEFORE)


def test_a_build_brings_its_own_binary_of_a_workload(tmp_path: Path) -> None:
    at_hand = Command(["/elsewhere/workloads/pairs/pool_pairs", "now", "16"], {"MALLOOM_PHASES": "1"})
    found = built(tmp_path).program(UNCHECKED).of(at_hand)
    assert found.arguments == [str(tmp_path / "workloads/pairs/pool_pairs"), "now", "16"]
    assert found.environment == {"MALLOOM_PHASES": "1"}
