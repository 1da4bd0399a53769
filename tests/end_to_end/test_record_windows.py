"""Parts of a run that are recorded while it goes on."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from end_to_end.conftest import COMMAND, Finished
from malloom import _native
from malloom.launch.program import open_program
from malloom.launch.recording import (
    Accesses,
    RecordingOptions,
    recorded_command,
    recording_environment,
    remove,
)
from malloom.launch.windows import Windows, create_control
from malloom.measure.process import Command
from malloom.measure.valgrind import count_instructions
from malloom.profile import HeapProfile
from some import some

Malloom = Callable[..., Finished]

SERVER = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile int is_over;
static void* work(void* sizes) {
    struct timespec pause = {0, 2000000};
    while (!is_over) {
        for (int i = 0; i < 50; i++) {
            char* one = malloc((size_t)sizes);
            memset(one, 1, 8);
            free(one);
        }
        nanosleep(&pause, 0);
    }
    return 0;
}
static void* short_work(void* unused) {
    (void)unused;
    free(malloc(300));
    return 0;
}
int main(int count, char** arguments) {
    double seconds = atof(arguments[1]);
    pthread_t threads[3], once;
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, (void*)(100 + 100 * i));
    struct timespec pause = {0, 10000000};
    for (int i = 0; i < seconds * 100; i++) {
        pthread_create(&once, 0, short_work, 0);
        pthread_join(once, 0);
        if (count > 2 && i % 20 == 0) {
            pid_t child = fork();
            if (child == 0) {
                free(malloc(700));
                _exit(0);
            }
            waitpid(child, 0, 0);
        }
        nanosleep(&pause, 0);
    }
    is_over = 1;
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    puts("served");
    return 7;
}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs for the seconds of its argument; with another one it forks too."""
    program = tmp_path_factory.mktemp("server") / "server"
    command = ["gcc", "-g", "-O1", "-pthread", "-x", "c", "-", "-o", program]
    subprocess.run(command, input=SERVER, text=True, check=True)
    return program


def sizes_of(profile: Path) -> set[int]:
    return set(HeapProfile.open(profile, "server").requests.size.tolist())


def test_a_part_of_a_run_is_a_profile(malloom: Malloom, server: Path, tmp_path: Path) -> None:
    began = time.monotonic()
    done = malloom("record", "--for", "1s", "-o", "run.profile", "--", server, "3")
    assert done.returncode == 7, done.stderr
    assert time.monotonic() - began > 3
    assert done.stdout == "served\n"
    opened = HeapProfile.open(tmp_path / "run.profile", "server")
    assert {100, 200, 300} <= set(opened.requests.size.tolist())
    assert dict(opened.process.end)["reason"] == "the time to record was over"
    assert [path.name for path in tmp_path.iterdir()] == ["run.profile"]
    assert _native.check_profile(str(tmp_path / "run.profile")) == []


def test_every_window_is_a_table(malloom: Malloom, server: Path, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    windows = ("--for", "0.5s", "--every", "1.5s", "--tables", "--anonymous", "--json")
    done = malloom("record", *windows, "-o", "tables", "--", server, "8", "forks")
    assert done.returncode == 7, done.stderr
    tables = sorted((tmp_path / "tables").iterdir())
    assert len(tables) >= 2, done.stderr
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    told = [each for each in lines if each["profile"] is not None]
    assert {Path(each["profile"]) for each in told} == {Path("tables") / table.name for table in tables}
    assert all(each["events"] > 0 and each["cpu_time_seconds"] > 0 for each in told)
    assert all(re.fullmatch(r"server-\d{8}T\d{6}\.\d{6}\.parquet", table.name) for table in tables)
    for table in tables:
        kinds = "select distinct unnest(kinds).size from read_parquet(?)"
        sizes = {row[0] for row in duckdb.execute(kinds, [str(table)]).fetchall()}
        assert {100, 200, 300} <= sizes, table
    merged = malloom("merge", "tables", "-o", "web.fleet")
    assert merged.returncode == 0, merged.stderr


def test_a_window_at_the_end_is_whole(malloom: Malloom, server: Path, tmp_path: Path) -> None:
    done = malloom("record", "--for", "60s", "-o", "run.profile", "--", server, "1")
    assert done.returncode == 7, done.stderr
    opened = HeapProfile.open(tmp_path / "run.profile", "server")
    assert dict(opened.process.end)["reason"] == "exit"
    whole = malloom("record", "--accesses", "none", "-o", "whole.profile", "--", server, "1")
    assert whole.returncode == 7
    assert sizes_of(tmp_path / "run.profile") == sizes_of(tmp_path / "whole.profile")


@contextmanager
def on_demand(server: Path, folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [COMMAND, "record", "--on-demand", "-o", folder / "base", "--", server, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        control = folder / "base.windows"
        end = time.monotonic() + 20
        while not (control.exists() and is_running(running.pid, server)) and time.monotonic() < end:
            time.sleep(0.05)
        try:
            yield running
        finally:
            running.kill()


def is_running(pid: int, program: Path) -> bool:
    try:
        return Path(f"/proc/{pid}/exe").readlink() == program
    except OSError:
        return False


def test_a_running_process_is_recorded_on_demand(malloom: Malloom, server: Path, tmp_path: Path) -> None:
    with on_demand(server, tmp_path, "30") as running:
        for name in ("one", "two"):
            done = malloom("record", "--pid", str(running.pid), "--for", "0.5s", "-o", f"{name}.profile")
            assert done.returncode == 0, done.stderr
            assert {100, 200, 300} <= sizes_of(tmp_path / f"{name}.profile")
        tables = ("--tables", "-o", "three.parquet")
        done = malloom("record", "--pid", str(running.pid), "--for", "0.5s", *tables)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "three.parquet").is_file()
        assert running.poll() is None
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"base.windows", "one.profile", "two.profile", "three.parquet"}


def test_two_do_not_record_one_process(malloom: Malloom, server: Path, tmp_path: Path) -> None:
    with on_demand(server, tmp_path, "30") as running:
        first = [COMMAND, "record", "--pid", str(running.pid), "--for", "20s", "-o", tmp_path / "one.profile"]
        with subprocess.Popen(first, stderr=subprocess.DEVNULL) as recording:
            end = time.monotonic() + 20
            while not list(tmp_path.glob("base.*.staging")) and time.monotonic() < end:
                time.sleep(0.05)
            time.sleep(0.5)  # for all threads to see that the window is open
            done = malloom("record", "--pid", str(running.pid), "--for", "1s", "-o", "two.profile")
            assert done.returncode == 1
            assert "another 'malloom record' opens windows of this program" in done.stderr
            recording.send_signal(signal.SIGINT)
            assert recording.wait(20) == 0
    assert {100, 200, 300} <= sizes_of(tmp_path / "one.profile")


def test_a_process_that_was_not_started_for_it_is_refused(malloom: Malloom, tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "30"]) as other:
        done = malloom("record", "--pid", str(other.pid), "--for", "1s", "-o", "x.profile")
        other.kill()
    assert done.returncode == 1
    assert "was not started to be recorded" in done.stderr
    assert "start it with 'malloom record --on-demand -o PLACE -- PROGRAM'" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_signal_before_the_program_is_there_leaves_nothing(server: Path, tmp_path: Path) -> None:
    command = [
        COMMAND,
        "record",
        "--for",
        "1s",
        "--every",
        "3s",
        "--budget",
        "50%",
        "--tables",
        "-o",
        tmp_path,
    ]
    with subprocess.Popen([*command, "--", server], cwd="/", stderr=subprocess.DEVNULL) as running:
        while not list(tmp_path.glob(".malloom-*")):
            assert running.poll() is None
            time.sleep(0.001)
        time.sleep(0.05)
        running.terminate()
    assert running.returncode != 0
    assert list(tmp_path.iterdir()) == []


def test_the_budget_ends_a_window_early(malloom: Malloom, server: Path, tmp_path: Path) -> None:
    done = malloom("record", "--for", "5s", "--budget", "0.01%", "-o", "x.profile", "--", server, "3")
    assert done.returncode == 7, done.stderr
    assert not (tmp_path / "x.profile").exists(), "nothing is left of what malloom itself takes to start"
    assert re.search(r"0 windows; recording took \d\.\d+ s of CPU time", done.stderr)


BUSY = """
#include <stdlib.h>
#include <time.h>
int main(int count, char** arguments) {
    (void)count;
    while (clock() < atof(arguments[1]) * CLOCKS_PER_SEC) {
        for (int i = 0; i < 1000; i++) free(malloc(40));
        for (volatile int i = 0; i < 300000; i++) {}
    }
}
"""


@pytest.mark.long
def test_a_window_ends_where_the_budget_does(
    malloom: Malloom, compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    program = compile_c(BUSY, "-fno-builtin")
    done = malloom("record", "--for", "60s", "--budget", "20%", "-o", "x.profile", "--", program, "12")
    assert done.returncode == 0, done.stderr
    told = re.search(r"1 window; recording took .* s of CPU time, (\d+)\.\d+% of the program's", done.stderr)
    assert told, done.stderr
    assert 5 <= int(told[1]) <= 25, done.stderr


FEW_REQUESTS = """
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    for (int i = 0; i < 1000; i++) {
        free(malloc(40));
        usleep(10000);
    }
}
"""


def test_a_program_of_few_requests_is_in_every_window(
    malloom: Malloom, compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "tables").mkdir()
    program = compile_c(FEW_REQUESTS, "-fno-builtin")
    done = malloom("record", "--for", "0.5s", "--every", "1.5s", "--tables", "-o", "tables", "--", program)
    assert done.returncode == 0, done.stderr
    found = [int(number) for number in re.findall(r"recorded (\d+) events?", done.stderr)]
    assert len(found) >= 2
    assert all(20 <= number <= 200 for number in found), done.stderr


def test_threads_that_come_and_go_are_counted(malloom: Malloom, tmp_path: Path, server: Path) -> None:
    create_control(tmp_path / "base")
    options = RecordingOptions(tmp_path / "base", Accesses.none, 0, 8, force=True, windows=True)
    path, command, environment = recorded_command(open_program(str(server)), [str(server), "3"], options)
    windows = Windows(tmp_path / "base", 0)
    with subprocess.Popen(command, executable=path, env=environment, stdout=subprocess.DEVNULL):
        window = windows.open()
        time.sleep(2)
        seen = window.events()
        recorded = int(windows.close(window)["events"])
    windows.release()
    assert 0.5 * recorded <= seen <= recorded


def test_what_ends_malloom_closes_the_window(malloom: Malloom, server: Path, tmp_path: Path) -> None:
    with on_demand(server, tmp_path, "30") as running:
        command = [COMMAND, "record", "--pid", str(running.pid), "--for", "60s", "-o", tmp_path / "x.profile"]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as recording:
            end = time.monotonic() + 20
            while not list(tmp_path.glob("base.*.staging")) and time.monotonic() < end:
                time.sleep(0.05)
            time.sleep(0.5)
            recording.send_signal(signal.SIGTERM)
            recording.wait(20)
        left = {path.name for path in tmp_path.iterdir()}
        assert left == {"base.windows", "x.profile"}
        assert (tmp_path / "base.windows").read_bytes()[24:] == bytes(8)


def test_a_file_of_windows_that_is_cut_ends_nothing(server: Path, tmp_path: Path) -> None:
    with on_demand(server, tmp_path, "1") as running:
        (tmp_path / "base.windows").open("w").close()
        assert running.wait(30) == 7


ASLEEP = 70
"""Instructions of a malloc and a free together beyond those without malloom (docs/guide/fleets.md)."""
PAIRS_OF_CALLS = """
#include <stdlib.h>
int main(int count, char** arguments) {
    (void)count;
    for (long left = atol(arguments[1]); left > 0; left--) {
        void* volatile object = malloc(64);
        free(object);
    }
}
"""


def test_a_recorder_that_sleeps_costs_little(tmp_path: Path, compile_c: Callable[..., Path]) -> None:
    program = compile_c(PAIRS_OF_CALLS, "-fno-builtin")
    create_control(tmp_path / "base")
    options = RecordingOptions(tmp_path / "base", Accesses.none, 0, 8, force=True, windows=True)
    asleep = {
        name: value
        for name, value in recording_environment(tmp_path / "base", options).items()
        if name in ("LD_PRELOAD", "MALLOOM")
    }

    def instructions(environment: dict[str, str]) -> float:
        few, many = (
            count_instructions(Command([str(program), str(count)], environment)) for count in (10_000, 20_000)
        )
        return (many - few) / 10_000

    assert instructions(asleep) - instructions({}) <= ASLEEP


@pytest.mark.parametrize("grace", some(0.2, of=[0.0, 0.2]))
def test_a_storm_of_windows(
    server: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grace: float
) -> None:
    """Far more often than anybody would: the program is as without, and what is taken in time is whole."""
    monkeypatch.setattr("malloom.launch.windows.GRACE", grace)
    base = tmp_path / "base"
    create_control(base)
    options = RecordingOptions(base, Accesses.none, 0, 8, force=True, windows=True)
    path, command, environment = recorded_command(
        open_program(str(server)), [str(server), "4", "forks"], options
    )
    windows = Windows(base, 0)
    events, broken = 0, []
    with subprocess.Popen(command, executable=path, env=environment, stdout=subprocess.PIPE) as running:
        while running.poll() is None:
            window = windows.open()
            time.sleep(0.02)
            events += int(windows.close(window)["events"])
            broken += _native.check_profile(str(window.profile))
            remove(window.profile)
        assert running.stdout is not None and running.stdout.read() == b"served\n"
    windows.release()
    assert running.returncode == 7
    assert events > 500
    assert broken == [] or grace == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--for", "1s", "--accesses", "full"), "of a part of a run accesses are not full"),
        (("--every", "1m"), "nothing says for how long; add --for 30s"),
        (("--every", "1m", "--until-signal", "USR1"), "how long each window is; add --for 30s"),
        (("--for", "10s", "--every", "5s", "--tables"), "--every 5s leaves no time between windows"),
        (("--for", "1s", "--every", "5s"), "--every makes a table for each window; add --tables"),
        (("--for", "1s", "--every", "5s", "--tables"), "x.profile is no folder"),
        (("--for", "soon"), "'soon' is no time; write it as 30s, 10m or 1h"),
        (("--for", "1s", "--budget", "much"), "'much' is no share; write it as 1%"),
        (("--on-demand", "--for", "1s"), "--on-demand records nothing by itself"),
        (("--on-demand", "--tables"), "give --tables to 'malloom record --pid'"),
        (("--for", "0"), "--for 0 is over at once; record for a second or longer"),
        (("--for", "1s", "--pid", "1"), "--pid names a process, and there is a program"),
        (("--on-demand", "--json"), "--on-demand records nothing by itself"),
    ],
)
def test_bad_use_is_a_line(malloom: Malloom, tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    done = malloom("record", *options, "-o", "x.profile", "--", "true")
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
