"""`malloom run --heap pools`: call sites get pools, wrappers lead to their callers, and the program stays as
it is."""

import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end import ends
from malloom.layout.plan_file import read_plan
from some import some

Finished = subprocess.CompletedProcess[str]
Malloom = Callable[..., Finished]

POOLED = re.compile(r"pooled (\d+) \(.*\) in (?:(\d+) pools? of (\d+) sites?|pools that all sites share)")
MATCHED = re.compile(r"matched (\d+) ")

# The line about misuse says where sites have not been looked for.
IN_TURN = """
#include <stdlib.h>
static __attribute__((noinline)) char* make(void) { return malloc(64); }
int main(int count, char** words) {
    for (int i = 0; i < atoi(words[count - 1]); ++i) free(make());
    char* twice = make();
    free(twice);
    free(twice);
}
"""

# Its own malloc is found before the program's, as in libraries that carry an allocator along.
LIBRARY = """
#include <stddef.h>
static _Alignas(16) char memory[1 << 20];
static size_t used;
void* malloc(size_t size) { void* place = memory + used; used += (size + 15) & ~(size_t)15; return place; }
void free(void* object) { if ((size_t)((char*)object - memory) >= sizeof memory) __builtin_trap(); }
void* make(void) { return malloc(48); }
void take(void* object) { free(object); }
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("pools") / "pools_program"
    source = Path(__file__).with_name("pools_program.c")
    # As callers and callees in programs are: not inlined, and with their requests.
    flags = ["-O2", "-fno-inline", "-fno-builtin", "-pthread", "-Wl,--build-id"]
    subprocess.run(["gcc", *flags, source, "-o", built, "-ldl"], check=True)
    return built


MANY_SIZES = """
#include <stdlib.h>
int main(void) {
    for (unsigned i = 0; i < 300000; ++i) *(volatile char*)malloc(1 + i * 7919 % 200) = 1;
}
"""


def pooled(done: Finished) -> tuple[int, int, int]:
    """Requests that pools served, sites' own pools, and their sites."""
    found = POOLED.search(done.stderr)
    assert found is not None, done.stderr
    return int(found[1]), int(found[2] or 0), int(found[3] or 0)


def peak_kilobytes(done: Finished) -> float:
    found = re.search(r"peak resident memory ([\d.]+) MiB", done.stderr)
    assert found is not None, done.stderr
    return float(found[1]) * 1024


def assert_done(done: Finished, way: str) -> Finished:
    assert (done.returncode, done.stdout) == (0, f"{way} done\n"), done.stderr
    return done


def test_pools_in_huge_pages_serve_as_others(malloom: Malloom, program: Path) -> None:
    for count in ("5000", "50000"):
        pools = [
            pooled(assert_done(malloom("run", "--heap", "pools", "--statistics", *way), "lists"))
            for way in (["--huge-pages", "--", program, "lists", count], ["--", program, "lists", count])
        ]
        assert pools[0] == pools[1]


def test_the_callers_of_a_wrapper_have_pools(malloom: Malloom, program: Path) -> None:
    done = malloom("run", "--heap", "pools", "--statistics", "--", program, "lists", "5000")
    requests, pools, _ = pooled(assert_done(done, "lists"))
    assert requests >= 3 * 5000 - 200
    assert pools >= 3


def test_sizes_that_change_come_from_common_pools(malloom: Malloom, program: Path) -> None:
    done = malloom("run", "--heap", "pools", "--statistics", "--", program, "sizes", "5000")
    requests, _, _ = pooled(assert_done(done, "sizes"))
    # Whatever the site decides of its own pools, all are small; reallocation makes 2,500 more of them.
    assert 4 * 5000 <= requests <= 4 * 5000 + 2500 + 100


def test_threads_that_ask_little_of_many_sites_share_pools(malloom: Malloom, program: Path) -> None:
    alone, shared = (
        peak_kilobytes(
            assert_done(
                malloom("run", "--heap", "pools", "--statistics", "--", program, "shares", threads), "shares"
            )
        )
        for threads in ("1", "200")
    )
    # Each thread's objects fill 16 KiB, and it has a stack. A page for each site would be 256 KiB a thread.
    assert shared - alone <= 200 * 64


def test_sites_earn_pools_after_requests_were_served_by_size(malloom: Malloom, program: Path) -> None:
    done = malloom("run", "--heap", "pools", "--", program, "late", "100000")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) >= 90


@pytest.mark.parametrize(("objects", "by_size"), [(1000, False), (200_000, True)])
def test_what_is_made_and_freed_in_turn_is_soon_served_by_size(
    malloom: Malloom, tmp_path: Path, objects: int, by_size: bool
) -> None:
    built = ends.build_source(IN_TURN, tmp_path / "in_turn")
    done = malloom("run", "--heap", "pools", "--", built, str(objects))
    assert done.returncode == -signal.SIGABRT
    assert "free already" in done.stderr
    assert ("or a site that is not known" in done.stderr) == by_size


@pytest.mark.parametrize("heap", [["--heap", "pools"], ["--heap", "pools", "--statistics"]])
@pytest.mark.parametrize("way", ["lists 3000", "sizes 3000", "threads 200", "fork", "handler"])
def test_programs_stay_as_they_are(malloom: Malloom, program: Path, heap: list[str], way: str) -> None:
    arguments = way.split()
    done = malloom("run", *heap, "--", program, *arguments)
    lists = done.stdout.replace("lists done\n", "", 10) if way == "fork" else done.stdout
    assert (done.returncode, lists) == (0, f"{arguments[0]} done\n"), done.stderr


def test_a_library_with_an_allocator_of_its_own(malloom: Malloom, program: Path, tmp_path: Path) -> None:
    library = tmp_path / "own.so"
    command = [
        "gcc",
        "-O1",
        "-fno-builtin",
        "-shared",
        "-fPIC",
        "-Wl,-Bsymbolic",
        "-x",
        "c",
        "-",
        "-o",
        library,
    ]
    subprocess.run(command, input=LIBRARY, text=True, check=True)
    assert_done(malloom("run", "--heap", "pools", "--", program, "library", library), "library")


def test_what_was_learned_is_carried_over(malloom: Malloom, program: Path, tmp_path: Path) -> None:
    learn = ("run", "--heap", "pools", "--save-plan", "learned.plan", "--")
    assert_done(malloom(*learn, program, "lists", "1000"), "lists")
    # Two kinds live; what is freed at once, the third, has no pool of its own.
    assert read_plan(tmp_path / "learned.plan").header["pools_count"] == 2
    done = malloom("run", "--plan", "learned.plan", "--statistics", "--", program, "lists", "7000")
    requests, _, _ = pooled(assert_done(done, "lists"))
    assert requests >= 2 * 7000
    assert_done(malloom("run", "--plan", "learned.plan", "--", program, "lists", "7000"), "lists")


def test_a_run_with_a_plan_goes_on_learning(malloom: Malloom, program: Path, tmp_path: Path) -> None:
    learn = ("run", "--heap", "pools", "--save-plan", "learned.plan")
    malloom(*learn, "--", program, "sizes", "40")
    first = read_plan(tmp_path / "learned.plan").header["pools_count"]
    assert_done(malloom(*learn, "--plan", "learned.plan", "--", program, "lists", "1000"), "lists")
    assert read_plan(tmp_path / "learned.plan").header["pools_count"] >= first + 2


def test_children_and_the_killed_write_no_plan(malloom: Malloom, program: Path, tmp_path: Path) -> None:
    learn = ("run", "--heap", "pools", "--save-plan", "learned.plan", "--")
    killed = malloom(*learn, program, "kill")
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "learned.plan").exists()
    malloom(*learn, "sh", "-c", f"{program} lists 1000; exec sleep 0")
    plan = read_plan(tmp_path / "learned.plan")
    shell = malloom(*learn, "sleep", "0")
    assert shell.returncode == 0
    assert read_plan(tmp_path / "learned.plan").header["program"] == plan.header["program"]
    assert [path.name for path in tmp_path.glob(".malloom*")] == []


def test_a_plan_from_a_recording(malloom: Malloom, program: Path) -> None:
    recorded = malloom("record", "-o", "run.profile", "--accesses", "none", "--", program, "lists", "1000")
    assert recorded.returncode == 0, recorded.stderr
    planned = malloom("plan", "run.profile", "-o", "run.plan", "--strategy", "pools")
    assert planned.returncode == 0, planned.stderr
    assert " pools, " in planned.stderr
    done = malloom("run", "--plan", "run.plan", "--statistics", "--", program, "lists", "7000")
    requests, _, _ = pooled(assert_done(done, "lists"))
    assert requests >= 3 * 7000


@pytest.mark.parametrize("depth", some("1", "3", of=["1", "2", "3"]))
def test_slots_first_and_pools_beyond_them(malloom: Malloom, program: Path, depth: str) -> None:
    """At depth 1 the wrapper has one pool at most; deeper, each of its callers."""
    malloom("record", "-o", "run.profile", "--accesses", "none", "--", program, "lists", "1000")
    plan = ("plan", "run.profile", "-o", "run.plan", "--strategy", "sequential", "--depth", depth, "--pools")
    planned = malloom(*plan)
    assert planned.returncode == 0 and " requests and " in planned.stderr, planned.stderr
    done = assert_done(
        malloom("run", "--plan", "run.plan", "--statistics", "--", program, "lists", "7000"), "lists"
    )
    matched = MATCHED.search(done.stderr)
    assert matched is not None and int(matched[1]) >= 1900, done.stderr
    assert pooled(done)[0] >= (5900 if depth == "1" else 2 * 5900), done.stderr
    assert_done(malloom("run", "--plan", "run.plan", "--", program, "lists", "7000"), "lists")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--save-plan", "a.plan"], "--save-plan needs a run that learns"),
        (["--heap", "pools", "--save-plan", "nowhere/a.plan"], "there is no folder"),
        (["--heap", "pools", "--save-plan", "text"], "exists and is no plan"),
        (["--heap", "pools", "--save-plan", "/dev/null"], "is no ordinary file"),
        (["--heap", "pools", "--plan", "nowhere.plan"], "cannot be read"),
    ],
)
def test_what_cannot_be_done_is_refused(
    malloom: Malloom, tmp_path: Path, options: list[str], reason: str
) -> None:
    (tmp_path / "text").write_text("something else")
    done = malloom("run", *options, "--", "true")
    assert done.returncode in (1, 2) and done.stderr.count("\n") == 1
    assert reason in done.stderr


def test_a_plan_that_cannot_be_written_is_a_line(malloom: Malloom, program: Path, tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    learn = ("run", "--heap", "pools", "--save-plan", "gone/a.plan", "--")
    done = malloom(*learn, "sh", "-c", f"rmdir {folder}; exec {program} lists 10")
    assert (done.returncode, done.stdout) == (0, "lists done\n")
    assert (
        done.stderr.count("\n") == 1 and "No such file or directory; what was learned is lost" in done.stderr
    )


def test_common_pools_are_said_in_words(malloom: Malloom, compile_c: Callable[..., Path]) -> None:
    done = malloom("run", "--heap", "pools", "--statistics", "--", compile_c(MANY_SIZES))
    assert re.search(r"pooled 300\d{3} \(.*\) in pools that all sites share, fallback", done.stderr), (
        done.stderr
    )


FORKS_IN_A_HANDLER = """
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
enum { objects_count = 20000, most_forks = 200 };
static void* objects[objects_count];
static void* volatile made;
static volatile sig_atomic_t is_child, forks, failed;
static void divide(int number) {
    int error = errno, status = 0;
    if (is_child || forks == most_forks) return;
    ++forks;
    pid_t child = fork();
    is_child = child == 0;
    if (child > 0) failed += waitpid(child, &status, 0) != child || status != 0;
    errno = error;
}
static void* wait_for_ever(void* nothing) {
    free(made = malloc(24));
    for (;;) pause();
    return nothing;
}
int main(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_ever, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGVTALRM, &(struct sigaction){.sa_handler = divide, .sa_flags = SA_RESTART}, NULL);
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){{0, 300}, {0, 300}}, NULL);
    while (forks < most_forks && !is_child) {
        for (int i = 0; i < objects_count; ++i) objects[i] = malloc(48);
        for (int i = 0; i < objects_count; ++i) free(objects[i]);
    }
    for (int i = 0; i < 2000; ++i) free(made = malloc(48));
    if (!is_child) printf("%d children failed\\n", (int)failed);
    fflush(stdout);
    _exit(0);
}
"""


def test_the_child_of_a_handlers_fork_goes_on_with_what_was_interrupted(
    malloom: Malloom, compile_c: Callable[..., Path]
) -> None:
    done = malloom("run", "--heap", "pools", "--", compile_c(FORKS_IN_A_HANDLER, "-pthread"))
    assert (done.returncode, done.stdout) == (0, "0 children failed\n"), done.stderr
