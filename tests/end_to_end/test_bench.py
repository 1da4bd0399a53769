"""`malloom bench placement`: the suite in small, once through, and what becomes of failures."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
from pathlib import Path
from subprocess import PIPE

import pytest

from end_to_end.conftest import COMMAND, ROOT, Finished
from malloom.bench.placement.steps import GOALS, PARTS, TABLES
from malloom.layout.registry import strategy_names

TITLES = [
    "Tables 5.1, 5.2",
    "Tables 5.3 to 5.8",
    "Table 5.9",
    "Table 5.10",
    "Tables 5.11, 5.12",
    "Tables 5.13, 5.14",
    "What malloom must reach",
]
WORKLOADS = ROOT / "build/release/workloads"


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[Finished, Path]:
    """The whole suite, quickly; measured once for all tests here."""
    folder = tmp_path_factory.mktemp("bench")
    command = [ROOT / ".venv/bin/malloom", "bench", "placement", "--quick", "--workloads", WORKLOADS]
    command += ["--json", "rows.json", "--markdown", "goals.md"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    return done, folder


def test_everything_is_measured(quick: tuple[Finished, Path]) -> None:
    done, folder = quick
    assert done.returncode == 0, done.stderr
    assert json.loads((folder / "rows.json").read_text())["failures"] == []
    assert "could not be measured" not in done.stdout


def test_rows_are_complete(quick: tuple[Finished, Path]) -> None:
    found = json.loads((quick[1] / "rows.json").read_text())
    assert found["suite"] == "placement"
    assert {"machine", "processor", "processors", "last_level", "system", "libc", "commit"} <= set(
        found["host"]
    )
    measured = ["metric", "ratio", "low", "high", "runs", "peak_rss_ratio"]
    fields = ["workload", "input", "variant", "baseline", *measured]
    for row in found["rows"]:
        assert list(row) == fields
        assert row["low"] <= row["ratio"] <= row["high"]
        # The start-up is a difference of two times, which noise can turn round.
        assert row["low"] > 0 or row["metric"] == "start_up_time"
        assert row["low"] == row["high"] or not row["metric"].endswith("_misses")


def test_every_strategy_and_allocator_has_a_time_and_misses(quick: tuple[Finished, Path]) -> None:
    rows = json.loads((quick[1] / "rows.json").read_text())["rows"]
    timed = {row["variant"] for row in rows if row["metric"] == "cpu_time" and row["baseline"] == "glibc"}
    assert {*strategy_names(), "mimalloc", "jemalloc", "tcmalloc"} <= timed
    counted = {row["variant"] for row in rows if row["metric"] == "l1d_misses"}
    assert set(strategy_names()) <= counted


@pytest.mark.parametrize("title", TITLES)
def test_tables_have_their_own_titles(quick: tuple[Finished, Path], title: str) -> None:
    assert title in quick[0].stdout


def test_goals_are_a_table_for_a_readme(quick: tuple[Finished, Path]) -> None:
    text = (quick[1] / "goals.md").read_text()
    section = text.split("### ")[1].strip()
    assert section.startswith("What malloom must reach")
    lines = section.splitlines()[2:]
    assert lines[0].startswith("| workload | variant |")
    assert {line.count("|") for line in lines} == {8}
    assert [title for title in TITLES if f"### {title}" not in text] == []
    goals = json.loads((quick[1] / "rows.json").read_text())["goals"]
    assert len(goals) == len(lines) - 2
    assert [line.split(" | ")[-1].startswith("yes") for line in lines[2:]] == [
        goal["reached"] for goal in goals
    ]
    metrics = {line.split(" | ")[3] for line in lines[2:]}
    assert metrics == {goal["metric"] for goal in goals}
    assert metrics == {
        "cpu_time",
        "walk_time",
        "peak_rss",
        "start_up_time",
        "planning_time",
        "planning_memory",
    }


def test_one_failure_leaves_the_rest(malloom, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    # hexapawn fails, cover is as it should be.
    for name in ("cover", "hexapawn"):
        shutil.copytree(WORKLOADS / name, tmp_path / "workloads" / name)
    (tmp_path / "workloads/hexapawn/hexapawn").write_text("#!/bin/sh\necho no board >&2\nexit 7\n")
    options = ["--quick", "--only", "preallocation", "--only", "statistics", "--json", "rows.json"]
    done = malloom("bench", "placement", *options, "--workloads", tmp_path / "workloads")
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith("malloom: 1 of the suite's measurements failed")
    found = json.loads((tmp_path / "rows.json").read_text())
    assert {row["workload"] for row in found["rows"]} == {"cover"}
    assert [(each["part"], each["what"]) for each in found["failures"]] == [("statistics", "hexapawn 4 3")]
    assert "What could not be measured" in done.stdout


# Of several steps; the first ones are soon done.
INTERRUPTED = [COMMAND, "bench", "placement", "--quick", "--only", "times", "--workloads", WORKLOADS]
INTERRUPTED += ["--json", "rows.json"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_keeps_what_there_is(tmp_path: Path, number: int) -> None:
    with subprocess.Popen(INTERRUPTED, cwd=tmp_path, stdout=PIPE, stderr=PIPE, text=True) as running:
        assert running.stderr is not None
        while not running.stderr.readline().startswith("2 of"):
            assert running.poll() is None
        running.send_signal(number)
        output, _ = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert "What could not be measured" in output
    assert_interrupted(tmp_path)


def assert_interrupted(folder: Path) -> None:
    """Rows of a part of the suite, and where it ended."""
    found = json.loads((folder / "rows.json").read_text())
    assert found["rows"]
    (failure,) = found["failures"]
    assert failure["why"] == "interrupted; nothing after it was measured"


def test_a_terminal_that_goes_takes_nothing_along(tmp_path: Path) -> None:
    ours, terminal = pty.openpty()
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), terminal)
    with subprocess.Popen(["setsid", "--ctty", *INTERRUPTED], cwd=tmp_path, **streams) as running:
        os.close(terminal)
        shown = b""
        while not re.search(rb"2 of \d", shown):
            shown += os.read(ours, 1000)
        os.close(ours)
        assert running.wait(timeout=60) == 128 + signal.SIGHUP
    assert_interrupted(tmp_path)


def test_without_workloads_it_says_what_to_do(malloom) -> None:  # type: ignore[no-untyped-def]
    done = malloom("bench", "placement", "--quick", "--only", "statistics", "--workloads", "nowhere")
    assert done.returncode == 1
    assert "run 'make native'" in done.stderr


def test_unknown_suites_and_parts_are_bad_use(malloom) -> None:  # type: ignore[no-untyped-def]
    done = malloom("bench", "everything")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    done = malloom("bench", "placement", "--only", "some")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "tables, goals" in done.stderr


def test_files_that_cannot_be_written_are_told_before_anything_is_measured(malloom) -> None:  # type: ignore[no-untyped-def]
    for option in ("--json", "--markdown"):
        done = malloom("bench", "placement", "--quick", option, "nowhere/file")
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert "there is no folder nowhere" in done.stderr


def test_help_names_every_part(malloom) -> None:  # type: ignore[no-untyped-def]
    text = malloom("bench", "--help", env={**os.environ, "COLUMNS": "200"}).stdout
    assert [part for part in PARTS if part not in text] == []
    assert set(TABLES) | set(GOALS) == set(PARTS)
