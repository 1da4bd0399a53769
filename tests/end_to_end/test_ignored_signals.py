"""A program ignores the signals that it would ignore without malloom, as those of systemd's services do."""

import re
import signal
import subprocess
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND

WAYS = {
    "run": ["run", "--heap", "pools", "--"],
    "dynamic": ["run", "--dynamic", "--"],
    "record": ["record", "-o", "a.profile", "--force", "--accesses", "none", "--"],
    "on demand": ["record", "-o", "b.profile", "--on-demand", "--"],
}
SHOW = ["sh", "-c", "cat /proc/self/status; env"]


def ignored_by(command: list[str], folder: Path, *, are_ignored: bool) -> set[int]:
    """The signals that a program ignores whose caller ignores those that Python does, or not."""

    def set_up() -> None:
        for each in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(each, signal.SIG_IGN if are_ignored else signal.SIG_DFL)

    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        restore_signals=False,
        preexec_fn=set_up,
        cwd=folder,
    )
    assert "MALLOOM_IGNORED_SIGNALS" not in done.stdout
    mask = re.search(r"^SigIgn:\s+(\w+)$", done.stdout, re.MULTILINE)
    assert mask, done.stdout
    return {number + 1 for number in range(64) if int(mask[1], 16) >> number & 1}


@pytest.mark.parametrize("are_ignored", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_what_is_ignored_is_what_its_caller_ignores(tmp_path: Path, way: str, are_ignored: bool) -> None:
    alone = ignored_by(SHOW, tmp_path, are_ignored=are_ignored)
    assert (signal.SIGPIPE in alone) == are_ignored
    assert ignored_by([str(COMMAND), *WAYS[way], *SHOW], tmp_path, are_ignored=are_ignored) == alone
