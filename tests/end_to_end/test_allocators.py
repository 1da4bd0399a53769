"""Settings with huge pages give a program's memory huge pages, those without give it none."""

import os
import re
import subprocess
from collections.abc import Callable

import pytest

from end_to_end.conftest import ROOT
from malloom.measure.allocators import (
    DEFAULT_FOLDER,
    FAULTS,
    INSTALLED_FOLDER,
    every_setting,
    installed,
    settings_of,
    system_huge_pages,
)

NAMES = ["glibc", "mimalloc 2", "mimalloc", "jemalloc"]
HUGE = re.compile(r"^(?:AnonHugePages|Private_Hugetlb): +(\d+) kB$", re.MULTILINE)

TOUCHES_64_MIB = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    void** last = NULL;
    for (int i = 0; i < 1 << 20; i++) {
        void** node = malloc(64);
        memset(node, 1, 64);
        *node = last;
        last = node;
    }
    char line[256];
    FILE* rollup = fopen("/proc/self/smaps_rollup", "r");
    while (rollup && fgets(line, sizeof line, rollup)) fputs(line, stdout);
    return last == NULL || rollup == NULL;
}
"""


RUNS = 12
"""Of which one has huge pages, where a setting gives them in some runs only."""


@pytest.fixture
def huge_kib(compile_c: Callable[..., object]) -> Callable[[str], int]:
    """KiB of huge pages that a program has under a setting once it has touched 64 MiB."""
    program = compile_c(TOUCHES_64_MIB)

    def measured(name: str) -> int:
        environment = {**os.environ, **every_setting(ROOT / DEFAULT_FOLDER)[name].environment}
        done = subprocess.run([str(program)], env=environment, capture_output=True, text=True, check=True)
        sizes = HUGE.findall(done.stdout)
        assert len(sizes) == 2, done.stdout
        return sum(int(size) for size in sizes)

    return measured


@pytest.mark.alone
@pytest.mark.parametrize("name", [f"{name} huge" for name in NAMES])
def test_settings_with_huge_pages_have_them(name: str, huge_kib: Callable[[str], int]) -> None:
    """Wherever the kernel has any to give, which it may not have while other tests fill its caches."""
    # The C library's begin where its heap does, at random: of 60 runs 33 had 78 MiB of them, and 27 none.
    some_run = any(huge_kib(name) > 0 for _ in range(RUNS))
    assert some_run == (system_huge_pages() != "never")


@pytest.mark.parametrize("name", [*NAMES, "tcmalloc"])
def test_settings_without_huge_pages_have_none(name: str, huge_kib: Callable[[str], int]) -> None:
    """Unless the kernel gives them to whoever does not refuse: of these, mimalloc does."""
    given_unasked = system_huge_pages() == "always" and name != "mimalloc"
    assert (huge_kib(name) > 0) == given_unasked


ALIGNS = r"""
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    unsigned state = 1, wrong = 0;
    void* kept[256] = {0};
    for (int i = 0; i < 400000; i++) {
        void** place = &kept[rand_r(&state) % 256];
        const size_t alignment = (size_t)16 << rand_r(&state) % 10, bytes = rand_r(&state) % 9000 + 1;
        const int is_aligned = rand_r(&state) % 3;
        free(*place);
        *place = is_aligned ? memalign(alignment, bytes) : malloc(bytes);
        wrong += is_aligned && (uintptr_t)*place % alignment != 0;
    }
    printf("%u\n", wrong);
    return 0;
}
"""


def test_all_but_those_of_known_faults_keep_their_alignments(compile_c: Callable[..., object]) -> None:
    program = str(compile_c(ALIGNS))
    for allocator in installed([ROOT / DEFAULT_FOLDER, INSTALLED_FOLDER])[0]:
        environment = {**os.environ, **settings_of(allocator)[0].environment}
        done = subprocess.run([program], env=environment, capture_output=True, text=True, check=True)
        assert (int(done.stdout) != 0) == ("alignment" in FAULTS.get(allocator.titled, "")), allocator.titled
