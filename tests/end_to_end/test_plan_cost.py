"""What a call site costs that a plan of pools has nothing for, and how objects change hands there: counted in
instructions beside mimalloc of the same source, preloaded itself."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND, ROOT, Finished
from malloom.layout.plan_file import read_plan
from malloom.measure import variants
from malloom.measure.process import Command, ended
from malloom.measure.valgrind import count_instructions

MIMALLOC = ROOT / ".venv/lib/malloom/allocators/mimalloc-3.so"
FEW, MANY = 20_000, 80_000
MOST = {"malloc": 37.0, "new": 35.0, "realloc": 0.0}
"""Instructions beyond mimalloc's own for each call and its free: to look for the site, and whose an object
is."""
MOST_WITHIN = {"malloc": 18.0, "new": 12.0, "pooled": 24.0}
"""The same where pools are heaps of mimalloc's, and of a site that has one."""
# One site has a pool, whose objects live on; the others ask for several sizes, so no pool is worth it. Hands:
# objects of the pool, of the C library's own malloc and of mimalloc are given another size at one site.
PROGRAM = """
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <new>
struct Node { Node* next; long values[5]; };
static Node* list;
[[gnu::noinline]] static Node* malloc_pooled() {
    auto* node = static_cast<Node*>(malloc(sizeof(Node)));
    asm volatile("" : : "r"(node) : "memory");
    return node;
}
[[gnu::noinline]] static void build(int count) {
    for (int i = 0; i < count; i++) {
        Node* node = malloc_pooled();
        memset(node, 0, sizeof *node);
        node->next = list, list = node;
    }
}
static long sum() {
    long found = 0;
    for (Node* node = list; node; node = node->next) found += node->values[0];
    return found;
}
static size_t size_of(int number) { return 16u + 8u * static_cast<unsigned>(number * 7 % 13); }
static int hands() {
    auto of_system = reinterpret_cast<void* (*)(size_t)>(dlsym(RTLD_DEFAULT, "__libc_malloc"));
    int wrong = 0;
    for (int i = 0; i < 3000; i++) {
        void* object = i % 3 == 0 ? of_system(40) : i % 3 == 1 ? malloc(size_of(i)) : list;
        if (object == list) list = list->next;
        memset(object, 'a' + i % 26, 16);
        auto* moved = static_cast<char*>(realloc(object, i % 5 ? 24 + i % 2000 : 16));
        wrong += moved == nullptr || moved[0] != 'a' + i % 26 || moved[15] != 'a' + i % 26;
        wrong += reinterpret_cast<uintptr_t>(moved) % 16 != 0;
        if (i % 7 == 0) {
            wrong += realloc(moved, 0) != nullptr;
        } else {
            free(moved);
        }
    }
    return wrong;
}
int main(int, char** arguments) {
    const int rounds = atoi(arguments[2]);
    build(20000);
    void* object = malloc(size_of(1));
    for (int i = 0; i < rounds; i++) {
        switch (arguments[1][0]) {
            case 'm': free(malloc(size_of(i))); break;
            case 'n': ::operator delete(::operator new(size_of(i))); break;
            case 'p': free(malloc_pooled()); break;
            case 'r': object = realloc(object, size_of(i)); break;
        }
    }
    printf("%ld %d\\n", sum(), arguments[1][0] == 'h' ? hands() : 0);
    free(object);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("plan_cost") / "program"
    command = ["g++", "-O1", "-fno-builtin", "-x", "c++", "-", "-o", built]
    subprocess.run(command, input=PROGRAM, text=True, check=True)
    return built


@pytest.fixture(scope="module")
def plan(program: Path) -> Path:
    """Of one pool."""
    made = program.with_name("pools.plan")
    options = ["run", "--heap", "pools", "--save-plan", made, "--"]
    subprocess.run([COMMAND, *options, program, "malloc", "20000"], check=True)
    assert read_plan(made).header["pools_count"] == 1
    return made


def within(plan: Path) -> dict[str, str]:
    return variants.planned(plan, pools_in_mimalloc=True)


def instructions(program: Path, how: str, environment: dict[str, str]) -> float:
    """For each round, without what a process takes to begin and to end."""
    few, many = (
        count_instructions(Command([str(program), how, str(rounds)], environment)) for rounds in (FEW, MANY)
    )
    return (many - few) / (MANY - FEW)


@pytest.mark.parametrize("how", MOST)
def test_a_site_without_a_pool_costs_little_more_than_mimalloc(program: Path, plan: Path, how: str) -> None:
    mimalloc = {"LD_PRELOAD": str(MIMALLOC), "MIMALLOC_ALLOW_THP": "0"}
    own = instructions(program, how, mimalloc)
    ours = instructions(program, how, variants.planned(plan))
    assert ours <= own + MOST[how]


@pytest.mark.parametrize("how", MOST_WITHIN)
def test_pools_within_mimalloc_cost_little_more_than_it(program: Path, plan: Path, how: str) -> None:
    mimalloc = {"LD_PRELOAD": str(MIMALLOC), "MIMALLOC_ALLOW_THP": "0"}
    own = instructions(program, how, mimalloc)
    assert instructions(program, how, within(plan)) <= own + MOST_WITHIN[how]


@pytest.mark.parametrize("options", [(), ("--pools-in-mimalloc",)])
def test_objects_of_all_heaps_change_hands_at_one_site(
    program: Path, plan: Path, malloom: Callable[..., Finished], options: tuple[str, ...]
) -> None:
    counted = malloom("run", "--plan", plan, *options, "--statistics", "--", program, "hands", "100")
    assert "pooled 200" in counted.stderr and "in 1 pool " in counted.stderr, counted.stderr
    for environment in ({}, variants.planned(plan), within(plan), variants.fallback()):
        with ended(Command([str(program), "hands", "100"], environment)) as run:
            assert (run.status, run.output.read()) == (0, "0 0\n"), run.errors.read()
