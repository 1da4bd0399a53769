"""Objects of malloc's that are freed by the C library's own name of free, and the other way around."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from malloom.native_files import native_file

Malloom = Callable[..., subprocess.CompletedProcess[str]]

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void __libc_free(void*);
void* __libc_malloc(size_t);
void* __libc_realloc(void*, size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_memalign(size_t, size_t);
static void* with(void* object, size_t bytes) { return memset(object, 1, bytes); }
int main(void) {
    for (size_t i = 0; i < 5000; ++i) {
        size_t bytes = 24 + i % 3000;
        __libc_free(with(malloc(bytes), bytes));
        __libc_free(with(malloc(40), 40));
        __libc_free(NULL);
        free(with(__libc_malloc(bytes), bytes));
        free(with(__libc_realloc(with(malloc(20), 20), bytes), bytes));
        __libc_free(with(realloc(with(__libc_malloc(20), 20), bytes), bytes));
        __libc_free(with(__libc_memalign(64, bytes), bytes));
        free(with(__libc_calloc(3, 5), 15));
    }
    puts("done");
    return 0;
}
"""

BETWEEN = """
#include <stddef.h>
void __libc_free(void*);
void* __libc_malloc(size_t);
void* __libc_realloc(void*, size_t);
void* __libc_calloc(size_t, size_t);
void free(void* object) { __libc_free(object); }
void* malloc(size_t bytes) { return __libc_malloc(bytes); }
void* realloc(void* object, size_t bytes) { return __libc_realloc(object, bytes); }
void* calloc(size_t count, size_t bytes) { return __libc_calloc(count, bytes); }
"""

HEAPS = [*(["--heap", heap] for heap in ("pools", "bins", "pages", "fallback")), ["--fallback", "system"]]


@pytest.fixture
def program(compile_c: Callable[..., Path]) -> Path:
    return compile_c(PROGRAM, "-fno-builtin", "-Wl,--build-id")


@pytest.mark.parametrize("heap", HEAPS, ids=[heap[1] for heap in HEAPS])
def test_each_frees_what_the_other_gave(malloom: Malloom, program: Path, heap: list[str]) -> None:
    done = malloom("run", *heap, "--", program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_under_a_plan(malloom: Malloom, program: Path) -> None:
    recorded = malloom("record", "-o", "p", "--accesses", "none", "--", program)
    assert (recorded.returncode, recorded.stdout) == (0, "done\n"), recorded.stderr
    assert malloom("plan", "p", "-o", "plan", "--strategy", "sequential").returncode == 0
    done = malloom("run", "--plan", "plan", "--", program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("heap", ["heap=pools", "heap=fallback", "heap=fallback,fallback=system"])
def test_a_library_between_asks_the_c_library(program: Path, tmp_path: Path, heap: str) -> None:
    between = tmp_path / "between.so"
    command = ["gcc", "-O1", "-fno-builtin", "-shared", "-fPIC", "-x", "c", "-", "-o", between]
    subprocess.run(command, input=BETWEEN, text=True, check=True)
    environment = {**os.environ, "LD_PRELOAD": f"{native_file('libmalloom.so')}:{between}", "MALLOOM": heap}
    done = subprocess.run([program], env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
