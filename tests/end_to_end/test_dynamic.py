"""`malloom run --dynamic`: programs behave as they do alone, and call sites get their pools."""

import re
import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Finished = subprocess.CompletedProcess[str]
Malloom = Callable[..., Finished]
Compile = Callable[..., Path]

SOURCES = Path(__file__).with_name("dynamic_programs")


def under_optimizer(
    malloom: Malloom, program: str | Path, *arguments: str, options: tuple[str, ...] = ()
) -> Finished:
    return malloom("run", "--dynamic", *options, "--", program, *arguments)


def counts(line: str) -> Mapping[str, int]:
    """What the optimiser's line says: monitored, promoted, given up, traces."""
    found = re.search(r"sites monitored (\d+), promoted (\d+), given up (\d+); traces (\d+)", line)
    assert found, line
    return dict(zip(("monitored", "promoted", "given up", "traces"), map(int, found.groups()), strict=True))


def assert_same(
    malloom: Malloom, program: Path, *arguments: str, options: tuple[str, ...] = ()
) -> Mapping[str, int]:
    """Runs it alone and under the optimiser; what the optimiser counted."""
    alone = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    done = under_optimizer(malloom, program, *arguments, options=("--statistics", *options))
    assert (done.returncode, done.stdout) == (0, alone.stdout), done.stderr
    return counts(done.stderr)


@pytest.fixture
def build(compile_c: Compile) -> Compile:
    def from_file(name: str, *flags: str) -> Path:
        return compile_c((SOURCES / name).read_text(), "-O2", "-pthread", *flags)

    return from_file


@pytest.mark.parametrize("flags", [(), ("-fno-plt",), ("-Wl,-z,now",), ("-no-pie",)], ids=" ".join)
def test_a_list_gets_a_pool_however_malloc_is_called(
    malloom: Malloom, build: Compile, flags: tuple[str, ...]
) -> None:
    assert assert_same(malloom, build("list.c", *flags))["promoted"] == 1


def test_operator_new_gets_a_pool(malloom: Malloom, tmp_path: Path) -> None:
    program = tmp_path / "program"
    subprocess.run(["g++", "-O2", SOURCES / "list.cpp", "-o", program], check=True)
    assert assert_same(malloom, program)["promoted"] == 1


def test_what_was_learned_is_carried_into_a_native_run(malloom: Malloom, build: Compile) -> None:
    program = build("list.c", "-Wl,--build-id")
    done = under_optimizer(malloom, program, options=("--save-plan", "run.plan"))
    assert done.returncode == 0, done.stderr
    native = malloom("run", "--plan", "run.plan", "--statistics", "--", program)
    assert native.stdout == done.stdout
    pooled = re.search(r"pooled (\d+)", native.stderr)
    assert pooled and int(pooled[1]) > 90_000, native.stderr


FROM_THE_BEGINNING = ("--constant", "requests=0")
REQUESTS = re.compile(r"requests (\d+), .* pooled (\d+) \(.*\) in (\d+) pools? of \d+ sites?, fallback (\d+)")


@pytest.mark.parametrize("options", [(), ("--constant", "requests=0")])
def test_statistics_count_requests_that_pools_serve(
    malloom: Malloom, build: Compile, options: tuple[str, ...]
) -> None:
    program = build("list.c")
    native = re.search(r"requests (\d+)", malloom("run", "--statistics", "--", program).stderr)
    done = under_optimizer(malloom, program, options=("--statistics", *options))
    found = REQUESTS.search(done.stderr)
    assert native and found, done.stderr
    requests, pooled, pools, fallback = map(int, found.groups())
    assert (requests, pooled + fallback, pools) == (int(native[1]), requests, 1)
    assert pooled > requests // 2


ONE_SIZE = """
#include <stdlib.h>
int main(void) {
    for (int i = 0; i < 25000; ++i) *(volatile char*)malloc(40) = 1;
}
"""


@pytest.mark.parametrize("options", [("--heap", "pools"), ("--dynamic",), ("--dynamic", *FROM_THE_BEGINNING)])
def test_bytes_of_pooled_requests_are_those_asked_for(
    malloom: Malloom, compile_c: Compile, options: tuple[str, ...]
) -> None:
    done = malloom("run", *options, "--statistics", "--", compile_c(ONE_SIZE))
    found = re.search(r"pooled (\d+) \([0-9.]+%, ([0-9.]+) KiB\)", done.stderr)
    assert found and int(found[1]) > 5000, done.stderr
    assert float(found[2]) == pytest.approx(int(found[1]) * 40 / 1024, rel=0.01)


def test_sites_whose_sizes_change_are_given_up(malloom: Malloom, build: Compile) -> None:
    found = assert_same(malloom, build("sizes.c"))
    assert (found["promoted"], found["given up"]) == (0, 1)


def test_faults_are_explained_to_handlers(malloom: Malloom, build: Compile) -> None:
    assert assert_same(malloom, build("faults.c"))["promoted"] == 1


@pytest.mark.parametrize("verb", [("run", "--dynamic"), ("record", "--accesses", "full")], ids=" ".join)
def test_signals_end_calls_of_the_system(
    malloom: Malloom, build: Compile, tmp_path: Path, verb: tuple[str, ...]
) -> None:
    output = () if verb[0] == "run" else ("-o", tmp_path / "profile")
    done = malloom(*verb, *output, "--", build("interrupted.c"))
    assert (done.returncode, done.stdout) == (0, "-1 interrupted\n4 \n"), done.stderr


def test_code_that_is_written_anew_calls_what_it_says(malloom: Malloom, build: Compile) -> None:
    assert_same(malloom, build("new_code.c", "-fno-pie", "-no-pie"))


@pytest.mark.parametrize(
    "options", [(), pytest.param(FROM_THE_BEGINNING, marks=pytest.mark.long)], ids=" ".join
)
def test_two_hundred_threads(malloom: Malloom, build: Compile, options: tuple[str, ...]) -> None:
    assert assert_same(malloom, build("threads.c"), options=options)["monitored"] >= 1


WAITING = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// waiting FIRST SIZE [calloc|realloc]: FIRST requests of SIZE bytes, by one call site, then 10000 by another.
static void* ask(const char* how, size_t bytes) {
    if (strcmp(how, "calloc") == 0) return calloc(1, bytes);
    return strcmp(how, "realloc") == 0 ? realloc(NULL, bytes) : malloc(bytes);
}

int main(int count, char** arguments) {
    const char* const how = count > 3 ? arguments[3] : "malloc";
    for (long i = atol(arguments[1]); i > 0; --i) free(ask(how, (size_t)atol(arguments[2])));
    unsigned long sum = 0;
    for (long i = 0; i < 200; ++i) {
        char* volatile const object = malloc(40);
        *object = (char)i;
        sum += (unsigned long)*object;
        free(object);
    }
    printf("%lu\n", sum);
}
"""


def test_code_is_looked_at_once_a_program_has_asked_for_much(malloom: Malloom, compile_c: Compile) -> None:
    waiting = compile_c(WAITING, "-O1", "-fno-builtin")

    def looked_at(*arguments: str, options: tuple[str, ...] = ()) -> bool:
        return assert_same(malloom, waiting, *arguments, options=options)["monitored"] > 0

    assert not looked_at("15000", "40")
    assert not looked_at("8", "1000000")
    assert looked_at("0", "40", options=FROM_THE_BEGINNING)
    assert looked_at("8", "1048576")
    for how in ("malloc", "calloc", "realloc"):
        assert looked_at("16384", "40", how)
    assert not looked_at("16384", "40", options=("--constant", "requests=100000"))


def test_each_child_waits_for_itself(malloom: Malloom, compile_c: Compile) -> None:
    source = """
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/wait.h>
        #include <unistd.h>
        static void ask(long times) {
            while (times-- > 0) free(malloc(48));
        }
        int main(void) {
            ask(12000);
            if (fork() == 0) { ask(12000); return 0; }
            int status = 1;
            wait(&status);
            return status;
        }
    """
    program = compile_c(source, "-O1", "-fno-builtin")
    done = under_optimizer(malloom, program, options=("--statistics",))
    assert done.returncode == 0, done.stderr
    assert sorted(int(found) > 0 for found in re.findall(r"sites monitored (\d+)", done.stderr)) == [
        False,
        True,
    ]


def test_libraries_that_come_and_go(malloom: Malloom, build: Compile, tmp_path: Path) -> None:
    library = tmp_path / "plugin.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", SOURCES / "plugin.c", "-o", library], check=True)
    found = assert_same(malloom, build("plugin_host.c"), str(library), options=FROM_THE_BEGINNING)
    assert found["monitored"] >= 1


@pytest.fixture(scope="module")
def stress(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("stress") / "heap_stress"
    source = Path(__file__).with_name("heap_stress.cpp")
    flags = ["-std=c++20", "-O1", "-fno-builtin", "-pthread"]
    subprocess.run(["g++", *flags, source, "-o", program], check=True)
    return program


@pytest.mark.parametrize(
    "more",
    [pytest.param(("1", "interrupts"), marks=pytest.mark.long), ("4", "forks"), ("4", "interrupts")],
    ids=" ".join,
)
def test_every_byte_of_the_heap(malloom: Malloom, stress: Path, more: tuple[str, str]) -> None:
    done = under_optimizer(malloom, stress, "1", more[0], "2000", more[1])
    assert (done.returncode, done.stdout) == (0, "whole\n"), done.stderr


def test_children_run_under_the_optimiser_too(malloom: Malloom) -> None:
    done = under_optimizer(malloom, "sh", "-c", "ls /; exec env true", options=("--statistics",))
    assert done.returncode == 0, done.stderr
    # The shell, which becomes env and then true, and ls.
    assert len(re.findall("sites monitored", done.stderr)) >= 2, done.stderr


def test_exit_status_is_the_programs(malloom: Malloom) -> None:
    assert under_optimizer(malloom, "sh", "-c", "exit 7").returncode == 7


def test_death_by_signal_is_the_programs(malloom: Malloom) -> None:
    assert under_optimizer(malloom, "sh", "-c", "kill -TERM $$").returncode == -signal.SIGTERM


def test_standard_streams_are_the_programs(malloom: Malloom) -> None:
    command = ["run", "--dynamic", "--", "sh", "-c", "cat; echo to stderr >&2"]
    done = malloom(*command, stdin=None, input="to stdout\n")
    assert (done.stdout, done.stderr) == ("to stdout\n", "to stderr\n")


def libraries(malloom: Malloom, *options: str) -> set[str]:
    done = under_optimizer(malloom, "cat", "/proc/self/maps", options=options)
    assert done.returncode == 0, done.stderr
    return {line.rpartition("/")[2].partition(".")[0] for line in done.stdout.splitlines() if "/" in line}


def test_only_what_is_wanted_is_in_the_process(malloom: Malloom) -> None:
    assert "libmalloom" in libraries(malloom, "--no-prefetch")
    assert not {"libmalloom", "libmimalloc"} & libraries(malloom, "--no-pools")
    assert not {"libmalloom", "libmimalloc"} & libraries(malloom, "--no-pools", "--no-prefetch")


def test_the_client_brings_no_c_library_of_its_own(malloom: Malloom) -> None:
    done = under_optimizer(malloom, "cat", "/proc/self/maps")
    assert len(re.findall(r" r-xp .*/libc\.so", done.stdout)) == 1, done.stdout


def test_constants_are_checked(malloom: Malloom) -> None:
    for constant, reason in (("nonsense=1", "has no option nonsense=1"), ("threshold", "sets no constant")):
        done = under_optimizer(malloom, "true", options=("--constant", constant))
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert reason in done.stderr


def test_constants_reach_the_optimiser(malloom: Malloom, build: Compile) -> None:
    options = ("--statistics", "--constant", "agreement=1000000000", "--constant", "trace_threshold=20")
    done = under_optimizer(malloom, build("list.c"), options=options)
    assert counts(done.stderr)["promoted"] == 0


@pytest.mark.parametrize("option", [("--heap", "pools"), ("--preallocate",)])
def test_options_without_a_meaning_are_refused(malloom: Malloom, option: tuple[str, ...]) -> None:
    done = under_optimizer(malloom, "true", options=option)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"{option[0]} means nothing with --dynamic" in done.stderr
