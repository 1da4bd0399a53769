"""`malloom bench`: what becomes of failures, signals and bad use, and its help."""

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

from end_to_end.conftest import COMMAND, WORKLOADS
from malloom.bench.placement.suite import GOALS, TABLES
from malloom.bench.splitting.suite import PARTS
from malloom.bench.suites import found_suites
from some import some


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


@pytest.mark.parametrize("number", some(signal.SIGTERM, of=[signal.SIGINT, signal.SIGTERM, signal.SIGHUP]))
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


@pytest.mark.long
def test_after_sigkill_it_goes_on(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*INTERRUPTED, "--state", "state"], cwd=tmp_path, stderr=PIPE, text=True
    ) as running:
        assert running.stderr is not None
        while not running.stderr.readline().startswith("3 of"):
            assert running.poll() is None
        running.kill()
    finished = json.loads((tmp_path / "state").read_text())["steps"]
    assert not (tmp_path / "rows.json").exists()
    line = [*INTERRUPTED, "--state", "state", "--resume"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300)
    assert f"2 of 4 steps were measured before, at commit {finished[0]['host']['commit']} on" in done.stderr
    assert re.findall(r"^(\d) of 4, ", done.stderr, re.MULTILINE) == ["3", "4"]
    found = json.loads((tmp_path / "rows.json").read_text())
    assert found["failures"] == []
    assert {row["workload"] for row in found["rows"]} == {
        name for plain in ("cover", "traverse") for name in (plain, f"{plain}_annotated")
    }
    kept = [row for step in finished for row in step["rows"]]
    assert {**kept[0], "part": "times", "unreliable": found["rows"][0]["unreliable"]} == found["rows"][0]
    assert [row["ratio"] for row in found["rows"][: len(kept)]] == [row["ratio"] for row in kept]


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
    text = malloom("bench", "placement", "--help", env={**os.environ, "COLUMNS": "200"}).stdout
    for part, what in {**TABLES, **GOALS}.items():
        assert f"{part}: {what}" in text
    assert f"tables: {', '.join(TABLES)}" in text
    assert f"goals: {', '.join(GOALS)}" in text


def test_help_names_every_suite(malloom) -> None:  # type: ignore[no-untyped-def]
    text = " ".join(malloom("bench", "--help").stdout.split())
    for name, suite in found_suites().items():
        assert f"{name} {suite.summary}" in text


def test_options_of_another_suite_are_bad_use(malloom) -> None:  # type: ignore[no-untyped-def]
    for suite, option in (("placement", "--sizes"), ("dynamic", "--against"), ("pools", "--seconds")):
        done = malloom("bench", suite, option, "1")
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert option in done.stderr


def test_a_missing_llvm_is_one_error(malloom, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    gcc = shutil.which("gcc")
    assert gcc is not None
    (tmp_path / "gcc").symlink_to(gcc)
    done = malloom("bench", "splitting", "--workloads", WORKLOADS, env={**os.environ, "PATH": str(tmp_path)})
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "the suite splitting needs clang-19" in done.stderr


def test_choices_that_splitting_has_not_are_bad_use(malloom) -> None:  # type: ignore[no-untyped-def]
    for options in (
        ["--program", "mst"],
        ["--debian", "cc1"],
        ["--sizes", "3x"],
        ["--last-level", "huge"],
        ["--only", "real"],
    ):
        done = malloom("bench", "splitting", *options)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_help_of_splitting_names_every_part_and_option(malloom) -> None:  # type: ignore[no-untyped-def]
    text = malloom("bench", "splitting", "--help", env={**os.environ, "COLUMNS": "200"}).stdout
    for part, what in PARTS.items():
        assert f"{part}: {what}" in text
    for option in (
        "--program NAME",
        "--debian NAME",
        "--sizes SIZES",
        "--last-level BYTES",
        "--seconds",
        "--no-allocators",
    ):
        assert option in text
