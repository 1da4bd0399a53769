"""Files in which a program stages what is recorded, cut or made up by others: the program goes on as without
malloom, and the profile can be read."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND
from end_to_end.recording import assert_sound
from some import some

CompileC = Callable[..., Path]
Malloom = Callable[..., subprocess.CompletedProcess[str]]

PROGRAM = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void use(void) {
    for (int i = 0; i < 20000; ++i) free(strdup("some text, and more"));
}
static pthread_barrier_t halfway;
static void* thread(void* unused) {
    use();
    pthread_barrier_wait(&halfway);
    pthread_barrier_wait(&halfway);
    use();
    return unused;
}
static void on_bus_error(int number) {
    write(1, "its own\n", 8);
    _exit(number);
}
/* What comes after the line that is awaited: "" or "fork" or "raise" or "own". */
int main(int count, char** words) {
    const char* then = count > 1 ? words[1] : "";
    pthread_t threads[3];
    pthread_barrier_init(&halfway, NULL, 4);
    for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, thread, NULL);
    use();
    pthread_barrier_wait(&halfway);
    if (strcmp(then, "own") == 0) signal(SIGBUS, on_bus_error);
    write(1, "ready\n", 6);
    for (char byte = 0; read(0, &byte, 1) == 1 && byte != '\n';) { }
    pthread_barrier_wait(&halfway);
    use();
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
    if (strcmp(then, "fork") == 0 && fork() == 0) {
        use();
        _exit(0);
    }
    wait(NULL);
    if (*then != '\0' && strcmp(then, "fork") != 0) raise(SIGBUS);
    puts("done");
    return 3;
}
"""


def recorded_while(
    program: Path, folder: Path, change: Callable[[Path], None], then: str
) -> subprocess.CompletedProcess[str]:
    """Records the program, and changes its staging folder halfway."""
    command = [COMMAND, "record", "-o", "a.profile", "--accesses", "none", "--", program, then]
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout and running.stdout.readline() == "ready\n"
        change(folder / "a.profile.staging")
        output, said = running.communicate("\n", timeout=60)
    return subprocess.CompletedProcess(command, running.returncode, output, said)


def cut(folder: Path, bytes_left: int, of: str = "*") -> None:
    files = list(folder.glob(of))
    assert files
    for file in files:
        os.truncate(file, min(bytes_left, file.stat().st_size))


CUTS: list[Callable[[Path], None]] = [
    lambda folder: cut(folder, 0),
    lambda folder: cut(folder, 4096),
    lambda folder: cut(folder, 0, "*-process"),
    lambda folder: cut(folder, 0, "*-[0-9]"),
]


@pytest.mark.parametrize("then", some("fork", of=["", "fork"]))
@pytest.mark.parametrize("change", CUTS, ids=["all", "to a page", "the process's", "the threads'"])
def test_a_stage_that_is_cut_ends_the_recording_alone(
    malloom: Malloom, compile_c: CompileC, tmp_path: Path, change: Callable[[Path], None], then: str
) -> None:
    program = compile_c(PROGRAM, "-pthread")
    done = recorded_while(program, tmp_path, change, then)
    assert (done.returncode, done.stdout) == (3, "done\n"), done.stderr
    assert "could not be written" in done.stderr
    assert all(line.startswith("malloom: ") for line in done.stderr.splitlines())
    assert malloom("report", "a.profile").returncode == 0
    assert not (tmp_path / "a.profile.staging").exists()


def test_what_else_raises_a_bus_error_ends_the_program(compile_c: CompileC, tmp_path: Path) -> None:
    program = compile_c(PROGRAM, "-pthread")
    done = recorded_while(program, tmp_path, lambda _: None, "raise")
    assert (done.returncode, done.stdout) == (128 + signal.SIGBUS, ""), done.stderr
    assert_sound(tmp_path / "a.profile")


def test_a_handler_of_the_program_comes_first(compile_c: CompileC, tmp_path: Path) -> None:
    program = compile_c(PROGRAM, "-pthread")
    done = recorded_while(program, tmp_path, lambda _: None, "own")
    assert (done.returncode, done.stdout) == (signal.SIGBUS, "its own\n"), done.stderr


def test_pipes_and_huge_files_among_the_stages_are_passed_over(
    malloom: Malloom, compile_c: CompileC, tmp_path: Path
) -> None:
    def add(folder: Path) -> None:
        os.mkfifo(folder / "123-process")
        os.mkfifo(folder / "123-1")
        (folder / "456-process").touch()
        os.truncate(folder / "456-process", 1 << 40)

    done = recorded_while(compile_c(PROGRAM, "-pthread"), tmp_path, add, "")
    assert (done.returncode, done.stdout) == (3, "done\n"), done.stderr
    assert malloom("report", "a.profile").returncode == 0
