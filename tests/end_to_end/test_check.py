"""`malloom check`: what it refuses, what it writes, and what it leaves as it was."""

import json
import os
import pty
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from end_to_end.conftest import Finished, done_well

SOURCE = """
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) static char* NAME(int bytes) {
    char* made = malloc(bytes);
    memset(made, 1, bytes);
    return made;
}
int main(void) {
    char* copy = strdup("a few words");
    for (int i = 0; i < COUNT; i++) copy[0] += NAME(50)[7];
    return copy[0] == 42;
}
"""
LIMIT = ("--max-peak", "1.05")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Profiles of a program and of one that asks for half as much again, and of another one of its name; and
    base.json of the first."""
    folder = tmp_path_factory.mktemp("checked")
    for name, function, count in (("old", "push", 1000), ("new", "push", 1500), ("other", "fill", 900)):
        (folder / name).mkdir()
        program = folder / name / "program"
        options = ["-O1", "-g", f"-DNAME={function}", f"-DCOUNT={count}", "-x", "c", "-", "-o", str(program)]
        subprocess.run(["gcc", *options], input=SOURCE, text=True, check=True)
        done_well(folder, "record", "--accesses", "none", "-o", f"{name}.profile", "--", program)
    done_well(folder, "check", "old.profile", "--save", "base.json")
    return folder


@pytest.fixture
def check(malloom: Callable[..., Finished], recorded: Path, tmp_path: Path) -> Callable[..., Finished]:
    """Holds a profile against a copy of base.json, which must end with that exit status."""
    (tmp_path / "base.json").write_bytes((recorded / "base.json").read_bytes())

    def run(side: str, *arguments: str | Path, status: int, **options: object) -> Finished:
        profile = recorded / f"{side}.profile"
        done = malloom("check", profile, "--baseline", "base.json", *arguments, **options)
        assert done.returncode == status, (done.stdout, done.stderr)
        return done

    return run


def test_a_broken_limit_leaves_the_baseline_that_is_to_be_replaced(
    check: Callable[..., Finished], tmp_path: Path
) -> None:
    base = tmp_path / "base.json"
    before = base.read_bytes()
    done = check("new", "--save", base, *LIMIT, status=3)
    assert base.read_bytes() == before
    assert "base.json stays as it was" in done.stderr
    assert "1.5" in done.stdout
    check("new", "--save", tmp_path / "next.json", *LIMIT, status=3)
    assert base.read_bytes() == before
    check("new", "--save", base, "--max-peak", "2", status=0)
    assert base.read_bytes() == (tmp_path / "next.json").read_bytes() != before


def test_nothing_is_saved_that_cannot_be_judged(check: Callable[..., Finished], tmp_path: Path) -> None:
    before = (tmp_path / "base.json").read_bytes()
    check("other", "--save", "base.json", *LIMIT, status=1)
    check("other", "--save", "next.json", *LIMIT, status=1)
    assert (tmp_path / "base.json").read_bytes() == before
    assert not (tmp_path / "next.json").exists()


def test_another_program_of_the_same_name_is_refused(check: Callable[..., Finished], tmp_path: Path) -> None:
    check("old", "--max-peak", "9", "--junit", "j.xml", status=0)
    done = check("other", "--max-peak", "9", "--junit", "j.xml", status=1)
    assert "base.json seems to be of another program" in done.stderr
    assert done.stderr.count("\n") == 1
    suite = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")
    assert suite.findall("testcase/error")[0].get("message") == done.stderr.strip().removeprefix("malloom: ")


def test_sites_that_are_left_out_are_not_kept(check: Callable[..., Finished]) -> None:
    done = check("new", "--site", "strdup", *LIMIT, status=1)
    assert "no call site that 'strdup' names was judged" in done.stderr
    assert done.stderr.count("\n") == 1
    kept = check("new", "--site", "strdup", "--site-share", "0", *LIMIT, "--json", status=0)
    assert [limit["new"] for limit in json.loads(kept.stdout)["limits"]] == [12]


@pytest.mark.parametrize("name", ["base.json", "program", "notes.xml"])
def test_a_junit_report_replaces_nothing_else(
    check: Callable[..., Finished], recorded: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / "program").write_bytes((recorded / "old/program").read_bytes())
    (tmp_path / "notes.xml").write_text("<?xml version='1.0'?><notes/>")
    before = (tmp_path / name).read_bytes()
    done = check("new", *LIMIT, "--junit", name, status=2)
    assert done.stderr.count("\n") == 1
    assert (tmp_path / name).read_bytes() == before


def test_one_file_cannot_be_both_outputs(check: Callable[..., Finished], tmp_path: Path) -> None:
    assert "both name" in check("new", *LIMIT, "--save", "x", "--junit", "./x", status=2).stderr
    assert not (tmp_path / "x").exists()


def test_other_processes_are_said(malloom: Callable[..., Finished], tmp_path: Path) -> None:
    (tmp_path / "forks.sh").write_text("#!/bin/sh\n/bin/echo one\n/bin/echo two\n")
    (tmp_path / "forks.sh").chmod(0o755)
    done_well(tmp_path, "record", "--accesses", "none", "-o", "f.profile", "--", "./forks.sh")
    said = "3 processes recorded; this is "
    assert said in malloom("report", "f.profile").stdout
    saved = malloom("check", "f.profile", "--save", "f.json")
    against = malloom("check", "f.profile", "--baseline", "f.json", "--max-requests", "1")
    for done in (saved, against):
        assert done.returncode == 0, done.stderr
        assert f"note: f.profile: {said}" in done.stderr
    assert f"note: f.profile: {said}" in malloom("diff", "f.json", "f.profile").stdout


def test_lines_fit_a_terminal(check: Callable[..., Finished], recorded: Path) -> None:
    reading, terminal = pty.openpty()
    streams = {"capture_output": False, "stdout": terminal, "stderr": subprocess.PIPE}
    check("new", *LIMIT, status=3, env={**os.environ, "COLUMNS": "80"}, **streams)
    os.close(terminal)
    shown = os.read(reading, 1 << 16).decode().splitlines()
    os.close(reading)
    piped = check("new", *LIMIT, status=3).stdout.splitlines()
    assert len(piped) == 3
    assert max(map(len, piped)) > 80
    assert all(len(line) <= 80 for line in shown)
    assert " ".join(line.strip() for line in shown) == " ".join(piped)
