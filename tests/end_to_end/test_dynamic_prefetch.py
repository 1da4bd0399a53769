"""Prefetches that are put into programs while they run: `malloom run --dynamic`, in the real DynamoRIO."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from malloom.layout.plan_file import read_plan

Finished = subprocess.CompletedProcess[str]
Malloom = Callable[..., Finished]
CompileC = Callable[..., Path]

PREFETCHES = re.compile(r"prefetches (\d+), used (\d+)")

WALK = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// walk KIND THREADS: a list of nodes, in the order of their addresses up or down or in random order; or an
// array of pointers to nodes in random order.
struct node { struct node* next; unsigned long value; char rest[176]; };
enum { nodes = 4000, rounds = 60 };

static unsigned long shuffle(size_t* order, const char* kind) {
    unsigned long state = 88172645463325252;
    for (size_t i = 0; i < nodes; i++) order[i] = strcmp(kind, "down") == 0 ? nodes - 1 - i : i;
    if (strcmp(kind, "up") == 0 || strcmp(kind, "down") == 0) return state;
    for (size_t i = nodes - 1; i > 0; i--) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const size_t other = state % (i + 1), kept = order[i];
        order[i] = order[other], order[other] = kept;
    }
    return state;
}

static unsigned long sum_list(const struct node* first) {
    unsigned long sum = 0;
    for (int round = 0; round < rounds; round++)
        for (const struct node* node = first; node != NULL; node = node->next) sum = sum * 3 + node->value;
    return sum;
}

static unsigned long sum_array(struct node** array) {
    unsigned long sum = 0;
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < nodes; i++) sum = sum * 3 + array[i]->value;
    return sum;
}

static void* work(void* kind) {
    struct node* const area = malloc(nodes * sizeof *area);
    struct node** const array = malloc(nodes * sizeof *array);
    size_t order[nodes];
    shuffle(order, kind);
    for (size_t i = 0; i < nodes; i++) {
        array[i] = &area[order[i]];
        array[i]->value = i;
        array[i]->next = i + 1 < nodes ? &area[order[i + 1]] : NULL;
    }
    return (void*)(strcmp(kind, "array") == 0 ? sum_array(array) : sum_list(array[0]));
}

int main(int count, char** arguments) {
    pthread_t threads[64];
    const int wanted = count > 2 ? atoi(arguments[2]) : 1;
    for (int i = 0; i < wanted; i++) pthread_create(&threads[i], NULL, work, arguments[1]);
    for (int i = 0; i < wanted; i++) {
        void* sum;
        pthread_join(threads[i], &sum);
        printf("%lu\n", (unsigned long)sum);
    }
}
"""

FAULT = r"""
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

// fault ENTRIES: a loop with a load in it goes ENTRIES times, and then reaches a page that cannot be read.
// The handler compares all registers with what the loop had in them.
enum { page = 4096, pages = 64, stride = 64 };

static sigjmp_buf after;
static char* area;
static unsigned long wanted_rbx, wanted_rcx;
static volatile sig_atomic_t wrong;

static void check(const ucontext_t* context, int reg, unsigned long wanted) {
    if ((unsigned long)context->uc_mcontext.gregs[reg] != wanted) wrong++;
}

static void handle(int number, siginfo_t* info, void* context) {
    (void)number;
    static const int kept[] = {REG_RAX, REG_RDX, REG_RSI, REG_RDI, REG_R9,
                               REG_R10, REG_R11, REG_R12, REG_R13};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) check(context, kept[i], 1001 + i);
    check(context, REG_RBX, wanted_rbx);
    check(context, REG_RCX, wanted_rcx);
    if ((unsigned long)info->si_addr != wanted_rbx) wrong++;
    siglongjmp(after, 1);
}

__attribute__((noinline)) static void walk(char* from, unsigned long steps) {
    __asm__ volatile(
        "mov $1001, %%rax; mov $1002, %%rdx; mov $1003, %%rsi; mov $1004, %%rdi; mov $1005, %%r9\n"
        "mov $1006, %%r10; mov $1007, %%r11; mov $1008, %%r12; mov $1009, %%r13\n"
        "1: mov (%%rbx), %%r8; lea 64(%%rbx), %%rbx; dec %%rcx; jnz 1b\n"
        : "+b"(from), "+c"(steps)
        :
        : "rax", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "memory", "cc");
}

int main(int count, char** arguments) {
    const unsigned long entries = count > 1 ? strtoul(arguments[1], NULL, 10) : 0;
    const unsigned long once = pages * page / stride;
    struct sigaction action = {0};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, NULL);
    area = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(area + pages * page, page, PROT_NONE);
    unsigned long left = entries;
    for (; left > once; left -= once) walk(area, once);
    wanted_rbx = (unsigned long)area + pages * page;
    for (int i = 0; i < 3; i++) {
        wanted_rcx = 7;
        if (sigsetjmp(after, 1) == 0) walk(area + pages * page - left * stride, left + 7);
    }
    printf("wrong %d\n", (int)wrong);
}
"""


def prefetches(run: Finished) -> tuple[int, int]:
    """How many were tried, and how many stayed."""
    assert run.returncode == 0, run.stderr
    found = PREFETCHES.search(run.stderr)
    assert found is not None, run.stderr
    return int(found[1]), int(found[2])


def dynamic(malloom: Malloom, *arguments: str | Path, constants: tuple[str, ...] = ()) -> Finished:
    """The program with prefetches only."""
    options = [part for constant in constants for part in ("--constant", constant)]
    return malloom("run", "--dynamic", "--no-pools", "--statistics", *options, "--", *arguments)


@pytest.fixture
def walk(compile_c: CompileC) -> Path:
    return compile_c(WALK, "-O2", "-pthread", "-Wl,--build-id")


def output_of(program: Path, *arguments: str) -> str:
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("kind", ["up", "down", "array"])
def test_a_strided_walk_gets_a_prefetch(malloom: Malloom, walk: Path, kind: str) -> None:
    with_prefetch = dynamic(malloom, walk, kind, constants=("tune=0",))
    without = dynamic(malloom, walk, "random", constants=("tune=0",))
    assert with_prefetch.stdout == output_of(walk, kind)
    assert prefetches(with_prefetch)[1] > prefetches(without)[1]


@pytest.mark.parametrize("constants", [(), ("tune=0",), ("threshold=8",), ("rounds=3", "window=1000")])
@pytest.mark.parametrize("kind", ["up", "down", "random", "array"])
def test_prefetches_change_no_result(
    malloom: Malloom, walk: Path, kind: str, constants: tuple[str, ...]
) -> None:
    run = dynamic(malloom, walk, kind, "8", constants=constants)
    assert run.stdout == output_of(walk, kind, "8")
    tried, used = prefetches(run)
    assert used <= tried


def test_the_papers_constants_choose_the_papers_loads_only(malloom: Malloom, walk: Path) -> None:
    paper = ("tune=0", "indexed=0", "indirect=0", "frame_pointer=1", "whole_strides=0", "non_temporal=1")
    assert prefetches(dynamic(malloom, walk, "up", constants=paper))[1] > 0
    less = prefetches(dynamic(malloom, walk, "array", constants=paper))[1]
    assert less < prefetches(dynamic(malloom, walk, "array", constants=("tune=0",)))[1]


@pytest.mark.parametrize("entries", ["60", "200", "400", "20000", "3000000"])
def test_a_fault_in_a_trace_shows_the_programs_registers(
    malloom: Malloom, compile_c: CompileC, entries: str
) -> None:
    program = compile_c(FAULT)
    assert dynamic(malloom, program, entries).stdout == "wrong 0\n"


def test_a_constant_that_is_not_possible_is_refused(malloom: Malloom, walk: Path) -> None:
    run = dynamic(malloom, walk, "up", constants=("threshold=1000",))
    assert run.returncode != 0
    assert "threshold=1000 is not possible; give 8 to 256" in run.stderr


@pytest.mark.parametrize(
    ("kind", "constants", "distance"),
    [
        # 5 lines, rounded to whole nodes, and one node more; the paper's 5 lines and one node.
        ("up", (), 2 * 192 + 192),
        ("down", (), -2 * 192 - 192),
        ("up", ("distance=10",), 3 * 192 + 192),
        ("up", ("distance=10", "line=128"), 7 * 192 + 192),
        ("up", ("whole_strides=0",), 5 * 64 + 192),
        ("down", ("whole_strides=0",), -5 * 64 - 192),
    ],
)
def test_the_distance_that_is_asked_for_reaches_the_plan(
    malloom: Malloom, walk: Path, tmp_path: Path, kind: str, constants: tuple[str, ...], distance: int
) -> None:
    options = [part for constant in ("tune=0", *constants) for part in ("--constant", constant)]
    plan = tmp_path / "learned.plan"
    run = malloom("run", "--dynamic", "--no-pools", "--save-plan", plan, *options, "--", walk, kind)
    assert run.returncode == 0, run.stderr
    assert distance in read_plan(plan).prefetches["distance"].tolist()
