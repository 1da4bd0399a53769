"""Programs that use the heap from odd places and end in odd ways, alone and under malloom.

What they print and how they end must be the same.
"""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import forked
from end_to_end.conftest import COMMAND

HERE = Path(__file__).parent
FLAGS = ["-D_GNU_SOURCE", "-O2", "-fno-inline", "-fno-builtin", "-pthread", "-Wl,--build-id"]
"""So that callers and requests are those of the source."""

WAYS = {
    "ends_program": [
        *["forks", "execs 12", "vforks", "main_leaves", "main_leaves first"],
        *["descriptors", "counted", "used_up", "limited", "user", "chroot"],
        *["end killed", "end terminated", "end aborted", "end faulted", "end left", "end returned"],
        *["impossible"],
    ],
    "odd_program": ["threads", "small_stacks", "coroutines", "signals", "faults", "ways"],
    "new_program": [""],
    "early_program": ["", "own_stack"],
    "streams_program": ["0", "1", "2"],
}
"""The arguments of each program."""

CASES = [(program, way) for program, ways in WAYS.items() for way in ways]

FEW = [
    *[("ends_program", way) for way in ("vforks", "descriptors", "chroot", "main_leaves", "end killed")],
    *[("ends_program", way) for way in ("end faulted", "end left", "impossible")],
    *[("odd_program", way) for way in ("threads", "coroutines", "signals", "faults")],
    *[("new_program", ""), ("early_program", "own_stack"), ("streams_program", "1")],
]
"""Those that differ most, where each takes seconds."""

# Used within the library only: what it hands out it takes back.
OWN_ALLOCATOR = """
#include <stddef.h>
static _Alignas(16) char memory[1 << 24];
static size_t used;
void* malloc(size_t size) { void* place = memory + used; used += (size + 15) & ~(size_t)15; return place; }
void free(void* object) { if ((size_t)((char*)object - memory) >= sizeof memory) __builtin_trap(); }
"""
HANDS_OUT = """
#include <stdlib.h>
void* make(void) { return malloc(48); }
void take(void* object) { free(object); }
"""
# The program's own is found by all of its libraries too.
USES_OWN = (
    OWN_ALLOCATOR
    + """
#include <stdio.h>
#include <string.h>
void* reallocarray(void* object, size_t count, size_t size);
void* calloc(size_t count, size_t size) { return malloc(count * size); }
void* realloc(void* object, size_t size) { return memmove(malloc(size), object, object ? 7 : 0); }
int main(void) {
    for (int i = 0; i < 2000; ++i) {
        char* text = strdup("a text");
        free(realloc(text, 40));
        free(malloc(48));
        free(reallocarray(malloc(8), 5, 8));
    }
    return puts("done") < 0;
}
"""
)
USES_JEMALLOC = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void* mallocx(size_t bytes, int flags);
void* rallocx(void* object, size_t bytes, int flags);
void dallocx(void* object, int flags);
int main(void) {
    for (int i = 0; i < 2000; ++i) {
        char* own = mallocx(48, 0);
        strcpy(own, "own");
        char* text = strdup(own);
        free(realloc(text, 48));
        dallocx(rallocx(own, 100, 0), 0);
        free(mallocx(48, 0));
        free(realloc(mallocx(64, 0), 500));
    }
    return puts("done") < 0;
}
"""


def build(program: str, folder: Path, *libraries: str | Path) -> Path:
    """The program of that name beside this file."""
    source = next(HERE.glob(f"{program}.c*"))
    compiler = ["gcc"] if source.suffix == ".c" else ["g++", "-std=c++20"]
    subprocess.run([*compiler, *FLAGS, source, "-o", folder / program, "-ldl", *libraries], check=True)
    return folder / program


def build_over_storm_heap(program: str, folder: Path) -> Path:
    """The same with a heap that handlers of signals may use wherever they interrupt it, which the C library's
    does not promise: it aborts in some runs, and the more often, the slower they are."""
    heap = folder / "libstorm_heap.so"
    command = ["gcc", "-O2", "-fno-builtin", "-shared", "-fPIC", HERE / "storm_heap.c", "-o", heap]
    subprocess.run(command, check=True)
    return build(program, folder, "-Wl,--no-as-needed", heap)


def build_source(source: str, path: Path, *flags: str) -> Path:
    command = ["gcc", "-O1", "-fno-builtin", "-x", "c", "-", "-x", "none", "-o", path, *flags]
    subprocess.run(command, input=source, text=True, check=True)
    return path


def build_library(source: str, path: Path, *flags: str) -> Path:
    return build_source(source, path, "-shared", "-fPIC", *flags)


def outcome(command: Sequence[str | Path], folder: Path) -> tuple[int, str, str]:
    """Exit status, standard output and standard error. malloom's commands in Python have done
    their imports."""
    folder.mkdir(exist_ok=True)
    if command[0] == COMMAND and command[1] not in forked.NATIVE:
        forked_one = forked.run(forked.COMMAND, command[1:], folder)
        return forked_one.returncode, forked_one.stdout, forked_one.stderr
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def outcome_alone(command: Sequence[str | Path], folder: Path) -> tuple[int, str, str]:
    """Without malloom. Some programs use the heap in handlers that interrupt it, which the C library's need
    not bear; the first of a few runs in which it does is what the program does."""
    runs = (outcome(command, folder) for _ in range(5))
    return next((run for run in runs if run[1]), (1, "", ""))


def limited(kibibytes: str, command: Sequence[str | Path], of: str = "-v") -> list[str | Path]:
    """The command with so much address space, or of what `ulimit` limits by that option."""
    return ["sh", "-c", f'ulimit {of} {kibibytes}; exec "$@"', "sh", *command]


def assert_same(prefix: Sequence[str | Path], command: Sequence[str | Path], folder: Path) -> None:
    """Under the prefix as alone, and what it prints is not nothing."""
    alone = outcome_alone(command, folder / "alone")
    assert alone[1]
    assert "line " not in alone[2]
    assert outcome([*prefix, *command], folder / "under") == alone


def assert_memory_goes_back(command: Sequence[str | Path], folder: Path) -> None:
    """Of the program that builds and frees all it has in phases, by what it prints."""
    status, output, errors = outcome(command, folder)
    assert (status, errors) == (0, "")
    for line in output.splitlines():
        left, most = (int(word) for word in line.split(" of "))
        assert most > 24 << 20
        assert left < most / 8, output


def assert_libraries_are_the_same(prefix: Sequence[str | Path], program: Path, folder: Path) -> None:
    own = build_library(OWN_ALLOCATOR + HANDS_OUT, folder / "own.so", "-Wl,-Bsymbolic")
    assert_same(prefix, [program, "library", own], folder)
    deep = build_library(HANDS_OUT, folder / "deep.so")
    assert_same(prefix, [program, "deep_library", deep], folder)


def assert_allocators_are_the_same(prefix: Sequence[str | Path], folder: Path) -> None:
    own = build_source(USES_OWN, folder / "own")
    status, _, errors = outcome([*prefix, own], folder)
    assert status == 126
    assert "carries its own allocator" in errors
    # The child of a program is started by that, and finds its own.
    assert_same(prefix, ["sh", "-c", f"exec {own}"], folder)
    assert_same(prefix, [build_source(USES_JEMALLOC, folder / "jemalloc", "-l:libjemalloc.so.2")], folder)
