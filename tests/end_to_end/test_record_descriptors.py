"""A recorded program with threads has its descriptors to itself, whatever it does with them."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from hypothesis import settings

Malloom = Callable[..., subprocess.CompletedProcess[str]]

REPLACES = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
static atomic_int is_over;
static void* allocate(void* nothing) {
    while (!is_over) free(malloc(48));
    return nothing;
}
int main(int count, char** words) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, allocate, NULL);
    int source = open("/dev/null", O_RDONLY), wrong = 0;
    struct stat wanted, found;
    fstat(source, &wanted);
    for (int round = 0; round < atoi(words[count - 1]); round++) {
        close(0);
        wrong += dup2(source, 0) != 0;
        wrong += fstat(0, &found) != 0 || found.st_rdev != wanted.st_rdev;
        close(0);
        wrong += open("/dev/zero", O_RDONLY) != 0;
    }
    is_over = 1;
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
"""


def test_threads_replace_descriptors_as_they_like(malloom: Malloom, compile_c: Callable[..., Path]) -> None:
    program = compile_c(REPLACES, "-pthread", "-fno-builtin")
    rounds = str(200 * settings().max_examples)
    done = malloom("record", "-o", "a.profile", "--accesses", "none", "--", program, rounds)
    assert (done.returncode, done.stdout) == (0, "0 wrong\n"), done.stderr
    assert "could not be written" not in done.stderr
    recorded = re.search(r"recorded ([\d,]+) events", done.stderr.splitlines()[-1])
    assert recorded and int(recorded[1].replace(",", "")) > 2 * 4096, done.stderr
