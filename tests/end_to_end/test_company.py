"""Programs with company: a debugger, libraries that begin earlier, children that gain rights.

Under every heap, with a plan and recorded they do what they do alone.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from end_to_end import ends
from end_to_end.conftest import COMMAND, done_well

HEAPS = ["pools", "bins", "pages", "fallback"]
WAYS = [*HEAPS, "plan", "recorded"]

# Waits until it is told to go on, with objects in hand and threads that ask for more.
WAITING = """
#include "ends_program.h"
static void* stir_much(void* number) {
    for (int i = 0; i < 100; ++i) stir((unsigned long)(size_t)number, 1000), usleep(100);
    return NULL;
}
static void* stir_in_threads(void* unused) { in_threads(4, stir_much); return unused; }
int main(void) {
    pthread_t thread;
    require(pthread_create(&thread, NULL, stir_in_threads, NULL) == 0);
    puts("ready");
    fflush(stdout);
    getchar();
    require(pthread_join(thread, NULL) == 0);
    return puts("done") < 0;
}
"""

# A library that the loader starts before what is preloaded, as it does with all that a program needs: it
# asks for memory, starts a thread and forks.
EARLY = """
#include "ends_program.h"
static struct node* early;
static void* one(void* unused) { early = node_of(64, early); return unused; }
__attribute__((constructor)) static void begin(void) {
    for (int i = 0; i < 100; ++i) early = node_of(24 + i * 8, early);
    in_threads(2, one);
    pid_t child = fork();
    if (child == 0) { release_all(early); _exit(3); }
    int status = 0;
    require(waitpid(child, &status, 0) == child && status == 3 << 8);
}
struct node* made_early(void) { return early; }
"""
USES_EARLY = """
#include "ends_program.h"
struct node* made_early(void);
int main(void) {
    struct node* list = made_early();
    for (int i = 0; i < 1000; ++i) list = node_of(48, list);
    release_all(list);
    return puts("done") < 0;
}
"""


def prefix(way: str, command: list[str | Path], folder: Path) -> list[str | Path]:
    """What comes before the command, and where it is a plan, one made of a recording of the command."""
    profile, plan = folder / "p", folder / "plan"
    recording = ["record", "--force", "--accesses", "none", "-o", profile, "--"]
    if way == "recorded":
        return [COMMAND, *recording]
    if way != "plan":
        return [COMMAND, "run", "--heap", way, "--"]
    done_well(folder, *recording, *command)
    done_well(folder, "plan", profile, "-o", plan, "--strategy", "sequential")
    return [COMMAND, "run", "--plan", plan, "--"]


def build(source: str, path: Path, *flags: str | Path) -> Path:
    return ends.build_source(source, path, "-D_GNU_SOURCE", "-pthread", f"-I{ends.HERE}", *map(str, flags))


@pytest.mark.parametrize("way", WAYS)
def test_a_debugger_stops_it_and_asks_for_memory(tmp_path: Path, way: str) -> None:
    program = build(WAITING, tmp_path / "program")
    command = [*prefix(way, [program], tmp_path), program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        pid = running.pid if way != "recorded" else children(running.pid)[0]
        asks = ["set $made = (void*(*)(unsigned long))malloc", "set $mine = $made(48)", "print $mine != 0"]
        steps = [*asks, "call (void)((void(*)(void*))free)($mine)", "detach"]
        options = [word for step in steps for word in ("-ex", step)]
        debugger = ["gdb", "-nx", "-batch", "-p", str(pid), *options]
        said = subprocess.run(debugger, capture_output=True, text=True, timeout=120, check=False)
        output, _ = running.communicate("\n", timeout=120)
    assert "$1 = 1" in said.stdout, said.stdout + said.stderr
    assert (running.returncode, output) == (0, "done\n")


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


# Before the C library too, which has no environment then: the recorder finds none, and says so.
FIRST = [(way, "initfirst") for way in HEAPS]


@pytest.mark.parametrize(("way", "when"), [*((way, "now") for way in WAYS), *FIRST])
def test_a_library_that_begins_first(tmp_path: Path, way: str, when: str) -> None:
    early = build(EARLY, tmp_path / "libearly.so", "-shared", "-fPIC", f"-Wl,-z,{when}")
    program = build(USES_EARLY, tmp_path / "program", early)
    assert ends.outcome([program], tmp_path) == (0, "done\n", "")
    status, output, errors = ends.outcome([*prefix(way, [program], tmp_path), program], tmp_path)
    assert (status, output) == (0, "done\n")
    assert way == "recorded" or errors == ""


@pytest.mark.parametrize("way", WAYS)
def test_a_child_that_gains_rights(tmp_path: Path, way: str) -> None:
    """The loader leaves out of it what is preloaded."""
    privileged = tmp_path / "privileged"
    shutil.copy("/usr/bin/id", privileged)
    privileged.chmod(0o4755)
    command: list[str | Path] = ["sh", "-c", f"{privileged} -u && echo done"]
    alone = ends.outcome(command, tmp_path)
    assert alone[1].endswith("done\n")
    status, output, errors = ends.outcome([*prefix(way, command, tmp_path), *command], tmp_path)
    assert (status, output) == alone[:2]
    assert way == "recorded" or errors == ""
