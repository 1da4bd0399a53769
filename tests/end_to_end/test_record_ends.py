"""`malloom record`: however a program or a recording ends, the profile up to there is good."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from end_to_end import ends
from end_to_end.recording import COMMAND, assert_sound, processes_of
from malloom import _native

BUSY = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    for (unsigned i = 0;; ++i) {
        void* volatile object = malloc(16 + i % 1000);
        if (i == 1000) { puts("busy"); fflush(stdout); }
        free(object);
    }
}
"""

COUNTED = """
#include <stdlib.h>
int main(int count, char** arguments) {
    for (long i = 0; i < atol(arguments[1]); ++i) {
        void* volatile object = malloc(16 + i * 7919 % 5000);
        free(object);
    }
    return 0;
}
"""

# A disk with room for 1 MiB. To mount a small one needs rights that containers withhold.
FULL_DISK = """
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
ssize_t write(int descriptor, const void* bytes, size_t count) {
    static _Atomic long room = 1 << 20;
    const long left = room;
    if (left <= 0) { errno = ENOSPC; return -1; }
    const ssize_t written = syscall(SYS_write, descriptor, bytes, (long)count < left ? count : (size_t)left);
    if (written > 0) room -= written;
    return written;
}
"""


def start(tmp_path: Path, program: Path) -> subprocess.Popen[str]:
    command = [COMMAND, "record", "-o", tmp_path / "profile", "--accesses", "none", "--", program]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert started.stdout and started.stdout.readline() == "busy\n"
    return started


def child_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


@pytest.mark.parametrize("delay", [0.0, 0.003, 0.01, 0.05, 0.2])
def test_sigkill_at_any_moment_loses_nothing(compile_c, tmp_path: Path, delay: float) -> None:
    recording = start(tmp_path, compile_c(BUSY))
    time.sleep(delay)
    os.kill(child_of(recording.pid), signal.SIGKILL)
    _, errors = recording.communicate(timeout=60)
    assert recording.returncode == 128 + 9
    assert "died by SIGKILL; the profile up to there is good" in errors
    # Tickets without a gap from the first event to the last: the invariants check them.
    assert_sound(tmp_path / "profile")
    assert processes_of(tmp_path / "profile")[0]["events"] > 2000  # type: ignore[operator]


def test_profile_is_readable_when_everything_was_killed(compile_c, tmp_path: Path) -> None:
    recording = start(tmp_path, compile_c(BUSY))
    program = child_of(recording.pid)
    recording.kill()
    recording.wait()
    os.kill(program, signal.SIGKILL)
    while Path(f"/proc/{program}/maps").exists() and Path(f"/proc/{program}/maps").read_bytes():
        time.sleep(0.01)
    profile = tmp_path / "profile"
    assert _native.check_profile(str(profile)) == []
    assert processes_of(profile)[0]["events"] > 2000  # type: ignore[operator]
    _native.recover_profile(str(profile), 0, True)
    assert_sound(profile)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_reach_the_program(compile_c, tmp_path: Path, number: signal.Signals) -> None:
    recording = start(tmp_path, compile_c(BUSY))
    recording.send_signal(number)
    _, errors = recording.communicate(timeout=60)
    assert recording.returncode == 128 + number
    assert f"died by {number.name}" in errors
    assert_sound(tmp_path / "profile")


@pytest.mark.parametrize("accesses", ["full", "none"])
def test_a_program_that_never_allocates_is_explained_at_once(
    malloom, compile_c, tmp_path: Path, accesses: str
) -> None:
    program = compile_c("int main(void) { return 0; }")
    done = malloom("record", "-o", "p", "--accesses", accesses, "--", program)
    assert done.returncode == 0  # the profile is complete
    recorded, reason = done.stderr.splitlines()
    assert recorded.startswith("malloom: recorded 0 events")
    assert "made no request: it ran to its end and never called malloc" in reason
    assert reason == malloom("report", "p").stderr.rstrip("\n")


def test_maximum_size_ends_the_recording_and_not_the_program(malloom, compile_c, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    options = ["-o", profile, "--accesses", "none", "--max-size", "100K"]
    done = malloom("record", *options, "--", compile_c(COUNTED), "400000")
    assert done.returncode == 1
    assert "the profile reached --max-size" in done.stderr
    assert 40_000 < profile.stat().st_size <= 100 << 10
    assert_sound(profile)


def test_processes_that_start_at_the_maximum_size_are_silent(malloom, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    script = "for i in $(seq 150); do /bin/true; done"
    options = ["-o", profile, "--accesses", "none", "--max-size", "64K"]
    done = malloom("record", *options, "--", "/bin/sh", "-c", script)
    assert done.returncode == 1
    recorded, limit = done.stderr.splitlines()
    assert "the profile reached --max-size" in limit
    processes = processes_of(profile)
    assert f" {len(processes)} processes" in recorded
    assert all(process["properties"] for process in processes)
    assert profile.stat().st_size <= 64 << 10


def test_full_disk_ends_the_recording_and_not_the_program(malloom, compile_c, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    program = compile_c(COUNTED + FULL_DISK, "-rdynamic")
    done = malloom("record", "-o", profile, "--accesses", "none", "--", program, "2000000")
    assert done.returncode == 1
    assert "could not be written to its end and is good up to there" in done.stderr
    assert _native.check_profile(str(profile)) == []
    assert processes_of(profile)[0]["events"] > 10_000  # type: ignore[operator]


def test_disk_that_is_full_from_the_start_is_told(malloom, compile_c, tmp_path: Path) -> None:
    no_stage = "#include <errno.h>\nint fallocate() { errno = ENOSPC; return -1; }\n"
    options = ["-o", tmp_path / "profile", "--accesses", "none"]
    done = malloom("record", *options, "--", compile_c(COUNTED + no_stage, "-rdynamic"), "100")
    assert done.returncode == 1
    assert "could not be written to its end" in done.stderr
    assert _native.check_profile(str(tmp_path / "profile")) == []


def test_file_size_limit_ends_the_recording_and_not_the_program(compile_c, tmp_path: Path) -> None:
    program = compile_c(COUNTED)
    record = f"'{COMMAND}' record -o profile --accesses none -- '{program}' 2000000"
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 400; {record}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 1, done.stderr
    assert "could not be written to its end" in done.stderr
    assert _native.check_profile(str(tmp_path / "profile")) == []


def test_handlers_that_ask_for_memory_do_no_harm(malloom, compile_c, tmp_path: Path) -> None:
    source = """
    #include <signal.h>
    #include <stdlib.h>
    #include <sys/time.h>
    static volatile sig_atomic_t ticks;
    /* The C library's own heap must not be entered twice: an object that is a mapping of its own. */
    static void tick(int number) {
        void* volatile object = valloc(1 << 20);
        free(object);
        ticks += number > 0;
    }
    int main(void) {
        signal(SIGALRM, tick);
        const struct itimerval every = {{0, 200}, {0, 200}};
        setitimer(ITIMER_REAL, &every, NULL);
        while (ticks < 2000) { void* volatile object = malloc(48); free(object); }
        return 0;
    }
    """
    profile = tmp_path / "profile"
    done = malloom("record", "-o", profile, "--accesses", "none", "--", compile_c(source))
    assert done.returncode == 0, done.stderr
    assert_sound(profile)


def test_closed_and_reused_descriptors(malloom, compile_c, tmp_path: Path) -> None:
    source = """
    #define _GNU_SOURCE
    #include <fcntl.h>
    #include <stdlib.h>
    #include <unistd.h>
    int main(void) {
        closefrom(0);
        for (int i = 0; i < 1020; ++i) if (open("other", O_CREAT | O_RDWR | O_APPEND, 0600) < 0) break;
        for (int i = 0; i < 50000; ++i) { void* volatile object = malloc(48); free(object); }
        return 0;
    }
    """
    profile = tmp_path / "profile"
    done = malloom("record", "-o", profile, "--accesses", "none", "--", compile_c(source))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "other").stat().st_size == 0
    assert_sound(profile)


@pytest.mark.parametrize(
    ("ending", "reason"),
    [("return 0;", "exit"), ("_exit(0);", "ended without exit handlers"), ("raise(9);", "ended without")],
)
def test_program_without_requests_has_an_end(
    malloom, compile_c, tmp_path: Path, ending: str, reason: str
) -> None:
    program = compile_c(f"#include <signal.h>\n#include <unistd.h>\nint main(void) {{ {ending} }}")
    malloom("record", "-o", "p", "--accesses", "none", "--", program)
    (process,) = processes_of(tmp_path / "p")
    assert process["events"] == 0
    assert dict(process["end"])["reason"].startswith(reason)  # type: ignore[call-overload]
    assert_sound(tmp_path / "p")


def test_descriptors_are_closed_all_at_once(malloom, compile_c, tmp_path: Path) -> None:
    source = """
    #define _GNU_SOURCE
    #include <stdlib.h>
    #include <unistd.h>
    int main(void) {
        closefrom(3);
        if (chdir("/") != 0) return 1;
        for (int i = 0; i < 20000; ++i) { void* volatile object = malloc(24); free(object); }
        return 0;
    }"""
    done = malloom("record", "-o", "p", "--accesses", "none", "--", compile_c(source))
    assert done.returncode == 0, done.stderr
    assert processes_of(tmp_path / "p")[0]["events"] == 40_000
    assert_sound(tmp_path / "p")


def test_a_first_thread_that_ends_before_another_has_run_ends_nothing(tmp_path: Path) -> None:
    program = ends.build("ends_program", tmp_path)
    command = [COMMAND, "record", "-o", tmp_path / "profile", "--accesses", "full", "--"]
    recorded = subprocess.run(
        [*command, program, "main_leaves", "first"], check=False, capture_output=True, text=True, timeout=60
    )
    assert (recorded.returncode, recorded.stdout) == (6, "last words\n")


@pytest.mark.parametrize("way", ["itself", "child", "program"])
def test_a_process_that_may_have_few_descriptors_has_them_all(
    malloom, compile_c, tmp_path: Path, way: str
) -> None:
    source = """
    #include <fcntl.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/resource.h>
    #include <sys/wait.h>
    #include <unistd.h>
    static void ask(void) {
        for (int i = 0; i < 20000; ++i) { void* volatile object = malloc(24); free(object); }
    }
    int main(int count, char** arguments) {
        int status = 0;
        const char* way = arguments[1];
        if (strcmp(way, "itself") != 0 && strcmp(way, "limited") != 0 && fork() != 0) {
            wait(&status);
            return status != 0;
        }
        const struct rlimit five = {5, 5};
        if (strcmp(way, "limited") != 0) setrlimit(RLIMIT_NOFILE, &five);
        if (strcmp(way, "program") == 0) execl(arguments[0], arguments[0], "limited", (char*)0);
        ask();
        const int both = open("/dev/null", O_RDONLY) + open("/dev/null", O_RDONLY);
        // With none left there would be no writing to the profile.
        if (both == 3 + 4) { close(3); close(4); }
        ask();
        return both != 3 + 4;
    }"""
    done = malloom("record", "-o", "p", "--accesses", "none", "--", compile_c(source), way)
    assert done.returncode == 0, done.stderr
    assert max(process["events"] for process in processes_of(tmp_path / "p")) >= 80_000
    assert_sound(tmp_path / "p")


@pytest.mark.parametrize("way", ["counted", "used_up", "limited", "user", "chroot"])
def test_what_reaches_files_no_more_is_recorded_whole_and_sees_no_descriptor_of_ours(
    tmp_path: Path, way: str
) -> None:
    program = ends.build("ends_program", tmp_path)
    profile = tmp_path / "profile"
    recorded = [COMMAND, "record", "-o", profile, "--accesses", "none", "--", program, way]
    alone = ends.outcome_alone([program, way], tmp_path / "alone")
    assert ends.outcome(recorded, tmp_path / "recorded")[:2] == alone[:2]
    assert alone[0] == 0
    (process,) = processes_of(profile)
    assert process["events"] > 200_000
    assert dict(process["end"])["reason"] == "exit"  # type: ignore[call-overload]
    assert_sound(profile)
