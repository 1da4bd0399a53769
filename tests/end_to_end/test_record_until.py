"""`malloom record --until-signal`: somebody says when enough is recorded, and the program goes on."""

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND, Finished
from end_to_end.recording import assert_sound, requests_of

SERVER = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile sig_atomic_t heard;
static void hear(int number) { heard = number; }
int main(void) {
    signal(SIGUSR1, hear);
    signal(SIGUSR2, hear);
    puts("ready");
    fflush(stdout);
    while (heard != SIGUSR2) {
        for (int i = 0; i < 100; ++i) {
            void* volatile object = malloc(100);
            free(object);
        }
        usleep(1000);
        if (heard == SIGUSR1) return 9;
    }
    return 7;
}
"""

BRIEF = """
#include <stdlib.h>
int main(void) {
    for (int i = 0; i < 500; ++i) {
        void* volatile object = malloc(9);
        free(object);
    }
    return 0;
}
"""


def test_the_signal_ends_the_recording_and_not_the_program(
    compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    profile = tmp_path / "p"
    command = [COMMAND, "record", "--until-signal", "USR1", "-o", profile, "--", compile_c(SERVER)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None and running.stdout.readline() == "ready\n"
        time.sleep(0.3)
        # The program would take it for a reason to end otherwise.
        running.send_signal(signal.SIGUSR1)
        while not profile.exists():
            assert running.poll() is None
            time.sleep(0.01)
        requests = len(requests_of(profile))
        running.send_signal(signal.SIGUSR2)
        _, said = running.communicate()
    assert running.returncode == 7
    assert requests > 1000
    assert len(requests_of(profile)) == requests, "what came later is not recorded"
    assert said.startswith("malloom: recorded ")
    assert_sound(profile)
    assert sorted(tmp_path.glob(".malloom-*")) == []


def test_without_the_signal_all_is_recorded(
    malloom: Callable[..., Finished], compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    program = compile_c(BRIEF)
    done = malloom("record", "--until-signal", "SIGHUP", "-o", "p", "--", program)
    assert done.returncode == 0, done.stderr
    assert len(requests_of(tmp_path / "p")) >= 500


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--until-signal", "KILL"), "'KILL' is no signal to wait for; choose one of TERM, HUP, USR1"),
        (("--until-signal", "USR1", "--on-demand"), "--on-demand records nothing by itself"),
        (("--until-signal", "USR1", "--accesses", "full"), "of a part of a run accesses are not full"),
    ],
)
def test_bad_use_is_a_line(malloom: Callable[..., Finished], options: tuple[str, ...], said: str) -> None:
    done = malloom("record", *options, "-o", "p", "--", "true")
    assert done.returncode == 2
    assert said in done.stderr and len(done.stderr.splitlines()) == 1


def test_of_a_process_that_runs_it_is_refused(malloom: Callable[..., Finished]) -> None:
    done = malloom("record", "--until-signal", "USR1", "--pid", "1", "-o", "p")
    assert done.returncode == 2 and "end --pid with Ctrl-C" in done.stderr
