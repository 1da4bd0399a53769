"""Suites that are ended in the middle and gone on from: what was finished is not measured again."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import forked
from malloom.bench.state import WITHOUT_DIGEST, aside, read_state, write_state
from python.bench.test_suites import MALLOOM
from some import some

FOLDER = Path(__file__).parent / "kept_suite"
NAMES = ["one", "two", "three", "four"]
MEAN = ("geometric mean", "4 walks")


@dataclass(frozen=True)
class Suites:
    """The suite `walks`, run in a folder of its own."""

    folder: Path

    def line(self, *options: str) -> Sequence[str | Path]:
        return [sys.executable, "-c", MALLOOM, *self.words(*options)]

    def words(self, *options: str) -> Sequence[str | Path]:
        files = ("--log", "log", "--state", "state.json", "--json", "rows.json", "--markdown", "tables.md")
        return [FOLDER, "bench", "walks", *files, *options]

    def run(self, *options: str) -> str:
        """What it says on standard error."""
        done = forked.run(MALLOOM, self.words(*options), self.folder)
        assert done.returncode == 0, done.stderr
        return done.stderr

    def ended_in(self, name: str, number: signal.Signals, *options: str) -> int:
        """Runs it until it measures the step, ends it with the signal, and gives its exit status."""
        streams: dict[str, Any] = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
        with subprocess.Popen(self.line("--hangs", name, *options), cwd=self.folder, **streams) as running:
            while name not in self.measured():
                assert running.poll() is None
                time.sleep(0.05)
            running.send_signal(number)
            return running.wait(timeout=60)

    def measured(self) -> list[str]:
        """The steps that were begun, in order."""
        log = self.folder / "log"
        return log.read_text().split() if log.exists() else []

    def rows(self) -> dict[tuple[str, str], dict[str, Any]]:
        found = json.loads((self.folder / "rows.json").read_text())["rows"]
        return {(row["workload"], row["input"]): row for row in found if row["variant"] == "fast"}

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "state.json").read_text())
        return found

    def write_state(self, state: dict[str, Any]) -> None:
        """As a run would have kept it."""
        file = self.folder / "state.json"
        file.write_text(json.dumps({**state, "version": WITHOUT_DIGEST, "digest": ""}))
        write_state(read_state(file), file)

    def change_state(self, **changed: str) -> None:
        """Other values in what all steps were measured on."""
        state = self.state()
        for step in state["steps"]:
            for told in (step["host"], *step["rows"]):
                told.update(changed)
        self.write_state(state)

    def kept_beside(self) -> list[Path]:
        return list(self.folder.glob("state-until-*.json"))


@pytest.fixture
def suites(tmp_path: Path) -> Suites:
    return Suites(tmp_path)


def assert_whole(suites: Suites) -> None:
    rows = suites.rows()
    assert list(rows) == [*(("walk", name) for name in NAMES), MEAN]
    assert [row["ratio"] for row in rows.values()] == pytest.approx([0.25] * 5)


def test_after_sigkill_it_goes_on(suites: Suites) -> None:
    assert suites.ended_in("three", signal.SIGKILL) == -signal.SIGKILL
    assert not (suites.folder / "rows.json").exists()
    host = suites.state()["steps"][0]["host"]
    said = suites.run("--resume")
    when = f"at commit {host['commit']} on {host['date']}"
    assert f"2 of 4 steps were measured before, {when}; 2 to go" in said
    assert suites.measured() == ["one", "two", "three", "three", "four"]
    assert_whole(suites)


@pytest.mark.long
def test_a_second_sigkill_loses_nothing_either(suites: Suites) -> None:
    suites.ended_in("two", signal.SIGKILL)
    suites.ended_in("four", signal.SIGKILL, "--resume")
    assert "3 of 4 steps were measured before" in suites.run("--resume")
    assert suites.measured() == ["one", "two", "two", "three", "four", "four"]
    assert_whole(suites)


@pytest.mark.parametrize("number", some(signal.SIGTERM, of=[signal.SIGTERM, signal.SIGINT]))
def test_signals_keep_what_is_done(suites: Suites, number: signal.Signals) -> None:
    assert suites.ended_in("three", number) == 128 + number
    assert list(suites.rows()) == [("walk", "one"), ("walk", "two"), ("geometric mean", "2 walks")]
    suites.run("--resume")
    assert suites.measured().count("one") == 1
    assert_whole(suites)


def test_what_is_whole_is_not_measured_again(suites: Suites) -> None:
    suites.run()
    assert "4 of 4 steps were measured before" in (said := suites.run("--resume"))
    assert "; 0 to go" in said
    assert suites.measured() == NAMES
    assert_whole(suites)


def test_shares_come_together(suites: Suites) -> None:
    suites.run("--resume", "--share", "1/2")
    suites.run("--resume", "--step", "walk t*")
    assert list(suites.rows()) == [("walk", "two"), ("walk", "three"), ("geometric mean", "2 walks")]
    suites.run("--resume")
    assert suites.measured() == NAMES
    assert_whole(suites)


def test_without_resume_it_starts_anew_and_loses_nothing(suites: Suites) -> None:
    suites.ended_in("three", signal.SIGKILL)
    before = (suites.folder / "state.json").read_text()
    assert "started anew, without --resume" in suites.run()
    assert suites.measured() == ["one", "two", "three", *NAMES]
    assert [file.read_text() for file in suites.kept_beside()] == [before]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"commit": "0123456789ab"}, "it is of commit 0123456789ab, and this is "),
        ({"processor": "Zen 9"}, "it was measured on another machine (processor Zen 9, now "),
    ],
)
def test_what_was_measured_elsewhere_is_said_and_measured_anew(
    suites: Suites, changed: dict[str, str], said: str
) -> None:
    suites.run("--step", "walk one")
    suites.change_state(**changed)
    lines = [line for line in suites.run("--resume").splitlines() if "started anew" in line]
    assert len(lines) == 1 and said in lines[0]
    assert suites.measured() == ["one", *NAMES]
    assert_whole(suites)
    assert len(suites.kept_beside()) == 1


def test_steps_of_other_commits_are_taken_over_where_that_is_asked_for(suites: Suites) -> None:
    suites.run("--step", "walk t*")
    suites.change_state(commit="0123456789ab")
    said = suites.run("--any-commit")
    assert "2 of 4 steps were measured before, at commit 0123456789ab on " in said
    assert suites.measured() == ["two", "three", "one", "four"]
    assert_whole(suites)
    commits = [row["commit"] for row in suites.rows().values()]
    assert [commit == "0123456789ab" for commit in commits] == [False, True, True, False, False]
    assert commits[4] == f"{commits[0]} and 0123456789ab"
    assert "| program | slow again | fast | commit |" in (suites.folder / "tables.md").read_text()


def test_after_a_damaged_file_what_is_measured_is_kept(suites: Suites) -> None:
    suites.run("--step", "walk t*")
    state = suites.state()
    state["steps"][1]["gathered"][0][1] = "nothing"
    suites.write_state(state)
    suites.run("--resume")
    assert [len(step["gathered"]) for step in suites.state()["steps"]] == [1] * 4


def test_other_options_are_said(suites: Suites) -> None:
    suites.run("--step", "walk one")
    said = suites.run("--resume", "--seconds", "3")
    assert "it was measured with other options (seconds 1.0, now 3.0)" in said
    assert suites.measured() == ["one", *NAMES]


@pytest.mark.parametrize(
    "damage",
    some(
        *["half", "a NaN", "gathered"],
        of=["", "{", "[]", "half", "a NaN", "another part", "options", "gathered"],
    ),
)
def test_a_damaged_file_is_said_and_started_anew(suites: Suites, damage: str) -> None:
    suites.run("--step", "walk one")
    file, state = suites.folder / "state.json", suites.state()
    step = state["steps"][0]
    if damage == "half":
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    elif damage == "a NaN":
        step["rows"][0]["ratio"] = math.nan
        file.write_text(json.dumps(state))
    elif damage == "options":
        file.write_text(json.dumps({**state, "options": {}}))
    elif damage == "another part":
        suites.write_state({**state, "steps": [{**step, "part": "nonsense"}]})
    elif damage == "gathered":
        step["gathered"][0][1] = "nothing"
        suites.write_state(state)
    else:
        file.write_text(damage)
    lines = [line for line in suites.run("--resume").splitlines() if "started anew" in line]
    assert len(lines) == 1 and "damaged" in lines[0]
    assert suites.measured() == ["one", *NAMES]
    assert_whole(suites)


def test_a_step_that_failed_is_measured_again(suites: Suites) -> None:
    suites.run("--step", "walk one")
    state = suites.state()
    failure = {"part": "walks", "what": "walk one", "why": "no legs"}
    state["steps"][0].update(rows=[], failures=[failure])
    suites.write_state(state)
    assert "0 of 4 steps were measured before; 4 to go" in suites.run("--resume")
    assert suites.measured() == ["one", *NAMES]


def test_what_does_not_fit_is_left_out_with_a_row_that_says_so(suites: Suites) -> None:
    suites.run("--large", "two")
    (left,) = json.loads((suites.folder / "rows.json").read_text())["left_out"]
    assert (left["part"], left["what"]) == ("walks", "walk two")
    assert left["why"].startswith("not measured: it needs 4,611,686,018,427 MB of memory, and ")
    tables = (suites.folder / "tables.md").read_text()
    assert f"| walk two | {left['why']} | - |" in tables
    assert "### What was left out" in tables
    suites.run("--resume")
    assert suites.measured() == ["one", "three", "four", "two"]
    assert_whole(suites)


def test_minutes_bound_a_run_and_the_next_goes_on(suites: Suites) -> None:
    said = suites.run("--minutes", "2", "--seconds", "100")
    assert suites.measured() == NAMES, "the first told how quick they are"
    said = suites.run("--minutes", "1", "--seconds", "100")
    assert "walks: 4 steps are left; the same command with --resume goes on" in said
    assert "longer than --minutes 1 by themselves: walk one, walk two" in said
    (left,) = json.loads((suites.folder / "rows.json").read_text())["left_out"]
    assert left["why"] == "not measured yet: they would not end within --minutes 1"


def test_no_minutes_measure_nothing_and_conclude(suites: Suites) -> None:
    suites.run()
    suites.run("--resume", "--minutes", "0")
    assert suites.measured() == NAMES
    rows = json.loads((suites.folder / "rows.json").read_text())
    assert rows["left_out"] == []
    assert [row["variant"] for row in rows["rows"] if row["workload"] == "geometric mean"] == ["fast"]


def test_two_runs_do_not_keep_their_steps_in_one_file(suites: Suites) -> None:
    streams: dict[str, Any] = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
    with subprocess.Popen(suites.line("--hangs", "one"), cwd=suites.folder, **streams) as running:
        while not suites.measured():
            time.sleep(0.05)
        line = suites.line("--resume")
        done = subprocess.run(line, cwd=suites.folder, capture_output=True, text=True, check=False)
        running.kill()
    assert done.returncode == 1
    assert done.stderr.startswith("malloom: another run keeps its steps in state.json; wait until")


def test_files_lie_in_the_users_folder_by_suite_and_options(suites: Suites) -> None:
    environment = {**os.environ, "XDG_STATE_HOME": str(suites.folder)}
    for seconds in ("1", "2"):
        line = [*suites.line()[:6], "--log", "log", "--step", "walk one", "--seconds", seconds]
        subprocess.run(line, cwd=suites.folder, env=environment, capture_output=True, check=True)
    assert len(list((suites.folder / "malloom/bench").glob("walks-????????.json"))) == 2


def test_the_list_measures_nothing(suites: Suites) -> None:
    done = subprocess.run(
        suites.line("--list"), cwd=suites.folder, capture_output=True, text=True, check=True
    )
    assert "walk three" in done.stdout
    assert list(suites.folder.iterdir()) == []


def test_a_name_beside_a_file_tells_when(tmp_path: Path) -> None:
    found = aside(tmp_path / "state.json")
    assert found.parent == tmp_path
    assert found.name.startswith("state-until-20") and found.suffix == ".json"
