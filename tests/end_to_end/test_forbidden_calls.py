"""Programs that forbid themselves system calls once they are warm (seccomp): what the C library's malloc does
without them, a plan, other heaps and a recording do too."""

import itertools
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.recording import assert_sound, requests_of
from some import some

Finished = subprocess.CompletedProcess[str]
Malloom = Callable[..., Finished]

PROGRAM = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void use(long requests) {
    static void* kept[64];
    for (long i = 0; i < requests; ++i) {
        size_t bytes = 16 + (size_t)(i * 7) % 300;
        free(kept[i % 64]);
        kept[i % 64] = malloc(bytes);
        if (kept[i % 64] == NULL) syscall(SYS_exit, 7);
        memset(kept[i % 64], 1, bytes);
    }
}

/* The same at other call sites. */
static void use_elsewhere(long requests) {
    static void* kept[64];
    for (long i = 0; i < requests; ++i) {
        size_t bytes = i % 2 == 0 ? 48 : 80;
        free(kept[i % 64]);
        kept[i % 64] = i % 2 == 0 ? malloc(48) : calloc(1, 80);
        if (kept[i % 64] == NULL) syscall(SYS_exit, 8);
        memset(kept[i % 64], 1, bytes);
    }
}

#define ALLOW(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What malloc of the C library may call, and what the program needs itself. */
static int allow_memory_alone(unsigned otherwise) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_brk), ALLOW(SYS_mmap), ALLOW(SYS_munmap), ALLOW(SYS_mremap), ALLOW(SYS_mprotect),
        ALLOW(SYS_madvise), ALLOW(SYS_futex), ALLOW(SYS_write), ALLOW(SYS_exit),
        BPF_STMT(BPF_RET | BPF_K, otherwise)};
    struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int count, char** words) {
    long requests = atol(words[2]);
    use(requests);
    int refused = count < 4                          ? 0
                  : strcmp(words[1], "strict") == 0  ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)
                  : strcmp(words[1], "refuse") == 0  ? allow_memory_alone(SECCOMP_RET_ERRNO | EPERM)
                                                     : allow_memory_alone(SECCOMP_RET_KILL_PROCESS);
    if (count < 5) use(requests); else use_elsewhere(requests);
    syscall(SYS_exit, write(1, "done\n", 5) == 5 ? refused != 0 : 9);
}
"""

GIVING_BACK = r"""
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    enum { objects = 2000 };
    static void* kept[objects];
    for (int i = 0; i < objects; ++i) memset(kept[i] = malloc(3000), 1, 3000);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) return 1;
    for (int i = 0; i < objects - 1; ++i) free(kept[i]);
    for (int i = 0; i < 200000; ++i) {
        int at = i % (objects - 1);
        if (i >= objects - 1) free(kept[at]);
        memset(kept[at] = malloc(100 + at), 1, 100);
    }
    syscall(SYS_exit, write(1, "done\n", 5) != 5);
}
"""

REFUSED = r"""
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static long resident_pages(void) {
    long pages = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) exit(3);
    fclose(file);
    return pages;
}

int main(void) {
    enum { objects = 100000, bytes = 1000 };
    static void* kept[objects];
    struct sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {1, allow};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 1;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 1;
    for (int i = 0; i < objects; ++i) memset(kept[i] = malloc(bytes), 1, bytes);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0) return 2;
    for (int i = 0; i < objects; ++i) free(kept[i]);
    long before = resident_pages();
    for (int i = 0; i < 400; ++i) {
        for (int k = 0; k < 100; ++k) kept[k] = malloc(bytes);
        for (int k = 0; k < 100; ++k) free(kept[k]);
        usleep(10000);
        if (resident_pages() < before / 2) return puts("given back") < 0;
    }
    return 4;
}
"""

WAYS = ["strict", "refuse", "kill"]
FEW, MANY = "2000", "350000"
"""Requests, and a half of those of a run: the slots of the second are read as they are needed."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("forbidden") / "program"
    command = ["gcc", "-O1", "-fno-inline", "-fno-builtin", "-Wl,--build-id", "-x", "c", "-", "-o", path]
    subprocess.run(command, input=PROGRAM, text=True, check=True)
    return path


@pytest.mark.parametrize(
    ("requests", "way"),
    some(
        *[(FEW, "refuse"), (FEW, "kill"), (MANY, "strict")],
        of=itertools.product([FEW, MANY], WAYS),
    ),
)
def test_a_plan_needs_none(malloom: Malloom, program: Path, tmp_path: Path, requests: str, way: str) -> None:
    assert subprocess.run([program, way, requests, "forbid"], check=False).returncode == 0
    malloom("record", "-o", "p", "--accesses", "none", "--", program, way, requests)
    planned = malloom("plan", "p", "-o", "plan", "--strategy", "sequential")
    assert planned.returncode == 0, planned.stderr
    done = malloom("run", "--plan", "plan", "--", program, way, requests, "forbid")
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("heap", ["fallback", "bins", "pages"])
def test_no_heap_needs_any_once_it_is_warm(malloom: Malloom, program: Path, heap: str, way: str) -> None:
    done = malloom("run", "--heap", heap, "--", program, way, FEW, "forbid")
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("strategy", ["sequential", "pools"])
def test_call_sites_that_come_later_need_none(
    malloom: Malloom, program: Path, tmp_path: Path, strategy: str, way: str
) -> None:
    words = (way, FEW, "forbid", "elsewhere")
    assert subprocess.run([program, *words], check=False).returncode == 0
    malloom("record", "-o", "p", "--accesses", "none", "--", program, *words)
    planned = malloom("plan", "p", "-o", "plan", "--strategy", strategy)
    assert planned.returncode == 0, planned.stderr
    for how in (["--plan", "plan"], ["--heap", "pools"]):
        done = malloom("run", *how, "--", program, *words)
        assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", ""), how


def test_what_is_freed_stays_where_giving_it_back_is_forbidden(malloom: Malloom, tmp_path: Path) -> None:
    """Not even to the clock, which then ends the program as a system call does."""
    command = ["gcc", "-O1", "-fno-builtin", "-x", "c", "-", "-o", tmp_path / "program"]
    subprocess.run(command, input=GIVING_BACK, text=True, check=True)
    done = malloom("run", "--heap", "fallback", "--", tmp_path / "program")
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_memory_goes_back_where_the_kernel_refused_to_forbid_it(malloom: Malloom, tmp_path: Path) -> None:
    """As where a filter is there already, in a container say."""
    command = ["gcc", "-O1", "-fno-builtin", "-x", "c", "-", "-o", tmp_path / "program"]
    subprocess.run(command, input=REFUSED, text=True, check=True)
    done = malloom("run", "--heap", "fallback", "--", tmp_path / "program")
    assert (done.returncode, done.stdout, done.stderr) == (0, "given back\n", "")


@pytest.mark.parametrize("way", some("kill", of=WAYS))
def test_a_recording_ends_there(malloom: Malloom, program: Path, tmp_path: Path, way: str) -> None:
    done = malloom("record", "-o", "p", "--accesses", "none", "--", program, way, MANY, "forbid")
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert_sound(tmp_path / "p")
    assert len(requests_of(tmp_path / "p")) >= int(MANY)
    assert "stopped by the program" in malloom("report", "p").stdout
