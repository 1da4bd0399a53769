"""A program ignores the signals that it would ignore without malloom, as those of systemd's services do."""

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND

WAYS = {
    "run": ["run", "--heap", "pools", "--"],
    "dynamic": ["run", "--dynamic", "--"],
    "record": ["record", "-o", "a.profile", "--force", "--accesses", "none", "--"],
    "on demand": ["record", "-o", "b.profile", "--on-demand", "--"],
}
SHOW = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    for (int number = 1; number < 32; number++) {
        struct sigaction now;
        if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN) printf("%d ", number);
    }
    puts(getenv("MALLOOM_IGNORED_SIGNALS") != NULL ? "and a variable of malloom's" : "");
    return 0;
}
"""


def ignored_by(command: list[str], folder: Path, *, are_ignored: bool) -> str:
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
    return done.stdout


@pytest.mark.parametrize("are_ignored", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_what_is_ignored_is_what_its_caller_ignores(
    compile_c: Callable[..., Path], tmp_path: Path, way: str, are_ignored: bool
) -> None:
    show = str(compile_c(SHOW))
    alone = ignored_by([show], tmp_path, are_ignored=are_ignored)
    assert alone == ("13 25 \n" if are_ignored else "\n")
    assert ignored_by([str(COMMAND), *WAYS[way], show], tmp_path, are_ignored=are_ignored) == alone
