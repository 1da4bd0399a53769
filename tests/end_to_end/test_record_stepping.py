"""Accesses of a part of a run, sampled by stepping through instructions of a program that runs natively."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from end_to_end import ends
from end_to_end.conftest import COMMAND, Finished
from malloom import _native
from malloom.errors import CommandError
from malloom.launch import stepping
from malloom.native_files import native_file
from malloom.profile import HeapProfile

Malloom = Callable[..., Finished]

TWO_SITES = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
struct node { struct node* next; long value, unused[2]; };
static struct node* list;
static double* numbers;
static void build(void) {
    while (list) {
        struct node* next = list->next;
        free(list);
        list = next;
    }
    for (int i = 0; i < 3000; i++) {
        struct node* node = malloc(sizeof *node);
        node->next = list, node->value = 1;
        list = node;
    }
}
static long walk(void) {
    long sum = 0;
    for (struct node* node = list; node; node = node->next) sum += node->value;
    return sum;
}
static double add(void) {
    double sum = 0;
    for (int i = 0; i < 1000; i++) sum += numbers[i], numbers[i] = sum;
    return sum;
}
int main(int count, char** arguments) {
    build();
    numbers = calloc(1000, sizeof *numbers);
    double sum = 0;
    while (clock() < atof(arguments[1]) * CLOCKS_PER_SEC) {
        for (int i = 0; i < 100; i++) sum += walk() + add();
        if (count > 2) build();
    }
    puts(sum != 0 ? "done" : "nothing");
}
"""
# What a step would show to the program itself: the flag by which steps are made, in a word that is pushed and
# in a register that a system call leaves it in; traps of its own; and that the kernel unblocks a trap that is
# blocked as a step is made.
LOOKS = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
static volatile sig_atomic_t traps;
static void trapped(int number) { (void)number; traps++; }
int main(void) {
    signal(SIGTRAP, trapped);
    long seen = 0, wanted = 0, blocked = 0;
    char* object = malloc(100);
    sigset_t all, none, now;
    sigfillset(&all), sigemptyset(&none);
    while (clock() < 2 * CLOCKS_PER_SEC) {
        for (int i = 0; i < 100; i++) {
            unsigned long flags, left;
            object[i]++;
            __asm__ volatile("pushfq; popq %0" : "=r"(flags));
            long result = SYS_getppid;
            __asm__ volatile("syscall; movq %%r11, %1" : "+a"(result), "=r"(left) : : "rcx", "r11", "memory");
            seen += (flags >> 8 & 1) + (left >> 8 & 1);
        }
        __asm__ volatile("int3");
        raise(SIGTRAP);
        wanted += 2;
        sigprocmask(SIG_SETMASK, &all, &now);
        for (volatile int i = 0; i < 100000; i++) object[i % 100]++;
        sigprocmask(SIG_SETMASK, &none, &now);
        blocked += !sigismember(&now, SIGTRAP);
    }
    printf("%ld %ld %d\\n", seen, blocked, traps == wanted);
}
"""


def shares(profile: Path) -> dict[int, float]:
    """Of the accesses to objects, by the objects' size."""
    opened = HeapProfile.open(profile)
    assert _native.check_profile(str(profile)) == []
    counts = opened.requests.accesses
    sizes = opened.requests.size
    return {size: counts[sizes == size].sum() / counts.sum() for size in (32, 8000)}


def test_what_is_sampled_is_what_all_accesses_say(
    malloom: Malloom, compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    program = compile_c(TWO_SITES, "-O1")
    done = malloom("record", "--for", "60s", "--accesses", "sampled", "-o", "x.profile", "--", program, "4")
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    told = re.search(r"recorded 3,00\d events and ([\d,]+) accesses", done.stderr)
    assert told, done.stderr
    assert int(told[1].replace(",", "")) > 1000
    # Two loads a node, a load and a store a number.
    found = shares(tmp_path / "x.profile")
    assert found[32] == pytest.approx(0.75, abs=0.2)
    assert found[8000] == pytest.approx(0.25, abs=0.2)
    assert [path.name for path in tmp_path.iterdir() if "x" in path.name] == ["x.profile"]


def test_the_table_of_a_window_has_its_accesses(
    malloom: Malloom, compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    program = compile_c(TWO_SITES, "-O1")
    options = ("--for", "60s", "--accesses", "sampled", "--tables")
    done = malloom("record", *options, "-o", "x.parquet", "--", program, "3")
    assert done.returncode == 0, done.stderr
    query = "select sum(kind.loads), sum(kind.stores) from (select unnest(kinds) kind from read_parquet(?))"
    loads, stores = duckdb.execute(query, [str(tmp_path / "x.parquet")]).fetchone() or (0, 0)
    assert loads > stores > 0


HARD = [("odd_program", way) for way in ("threads", "signals", "faults")] + [("ends_program", "forks")]
"""In `make test`; the others in `make soak`."""


@pytest.mark.parametrize(
    ("program", "way"),
    [pytest.param(*case, marks=[] if case in HARD else pytest.mark.long) for case in ends.CASES],
)
def test_it_behaves_as_alone(malloom: Malloom, tmp_path: Path, program: str, way: str) -> None:
    build = ends.build_over_storm_heap if way == "signals" else ends.build
    built = build(program, tmp_path)
    alone = ends.outcome_alone([built, *way.split()], tmp_path / "alone")
    options = ("--for", "60s", "--accesses", "sampled")
    done = malloom("record", *options, "-o", "x.profile", "--", built, *way.split())
    status = alone[0] if alone[0] >= 0 else 128 - alone[0]
    assert (done.returncode, done.stdout) == (status, alone[1]), done.stderr


def test_no_step_shows(malloom: Malloom, compile_c: Callable[..., Path]) -> None:
    options = ("--for", "60s", "--accesses", "sampled")
    done = malloom("record", *options, "-o", "x.profile", "--", compile_c(LOOKS, "-O1"))
    assert (done.returncode, done.stdout) == (0, "0 0 1\n"), done.stderr
    assert " and 0 accesses" not in done.stderr


def test_a_running_process_is_sampled(
    malloom: Malloom, compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    program = compile_c(TWO_SITES, "-O1")
    command = [COMMAND, "record", "--on-demand", "-o", tmp_path / "base", "--", program, "30", "anew"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as running:
        end = time.monotonic() + 20
        while Path(f"/proc/{running.pid}/exe").readlink() != program and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.5)
        options = ("--for", "3s", "--accesses", "sampled", "-o", "x.profile")
        done = malloom("record", "--pid", str(running.pid), *options)
        assert running.poll() is None
        running.kill()
    assert done.returncode == 0, done.stderr
    assert shares(tmp_path / "x.profile")[32] == 1  # the numbers are older than the window


def state_of(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def kill_between_bursts(sampler: int, program: int, end: float) -> bool:
    """While a thread is stepped the kernel would end it with its sampler, as the guide says."""
    while time.monotonic() < end:
        os.kill(sampler, signal.SIGSTOP)
        while not state_of(sampler)["State"].startswith("T") and time.monotonic() < end:
            time.sleep(0.001)
        is_idle = state_of(program)["TracerPid"] == "0"
        os.kill(sampler, signal.SIGKILL if is_idle else signal.SIGCONT)
        if is_idle:
            return True
        time.sleep(0.01)
    return False


def child_named(parent: int, name: str, end: float) -> int:
    while time.monotonic() < end:
        pgrep = ["pgrep", "-P", str(parent), "-x", name]
        found = subprocess.run(pgrep, check=False, capture_output=True, text=True).stdout.split()
        if found:
            return int(found[0])
        time.sleep(0.05)
    raise AssertionError(f"no {name} below {parent}")


def test_whoever_kills_the_sampler_harms_nobody(
    malloom: Malloom, compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    program = compile_c(TWO_SITES, "-O1")
    options = ["--for", "60s", "--accesses", "sampled", "-o", tmp_path / "x.profile"]
    command = [COMMAND, "record", *options, "--", program, "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        end = time.monotonic() + 20
        sampler = child_named(running.pid, "malloom_step", end)
        recorded = child_named(running.pid, program.name, end)
        time.sleep(1)
        killed = kill_between_bursts(sampler, recorded, end)
        output, errors = running.communicate(timeout=60)
    assert killed
    assert output == "done\n"
    assert "no accesses were sampled: malloom_step failed" in errors
    assert running.returncode == 1
    assert HeapProfile.open(tmp_path / "x.profile").requests.size.size > 3000


def test_a_window_that_ends_before_the_sampler_has_begun_ends_it(
    malloom: Malloom, compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    done = malloom("record", "-o", "x.profile", "--", compile_c(TWO_SITES, "-O1"), "0")
    assert done.returncode == 0, done.stderr
    (tmp_path / "x.profile.staging").mkdir()
    words = ["0", "0.1", "/libmalloom_record.so", "0", "0"]
    step = [native_file("malloom_step"), tmp_path / "x.profile", *words]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    try:
        with subprocess.Popen(step, stdout=subprocess.PIPE, text=True) as sampler:
            sampler.terminate()
            output = ""
            with contextlib.suppress(subprocess.TimeoutExpired):
                output, _ = sampler.communicate(timeout=20)
            sampler.kill()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert (sampler.returncode, output) == (0, "0 0 0 0\n")


def test_a_system_that_refuses_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "scope").write_text("1\n")
    monkeypatch.setattr(stepping, "YAMA", tmp_path / "scope")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(CommandError, match="the system does not let one process look into another"):
        stepping.Stepping(0, None)


def test_a_recorder_that_sleeps_samples_nothing(malloom: Malloom) -> None:
    done = malloom("record", "--on-demand", "--accesses", "sampled", "-o", "base", "--", "/bin/true")
    assert done.returncode == 2
    assert "say --accesses sampled with --pid, later" in done.stderr
    assert len(done.stderr.splitlines()) == 1
