"""`malloom simulate` and `malloom plan` on a recorded program, and what they say when they cannot work."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from malloom.layout.plan_file import read_plan

TRAVERSE = Path(__file__).parents[2] / "build/release/workloads/traverse/traverse"

Finished = subprocess.CompletedProcess[str]
Malloom = Callable[..., Finished]


@pytest.fixture
def profile(malloom: Malloom, tmp_path: Path) -> Path:
    recorded = malloom("record", "-o", "run.profile", "--accesses", "full", "--", TRAVERSE, "12", "20")
    assert recorded.returncode == 0, recorded.stderr
    return tmp_path / "run.profile"


def test_a_matching_order_ranks_before_the_program_s_own(malloom: Malloom, profile: Path) -> None:
    done = malloom("simulate", profile, "--cache", "p4", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    cycles = {row["strategy"]: row["cycles"] for row in rows}
    assert cycles["first-use"] < 0.7 * cycles["keep-original"]
    assert cycles["random"] > cycles["keep-original"]
    assert all(row["lines"] > 0 and row["pages"] > 0 for row in rows)


def test_the_candidates_of_auto_are_a_part_of_all(malloom: Malloom, profile: Path) -> None:
    done = malloom("simulate", profile, "--cache", "p4", "--json", "--auto")
    names = {row["strategy"] for row in json.loads(done.stdout)["rows"]}
    assert {"first-use", "sequential", "pools"} <= names
    assert not {"random", "overhead-only"} & names


def test_auto_writes_a_plan_that_places_all(malloom: Malloom, profile: Path, tmp_path: Path) -> None:
    done = malloom("plan", profile, "-o", "run.plan", "--strategy", "auto", "--cache", "p4")
    assert done.returncode == 0, done.stderr
    plan = read_plan(tmp_path / "run.plan")
    assert plan.header["planned_requests"] >= 2**12 - 1
    assert done.stdout == "" and "planned by" in done.stderr


def test_what_auto_takes_is_explained(malloom: Malloom, profile: Path, tmp_path: Path) -> None:
    plain = malloom("plan", profile, "-o", "plain.plan", "--cache", "p4")
    assert plain.returncode == 0, plain.stderr
    told = malloom("plan", profile, "-o", "run.plan", "--cache", "p4", "--explain")
    assert told.returncode == 0, told.stderr
    assert (tmp_path / "run.plan").read_bytes() == (tmp_path / "plain.plan").read_bytes()
    heading, first, *lines = told.stdout.splitlines()
    reason = next(line for line in lines if " is predicted " in line)
    assert heading.split()[:4] == ["against", "as", "recorded", "waiting"]
    name, waiting = first.split()[:2]
    assert reason.startswith(f"{name} is predicted to wait {waiting} of the cycles as recorded")
    done = malloom("plan", profile, "-o", "again.plan", "--cache", "p4", "--explain", "--json")
    explained = json.loads(done.stdout)["explanation"]
    rows = {row["strategy"]: row for row in explained["strategies"]}
    assert (
        explained["chosen"]
        == name
        == read_plan(tmp_path / "run.plan").header["strategy"].rstrip(b"\0").decode()
    )
    assert f"{rows[name]['waiting']:.3f}" == waiting
    sites = explained["sites"]
    assert sum(site["share_of_waiting"] for site in sites) == pytest.approx(1)
    saved = sum(site["share_of_waiting"] * (1 - (site["waiting"][name] or 0)) for site in sites)
    assert saved == pytest.approx(1 - rows[name]["waiting"])
    after = lines[next(at for at, line in enumerate(lines) if line.startswith("of all waiting")) :]
    assert after[0] == f"of all waiting  with {name}  objects of"
    assert f"{sites[0]['share_of_waiting']:.1%}" in after[1] and sites[0]["site"].split()[0] in after[1]
    simulated = malloom("simulate", profile, "--cache", "p4", "--json")
    cycles = {row["strategy"]: row["cycles"] for row in json.loads(simulated.stdout)["rows"]}
    for each in rows:
        expected = cycles[each] / cycles["overhead-only"]
        assert rows[each]["waiting"] == pytest.approx(expected, abs=0.001), each


def test_with_a_run_time_the_share_of_time_is_predicted(malloom: Malloom, profile: Path) -> None:
    def simulated(seconds: float) -> dict[str, Any]:
        options = ("--run-time", str(seconds), "--strategy", "first-use", "--strategy", "random", "--json")
        done = malloom("simulate", profile, *options)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    # Within a run of no time all of it waits, within one of a day as good as nothing.
    short, long = simulated(1e-9), simulated(86400)
    assert short["waiting_share"] == 1 and 0 < long["waiting_share"] < 1e-3
    for row in short["rows"]:
        assert row["time"] == pytest.approx(row["waiting"])
        assert 0 <= row["translation_cycles"] <= row["cycles"]
    for row in long["rows"]:
        assert row["time"] == pytest.approx(1, abs=1e-3)
    told = malloom("simulate", profile, "--run-time", "1", "--sites", "2")
    heading, *_, blank, sites, first, second = told.stdout.splitlines()
    assert heading.split()[:4] == ["strategy", "cycles", "time", "waiting"]
    assert blank == "" and sites.startswith("of all waiting  with ") and "%" in first and "%" in second
    other = malloom("simulate", profile, "--run-time", "1", "--cache", "p4")
    assert other.returncode == 2 and "--run-time is of this machine" in other.stderr
    twice = malloom("simulate", profile, "--strategy", "size", "--strategy", "size", "--json")
    assert [row["strategy"] for row in json.loads(twice.stdout)["rows"]] == ["size"]
    alone = malloom("plan", profile, "-o", "x.plan", "--run-time", "1")
    assert alone.stderr == "malloom: --run-time is for --explain; add --explain, or leave it out\n"


def test_a_named_strategy_needs_no_reason(malloom: Malloom, profile: Path) -> None:
    done = malloom("plan", profile, "-o", "x.plan", "--strategy", "size", "--explain")
    assert done.returncode == 2
    assert done.stderr == "malloom: --explain is for --strategy auto; leave one of them out\n"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["plan", "absent", "-o", "x"], 1, "absent"),
        (["plan", "run.profile", "-o", "x", "--strategy", "best"], 2, "there is no strategy 'best'"),
        (["plan", "run.profile", "-o", "no/folder/x"], 2, "there is no folder no/folder"),
        (["simulate", "run.profile", "--cache", "L1"], 2, "'L1' is no cache geometry"),
        (
            ["simulate", "run.profile", "--auto", "--strategy", "size"],
            2,
            "--auto chooses the strategies itself",
        ),
    ],
)
def test_what_cannot_work_is_one_line(
    malloom: Malloom, profile: Path, tmp_path: Path, arguments: list[str], status: int, message: str
) -> None:
    before = sorted(tmp_path.iterdir())
    done = malloom(*arguments)
    assert done.returncode == status
    assert done.stderr.count("\n") == 1 and message in done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_without_accesses_there_is_nothing_to_choose_by(malloom: Malloom) -> None:
    assert malloom("record", "-o", "p", "--accesses", "none", "--", TRAVERSE, "4", "1").returncode == 0
    done = malloom("plan", "p", "-o", "x")
    assert done.returncode == 1 and "'malloom record --accesses full' records them" in done.stderr
    assert malloom("plan", "p", "-o", "x", "--strategy", "sequential").returncode == 0


@pytest.mark.parametrize("command", [["simulate"], ["plan", "-o", "cut.plan"]])
def test_a_profile_cut_before_its_requests_is_refused(
    malloom: Malloom, profile: Path, tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "cut.profile").write_bytes(profile.read_bytes()[:300])
    done = malloom(*command, "cut.profile")
    assert done.returncode == 1
    assert "the profile holds no process: profile is cut at byte" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "cut.plan").exists()


def test_a_program_without_requests_is_refused(malloom: Malloom, tmp_path: Path) -> None:
    assert malloom("record", "-o", "none.profile", "--accesses", "none", "--", "true").returncode == 0
    done = malloom("simulate", "none.profile")
    assert done.returncode == 1
    assert "made no request: it ran to its end and never called malloc" in done.stderr


@pytest.mark.parametrize("command", [["simulate"], ["plan", "-o", "run.plan"]])
def test_what_the_profile_lacks_is_said_first(malloom: Malloom, command: list[str]) -> None:
    malloom("record", "-o", "p", "--accesses", "sampled", "--max-size", "64K", "--", TRAVERSE, "17", "1")
    done = malloom(*command, "--strategy", "first-use", "p")
    assert done.returncode == 0, done.stderr
    said = done.stderr.splitlines()[:2]
    assert said == malloom("report", "p").stdout.splitlines()[1:3]
    assert "maximum size reached" in said[0] and "are a sample" in said[1]


def test_the_ranking_fits_the_width(malloom: Malloom, profile: Path) -> None:
    arguments = ("simulate", profile, "--cache", "p4", "--strategy", "first-use", "--strategy", "random")
    wide, narrow = (
        malloom(*arguments, env={**os.environ, "COLUMNS": columns}).stdout for columns in ("160", "40")
    )
    assert len(wide.splitlines()) == 3
    assert max(map(len, narrow.splitlines())) <= 40
    assert sorted(narrow.split()) != sorted(wide.split()) and set(narrow.split()) == set(wide.split())


def test_each_stage_says_what_it_found_for_machines(malloom: Malloom) -> None:
    recorded = malloom("record", "--json", "-o", "a.profile", "--accesses", "none", "--", "sort", "/dev/null")
    assert (recorded.returncode, recorded.stdout) == (0, "")
    found = json.loads(recorded.stderr)
    assert found["exit_status"] == 0 and found["events"] > 0 and found["processes"] == 1
    planned = malloom("plan", "a.profile", "-o", "a.plan", "--strategy", "sequential", "--json")
    plan = json.loads(planned.stdout)
    assert plan["plan"] == "a.plan" and 0 < plan["planned_requests"] <= plan["requests"] <= found["events"]
    report = json.loads(malloom("report", "a.profile", "--json").stdout)
    assert report["totals"]["requests"] == plan["requests"]
