"""Programs that misuse the heap: what `malloom run --heap pools`, `bins` and `pages` notice, and that they
take no right one for wrong."""

import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end import misuse_cases
from end_to_end.misuse_cases import Case, Outcomes

Malloom = Callable[..., subprocess.CompletedProcess[str]]
Compile = Callable[..., Path]

EACH_WEAKNESS = 20
POOLED = re.compile(r"pooled (\d+) ")

# The fewest that each heap is to stop, by category; raised as they learn to. Of pool objects all of CWE-415
# and CWE-761 are to be stopped by pools, 49 and 44, and of all that pools do not serve no fewer than the C
# library stops. What lies in no heap is stopped where its address, which changes from run to run, is one that
# shows it. Bins have tags beside their objects, which writes past the end damage, and hear late of what other
# threads free.
POOLS_STOP = {
    ("122", "fallback"): 0,
    ("122", "pool"): 0,
    ("415", "fallback"): 7,
    ("415", "library"): 2,
    ("415", "pool"): 49,
    ("416", "fallback"): 0,
    ("416", "pool"): 1,
    ("590", "none"): 34,
    ("761", "fallback"): 6,
    ("761", "library"): 2,
    ("761", "pool"): 44,
    ("787", "fallback"): 0,
    ("787", "pool"): 0,
}
GUARDED_POOLS_STOP = {
    **POOLS_STOP,
    ("122", "fallback"): 3,
    ("122", "pool"): 32,
    ("787", "fallback"): 4,
    ("787", "pool"): 24,
}
BINS_STOP = {
    ("122", "fallback"): 3,
    ("122", "pool"): 30,
    ("415", "fallback"): 6,
    ("415", "library"): 2,
    ("415", "pool"): 46,
    ("416", "fallback"): 0,
    ("416", "pool"): 2,
    ("590", "none"): 34,
    ("761", "fallback"): 5,
    ("761", "library"): 2,
    ("761", "pool"): 44,
    ("787", "fallback"): 3,
    ("787", "pool"): 18,
}
PAGES_STOP = {
    ("122", "fallback"): 0,
    ("122", "pool"): 0,
    ("415", "fallback"): 6,
    ("415", "library"): 2,
    ("415", "pool"): 49,
    ("416", "fallback"): 0,
    ("416", "pool"): 1,
    ("590", "none"): 34,
    ("761", "fallback"): 5,
    ("761", "library"): 2,
    ("761", "pool"): 44,
    ("787", "fallback"): 0,
    ("787", "pool"): 0,
}
FEWEST = {"pools": POOLS_STOP, "guarded pools": GUARDED_POOLS_STOP, "bins": BINS_STOP, "pages": PAGES_STOP}


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    return misuse_cases.cases_of(misuse_cases.build(tmp_path_factory.mktemp("misuse")))


@pytest.fixture(scope="module")
def right_in_pools(cases: list[Case]) -> Outcomes:
    return misuse_cases.run_all(cases, misuse_cases.heap("pools", "--statistics"), "right")


def pooled(errors: str) -> int:
    found = POOLED.search(errors)
    return int(found[1]) if found else 0


def test_each_weakness_has_its_cases(cases: list[Case]) -> None:
    for weakness in ("122", "415", "416", "590", "761", "787"):
        assert len([case for case in cases if case.weakness == weakness]) >= EACH_WEAKNESS
    assert {case.category for case in cases} == set(POOLS_STOP) == set(BINS_STOP) == set(PAGES_STOP)


@pytest.mark.parametrize("name", ["glibc", "mimalloc", "guarded pools", "guarded fallback", "bins", "pages"])
def test_right_twins_run_to_their_end(cases: list[Case], name: str) -> None:
    outcomes = misuse_cases.run_all(cases, misuse_cases.heap(name), "right")
    ends = {case.full_name: (done.status, done.output, done.errors) for case, done in outcomes.items()}
    assert {name: end for name, end in ends.items() if end != (0, misuse_cases.SURVIVED, "")} == {}


def test_right_twins_run_to_their_end_in_pools(right_in_pools: Outcomes) -> None:
    # The one line is that of the statistics.
    ends = {
        case.full_name: (done.status, done.output, done.errors.count("\n"))
        for case, done in right_in_pools.items()
    }
    assert {name: end for name, end in ends.items() if end != (0, misuse_cases.SURVIVED, 1)} == {}


def test_cases_of_pools_have_pools(right_in_pools: Outcomes) -> None:
    few = [
        case.full_name
        for case, done in right_in_pools.items()
        if case.served == "pool" and pooled(done.errors) < 100
    ]
    assert few == []


@pytest.mark.parametrize("name", FEWEST)
def test_heaps_stop_no_fewer_than_they_did(cases: list[Case], name: str) -> None:
    outcomes = misuse_cases.run_all(cases, misuse_cases.heap(name))
    counts = misuse_cases.stopped(outcomes)
    fewest = FEWEST[name]
    fewer = {category: counts[category] for category in fewest if counts[category] < fewest[category]}
    missed = {case: outcome for case, outcome in outcomes.items() if case.category in fewer}
    assert fewer == {}, misuse_cases.misses(missed)


TWO_REQUESTS = """
#include <stdlib.h>
__attribute__((noinline)) void* make_one(void) { return malloc(48); }
__attribute__((noinline)) void* make_other(void) { return malloc(40); }
__attribute__((noinline)) void drop(void* object) { free(object); }
int main(void) {
    make_one();
    void* other = make_other();
    drop(other);
    drop(other);
    return 0;
}
"""


def test_the_line_names_who_may_have_asked_and_who_frees(malloom: Malloom, compile_c: Compile) -> None:
    done = malloom("run", "--heap", "pools", "--", compile_c(TWO_REQUESTS, "-fno-builtin", "-rdynamic"))
    assert done.returncode == -signal.SIGABRT
    place = r"\+0x\w+ \(program\+0x\w+\)"
    line = rf"malloom: free of 0x\w+, which is free already, requested at (.*), freed at drop{place}\n"
    found = re.fullmatch(line, done.stderr)
    assert found is not None, done.stderr
    names = found[1].split(" or ")
    assert {re.sub(place, "", name) for name in names} == {"make_one", "make_other"}


WRITES_PAST = """
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) char* make(size_t bytes) { return malloc(bytes); }
__attribute__((noinline)) void drop(void* object) { free(object); }
int main(int count, char** words) {
    size_t bytes = (size_t)atol(words[1]), past = (size_t)atol(words[2]);
    for (int i = 0; i < 100; ++i) drop(make(bytes));
    char* object = make(bytes);
    memset(object, 1, bytes + past);
    if (count == 4) object = realloc(object, (size_t)atol(words[3]));
    drop(object);
    return 0;
}
"""


@pytest.mark.parametrize("heap", ["pools", "fallback"])
def test_the_line_about_a_write_past_the_end_names_who_asked_and_who_frees(
    malloom: Malloom, compile_c: Compile, heap: str
) -> None:
    program = compile_c(WRITES_PAST, "-fno-builtin", "-rdynamic")
    asked = r", requested at make\+0x\w+ \(program\+0x\w+\)"
    for bytes_ in ("1", "24", "40", "500", "3000"):
        for more, caller in (([], "drop"), (["1000"], "main"), (["0"], "main")):
            run = ("run", "--heap", heap, "--guards", "--", program, bytes_)
            assert malloom(*run, "0", *more).returncode == 0
            done = malloom(*run, "1", *more)
            assert done.returncode == -signal.SIGABRT
            line = rf"malloom: something wrote past the end of 0x\w+{asked}, found at {caller}"
            assert re.match(line, done.stderr), done.stderr


SHRINKS = """
#include <stdlib.h>
int main(int count, char** words) {
    char* object = malloc((size_t)atol(words[1]));
    object = realloc(object, (size_t)atol(words[2]));
    object[atol(words[3])] = 1;
    free(object);
    return 0;
}
"""


@pytest.mark.parametrize("heap", ["pools", "fallback"])
@pytest.mark.parametrize("sizes", ["200 120 190", "500 320 400", "4000 2100 3500", "1100 1100 1115"])
def test_room_that_is_left_is_not_the_objects(
    malloom: Malloom, compile_c: Compile, heap: str, sizes: str
) -> None:
    program = compile_c(SHRINKS, "-fno-builtin")
    done = malloom("run", "--heap", heap, "--guards", "--", program, *sizes.split())
    assert done.returncode == -signal.SIGABRT, done


USABLE = """
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    for (size_t bytes = 1; bytes < 6000; bytes += 13) {
        char* object = malloc(bytes);
        if (malloc_usable_size(object) != bytes) return 1;
        memset(object, 1, malloc_usable_size(object));
        object = realloc(object, bytes + bytes % 100);
        if (malloc_usable_size(object) != bytes + bytes % 100) return 2;
        void* aligned = aligned_alloc(128, bytes);
        if ((size_t)aligned % 128 != 0 || malloc_usable_size(aligned) != bytes) return 3;
        memset(aligned, 1, malloc_usable_size(aligned));
        char* zeros = calloc(bytes, 1);
        for (size_t i = 0; i < bytes; ++i) if (zeros[i] != 0) return 4;
        free(object);
        free(aligned);
        free(zeros);
    }
    return 0;
}
"""


@pytest.mark.parametrize("options", [("pools",), ("pools", "--colocate"), ("fallback", "--statistics")])
def test_guarded_objects_are_as_large_as_was_asked(
    malloom: Malloom, compile_c: Compile, options: tuple[str, ...]
) -> None:
    program = compile_c(USABLE, "-fno-builtin")
    done = malloom("run", "--guards", "--heap", *options, "--", program)
    assert done.returncode == 0, done


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--heap", "fallback", "--fallback", "system"], "--guards means nothing over the C library"),
        (["--heap", "bins"], "--guards means nothing with --heap bins"),
        (["--heap", "pools", "--save-plan", "new.plan"], "--guards means nothing with a plan"),
        (["--dynamic"], "--guards means nothing with --dynamic"),
    ],
)
def test_guards_are_refused_where_there_are_none(malloom: Malloom, options: list[str], words: str) -> None:
    done = malloom("run", *options, "--guards", "--", "true")
    assert done.returncode == 2
    assert words in done.stderr


LARGE_TWICE = """
#include <stdlib.h>
__attribute__((noinline)) void drop(void* object) { free(object); }
int main(int count, char** words) {
    char* object = aligned_alloc(64, 8000);
    drop(object + (count == 2 ? atoi(words[1]) : 0));
    drop(object);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("offset", "words"),
    [("0", "which is free already"), ("16", "where no object begins"), ("5", "where no object begins")],
)
def test_the_line_about_what_no_pool_serves_names_who_frees(
    malloom: Malloom, compile_c: Compile, offset: str, words: str
) -> None:
    program = compile_c(LARGE_TWICE, "-fno-builtin", "-rdynamic")
    done = malloom("run", "--heap", "pools", "--", program, offset)
    assert done.returncode == -signal.SIGABRT
    assert re.fullmatch(
        rf"malloom: free of 0x\w+, {words}, freed at drop\+0x\w+ \(program\+0x\w+\)\n", done.stderr
    ), done.stderr


MIXES_ALLOCATORS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef LINKED
#include <mimalloc.h>
#endif
enum { objects_count = 600, rounds = 40 };
static void* (*their_malloc)(size_t);
static void* (*their_realloc)(void*, size_t);
static void (*their_free)(void*);
static void* objects[objects_count];
static void* fill(void* seed) {
    for (size_t i = 0; i < objects_count; ++i) {
        const size_t bytes = 4097 + (i * 7919 + (size_t)seed * 104729) % 30000;
        objects[i] = (i + (size_t)seed) % 2 ? malloc(bytes) : their_malloc(bytes);
        if (i % 5 == 0) objects[i] = i % 2 ? realloc(objects[i], 9000) : their_realloc(objects[i], 9000);
    }
    return NULL;
}
static void* empty(void* seed) {
    for (size_t i = 0; i < objects_count; ++i) {
        if ((i / 2 + (size_t)seed) % 2) free(objects[i]); else their_free(objects[i]);
    }
    return NULL;
}
int main(void) {
#ifdef LINKED
    their_malloc = mi_malloc; their_realloc = mi_realloc; their_free = mi_free;
#else
    their_malloc = (void* (*)(size_t))dlsym(RTLD_DEFAULT, "mi_malloc");
    their_realloc = (void* (*)(void*, size_t))dlsym(RTLD_DEFAULT, "mi_realloc");
    their_free = (void (*)(void*))dlsym(RTLD_DEFAULT, "mi_free");
#endif
    for (size_t round = 0; round < rounds; ++round) {
        pthread_t threads[2];
        pthread_create(&threads[0], NULL, fill, (void*)round);
        pthread_join(threads[0], NULL);
        pthread_create(&threads[1], NULL, empty, (void*)(round / 2));
        pthread_join(threads[1], NULL);
        fill((void*)(round + 1));
        empty((void*)(round / 3));
    }
    return puts("done") < 0;
}
"""


def test_a_program_linked_with_mimalloc_may_free_what_it_gave(malloom: Malloom, compile_c: Compile) -> None:
    program = compile_c(MIXES_ALLOCATORS, "-fno-builtin", "-DLINKED", "-pthread", "-lmimalloc")
    for heap in ("pools", "fallback"):
        done = malloom("run", "--heap", heap, "--statistics", "--", program)
        assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_a_program_with_mimalloc_preloaded_may_free_what_it_gave(
    malloom: Malloom, compile_c: Compile
) -> None:
    program = compile_c(MIXES_ALLOCATORS, "-fno-builtin", "-pthread", "-ldl")
    environment = {**os.environ, "LD_PRELOAD": "libmimalloc.so.2"}
    done = malloom("run", "--heap", "pools", "--", program, env=environment)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
