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


def assert_same(malloom: Malloom, program: Path, *arguments: str) -> Mapping[str, int]:
    """Runs it alone and under the optimiser; what the optimiser counted."""
    alone = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    done = under_optimizer(malloom, program, *arguments, options=("--statistics",))
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


def test_sites_whose_sizes_change_are_given_up(malloom: Malloom, build: Compile) -> None:
    found = assert_same(malloom, build("sizes.c"))
    assert (found["promoted"], found["given up"]) == (0, 1)


def test_faults_are_explained_to_handlers(malloom: Malloom, build: Compile) -> None:
    assert assert_same(malloom, build("faults.c"))["promoted"] == 1


def test_code_that_is_written_anew_calls_what_it_says(malloom: Malloom, build: Compile) -> None:
    assert_same(malloom, build("new_code.c", "-fno-pie", "-no-pie"))


def test_two_hundred_threads(malloom: Malloom, build: Compile) -> None:
    assert assert_same(malloom, build("threads.c"))["monitored"] >= 1


def test_libraries_that_come_and_go(malloom: Malloom, build: Compile, tmp_path: Path) -> None:
    library = tmp_path / "plugin.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", SOURCES / "plugin.c", "-o", library], check=True)
    assert assert_same(malloom, build("plugin_host.c"), str(library))["monitored"] >= 1


@pytest.fixture(scope="module")
def stress(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("stress") / "heap_stress"
    source = Path(__file__).with_name("heap_stress.cpp")
    flags = ["-std=c++20", "-O1", "-fno-builtin", "-pthread"]
    subprocess.run(["g++", *flags, source, "-o", program], check=True)
    return program


@pytest.mark.parametrize("more", [("1", "interrupts"), ("4", "forks"), ("4", "interrupts")], ids=" ".join)
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
