"""Programs that forbid themselves system calls (seccomp) before the run time has met all that it asks
the system for: it asks no more than the C library's malloc does."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from malloom.native_files import native_file

PROGRAM = r"""
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALLOW(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What malloc of the C library calls, with the only advice that it gives. */
static int allow_memory_alone(void) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_brk), ALLOW(SYS_mmap), ALLOW(SYS_munmap), ALLOW(SYS_mremap), ALLOW(SYS_mprotect),
        ALLOW(SYS_futex), ALLOW(SYS_write), ALLOW(SYS_exit_group),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_DONTNEED, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(void) {
    static char* kept[100000];
    free(malloc(48));
    if (allow_memory_alone() != 0) return 1;
    for (int i = 0; i < 1000; ++i) free(malloc(16 + (size_t)i * 40 % 1000));
    for (int i = 0; i < 100000; ++i) memset(kept[i] = malloc(300), 1, 300);
    for (int i = 0; i < 100000; ++i) free(kept[i]);
    return write(1, "done\n", 5) != 5;
}
"""


@pytest.fixture
def program(compile_c: Callable[..., Path]) -> Path:
    return compile_c(PROGRAM)


@pytest.mark.parametrize(
    "heap", ["fallback", "pools", "pools,statistics=1", "pools,huge_pages=1", "bins", "pages"]
)
def test_what_was_never_asked_before_is_not_asked_then(program: Path, heap: str) -> None:
    environment = {"LD_PRELOAD": str(native_file("libmalloom.so")), "MALLOOM": f"heap={heap}"}
    done = subprocess.run(
        [program], env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
