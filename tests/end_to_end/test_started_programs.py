"""What a program under malloom starts: where a preloaded library would end that, it runs as without malloom,
and one line says so."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND

Malloom = Callable[..., subprocess.CompletedProcess[str]]

STARTER = r"""
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char** environ;
static void replace(const char* how, const char* name, char** arguments) {
    if (!strcmp(how, "execve")) execve(name, arguments, environ);
    if (!strcmp(how, "execv")) execv(name, arguments);
    if (!strcmp(how, "execvp")) execvp(strrchr(name, '/') + 1, arguments);
    if (!strcmp(how, "execvpe")) execvpe(name, arguments, environ);
    perror(how);
    _exit(99);
}
int main(int count, char** words) {
    (void)count;
    char* arguments[] = {words[2], NULL};
    pid_t child = 0;
    int status = -1;
    if (!strcmp(words[1], "posix_spawn")) {
        posix_spawn(&child, words[2], NULL, NULL, arguments, environ);
    } else if (!strcmp(words[1], "posix_spawnp")) {
        posix_spawnp(&child, strrchr(words[2], '/') + 1, NULL, NULL, arguments, environ);
    } else if ((child = vfork()) == 0) {
        replace(words[1], words[2], arguments);
    }
    waitpid(child, &status, 0);
    free(malloc(100));
    printf("status %d\n", status);
    return 0;
}
"""
STARTED = """
#include <stdio.h>
#include <stdlib.h>
int main(void) { void* object = malloc(9); puts(object ? "fine" : "none"); free(object); return 0; }
"""
MADE = {
    "address sanitizer": ("gcc", "-fsanitize=address"),
    "thread sanitizer": ("gcc", "-fsanitize=thread"),
    "sanitizer of clang": ("clang-19", "-fsanitize=address", "-shared-libasan"),
    "musl": ("musl-gcc",),
}
WAYS = ("execve", "execv", "execvp", "execvpe", "posix_spawn", "posix_spawnp")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter, and a program in each of the ways to make one."""
    folder = tmp_path_factory.mktemp("started")
    runtime = Path(subprocess.check_output(["clang-19", "-print-runtime-dir"], text=True).strip())
    found = subprocess.check_output(["clang-19", "-print-file-name=libclang_rt.asan-x86_64.so"], text=True)
    for path in {str(runtime), str(Path(found.strip()).parent)}:
        (folder / "paths").open("a").write(f"-Wl,-rpath,{path}\n")
    paths = (folder / "paths").read_text().split()
    made = {**MADE, "glibc": ("gcc",), "starter": ("gcc", "-O1")}
    for name, (compiler, *options) in made.items():
        source = STARTER if name == "starter" else STARTED
        more = paths if compiler.startswith("clang") else []
        command = [compiler, *options, "-x", "c", "-", "-o", folder / name.replace(" ", "-"), *more]
        subprocess.run(command, input=source, text=True, check=True)
    return folder


def started(programs: Path, way: str, name: str, front: list[str]) -> subprocess.CompletedProcess[str]:
    command = [COMMAND, *front, "--", programs / "starter", way, programs / name.replace(" ", "-")]
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, env=environment, cwd=programs
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MADE)
def test_a_program_that_a_preloaded_library_would_end_runs_without(
    programs: Path, way: str, name: str
) -> None:
    done = started(programs, way, name, ["run", "--heap", "pools"])
    assert (done.returncode, done.stdout) == (0, "fine\nstatus 0\n"), done.stderr
    why = "is linked with musl" if name == "musl" else "is built with a sanitizer"
    said = f"malloom: {programs / name.replace(' ', '-')} {why} and runs without malloom"
    assert done.stderr.splitlines() == [said]


@pytest.mark.parametrize("way", WAYS)
def test_other_programs_keep_it(programs: Path, way: str) -> None:
    done = started(programs, way, "glibc", ["run", "--heap", "pools", "--statistics"])
    assert (done.returncode, done.stdout) == (0, "fine\nstatus 0\n")
    assert len([line for line in done.stderr.splitlines() if "requests" in line]) == 2, done.stderr


def test_the_recorder_does_the_same(programs: Path, malloom: Malloom, tmp_path: Path) -> None:
    front = ["record", "--accesses", "none", "-o", str(tmp_path / "profile")]
    done = started(programs, "execve", "musl", front)
    assert (done.returncode, done.stdout) == (0, "fine\nstatus 0\n")
    assert "is linked with musl and runs without malloom" in done.stderr
    assert "requests" in malloom("report", tmp_path / "profile").stdout


def test_scripts_are_followed_and_files_that_are_no_programs_are_left_to_the_kernel(
    programs: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script"
    script.write_text(f"#! {programs / 'musl'} word\n")
    script.chmod(0o755)
    done = started(programs, "execve", str(script), ["run", "--heap", "pools"])
    assert done.stdout == "fine\nstatus 0\n"
    assert done.stderr == f"malloom: {script} is linked with musl and runs without malloom\n"
    damaged = tmp_path / "damaged"
    damaged.write_bytes((programs / "musl").read_bytes()[:64])
    damaged.chmod(0o755)
    assert "status 25344" in started(programs, "execve", str(damaged), ["run"]).stdout, "exec says no"
