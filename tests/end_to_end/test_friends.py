"""Objects beside their siblings: lists that are made in turns become contiguous, also by a carried plan."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from malloom.layout.plan_file import read_plan

Finished = subprocess.CompletedProcess[str]
Malloom = Callable[..., Finished]

# Vertices get edges in random order, as in Ptrdist's ft. Prints how many edges of 100 lie right behind the
# one that was their vertex's last; what it prints depends on the allocator on purpose.
GRAPH = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct vertex;
struct edge { struct edge* next; struct vertex* target; long rest[2]; };
struct vertex { long id; struct edge* edges; long rest[4]; };
static void* get(size_t bytes) { return MAKE; }
static void add_edge(struct vertex* from, struct vertex* to) {
    struct edge* made = get(sizeof *made);
    made->target = to;
    made->next = from->edges;
    from->edges = made;
}
int main(void) {
    enum { vertices = 500, edges = 50000 };
    static struct vertex* all[vertices];
    for (int i = 0; i < vertices; ++i) {
        all[i] = get(sizeof *all[i]);
        *all[i] = (struct vertex){.id = i};
    }
    uint64_t state = 1;
    for (int i = 0; i < edges; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        struct vertex* from = all[(state >> 33) % vertices];
        add_edge(from, all[(state >> 13) % vertices]);
    }
    long neighbours = 0;
    for (int i = 0; i < vertices; ++i)
        for (struct edge* at = all[i]->edges; at && at->next; at = at->next)
            neighbours += (char*)at - (char*)at->next == 32;
    printf("%ld\\n", neighbours * 100 / edges);
    return 0;
}
"""
WAYS = {
    "malloc": (["-DMAKE=malloc(bytes)"], "gcc"),
    "calloc": (["-DMAKE=calloc(1, bytes)"], "gcc"),
    "new": (["-DMAKE=operator new(bytes)", "-include", "new"], "g++"),
    "in a wrapper": (["-DMAKE=malloc(bytes)", "-fno-inline"], "gcc"),
}


@pytest.fixture(params=WAYS)
def program(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    flags, compiler = WAYS[request.param]
    source = GRAPH
    if compiler == "g++":
        source = source.replace("= get(", "= (decltype(GOT))get(")
        source = source.replace("made = (decltype(GOT))", "made = (struct edge*)")
        source = source.replace("(decltype(GOT))", "(struct vertex*)")
        source = source.replace("{.id = i}", "{i, nullptr, {}}")
    built = tmp_path / "graph"
    language = "c++" if compiler == "g++" else "c"
    command = [compiler, "-O2", "-x", language, "-", "-o", built, *flags, "-Wl,--build-id"]
    subprocess.run(command, input=source, text=True, check=True)
    return built


def neighbours(done: Finished) -> int:
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_lists_made_in_turns_are_contiguous(malloom: Malloom, program: Path) -> None:
    alone = subprocess.run([program], capture_output=True, text=True, check=True)
    assert int(alone.stdout) < 10
    assert neighbours(malloom("run", "--heap", "pools", "--colocate", "--", program)) >= 70


def test_a_plan_carries_where_the_friend_is(malloom: Malloom, program: Path, tmp_path: Path) -> None:
    neighbours(malloom("run", "--heap", "pools", "--colocate", "--save-plan", "learned.plan", "--", program))
    assert (read_plan(tmp_path / "learned.plan").contexts["companion_place"] != 0).sum() >= 1
    assert neighbours(malloom("run", "--plan", "learned.plan", "--", program)) >= 70
    assert neighbours(malloom("run", "--plan", "learned.plan", "--statistics", "--", program)) >= 70
