"""The plan of context-groups on another input than the recorded one, where matching by ordinals is lost."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from malloom.layout.layout import NO_GROUP
from malloom.layout.plan_file import read_plan
from malloom.layout.stepwise import leads_of
from malloom.measure import variants
from malloom.measure.process import Command
from malloom.measure.stages import plan_each
from malloom.measure.valgrind import count_misses
from malloom.optimize.recording import RecordedProfile
from malloom.optimize.sources import leading_alike
from malloom.settings import with_setting
from some import some

SOURCE = Path(__file__).with_name("interleaved.cpp")
RECORDED = ("3000", "20", "1")
OTHER = ("20000", "200", "7")

Finished = subprocess.CompletedProcess[str]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    # As valgrind can run it, and optimized as its users would have it.
    subprocess.run(["g++", "-O2", SOURCE, "-o", tmp_path / "interleaved"], check=True)
    return tmp_path / "interleaved"


@pytest.fixture
def plan(malloom: Callable[..., Finished], tmp_path: Path, program: Path) -> Path:
    recorded = malloom("record", "-o", "run.profile", "--accesses", "full", "--", program, *RECORDED)
    assert recorded.returncode == 0, recorded.stderr
    planned = malloom("plan", "run.profile", "-o", "run.plan", "--strategy", "context-groups")
    assert planned.returncode == 0, planned.stderr
    return tmp_path / "run.plan"


def test_what_is_used_together_is_grouped_and_nothing_else(
    malloom: Callable[..., Finished], program: Path, plan: Path
) -> None:
    run = malloom("run", "--plan", plan, "--statistics", "--", program, *OTHER)
    assert run.returncode == 0, run.stderr
    found = re.search(r"grouped (\d+) in (\d+) groups?", run.stderr)
    assert found is not None, run.stderr
    assert (int(found[1]), int(found[2])) == (2 * int(OTHER[0]), 1)
    assert run.stdout == subprocess.run([program, *OTHER], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(("baseline", "most"), some(({}, 0.6), of=[({}, 0.6), (variants.fallback(), 0.7)]))
def test_another_input_has_far_fewer_misses(
    program: Path, plan: Path, baseline: dict[str, str], most: float
) -> None:
    command = Command([str(program), *OTHER])
    base = count_misses(command.with_environment(baseline))
    grouped = count_misses(command.with_environment(variants.planned(plan)))
    assert grouped.llc_misses < most * base.llc_misses
    assert grouped.l1d_misses < (most + 0.1) * base.l1d_misses


@pytest.fixture(scope="module")
def grouped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("grouped") / "grouped"
    subprocess.run(["g++", "-O2", SOURCE.with_name("grouped_program.cpp"), "-o", made], check=True)
    return made


# So many requests of others that the wrapper is left alone, until the memory has grown.
@pytest.mark.parametrize(("foreign", "least"), [("0", 19_000), ("10000", 19_000), ("50000", 9_000)])
@pytest.mark.parametrize("way", ["malloc", "calloc", "new", "twice"])
def test_groups_behind_wrappers_hold_what_the_plan_says(
    malloom: Callable[..., Finished], tmp_path: Path, grouped: Path, way: str, foreign: str, least: int
) -> None:
    recorded = malloom("record", "-o", "g.profile", "--accesses", "full", "--", grouped, "3000", way, "10")
    assert recorded.returncode == 0, recorded.stderr
    planned = malloom("plan", "g.profile", "-o", "g.plan", "--strategy", "context-groups")
    assert planned.returncode == 0, planned.stderr
    assert int(read_plan(tmp_path / "g.plan").header["depth"]) >= (3 if way == "twice" else 2)
    for options in ((), ("--statistics",)):
        run = malloom("run", "--plan", "g.plan", *options, "--", grouped, "20000", way, foreign)
        assert run.returncode == 0, run.stderr
        behind = int(run.stdout.splitlines()[1].split()[0])
        assert behind > least, (options, run.stdout)


# Groups, pools and what is neither are told apart by numbers in the place of a size: no size may meet one.
@pytest.mark.parametrize("setting", [("prefetch", "0"), ("heap", "pools"), ("pools_in_mimalloc", "1")])
def test_no_size_is_taken_for_a_group(
    malloom: Callable[..., Finished], tmp_path: Path, compile_c: Callable[..., Path], setting: tuple[str, str]
) -> None:
    program = compile_c(SOURCE.with_name("two_groups.c").read_text())
    recorded = malloom("record", "-o", "g.profile", "--accesses", "full", "--", program)
    assert recorded.returncode == 0, recorded.stderr
    depth = ("--depth", "1")
    planned = malloom("plan", "g.profile", "-o", "g.plan", "--strategy", "context-groups", *depth)
    assert planned.returncode == 0, planned.stderr
    assert len(read_plan(tmp_path / "g.plan").groups) == 2
    environment = with_setting(variants.planned(tmp_path / "g.plan"), *setting)
    command = [program, "wide"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert (run.stdout, run.stderr) == ("256000 0\n", "")


def test_plans_of_inputs_lead_on_alike(plan: Path, tmp_path: Path) -> None:
    profile, name = tmp_path / "run.profile", "context-groups"
    told = [entry for entry in read_plan(plan).contexts if entry["hash"] and entry["group"] != NO_GROUP]
    site = int(told[0]["hash"])
    other = tmp_path / "other.plan"
    assert plan_each({profile: {name: other}}, leads=[site, *leads_of(read_plan(plan))]) == {}
    assert leads_of(read_plan(plan)) < leads_of(read_plan(other)) == {site, *leads_of(read_plan(plan))}
    recording = RecordedProfile(profile, "full", (), 1.0)
    assert leading_alike((recording, recording), name, [plan, other]) == [plan, other]
    assert read_plan(plan).contexts.tolist() == read_plan(other).contexts.tolist()
