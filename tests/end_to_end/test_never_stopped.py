"""What is wrong with a plan, the settings or the memory, and what becomes wrong while a program runs with
libmalloom.so preloaded: the program does what it does without, and at most one line says so."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from end_to_end.conftest import done_well
from malloom.native_files import native_file

Finished = subprocess.CompletedProcess[str]
Malloom = Callable[..., Finished]
CompileC = Callable[..., Path]

PROGRAM = """
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long use(long requests) {
    static struct node { struct node* next; unsigned long value; } *kept;
    unsigned long sum = 0;
    for (long i = 0; i < requests; ++i) {
        struct node* node = malloc(sizeof *node);
        char* text = malloc(1 + (size_t)i % 200);
        if (node == NULL || text == NULL) return 0;
        memset(text, (int)i, 1 + (size_t)i % 200);
        node->value = (unsigned long)i + (unsigned char)text[i % 200];
        node->next = kept;
        kept = node;
        free(text);
    }
    while (kept != NULL) {
        struct node* next = kept->next;
        sum = sum * 31 + kept->value;
        free(kept);
        kept = next;
    }
    return sum;
}

/* WAITS times a line is awaited, between REQUESTS and as many more. */
int main(int count, char** words) {
    long requests = atol(words[1]), waits = count > 2 ? atol(words[2]) : 0;
    unsigned long sum = use(requests);
    for (char byte = 0; waits-- > 0; sum += use(requests)) {
        if (write(1, "ready\\n", 6) != 6) return 9;
        while (read(0, &byte, 1) == 1 && byte != '\\n') { }
    }
    printf("%lu\\n", sum);
    return 0;
}
"""

SMALL, LARGE = "1000", "300000"
"""Requests, and a half of the slots: the plan of the second is read as it is needed."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("never_stopped")


@pytest.fixture(scope="module")
def program(folder: Path) -> Path:
    path = folder / "program"
    command = ["gcc", "-O1", "-fno-inline", "-fno-builtin", "-Wl,--build-id", "-x", "c", "-", "-o", path]
    subprocess.run(command, input=PROGRAM, text=True, check=True)
    return path


@pytest.fixture(scope="module")
def plans(folder: Path, program: Path) -> dict[str, Path]:
    """A plan for each number of requests."""
    made = {}
    for requests in (SMALL, LARGE):
        profile, plan = folder / f"{requests}.profile", folder / f"{requests}.plan"
        done_well(folder, "record", "-o", profile, "--accesses", "none", "--", program, requests)
        done_well(folder, "plan", profile, "-o", plan, "--strategy", "sequential")
        made[requests] = plan
    return made


@pytest.fixture
def plan(plans: dict[str, Path], tmp_path: Path) -> Path:
    """A plan of the test's own, that it may change."""
    copy = tmp_path / "own.plan"
    copy.write_bytes(plans[SMALL].read_bytes())
    return copy


def preloaded(settings: str) -> dict[str, str]:
    return {**os.environ, "LD_PRELOAD": str(native_file("libmalloom.so")), "MALLOOM": settings}


def expect_as_without(
    program: Path, settings: str, *, lines: int = 1, words: str = "", start: tuple[str | Path, ...] = ()
) -> None:
    """A short run does what it does without malloom, and says so many lines."""
    command = [*start, program, SMALL]
    without = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert without.returncode == 0
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env=preloaded(settings)
    )
    assert (done.returncode, done.stdout) == (0, without.stdout), done.stderr
    assert len(done.stderr.splitlines()) == lines, done.stderr
    assert all(line.startswith("malloom: ") for line in done.stderr.splitlines()), done.stderr
    assert words in done.stderr


def test_a_good_plan_says_nothing(program: Path, plan: Path) -> None:
    expect_as_without(program, f"plan={plan}", lines=0)
    expect_as_without(program, f"statistics=1,plan={plan}", words="plan used")


@pytest.mark.parametrize("heap", ["plan", "pools"])
@pytest.mark.parametrize("kind", ["missing", "folder", "fifo", "socket", "dangling link", "circle", "empty"])
def test_what_is_no_plan(program: Path, tmp_path: Path, kind: str, heap: str) -> None:
    path = tmp_path / "no.plan"
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
    elif kind == "dangling link":
        path.symlink_to("nowhere")
    elif kind == "circle":
        path.symlink_to(path)
    elif kind == "empty":
        path.touch()
    expect_as_without(program, f"heap={heap},plan={path}", words="runs without a plan")


def run_into(pipe: int, program: Path, settings: str) -> "subprocess.CompletedProcess[bytes]":
    command = [program, SMALL]
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=pipe, check=False, timeout=60, env=preloaded(settings)
    )


@pytest.mark.parametrize("settings", ["plan=/nowhere", "nonsense=1", "heap=pools,statistics=1"])
def test_a_pipe_that_nobody_reads_or_that_is_full(program: Path, settings: str) -> None:
    reading, writing = os.pipe()
    try:
        os.set_blocking(writing, False)
        with suppress(BlockingIOError):
            while os.write(writing, bytes(4096)):
                pass
        os.set_blocking(writing, True)
        full = run_into(writing, program, settings)
        os.close(reading)
        reading = -1
        unread = run_into(writing, program, settings)
    finally:
        os.close(writing)
        if reading >= 0:
            os.close(reading)
    assert (full.returncode, unread.returncode) == (0, 0)
    assert full.stdout == unread.stdout != b""


def shell(script: str, folder: Path, settings: str, *words: str | Path) -> Finished:
    return subprocess.run(
        ["sh", "-c", script, *words],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=preloaded(settings),
    )


def test_statistics_go_into_no_file_of_the_program(tmp_path: Path) -> None:
    """Which gets the number of a standard error that was closed before it began."""
    keeps = (
        "import os; kept = os.open('kept', os.O_CREAT | os.O_WRONLY); os.write(kept, b'x'); exit(kept != 2)"
    )
    script = 'exec 2>&-; exec "$1" -c "$0"'
    done = shell(script, tmp_path, "heap=pools,statistics=1", keeps, sys.executable)
    assert done.returncode == 0 and (tmp_path / "kept").read_text() == "x"


def test_nobody_waits_for_a_standard_error_that_is_closed(program: Path, tmp_path: Path) -> None:
    began = time.monotonic()
    for settings in ("heap=pools,statistics=1", "plan=/nowhere"):
        assert shell('exec "$0" 10 2>&-', tmp_path, settings, program).returncode == 0
    assert time.monotonic() - began < 0.9


@pytest.mark.parametrize("limit", ["-n 256", "-n 20", "-f 0"])
def test_limits_of_files_leave_the_line(program: Path, tmp_path: Path, limit: str) -> None:
    script = f'ulimit {limit}; exec "$0" 10'
    done = shell(script, tmp_path, "heap=pools,statistics=1", program)
    assert done.returncode == 0 and done.stderr.count("; requests ") == 1, done.stderr
    done = shell(f"{script} 2> full", tmp_path, "heap=pools,statistics=1", program)
    assert done.returncode == 0
    assert (tmp_path / "full").read_text().count("; requests ") == (0 if limit == "-f 0" else 1)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/full", "/dev/random", "/dev/tty"])
def test_devices(program: Path, device: str) -> None:
    expect_as_without(program, f"plan={device}", words="is no ordinary file; the program runs without a plan")


@pytest.mark.parametrize(
    "path", ["/" + "x" * 255 + "/y", "/" + "x" * 300, "/" + "x" * 5000, "/" + "xy/" * 1600]
)
def test_long_names(program: Path, path: str) -> None:
    expect_as_without(program, f"plan={path}")


def test_a_plan_that_may_not_be_read(program: Path, plan: Path) -> None:
    plan.chmod(0)
    # Root reads everything, unless it gives that up.
    humble = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
    expect_as_without(program, f"plan={plan}", words="Permission denied", start=humble)


def test_plans_that_were_cut(program: Path, plan: Path) -> None:
    whole = plan.read_bytes()
    for size in (1, 255, 256, 257, len(whole) // 2, len(whole) - 1):
        plan.write_bytes(whole[:size])
        expect_as_without(
            program, f"plan={plan}", words="too short" if size < 256 else "cut or is still being"
        )


@pytest.mark.parametrize("beginning", [b"", b"MALLPLAN", b"header"])
def test_sparse_files_of_100_gigabytes(program: Path, plan: Path, beginning: bytes) -> None:
    with plan.open("r+b") as file:
        if beginning != b"header":
            file.truncate(0)
            file.write(beginning)
        file.truncate(100 << 30)
    expect_as_without(program, f"plan={plan}")


GARBAGE = [
    ",",
    "=",
    "plan",
    "plan=",
    "=x",
    ",,,===,,",
    "heap=",
    "heap=nothing",
    "unheard_of=1",
    "plan=relative.plan",
    "\udcff\udcfe\x01=\x1b[31m",
    "%s%n%s%n=%n",
    "x" * 20000,
    "plan=5:/a,b",
    "plan=999999:/a",
    "plan=18446744073709551617:/a",
]


@pytest.mark.parametrize("settings", GARBAGE, ids=range(len(GARBAGE)))
def test_settings_that_make_no_sense(program: Path, settings: str) -> None:
    lines = 0 if settings == "," else 1
    expect_as_without(program, settings, lines=lines)


HEAPS = ["plan", "pools", "bins", "pages", "fallback"]


@pytest.mark.parametrize("kilobytes", [20000, 100000, 300000])
@pytest.mark.parametrize("heap", HEAPS)
def test_little_address_space(program: Path, plan: Path, heap: str, kilobytes: int) -> None:
    limited = ("sh", "-c", f'ulimit -v {kilobytes}; exec "$@"', "-")
    command = [*limited, program, SMALL]
    settings = f"heap={heap}" + (f",plan={plan}" if heap in ("plan", "pools") else "")
    without = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    done = subprocess.run(
        ["env", f"LD_PRELOAD={native_file('libmalloom.so')}", f"MALLOOM={settings}", *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (without.returncode, without.stdout), done.stderr
    assert done.stdout.endswith("\n")
    assert len(done.stderr.splitlines()) <= 1, done.stderr


def cut(plan: Path) -> None:
    os.truncate(plan, 0)


def cut_within(plan: Path) -> None:
    os.truncate(plan, 300)


def write_over(plan: Path) -> None:
    with plan.open("r+b") as file:
        file.write(os.urandom(plan.stat().st_size))


def write_anew(plan: Path) -> None:
    plan.write_bytes(b"no plan")


def replace(plan: Path) -> None:
    plan.with_name("new").write_bytes(b"\0" * 10000)
    plan.with_name("new").replace(plan)


def remove(plan: Path) -> None:
    plan.unlink()


CHANGES = [cut, cut_within, write_over, write_anew, replace, remove]


@pytest.mark.parametrize("heap", ["plan", "pools"])
@pytest.mark.parametrize("requests", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_plan_that_changes_while_the_program_runs(
    program: Path,
    plans: dict[str, Path],
    tmp_path: Path,
    change: Callable[[Path], None],
    requests: str,
    heap: str,
) -> None:
    plan = tmp_path / "changing.plan"
    plan.write_bytes(plans[requests].read_bytes())
    command = [program, str(int(requests) // 2), "2"]
    without = subprocess.run(command, input="\n\n", capture_output=True, text=True, check=True, timeout=60)
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=preloaded(f"heap={heap},plan={plan}"),
    ) as running:
        assert running.stdin and running.stdout and running.stderr
        assert running.stdout.readline() == "ready\n"
        change(plan)
        output, said = running.communicate("\n\n", timeout=60)
    assert (running.returncode, "ready\n" + output, said) == (0, without.stdout, "")
