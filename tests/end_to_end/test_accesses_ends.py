"""`malloom record --accesses full`: however a program ends or goes on, the accesses up to there are good."""

import os
import signal
import subprocess
from pathlib import Path

from end_to_end import ends
from end_to_end.recording import COMMAND, assert_sound, processes_of
from malloom.profile import HeapProfile

BUSY = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    long* object = malloc(8000);
    for (long i = 0;; ++i) {
        object[i % 1000] = i;
        if (i == 3000000) { puts("busy"); fflush(stdout); }
    }
}
"""

FAMILY = """
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void use(volatile long* object, long count) {
    for (long i = 0; i < count; ++i) object[i % 1000] = i;
}
int main(int count, char** arguments) {
    volatile long* object = malloc(8000);
    use(object, 50000);
    if (count > 1) return 0;
    if (fork() == 0) {
        use(object, 70000);
        execl(arguments[0], arguments[0], "again", (char*)NULL);
    }
    wait(NULL);
    return 0;
}
"""


def test_sigkill_leaves_the_accesses_that_were_written(compile_c, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    command = [COMMAND, "record", "-o", profile, "--accesses", "full", "--", compile_c(BUSY)]
    recording = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert recording.stdout and recording.stdout.readline() == "busy\n"
    children = Path(f"/proc/{recording.pid}/task/{recording.pid}/children").read_text()
    os.kill(int(children.split()[0]), signal.SIGKILL)
    _, errors = recording.communicate(timeout=60)
    assert recording.returncode == 128 + signal.SIGKILL
    assert "the profile up to there is good" in errors
    assert_sound(profile)
    # All but the last buffer of 32,768 words.
    assert int(HeapProfile.open(profile).requests.accesses.max()) > 2_900_000


def test_maximum_size_ends_the_recording_of_accesses(malloom, compile_c, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    program = compile_c(BUSY.replace(";; ++i", "; i < 40000000; ++i"))
    done = malloom("record", "-o", profile, "--accesses", "full", "--max-size", "100K", "--", program)
    assert done.stdout == "busy\n"
    assert profile.stat().st_size <= 100 << 10
    assert_sound(profile)
    opened = HeapProfile.open(profile)
    assert int(opened.requests.accesses.max()) > 100_000
    assert done.returncode == 1 and "the profile reached --max-size" in done.stderr
    assert not opened.has_all_accesses
    assert (
        "accesses were recorded up to a point only: maximum size reached" in malloom("report", profile).stdout
    )


def test_each_image_of_a_family_has_its_own_accesses(malloom, compile_c, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    done = malloom("record", "-o", profile, "--accesses", "full", "--", compile_c(FAMILY))
    assert done.returncode == 0, done.stderr
    assert_sound(profile)
    assert len(processes_of(profile)) >= 2
    assert int(HeapProfile.open(profile).requests.accesses.max()) >= 50_000


def test_descriptors_are_closed_all_at_once(malloom, compile_c, tmp_path: Path) -> None:
    source = """
    #define _GNU_SOURCE
    #include <errno.h>
    #include <fcntl.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>
    int main(void) {
        int* object = malloc(sizeof *object);
        *object = open("/dev/null", O_RDONLY);
        closefrom(3);
        printf("%d\\n", fcntl(*object, F_GETFD) == -1 && errno == EBADF);
        return close_range(5, 4, 0) == -1 && errno == EINVAL ? 0 : 1;
    }"""
    profile = tmp_path / "profile"
    done = malloom("record", "-o", profile, "--accesses", "full", "--", compile_c(source))
    assert (done.stdout, done.returncode) == ("1\n", 0), done.stderr
    assert_sound(profile)


def test_streams_that_the_program_closes_are_closed(malloom, tmp_path: Path) -> None:
    program = ends.build("streams_program", tmp_path)
    for stream in "012":
        done = malloom("record", "-o", "a.profile", "--accesses", "full", "--", program, stream)
        assert (done.returncode, done.stdout) == (0, f"stream {stream}: 0\n"), done.stderr
        (tmp_path / "a.profile").unlink()
