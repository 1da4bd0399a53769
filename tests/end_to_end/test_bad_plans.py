"""Plans that are wrong, or meant for something else, and plans that cannot be written: the program computes
what it does without them."""

import random
import signal
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from malloom.layout.plan import Plan
from malloom.layout.plan_file import PlanFile, read_plan, write_plan

Finished = subprocess.CompletedProcess[str]
Malloom = Callable[..., Finished]
CompileC = Callable[..., Path]

SOURCE = Path(__file__).with_name("pools_program.c").read_text()
FLAGS = ["-fno-inline", "-fno-builtin", "-pthread", "-Wl,--build-id", "-ldl"]
LISTS = ("lists", "2000")

# What a field of a context or slot may hold: what is common, what is at an edge, and anything.
WORDS = [0, 1, 2, 15, 16, 40, 48, 200, 4096, 32768, 32769, 1 << 31, (1 << 32) - 2, (1 << 32) - 1]
WORDS += [(1 << 31) + size for size in (16, 40, 48, 200)] + [(1 << 31) - 3]

# The last write is that of the plan.
WRITE = """
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
ssize_t write(int file, const void* bytes, size_t count) {
    if (count == 256 && *(const char*)bytes == 'M') { FATE; }
    return syscall(SYS_write, file, bytes, count);
}
"""

# One call site: pages, then, with an argument, nothing at all.
PAGES = """
#include <stdio.h>
#include <stdlib.h>
int main(int count, char** words) {
    long failed = 0;
    static void* objects[64];
    for (int i = 0; i < 1000 * count; ++i) {
        free(objects[i % 64]);
        objects[i % 64] = malloc(i < 1000 ? 4096 : 0);
        failed += objects[i % 64] == NULL;
    }
    printf("%ld\\n", failed);
    return 0;
}
"""


def scrambled(plan: PlanFile, seed: int) -> Plan:
    """The plan with its contexts where they are, so that they are found, and other words in them."""
    numbers = random.Random(seed)

    def word(bits: int) -> int:
        return numbers.getrandbits(bits) if numbers.random() < 0.3 else numbers.choice(WORDS) % 2**bits

    contexts, slots = np.copy(plan.contexts), np.copy(plan.slots)
    for entry in contexts[contexts["hash"] != 0]:
        changed = contexts["hash"] == entry["hash"]
        for name, bits in (
            ("pool_bytes", 32),
            ("companion_place", 8),
            ("companion_offset", 8),
            ("companion_objects", 16),
            ("slots", 32),
            ("first_slot", 64),
            ("group", 32),
        ):
            if numbers.random() < 0.5:
                contexts[name][changed] = word(bits)
    for name in ("start", "granules"):
        slots[name][:: numbers.randrange(1, 9)] = word(32)
    names = ("program", "matching", "depth", "arena_bytes", "planned_requests", "profile_created", "flags")
    return Plan(
        strategy="scrambled",
        contexts=contexts,
        slots=slots,
        sequences=plan.sequences,
        groups=plan.groups,
        prefetches=plan.prefetches,
        racy_requests=0,
        **{name: plan.header[name] for name in names},
    )


@pytest.fixture
def plan(malloom: Malloom, compile_c: CompileC, tmp_path: Path) -> Path:
    """Of tmp_path/program: slots for its first requests, pools for more."""
    program = compile_c(SOURCE, *FLAGS)
    malloom("record", "-o", "a.profile", "--accesses", "none", "--", program, *LISTS)
    planned = malloom("plan", "a.profile", "-o", "a.plan", "--strategy", "sequential", "--pools")
    assert planned.returncode == 0, planned.stderr
    assert read_plan(tmp_path / "a.plan").header["pools_count"] > 0
    return tmp_path / "a.plan"


def test_words_of_a_plan_are_not_believed(malloom: Malloom, plan: Path, tmp_path: Path) -> None:
    good = read_plan(plan)
    variables = malloom("run", "--print-environment", "--plan", plan).stdout.split()
    for seed in range(60):
        write_plan(scrambled(good, seed), plan)
        command = ["env", *variables, tmp_path / "program", "lists", "5000"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert (done.returncode, done.stdout) == (0, "lists done\n"), (seed, done.stderr)
        assert all(line.startswith("malloom: ") for line in done.stderr.splitlines()), (seed, done.stderr)


def test_a_friend_of_objects_that_are_too_large(
    malloom: Malloom, compile_c: CompileC, tmp_path: Path
) -> None:
    program, plan = compile_c(PAGES, *FLAGS), tmp_path / "learned.plan"
    assert malloom("run", "--heap", "pools", "--save-plan", plan, "--", program).returncode == 0
    learned = read_plan(plan)
    contexts = np.copy(learned.contexts)
    contexts["companion_place"][contexts["pool_bytes"] == 4096] = 1
    assert (contexts["companion_place"] == 1).any()
    changed = replace(scrambled(learned, 0), contexts=contexts, slots=learned.slots)
    write_plan(changed, plan)
    done = malloom("run", "--plan", plan, "--", program, "and none")
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


def test_a_plan_of_another_version_of_the_program(
    malloom: Malloom, compile_c: CompileC, plan: Path, tmp_path: Path
) -> None:
    learn = ("run", "--heap", "pools", "--save-plan", "learned.plan", "--")
    assert malloom(*learn, tmp_path / "program", *LISTS).returncode == 0
    newer = compile_c(SOURCE.replace("wrapped_malloc(40), 40", "wrapped_malloc(56), 56"), "-Os", *FLAGS)
    for name in ("a.plan", "learned.plan"):
        for heap in ([], ["--heap", "pools"]):
            done = malloom("run", "--plan", name, *heap, "--", newer, "lists", "5000")
            assert (done.returncode, done.stdout) == (0, "lists done\n"), done.stderr


@pytest.mark.parametrize(
    ("fate", "status", "words"),
    [
        ("errno = ENOSPC; return -1", 0, "No space left on device; what was learned is lost"),
        ("errno = EIO; return -1", 0, "Input/output error; what was learned is lost"),
        ("kill(getpid(), SIGKILL)", -signal.SIGKILL, ""),
    ],
)
def test_a_plan_is_written_whole_or_not_at_all(
    malloom: Malloom, compile_c: CompileC, tmp_path: Path, fate: str, status: int, words: str
) -> None:
    learn = ("run", "--heap", "pools", "--save-plan", "learned.plan", "--")
    assert malloom(*learn, compile_c(SOURCE, *FLAGS), *LISTS).returncode == 0
    before = (tmp_path / "learned.plan").read_bytes()
    unlucky = compile_c(SOURCE + WRITE.replace("FATE", fate), *FLAGS, "-rdynamic")
    done = malloom(*learn, unlucky, "sizes", "1000")
    assert done.returncode == status
    assert words in done.stderr and done.stderr.count("\n") == bool(words)
    assert (tmp_path / "learned.plan").read_bytes() == before


def test_a_limit_of_files_does_not_end_the_program(
    malloom: Malloom, compile_c: CompileC, tmp_path: Path
) -> None:
    program = compile_c(SOURCE, *FLAGS)
    learn = ("run", "--heap", "pools", "--save-plan", "learned.plan", "--", "bash", "-c")
    done = malloom(*learn, f"ulimit -f 0; exec {program} lists 2000")
    assert (done.returncode, done.stdout) == (0, "lists done\n")
    assert "File too large; what was learned is lost" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["program"]
