"""Commands that read profiles, plans and tables never wait for a pipe or a device in their place."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import Finished

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
