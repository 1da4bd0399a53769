"""Commands that read profiles, plans and tables never wait for a pipe or a device in their place."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import Finished
from malloom.native_files import native_file

READERS = {
    "report": ["report", "PATH"],
    "plan": ["plan", "PATH", "-o", "new.plan"],
    "plan for bins": ["plan", "PATH", "-o", "bins.h", "--for", "bins"],
    "simulate": ["simulate", "PATH"],
    "diff": ["diff", "PATH", "PATH"],
    "check": ["check", "PATH", "--baseline", "PATH", "--max-peak", "1.05"],
    "to-text": ["profile", "to-text", "PATH"],
    "fields": ["profile", "fields", "PATH", "-o", "new.fields"],
    "rebase": ["rebase", "PATH", "/bin/true", "-o", "new.plan"],
    "run": ["run", "--plan", "PATH", "--", "true"],
    "run, with pools": ["run", "--heap", "pools", "--plan", "PATH", "--", "true"],
    "run, dynamic": ["run", "--dynamic", "--plan", "PATH", "--", "true"],
}


@pytest.mark.parametrize("device", ["pipe", "/dev/zero", "/dev/tty"])
@pytest.mark.parametrize("arguments", READERS.values(), ids=READERS)
def test_one_line_says_so(
    malloom: Callable[..., Finished], tmp_path: Path, arguments: list[str], device: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    # A pipe that nobody writes to, or a device that never ends, would keep it beyond the time.
    done = malloom(*(device if word == "PATH" else word for word in arguments))
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    assert "no ordinary file" in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_a_pipe_is_no_program(malloom: Callable[..., Finished], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o755)
    for verb in (["run"], ["record", "-o", "x"]):
        done = malloom(*verb, "--", tmp_path / "pipe")
        assert done.returncode == 126 and "no ordinary file" in done.stderr, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_nobody_waits_for_a_pipe_in_the_place_of_the_windows(
    malloom: Callable[..., Finished], tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "base.windows")
    library = str(native_file("libmalloom_record.so"))
    environment = {"LD_PRELOAD": library, "MALLOOM": f"windows=1,record={tmp_path / 'base'}"}
    subprocess.run(["true"], env={**os.environ, **environment}, timeout=30, check=True)
    done = malloom("record", "--on-demand", "-o", "base", "--", "true")
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
